// Page that simulates transactions in order, each on the state after the one before.
import { canonicalFelt, readMulticall } from '@starkbox/abi';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { remember, remembered } from '../../navigation/form-in-address.js';
import { isRun } from '../../navigation/key-events.js';
import { setQuery, usePlace } from '../../navigation/route.js';
import { Action, LastDone } from '../../parts/action.js';
import { focusFault } from '../../parts/forms/abi-form.js';
import { AddressBook, useBook } from '../../parts/forms/address-book.js';
import { ErrorText, Heading } from '../../parts/page-states.js';
import { useBatch } from '../../parts/send/batch.js';
import { differences, RunOutcome } from '../../parts/send/outcome.js';
import { type BlockId, boundsOf, outcome, type Run, send, simulate } from '../../parts/send/run.js';
import { COMMAND } from '../../parts/send/send-form.js';
import { Hostile, TxRef } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { canWrite, liveNow } from '../../rpc/live-state.js';
import { useAccounts } from '../../rpc/queries.js';
import { StepEditor } from './step-editor.js';
import { FromTransaction, StepRow } from './step-row.js';
import { MOST_STEPS, newStep, packed, type StepDraft, stepOf, unpacked } from './steps.js';

type Runs = ReadonlyMap<number, Run>;
interface Failed {
  readonly error: unknown;
  /** Index of the failing step, if the error contains one. */
  readonly step: number | undefined;
}

export function Simulate() {
  return (
    <AddressBook id="simulate-book">
      <Builder />
    </AddressBook>
  );
}

function readBlock(text: string): BlockId | undefined {
  const given = text.trim();
  if (given === '' || given === 'pre-confirmed') return 'pre_confirmed';
  if (given === 'latest') return 'latest';
  return /^\d{1,15}$/.test(given) ? { block_number: Number(given) } : undefined;
}

