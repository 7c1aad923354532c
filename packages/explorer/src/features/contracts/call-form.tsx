// Form of one contract function: inputs, call or send, code snippets.
import {
  type Abi,
  type AbiFunction,
  type Draft,
  decodeOutputs,
  inputsOf,
  selectorOf,
} from '@starkbox/abi';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { disarm } from '../../format/untrusted-text.js';
import { remember, remembered } from '../../navigation/form-in-address.js';
import { isRun } from '../../navigation/key-events.js';
import {
  AbiForm,
  encodeInputs,
  type FormInputs,
  fitInputs,
  focusFault,
} from '../../parts/forms/abi-form.js';
import { readAddress, useBook } from '../../parts/forms/address-book.js';
import { type At, AtField } from '../../parts/forms/block-tag-field.js';
import { ErrorText } from '../../parts/page-states.js';
import { collect } from '../../parts/send/batch.js';
import { COMMAND, SendForm } from '../../parts/send/send-form.js';
import { RawFelts, tokenOf, Value } from '../../parts/transaction/decoded-value.js';
import { Felt, Hostile } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { asSncast, asStarknetJs, readAsCurl, simulationAsCurl } from './snippets.js';

/** Drafts of the inputs, stored in the page's address. */
export function useInputs(form: FormInputs, key: string) {
  const { resolve } = useBook();
  const [start] = useState(() => {
    const kept = remembered();
    return kept['f'] === key ? kept : {};
  });
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => fitInputs(form, start['a']));
  const [as, setAs] = useState(() => (typeof start['as'] === 'string' ? start['as'] : 'account 0'));
  const [isJudged, setJudged] = useState(false);
  const encoded = useMemo(() => encodeInputs(form, drafts, resolve), [form, drafts, resolve]);
  const isTouched = useRef(false);
  useEffect(() => {
    if (isTouched.current) remember({ f: key, a: drafts, as });
    isTouched.current = true;
  }, [key, drafts, as]);
  return { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded };
}

interface CallFormProps {
  readonly address: string;
  readonly abi: Abi;
  readonly of: AbiFunction;
}

export function CallForm({ address, abi, of }: CallFormProps) {
  const form = useMemo(() => ({ inputs: inputsOf(of), abi }), [of, abi]);
  const inputs = useInputs(form, of.name);
  const { drafts, setDrafts, as, setAs, isJudged, setJudged, encoded } = inputs;
  const selector = selectorOf(of.name);
  const calls = () => {
    setJudged(true);
    return encoded.calldata && [{ contract: address, selector, calldata: encoded.calldata }];
  };
  const fields = (
    <>
      <div className="function-head">
        <h2>
          <Hostile text={of.name} limit={80} />
        </h2>
        <span className="quiet">
          {of.kind} · <Felt of={selector} />
        </span>
      </div>
      <AbiForm
        form={form}
        drafts={drafts}
        encoded={encoded}
        change={setDrafts}
        isJudged={isJudged}
      />
      {form.inputs.length === 0 && <p className="quiet">It takes no inputs.</p>}
    </>
  );
  const name = disarm(of.name, 60).text;
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
  const named = {
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
        <>
          <button
            type="button"
            className="button"
            onClick={(event) => {
              if (calls()) collect(named);
              else focusFault(event.currentTarget.form);
            }}
          >
            Add to batch
          </button>
          {encoded.calldata && (
            <Snippets
              curl={
                sender === undefined
                  ? undefined
                  : () => simulationAsCurl({ sender, calls: [named] }, 'pre_confirmed')
              }
              js={asStarknetJs(named, false)}
              cast={asSncast(named, false)}
            />
          )}
        </>
      }
    >
      {fields}
    </SendForm>
  );
}

type Snippet = () => string | Promise<string>;

function Snippets({
  curl,
  js,
  cast,
}: {
  readonly curl: Snippet | undefined;
  readonly js: string;
  readonly cast: string;
}) {
  return (
    <span className="snippets">
      copy as
      {curl && <CopyText of={curl} name="curl" />}
      <CopyText of={() => js} name="starknet.js" />
      <CopyText of={() => cast} name="sncast" />
    </span>
  );
}

/** Snippets are computed on demand, because some need a nonce. */
function CopyText({ of, name }: { readonly of: Snippet; readonly name: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      className="plain"
      aria-label={isDone ? `${name} copied` : `Copy as ${name}`}
      onClick={() => {
        void Promise.resolve(of())
          .then((text) => navigator.clipboard.writeText(text))
          .then(
            () => setDone(true),
            () => setDone(false),
          );
      }}
    >
      {name}
      {isDone && ' ✓'}
    </button>
  );
}

function ReadForm({
  address,
  abi,
  of,
  fields,
  calldata,
  judge,
}: CallFormProps & {
  readonly fields: ReactNode;
  readonly calldata: readonly string[] | undefined;
  readonly judge: () => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [at, setAt] = useState<At>('pre_confirmed');
  const [outcome, setOutcome] = useState<
    | {
        readonly result?: readonly string[];
        readonly error?: unknown;
        readonly inputs: string;
      }
    | undefined
  >();
  const selector = selectorOf(of.name);
  const inputs = calldata?.join(' ') ?? '';
  const run = async (): Promise<void> => {
    judge();
    if (!calldata) {
      focusFault(form.current);
      return;
    }
    try {
      const result = await call('starknet_call', {
        request: { contract_address: address, entry_point_selector: selector, calldata },
        block_id: at,
      });
      setOutcome({ result, inputs });
    } catch (error) {
      setOutcome({ error, inputs });
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    void run();
  };
  const values = outcome?.result && decodeOutputs(of, outcome.result, abi);
  const name = disarm(of.name, 60).text;
  const named = { contract: address, selector, name: of.name, calldata: calldata ?? [] };
  return (
    <form
      ref={form}
      className="stack"
      aria-label={`Call ${name}`}
      onKeyDown={press}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {fields}
      <div className="line-of">
        <AtField at={at} change={setAt} />
        <button type="submit" className="button primary">
          Call {name} <kbd>{COMMAND}↵</kbd>
        </button>
        {calldata && (
          <Snippets
            curl={() => readAsCurl(named, at)}
            js={asStarknetJs(named, true)}
            cast={asSncast(named, true)}
          />
        )}
      </div>
      {outcome && (
        <section aria-label="Result" role="status">
          {outcome.inputs !== inputs && <p className="warn">This was with other inputs.</p>}
          {outcome.error !== undefined ? (
            <p className="fail">
              ✕ <ErrorText of={outcome.error} />
            </p>
          ) : values ? (
            <p>
              {values.length === 0 && 'It returned nothing.'}
              {values.map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
                <span key={place} className="result">
                  <Value of={value} token={tokenOf(address)} />{' '}
                </span>
              ))}
            </p>
          ) : (
            <p>
              <RawFelts of={outcome.result ?? []} />
            </p>
          )}
        </section>
      )}
    </form>
  );
}
