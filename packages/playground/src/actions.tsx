// Deployment of the class in the editor, and a form for each of its functions.
import type { Abi, AbiFunction, Names } from '@starkbox/abi';
import { shortAddress, shortHash } from '@starkbox/abi/basics';
import { shortType } from '@starkbox/abi/internal';
import {
  AbiForm,
  Button,
  blankInputs,
  Explained,
  encodeInputs,
  fitInputs,
  focusFault,
  PlainButton,
  resolveIn,
  type ShowPage,
  useNames,
  useResolve,
  useStore,
} from '@starkbox/explorer';
import { useMemo, useRef, useState } from 'react';
import { showMark } from './editor.js';
import { deployContract, markFailure, perform, playground, selectContract } from './playground.js';
import { abiOf, call, failedLine, type Outcome, send } from './session.js';

type Show = (page: ShowPage) => void;

export function Actions({ show }: { readonly show: Show }) {
  const { contract, source, sourceClass, address, epoch } = useStore(playground);
  const [account, setAccount] = useState(0);
  const abi = useMemo(() => sourceClass && abiOf(sourceClass), [sourceClass]);
  const functions = abi ? [...abi.functions.values()] : [];
  return (
    <div className="actions" key={`${contract.id} ${epoch}`}>
      <p className="suggestion">
        {sourceClass && sourceClass.source !== source
          ? 'The source was edited: compile it to deploy what you see.'
          : contract.suggestion}
      </p>
      {!abi && <p className="quiet">Loading the class …</p>}
      {abi && address === undefined && <DeployForm abi={abi} show={show} />}
      {abi && address !== undefined && (
        <>
          <div className="line-of spread">
            <ContractChoice show={show} />
            <SenderChoice account={account} setAccount={setAccount} />
          </div>
          {functions.map((called) => (
            <FunctionForm
              key={`${address} ${called.name}`}
              abi={abi}
              called={called}
              address={address}
              account={account}
              show={show}
            />
          ))}
          <details>
            <summary>Deploy another</summary>
            <DeployForm abi={abi} show={show} />
          </details>
        </>
      )}
    </div>
  );
}

/** Whether work is under way; a second press does nothing meanwhile. */
function useBusy() {
  const [isBusy, setBusy] = useState(false);
  const run = (work: () => Promise<void>): void => {
    if (isBusy) return;
    setBusy(true);
    perform(() => work().finally(() => setBusy(false)));
  };
  return { isBusy, run };
}

function useIsReady(): boolean {
  return useStore(playground, ({ chain }) => chain.phase === 'ready');
}

function DeployForm({ abi, show }: { readonly abi: Abi; readonly show: Show }) {
  const { contract } = useStore(playground);
  const form = { inputs: abi.constructor_?.inputs ?? [], abi };
  const element = useRef<HTMLFormElement>(null);
  const [drafts, setDrafts] = useState(() => fitInputs(form, contract.arguments));
  const [isJudged, setJudged] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const encoded = encodeInputs(form, drafts, useResolve());
  const { isBusy, run } = useBusy();
  const isReady = useIsReady();
  const submit = () =>
    run(async () => {
      setJudged(true);
      // Accounts have names only once the chain is ready.
      const encode = (names: Names) => encodeInputs(form, drafts, resolveIn(names)).calldata;
      setOutcome(await deployContract(encode));
      focusFault(element.current);
    });
  return (
    <form
      ref={element}
      className="card"
      aria-label="Deploy"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="card-head">
        <h3>constructor</h3>
        <Button type="submit" className="button primary" aria-disabled={isBusy}>
          {isBusy ? (isReady ? 'Deploying …' : 'Waiting for the chain …') : 'Deploy'}
        </Button>
      </div>
      <AbiForm
        form={form}
        drafts={drafts}
        encoded={encoded}
        change={setDrafts}
        isJudged={isJudged}
      />
      <div aria-live="polite">{outcome && <OutcomeView of={outcome} show={show} />}</div>
    </form>
  );
}

function ContractChoice({ show }: { readonly show: Show }) {
  const { deployed, address = '', contract } = useStore(playground);
  return (
    <div className="line-of">
      <label>
        <h2>{contract.title}</h2> at{' '}
        <select value={address} onChange={({ target }) => selectContract(target.value)}>
          {deployed.map((option) => (
            <option key={option} value={option}>
              {shortAddress(option)}
            </option>
          ))}
        </select>
      </label>
      <PlainButton className="plain link" onClick={() => show({ page: 'contract', key: address })}>
        Show in explorer
      </PlainButton>
    </div>
  );
}

