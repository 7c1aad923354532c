// Result of a simulation or transaction: return values, events, fee, failure.
import { type Abi, buildTree, decodeOutputs, type Frame, readFailure } from '@starkbox/abi';
import { classesIn, readMulticall } from '@starkbox/abi/internal';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { grouped, STRK } from '../../format/amount.js';
import { to } from '../../navigation/route.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import { useClasses } from '../../rpc/queries.js';
import { DebugFold } from '../debug/debug-fold.js';
import { Icon } from '../icons.js';
import { Amount } from '../number.js';
import { CallLine, EventLine, ReturnValues as Returned } from '../transaction/call-line.js';
import { ContractValue, RawFelts } from '../transaction/decoded-value.js';
import { Explained, type Explanation, Lines } from '../transaction/explanation.js';
import { hasPlaces, SourceStack } from '../transaction/source-pane.js';
import { StateChanges } from '../transaction/state-changes.js';
import { FunctionName, Link, OutcomeSign, Status, TxRef, UntrustedText } from '../values.js';
import type { Run } from './run.js';

const MAX_FRAMES = 200;
const MAX_EVENTS = 50;

interface Emitted {
  readonly from: string;
  readonly classHash: string | undefined;
  readonly keys: readonly string[];
  readonly data: readonly string[];
  readonly order: number;
}

/** Events in the order of emission, without those of the fee. */
function eventsOf(roots: readonly Frame[]): readonly Emitted[] {
  const all: Emitted[] = [];
  const visit = (frame: Frame): void => {
    for (const event of frame.events)
      all.push({ ...event, from: frame.contract, classHash: frame.classHash });
    frame.children.forEach(visit);
  };
  roots.filter(({ phase }) => phase === 'execute').forEach(visit);
  return all.sort((a, b) => a.order - b.order);
}

/** Differences between two runs. */
export interface Differences {
  readonly outcome: boolean;
  readonly gas: bigint;
  readonly events: boolean;
}

export function differences(now: Run, before: Run): Differences {
  const events = (run: Run): string =>
    JSON.stringify(
      eventsOf(buildTree(run.transaction, run.trace, run.verdict).roots).map(
        ({ from, keys, data }) => [from, keys, data],
      ),
    );
  const said = ({ verdict }: Run): string =>
    `${verdict.execution_status} ${readFailure(verdict.revert_reason ?? '').message}`;
  return {
    outcome: said(now) !== said(before),
    gas: now.l2Gas - before.l2Gas,
    events: events(now) !== events(before),
  };
}

interface RunOutcomeProps {
  readonly run: Run;
  readonly changed?: Differences | undefined;
}

export function RunOutcome({ run, changed }: RunOutcomeProps) {
  const tree = useMemo(() => buildTree(run.transaction, run.trace, run.verdict), [run]);
  const classes = useClasses(useMemo(() => classesIn(tree.roots), [tree]));
  const head = useLive((live) => live.head?.number ?? -1);
  const events = useMemo(() => eventsOf(tree.roots), [tree]);
  const isDone = run.hash !== undefined;
  const isOk = run.verdict.execution_status === 'SUCCEEDED';
  const diff = run.trace && 'state_diff' in run.trace ? run.trace.state_diff : undefined;
  const slots =
    diff?.storage_diffs.reduce((sum, contract) => sum + contract.storage_entries.length, 0) ?? 0;
  const execute = tree.roots.find(({ phase }) => phase === 'execute');
  return (
    <section className="outcome" aria-label={isDone ? 'Result' : 'Expected result'}>
      <Verdict run={run} changed={changed} />
      {!isOk && <Failure run={run} cause={tree.cause} classes={classes} />}
      {isOk && execute && <Results of={execute} classes={classes} />}
      {events.length > 0 && <Events of={events} classes={classes} differ={changed?.events} />}
      {events.length === 0 && changed?.events && (
        <p>
          No events <Differs />
        </p>
      )}
      {tree.count > 0 && (
        <details>
          <summary>Calls {grouped(tree.count)}</summary>
          <Calls of={tree.roots} classes={classes} />
        </details>
      )}
      {run.hash !== undefined && (
        <p>
          <Link href={to('tx', run.hash, { tab: 'debug' })}>Debug</Link>
        </p>
      )}
      {run.debugTarget && <DebugFold target={run.debugTarget} />}
      {diff && slots > 0 && (
        <Fold name={`State ${grouped(slots)}`}>
          <StateChanges
            diff={diff}
            before={run.on ?? head}
            hints={{ transaction: run.hash, felts: run.transaction.calldata }}
          />
        </Fold>
      )}
    </section>
  );
}

function Verdict({ run, changed }: RunOutcomeProps) {
  const isDone = run.hash !== undefined;
  const isOk = run.verdict.execution_status === 'SUCCEEDED';
  return (
    <div className="meta" role="status">
      <span>
        {changed?.outcome && <Differs />}
        {isDone ? (
          <Status of={run.verdict.execution_status} words />
        ) : (
          <span className={isOk ? 'signed ok' : 'signed fail'}>
            <Icon name={isOk ? 'succeeded' : 'failed'} />
            {isOk ? 'Would succeed' : 'Would be reverted'}
          </span>
        )}
      </span>
      <span>
        l2 gas {grouped(run.l2Gas)}
        {changed !== undefined && changed.gas !== 0n && (
          <span className="warn">
            {' '}
            {changed.gas > 0n ? '+' : ''}
            {grouped(changed.gas)}
          </span>
        )}
      </span>
      <span>
        fee {isDone ? '' : '≈ '}
        <Amount of={run.fee} unit={STRK} />
      </span>
      {run.hash !== undefined && (
        <span>
          transaction <TxRef of={run.hash} />
        </span>
      )}
    </div>
  );
}

