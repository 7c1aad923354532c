// Form that deploys a contract: constructor inputs, salt, resulting address.
import type { Abi } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { deployCall, feltOf, InvalidInput, inputsOf, UDC } from '@starkbox/abi/internal';
import { useEffect, useId, useMemo, useState } from 'react';
import { PlainButton } from '../../parts/button.js';
import { AbiForm } from '../../parts/forms/abi-form.js';
import { Checkbox } from '../../parts/inputs.js';
import { SendForm } from '../../parts/send/send-form.js';
import { useSender } from '../../parts/send/sender.js';
import { Address, Copy, Fact } from '../../parts/values.js';
import { runTask } from '../../state/tasks.js';
import { useInputs } from './call-form.js';

const NO_INPUTS = { inputs: [] };
/** Longest calldata for which the address is computed; each felt takes over half a millisecond. */
const MAX_HASHED = 500;

function readSalt(text: string): { readonly salt?: string; readonly error?: string } {
  try {
    return { salt: feltOf(text.trim()) };
  } catch (error) {
    return { error: error instanceof InvalidInput ? error.message : 'Enter a felt.' };
  }
}

export function DeployForm({ classHash, abi }: { readonly classHash: string; readonly abi: Abi }) {
  const form = useMemo(() => ({ inputs: inputsOf(abi.constructor_ ?? NO_INPUTS), abi }), [abi]);
  const { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded } = useInputs(
    form,
    'constructor',
  );
  const [saltText, setSaltText] = useState('0x0');
  const [isUnique, setUnique] = useState(false);
  const sender = useSender(as);
  const { salt, error } = readSalt(saltText);
  const address = useAddress({
    classHash,
    salt,
    calldata: encoded.calldata,
    account: isUnique ? sender.address : undefined,
    isUnique,
  });
  return (
    <SendForm
      label="Deploy"
      what="Deploy"
      verb="Deploy"
      as={as}
      setAs={setAs}
      inputs={`${salt ?? ''} ${isUnique} ${encoded.calldata?.join(' ') ?? ''}`}
      prepare={() => {
        setJudged(true);
        const { calldata } = encoded;
        return salt === undefined || !calldata
          ? undefined
          : [deployCall({ classHash, salt, isUnique, calldata })];
      }}
      after={(run) =>
        run.hash !== undefined &&
        run.verdict.execution_status === 'SUCCEEDED' &&
        address !== undefined && (
          <p>
            Deployed: <Address of={address} mark copy />
          </p>
        )
      }
    >
      <div className="function-head">
        <h2>Constructor</h2>
        <span className="quiet">through the universal deployer</span>
      </div>
      <AbiForm
        form={form}
        drafts={drafts}
        encoded={encoded}
        change={setDrafts}
        isJudged={isJudged}
      />
      {form.inputs.length === 0 && <p className="quiet">It takes no inputs.</p>}
      <SaltField
        text={saltText}
        change={setSaltText}
        error={error}
        isUnique={isUnique}
        setUnique={setUnique}
      />
      <dl className="facts">
        <Fact name="address" data-address="">
          {address === undefined ? (
            <span className="quiet">once the inputs are valid</span>
          ) : (
            <>
              <code>{address}</code> <Copy value={address} what="address" />
            </>
          )}
        </Fact>
      </dl>
    </SendForm>
  );
}

interface SaltFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly error: string | undefined;
  readonly isUnique: boolean;
  readonly setUnique: (isUnique: boolean) => void;
}

function SaltField({ text, change, error, isUnique, setUnique }: SaltFieldProps) {
  const id = useId();
  return (
    <div className="abi-field">
      <label htmlFor={id}>
        salt <span className="quiet">felt252</span>
      </label>
      <div className="control">
        <span className="line-of">
          <input
            id={id}
            className="mono"
            value={text}
            aria-invalid={error !== undefined}
            aria-describedby={`${id}-says`}
            onChange={(event) => change(event.target.value)}
          />
          <PlainButton
            onClick={() => {
              const bytes = crypto.getRandomValues(new Uint8Array(31));
              change(toFelt(bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)));
            }}
          >
            Random
          </PlainButton>
          <Checkbox checked={isUnique} change={setUnique}>
            an address that only this account can deploy to
          </Checkbox>
        </span>
        <span id={`${id}-says`} className="says">
          {error !== undefined && <span className="fail">{error}</span>}
        </span>
      </div>
    </div>
  );
}

interface DeploymentInputs {
  readonly classHash: string;
  readonly salt: string | undefined;
  readonly calldata: readonly string[] | undefined;
  readonly account: string | undefined;
  readonly isUnique: boolean;
}

/** The contract address for the current inputs. */
function useAddress({
  classHash,
  salt,
  calldata,
  account,
  isUnique,
}: DeploymentInputs): string | undefined {
  const [address, setAddress] = useState<string | undefined>();
  useEffect(() => {
    let isWanted = true;
    setAddress(undefined);
    if (salt === undefined || !calldata || calldata.length > MAX_HASHED) return;
    if (isUnique && account === undefined) return;
    runTask(
      import('@starkbox/signing').then(({ contractAddress, saltOf }) => {
        if (!isWanted) return;
        setAddress(
          contractAddress({
            deployer: account === undefined ? '0x0' : UDC,
            salt: account === undefined ? salt : saltOf(account, salt),
            classHash,
            calldata,
          }),
        );
      }),
    );
    return () => {
      isWanted = false;
    };
  }, [classHash, salt, calldata, account, isUnique]);
  return address;
}