interface SenderChoiceProps {
  readonly account: number;
  readonly setAccount: (account: number) => void;
}

function SenderChoice({ account, setAccount }: SenderChoiceProps) {
  const { chain } = useStore(playground);
  if (chain.phase !== 'ready') return null;
  return (
    <div className="line-of">
      <label>
        Send as{' '}
        <select value={account} onChange={({ target }) => setAccount(Number(target.value))}>
          {chain.chain.accounts.map(({ address }, at) => (
            <option key={address} value={at}>
              account {at} · {shortAddress(address)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface FunctionFormProps {
  readonly abi: Abi;
  readonly called: AbiFunction;
  readonly address: string;
  readonly account: number;
  readonly show: Show;
}

function FunctionForm({ abi, called, address, account, show }: FunctionFormProps) {
  const { chain } = useStore(playground);
  const names = useNames();
  const form = { inputs: called.inputs, abi };
  const element = useRef<HTMLFormElement>(null);
  const [drafts, setDrafts] = useState(() => blankInputs(form));
  const [isJudged, setJudged] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const encoded = encodeInputs(form, drafts, useResolve());
  const { isBusy, run } = useBusy();
  const isView = called.kind === 'view';
  const press = (kind: 'call' | 'send') =>
    run(async () => {
      setJudged(true);
      const signer = chain.phase === 'ready' ? chain.chain.accounts[account] : undefined;
      const { calldata } = encoded;
      if (chain.phase !== 'ready' || !signer) return;
      if (!calldata) {
        focusFault(element.current);
        return;
      }
      const request = { address, called, calldata };
      const result =
        kind === 'call'
          ? await call(chain.chain, abi, request, names)
          : await send(chain.chain, signer, request);
      setOutcome(result);
      markFailure(result);
    });
  const outputs = called.outputs.map(shortType).join(', ');
  return (
    <form
      ref={element}
      className="card"
      aria-label={called.name}
      onSubmit={(event) => {
        event.preventDefault();
        press(isView ? 'call' : 'send');
      }}
    >
      <div className="card-head">
        <h3>
          {called.name}
          <span className="quiet">{outputs === '' ? '' : ` → ${outputs}`}</span>
        </h3>
        <div className="line-of">
          {!isView && (
            <Button type="submit" className="button primary" aria-disabled={isBusy}>
              Send
            </Button>
          )}
          <Button
            type={isView ? 'submit' : 'button'}
            aria-disabled={isBusy}
            title="Runs the function without a transaction"
            {...(isView ? {} : { onClick: () => press('call') })}
          >
            Call
          </Button>
        </div>
      </div>
      {called.inputs.length > 0 && (
        <AbiForm
          form={form}
          drafts={drafts}
          encoded={encoded}
          change={setDrafts}
          isJudged={isJudged}
        />
      )}
      <div aria-live="polite">{outcome && <OutcomeView of={outcome} show={show} />}</div>
    </form>
  );
}

function OutcomeView({ of: outcome, show }: { readonly of: Outcome; readonly show: Show }) {
  const file = useStore(playground, ({ sourceClass }) => sourceClass?.file ?? '');
  if (outcome.kind === 'returned') {
    const text = outcome.values.length === 0 ? 'no value' : outcome.values.join(', ');
    return (
      <p className="result">
        <span className="ok">Returned</span> <output className="mono">{text}</output>
      </p>
    );
  }
  if (outcome.kind === 'accepted') {
    return (
      <p className="result">
        <span className="ok">Accepted</span> <TransactionButton hash={outcome.hash} show={show} />
      </p>
    );
  }
  const { explanation, message, hash } = outcome;
  const line = explanation && failedLine(explanation, file);
  return (
    <div className="why">
      {explanation ? (
        <Explained of={explanation}>
          {line !== undefined && (
            <p>
              At{' '}
              <PlainButton className="plain link" onClick={showMark}>
                line {line} of {file.split('/').at(-1)}
              </PlainButton>
            </p>
          )}
        </Explained>
      ) : (
        <p className="headline">{message}</p>
      )}
      {hash !== undefined && <TransactionButton hash={hash} show={show} />}
    </div>
  );
}

function TransactionButton({ hash, show }: { readonly hash: string; readonly show: Show }) {
  return (
    <PlainButton className="plain link" onClick={() => show({ page: 'tx', key: hash })}>
      transaction {shortHash(hash)}
    </PlainButton>
  );
}
