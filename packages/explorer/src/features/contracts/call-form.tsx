// Form of one contract function: inputs, call or send, code snippets.
import { type AbiFunction, selectorOf } from '@starkbox/abi';
import { type Draft, inputsOf } from '@starkbox/abi/internal';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Unit } from '../../format/amount.js';
import { escapeText } from '../../format/untrusted-text.js';
import { remember, remembered } from '../../navigation/form-in-address.js';
import { Button } from '../../parts/button.js';
import {
  AbiForm,
  encodeInputs,
  type FormInputs,
  fitInputs,
  focusFault,
} from '../../parts/forms/abi-form.js';
import { readAddress, useBook } from '../../parts/forms/address-book.js';
import { AmountUnit } from '../../parts/forms/amount-unit.js';
import { collect, type NamedCall } from '../../parts/send/batch.js';
import { SendForm } from '../../parts/send/send-form.js';
import { Felt, UntrustedText } from '../../parts/values.js';
import { useToken } from '../../rpc/tokens.js';
import { Snippets } from './copy-snippets.js';
import { type CallFormProps, ReadForm } from './read-form.js';
import { asSncast, asStarknetJs, simulationAsCurl } from './snippets.js';

/**
 * Drafts of the inputs, stored in the page's address.
 * @param unit of amounts, for functions of a token
 */
export function useInputs(form: FormInputs, key: string, unit?: Unit) {
  const { resolve } = useBook();
  const [start] = useState(() => {
    const stored = remembered();
    return stored['f'] === key ? stored : {};
  });
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => fitInputs(form, start['a']));
  const [as, setAs] = useState(() => (typeof start['as'] === 'string' ? start['as'] : 'account 0'));
  const [isJudged, setJudged] = useState(false);
  const encoded = useMemo(
    () => encodeInputs(form, drafts, resolve, unit),
    [form, drafts, resolve, unit],
  );
  const isTouched = useRef(false);
  useEffect(() => {
    if (isTouched.current) remember({ f: key, a: drafts, as });
    isTouched.current = true;
  }, [key, drafts, as]);
  return { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded };
}

export function CallForm({ address, abi, of }: CallFormProps) {
  const form = useMemo(() => ({ inputs: inputsOf(of), abi }), [of, abi]);
  const unit = useToken(address);
  const inputs = useInputs(form, of.name, unit);
  const { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded } = inputs;
  const selector = selectorOf(of.name);
  const calls = () => {
    setJudged(true);
    return encoded.calldata && [{ contract: address, selector, calldata: encoded.calldata }];
  };
  const fields = (
    <AmountUnit value={unit}>
      <FunctionHead of={of} selector={selector} />
      <AbiForm
        form={form}
        drafts={drafts}
        encoded={encoded}
        change={setDrafts}
        isJudged={isJudged}
      />
      {form.inputs.length === 0 && <p className="quiet">This function takes no inputs.</p>}
    </AmountUnit>
  );
  const name = escapeText(of.name, 60).text;
  const { resolve } = useBook();
  const sender = readAddress(as, resolve).address;
  if (of.kind === 'view') {
    return (
      <ReadForm
        address={address}
        abi={abi}
        of={of}
        fields={fields}
        calldata={encoded.calldata}
        judge={() => setJudged(true)}
      />
    );
  }
  const namedCall = {
    contract: address,
    selector,
    name: of.name,
    calldata: encoded.calldata ?? [],
  };
  return (
    <SendForm
      label={`Call ${name}`}
      what={`Call ${name}`}
      as={as}
      setAs={setAs}
      inputs={encoded.calldata?.join(' ')}
      prepare={calls}
      extra={
        <CallExtras
          of={namedCall}
          isReady={encoded.calldata !== undefined}
          sender={sender}
          add={(button) => {
            if (calls()) collect(namedCall);
            else focusFault(button.form);
          }}
        />
      }
    >
      {fields}
    </SendForm>
  );
}

function FunctionHead({ of, selector }: { readonly of: AbiFunction; readonly selector: string }) {
  return (
    <div className="function-head">
      <h2>
        <UntrustedText text={of.name} limit={80} />
      </h2>
      <span className="quiet">
        {of.kind} · <Felt of={selector} />
      </span>
    </div>
  );
}

interface CallExtrasProps {
  readonly of: NamedCall;
  /** Whether all inputs are valid. */
  readonly isReady: boolean;
  readonly sender: string | undefined;
  readonly add: (button: HTMLButtonElement) => void;
}

function CallExtras({ of: namedCall, isReady, sender, add }: CallExtrasProps) {
  return (
    <>
      <Button onClick={({ currentTarget }) => add(currentTarget)}>Add to batch</Button>
      {isReady && (
        <Snippets
          curl={
            sender === undefined
              ? undefined
              : () => simulationAsCurl({ sender, calls: [namedCall] }, 'pre_confirmed')
          }
          js={asStarknetJs(namedCall, false)}
          cast={asSncast(namedCall, false)}
        />
      )}
    </>
  );
}