interface EventsProps {
  readonly of: readonly Emitted[];
  readonly classes: ReadonlyMap<string, Abi>;
  readonly differ: boolean | undefined;
}

function Events({ of: events, classes, differ }: EventsProps) {
  return (
    <div>
      <h3>
        Events {grouped(events.length)} {differ && <Differs />}
      </h3>
      <ul className="entries" aria-label="Events">
        {events.slice(0, MAX_EVENTS).map((event, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal events may repeat
          <li key={at}>
            <EventLine
              keys={event.keys}
              data={event.data}
              abi={event.classHash === undefined ? undefined : classes.get(event.classHash)}
              from={event.from}
            />
          </li>
        ))}
      </ul>
      {events.length > MAX_EVENTS && <p className="quiet">The first {MAX_EVENTS}.</p>}
    </div>
  );
}

export function Differs() {
  return (
    <span className="sign warn" role="img" aria-label="differs from the run before">
      <Icon name="changed" />
    </span>
  );
}

function Fold({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <details>
      <summary>{name}</summary>
      {children}
    </details>
  );
}

type Classes = ReadonlyMap<string, Abi>;

interface FailureProps {
  readonly run: Run;
  readonly cause: Frame | undefined;
  readonly classes: Classes;
}

function Failure({ run, cause, classes }: FailureProps) {
  const reason = run.verdict.revert_reason ?? '';
  const { message } = readFailure(reason);
  const explained = useRunExplained(run);
  const failureLine = (
    <p>
      <span className="cause">
        <OutcomeSign isOk={false} word="Reverted" />{' '}
        <UntrustedText text={message === '' ? 'No reason was given.' : message} quoted />
      </span>{' '}
      {cause && cause.depth > 0 && (
        <>
          in <CallLine of={cause} classes={classes} />
        </>
      )}
    </p>
  );
  return (
    <>
      <div className="why">
        {explained ? <Explained of={explained}>{failureLine}</Explained> : failureLine}
        <details>
          <summary>Full revert reason</summary>
          <Lines of={reason} />
        </details>
      </div>
      {explained && hasPlaces(explained) && <SourceStack of={explained} />}
    </>
  );
}

/** The node's explanation of a run that failed; undefined until it has come, and where there is none. */
function useRunExplained(run: Run): Explanation | undefined {
  const [answer, setAnswer] = useState<{ readonly run: Run; readonly explained: Explanation }>();
  useEffect(() => {
    const explanation =
      run.hash === undefined
        ? run.explain?.()
        : call('devnet_explainTransaction', { transaction_hash: run.hash });
    explanation?.then(
      (explained) => explained && setAnswer({ run, explained }),
      // The reason of the failure is shown without it.
      () => undefined,
    );
  }, [run]);
  return answer?.run === run ? answer.explained : undefined;
}

/** Return values of the account's calls. */
function Results({ of, classes }: { readonly of: Frame; readonly classes: Classes }) {
  const calls = readMulticall(of.calldata ?? []);
  const frames = calls?.length === of.children.length ? of.children : [];
  return (
    <ul className="entries" aria-label="Results">
      {frames.slice(0, MAX_EVENTS).map((frame) => {
        const abi = frame.classHash === undefined ? undefined : classes.get(frame.classHash);
        const abiFunction = abi?.functions.get(frame.selector);
        const values =
          abi && abiFunction && frame.result && decodeOutputs(abiFunction, frame.result, abi);
        return (
          <li key={frame.id}>
            <FunctionName selector={frame.selector} /> →{' '}
            {values ? (
              values.length === 0 ? (
                <span className="quiet">nothing</span>
              ) : (
                values.map((value, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no names
                  <span key={at} className="result">
                    <ContractValue of={value} contract={frame.contract} fold />{' '}
                  </span>
                ))
              )
            ) : (
              <RawFelts of={frame.result ?? []} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Calls({ of, classes }: { readonly of: readonly Frame[]; readonly classes: Classes }) {
  const rows: Frame[] = [];
  const visit = (frame: Frame): void => {
    if (rows.length >= MAX_FRAMES) return;
    rows.push(frame);
    frame.children.forEach(visit);
  };
  of.forEach(visit);
  return (
    <ul className="entries frames">
      {rows.map((frame) => (
        <li key={frame.id} className={frame.failed ? 'fail' : undefined}>
          <span aria-hidden="true" className="quiet">
            {'· '.repeat(Math.min(frame.depth, 16))}
          </span>
          <CallLine of={frame} classes={classes} />
          <Returned of={frame} classes={classes} />
        </li>
      ))}
      {rows.length >= MAX_FRAMES && <li className="quiet">The first {MAX_FRAMES} calls.</li>}
    </ul>
  );
}