function Builder() {
  const { resolve } = useBook();
  const names = useNames();
  const nameOf = (address: string): string => names.get(address) ?? address;
  const { query } = usePlace();
  const batch = useBatch();
  const accounts = useAccounts();
  const root = useRef<HTMLDivElement>(null);
  const [start] = useState(remembered);
  const [steps, setSteps] = useState<readonly StepDraft[]>(() => {
    if (query.get('from') === 'batch' && batch.length > 0)
      return [newStep('account 0', batch, nameOf)];
    return unpacked(start['steps']);
  });
  const [block, setBlock] = useState(() =>
    typeof start['at'] === 'string' ? start['at'].slice(0, 20) : 'pre-confirmed',
  );
  const [focused, setFocused] = useState<number | undefined>();
  const [runs, setRuns] = useState<Runs>(new Map());
  const [before, setBefore] = useState<Runs>(new Map());
  /** The steps that the results belong to. */
  const [ran, setRan] = useState('');
  const [failed, setFailed] = useState<Failed | undefined>();
  const [isJudged, setJudged] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const asked = query.get('tx') ?? undefined;
  const isTouched = useRef(false);
  useEffect(() => {
    if (isTouched.current || steps.length > 0) remember({ steps: packed(steps), at: block });
    isTouched.current = true;
  }, [steps, block]);

  const take = async (hash: string): Promise<void> => {
    setFailed(undefined);
    try {
      const asking = { transaction_hash: canonicalFelt(hash) ?? hash };
      const [transaction, receipt] = await Promise.all([
        call('starknet_getTransactionByHash', asking),
        call('starknet_getTransactionReceipt', asking),
      ]);
      const calls =
        transaction.type === 'INVOKE' && 'calldata' in transaction
          ? readMulticall(transaction.calldata)
          : undefined;
      if (!calls || !('sender_address' in transaction)) {
        throw new Error('Only a transaction that calls something can be tried out again.');
      }
      const step = newStep(nameOf(transaction.sender_address), calls, nameOf);
      setSteps([step]);
      setFocused(step.id);
      setRuns(new Map());
      setBefore(new Map());
      if ('block_number' in receipt && typeof receipt.block_number === 'number')
        setBlock(String(Math.max(0, receipt.block_number - 1)));
    } catch (error) {
      setFailed({ error, step: undefined });
    }
  };
  // The page's address can fill the form, but never runs it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each transaction that is asked for
  useEffect(() => {
    if (asked !== undefined && steps.length === 0) void take(asked);
  }, [asked]);

  const current = steps.find(({ id }) => id === focused) ?? steps[0];
  const blockId = readBlock(block);
  const count = `${grouped(steps.length)} ${steps.length === 1 ? 'step' : 'steps'}`;
  const ready = () => {
    setJudged(true);
    const all = steps.map((step) => stepOf(step, resolve));
    const wrong = all.indexOf(undefined);
    if (wrong >= 0) {
      setFocused(steps[wrong]?.id);
      focusFault(root.current);
      return undefined;
    }
    return all.flatMap((one) => (one ? [one] : []));
  };
  const busy = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await work();
    } catch (error) {
      const index =
        error instanceof RpcFailure &&
        typeof error.data === 'object' &&
        error.data !== null &&
        'transaction_index' in error.data
          ? Number(error.data.transaction_index)
          : undefined;
      setFailed({ error, step: index === undefined ? undefined : steps[index]?.id });
    } finally {
      setBusy(false);
    }
  };
  const tryOut = async (): Promise<readonly Run[] | undefined> => {
    const all = ready();
    if (!all || all.length === 0 || blockId === undefined) return undefined;
    const found = await simulate(all, blockId);
    setRan(written);
    setBefore(runs);
    setRuns(new Map(found.flatMap((run, at) => (steps[at] ? [[steps[at].id, run] as const] : []))));
    return found;
  };
  const doSimulate = (): Promise<void> => busy(async () => void (await tryOut()));
  const keep = (): Promise<void> =>
    busy(async () => {
      const all = ready();
      if (!all || !canWrite(liveNow().connection)) return;
      const tried = await simulate(all, 'pre_confirmed');
      const done = new Map<number, Run>();
      for (const [at, step] of all.entries()) {
        const bounds = tried[at] && boundsOf(tried[at]);
        const id = steps[at]?.id;
        if (!bounds || id === undefined) break;
        const hash = await send({
          ...step,
          bounds,
          isOurs: accounts.data?.some(({ address }) => address === step.sender) ?? false,
          what: `Send step ${at + 1}`,
          tell: (transaction) => (
            <>
              transaction <TxRef of={transaction} />
            </>
          ),
        });
        if (hash === undefined) break;
        done.set(id, await outcome(hash));
      }
      setBefore(runs);
      setRuns(done);
    });
  const press = (event: KeyboardEvent): void => {
    if (!isRun(event)) return;
    event.preventDefault();
    void (event.shiftKey ? keep() : doSimulate());
  };
  const move = (id: number, by: 1 | -1): void => {
    const at = steps.findIndex((step) => step.id === id);
    const [one, other] = [steps[at], steps[at + by]];
    if (!one || !other) return;
    setSteps(steps.map((step, place) => (place === at ? other : place === at + by ? one : step)));
  };
  const add = (): void => {
    if (steps.length >= MOST_STEPS) return;
    const step = newStep(steps.at(-1)?.as ?? 'account 0');
    setSteps([...steps, step]);
    setFocused(step.id);
    setJudged(false);
  };
  const written = JSON.stringify([packed(steps), block]);
  const run = current && runs.get(current.id);
  const old = current && before.get(current.id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields, in one place
    <div ref={root} onKeyDown={press}>
      <Heading title="Simulate" count={steps.length > 0 ? count : undefined} />
      <div className="line-of session">
        <label>
          on the state after block
          <input
            className="block-input"
            value={block}
            list="simulate-blocks"
            aria-invalid={blockId === undefined}
            onChange={(event) => setBlock(event.target.value)}
          />
        </label>
        <datalist id="simulate-blocks">
          <option value="pre-confirmed" />
          <option value="latest" />
        </datalist>
        <button
          type="button"
          className="button primary"
          aria-disabled={isBusy || steps.length === 0}
          onClick={doSimulate}
        >
          Simulate {steps.length === 0 ? '' : count} <kbd>{COMMAND}↵</kbd>
        </button>
        <Action
          run={keep}
          refused={steps.length === 0 ? 'There is nothing to send yet.' : undefined}
        >
          Keep: send {steps.length === 1 ? 'it' : 'them'} for real <kbd>⇧{COMMAND}↵</kbd>
        </Action>
        <FromTransaction
          take={(hash) => {
            setQuery({ tx: undefined, from: undefined });
            void take(hash);
          }}
        />
      </div>
      <LastDone />
      {failed && failed.step === undefined && (
        <p className="fail" role="alert">
          ✕ <ErrorText of={failed.error} />
        </p>
      )}
      {steps.length === 0 ? (
        <div className="empty">
          <p>
            Transactions are tried out here one after the other, each on the state that the former
            leaves. The chain does not change.
          </p>
          <p>
            <button type="button" className="button" onClick={add}>
              Add a step
            </button>
          </p>
        </div>
      ) : (
        <div className="columns">
          <div>
            <ol className="functions steps" aria-label="Steps">
              {steps.map((step, at) => (
                <StepRow
                  key={step.id}
                  step={step}
                  at={at}
                  count={steps.length}
                  isFocused={step === current}
                  run={runs.get(step.id)}
                  before={before.get(step.id)}
                  note={
                    failed?.step === undefined
                      ? undefined
                      : failed.step === step.id
                        ? 'refused'
                        : 'not run'
                  }
                  focus={() => setFocused(step.id)}
                  move={(by) => move(step.id, by)}
                  remove={() => setSteps(steps.filter(({ id }) => id !== step.id))}
                />
              ))}
            </ol>
            <button type="button" className="button" onClick={add}>
              Add a step
            </button>
          </div>
          {current && (
            <div className="stack step">
              <StepEditor
                key={current.id}
                of={current}
                isJudged={isJudged}
                change={(next) =>
                  setSteps(steps.map((step) => (step.id === next.id ? next : step)))
                }
              />
              <div>
                {failed?.step === current.id && (
                  <p className="fail" role="alert">
                    ✕ <ErrorText of={failed.error} />{' '}
                    {failed.error instanceof RpcFailure && <Detail of={failed.error.data} />}
                  </p>
                )}
                {run && run.hash === undefined && ran !== written && (
                  <p className="warn">The steps were changed since.</p>
                )}
                {run && <RunOutcome run={run} changed={old && differences(run, old)} />}
              </div>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function Detail({ of }: { readonly of: unknown }) {
  if (typeof of !== 'object' || of === null || !('execution_error' in of)) return null;
  const { execution_error } = of;
  return <Hostile text={typeof execution_error === 'string' ? execution_error : ''} />;
}
