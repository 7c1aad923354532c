// Actions that change the chain, their log, and the buttons that run them.
import type { MethodName } from '@starkbox/spec';
import { type ReactNode, useState } from 'react';
import { timeText } from '../format/time.js';
import { asCurl, request } from '../rpc/client.js';
import { canWrite, useLive } from '../rpc/live-state.js';
import type { Params, Result } from '../rpc/methods.js';
import { refreshCurrent } from '../rpc/queries.js';
import { createStore, useStore } from '../state/store.js';
import { runTask } from '../state/tasks.js';
import { Icon } from './icons.js';
import { ErrorText } from './page-states.js';
import { Copy, OutcomeSign } from './values.js';

export interface LoggedAction {
  readonly id: number;
  readonly at: number;
  readonly what: string;
  readonly curl: string;
  readonly outcome: ReactNode;
  readonly isFailure: boolean;
}

/** All actions of this tab, newest first. */
export const actionLog = createStore<readonly LoggedAction[]>([]);
let nextId = 1;

/** Logs an action that did not go through `act`. */
export function note(entry: Omit<LoggedAction, 'id' | 'at'>): void {
  const logged = { ...entry, id: nextId++, at: Date.now() };
  actionLog.set([logged, ...actionLog.get()].slice(0, 100));
}

export type Act = <M extends MethodName>(
  what: string,
  method: M,
  params: Params<M>,
  describe: (result: Result<M>) => ReactNode | Error,
) => Promise<Result<M> | undefined>;

/** Calls a method and logs the result; an error returned by `describe` is logged as a failure. */
export const act: Act = async (what, method, params, describe) => {
  const curl = asCurl(method, params);
  try {
    const result = await request(method, params);
    const outcome = describe(result);
    const isFailure = outcome instanceof Error;
    note({ what, curl, outcome: isFailure ? outcome.message : outcome, isFailure });
    runTask(refreshCurrent());
    return isFailure ? undefined : result;
  } catch (error) {
    note({ what, curl, outcome: <ErrorText of={error} />, isFailure: true });
    return undefined;
  }
};

/** An action, or the reason why there is none yet. */
type RunOrReason =
  | {
      readonly run: () => Promise<unknown>;
      /** Why the action is not possible now. */
      readonly refused?: string | undefined;
    }
  | { readonly run?: undefined; readonly refused: string };

type ActionProps = RunOrReason & {
  readonly children: ReactNode;
  readonly kind?: 'primary' | 'danger' | 'plain';
  /** For toggle buttons. */
  readonly isOn?: boolean;
  readonly label?: string;
  /** Tooltip of an icon. */
  readonly hint?: string;
};

/** Button of an action. When disabled it stays focusable and shows the reason. */
export function Action({ children, run, kind, label, hint, refused, isOn }: ActionProps) {
  const connection = useLive((live) => live.connection);
  const [running, setRunning] = useState(false);
  const reason = canWrite(connection) ? refused : 'The node is not reachable.';
  const isDisabled = reason !== undefined || running;
  return (
    <button
      type="button"
      className={kind === 'plain' ? 'plain' : `button ${kind ?? ''}`}
      aria-pressed={isOn}
      aria-disabled={isDisabled}
      aria-label={label}
      title={reason ?? hint}
      onClick={() => {
        if (isDisabled || !run) return;
        setRunning(true);
        runTask(run().finally(() => setRunning(false)));
      }}
    >
      {children}
    </button>
  );
}

/** The last action's result, announced to screen readers. */
export function LastDone() {
  const [last] = useStore(actionLog);
  if (!last) return null;
  return (
    <p
      role={last.isFailure ? 'alert' : 'status'}
      className={last.isFailure ? 'last-done fail' : 'last-done'}
    >
      <span aria-hidden="true" className={last.isFailure ? 'sign fail' : 'sign ok'}>
        <Icon name={last.isFailure ? 'cross' : 'done'} />
      </span>{' '}
      {last.what}: {last.outcome}
    </p>
  );
}

/** The last result since this was shown. */
export function LatestResult() {
  const [last] = useStore(actionLog);
  const [before] = useState(last?.id);
  return last?.id === before ? null : <LastDone />;
}

export function DoneLog() {
  const all = useStore(actionLog);
  if (all.length === 0) return null;
  return (
    <section aria-label="Actions of this tab">
      <h2>Done in this tab</h2>
      <ul className="entries">
        {all.map(({ id, at, what, outcome, curl, isFailure }) => (
          <li key={id}>
            <span className="quiet">{timeText(Math.floor(at / 1000))} UTC</span>{' '}
            <OutcomeSign isOk={!isFailure} word={isFailure ? 'failed' : 'done'} /> {what}: {outcome}{' '}
            <Copy value={curl} what="as curl" />
          </li>
        ))}
      </ul>
    </section>
  );
}
