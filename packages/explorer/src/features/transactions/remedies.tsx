// Buttons that remedy the cause of a failure, and run the transaction again after that.

import type { Bounds, UserCall } from '@starkbox/abi';
import { listOf, membersOf } from '@starkbox/abi/basics';
import { readMulticall } from '@starkbox/abi/internal';
import type { REMEDY_ACTION } from '@starkbox/spec';
import { type ReactNode, useState } from 'react';
import { textOf } from '../../format/json.js';
import { go, to } from '../../navigation/route.js';
import { Action, LatestResult, note } from '../../parts/action.js';
import { ErrorText } from '../../parts/page-states.js';
import { Link, TxRef, UntrustedText } from '../../parts/values.js';
import { asCurl, callByName } from '../../rpc/client.js';
import { chainNow } from '../../rpc/live-state.js';
import type { Transaction } from '../../rpc/methods.js';
import { refreshCurrent } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';

/** What can be sent again: the calls of an invoke transaction. */
interface Resendable {
  readonly sender: string;
  readonly calls: readonly UserCall[];
  readonly bounds: Bounds;
}

function resendableOf(transaction: Transaction | undefined): Resendable | undefined {
  if (transaction?.type !== 'INVOKE' || !('resource_bounds' in transaction)) return undefined;
  const { sender_address: sender, calldata, resource_bounds: bounds } = transaction;
  const calls = readMulticall(calldata);
  return calls && { sender, calls, bounds };
}

interface RemediesProps {
  /** Undefined where the chain does not have it. */
  readonly transaction: Transaction | undefined;
  readonly actions: readonly REMEDY_ACTION[];
}

export function Remedies({ transaction, actions }: RemediesProps) {
  const [isDone, setDone] = useState(false);
  const resendable = resendableOf(transaction);
  if (actions.length === 0) return null;
  const first = actions[0];
  return (
    <div className="remedies">
      <div className="line-of">
        {actions.map((action) => (
          <Remedy
            key={action.label}
            of={action}
            isFirst={action === first && !isDone}
            resendable={resendable}
            done={() => setDone(true)}
          />
        ))}
        {isDone && resendable && <RunAgain of={resendable} />}
      </div>
      <LatestResult />
    </div>
  );
}

interface RemedyProps {
  readonly of: REMEDY_ACTION;
  readonly isFirst: boolean;
  readonly resendable: Resendable | undefined;
  readonly done: () => void;
}

function Remedy({ of: action, isFirst, resendable, done }: RemedyProps): ReactNode {
  const { kind, label, params, method } = action;
  const text = <UntrustedText text={label} limit={120} />;
  if (kind === 'declare') {
    return (
      <Link
        className="button"
        href={to('classes', undefined, { declare: textOf(params['class_hash']) })}
      >
        <span>{text}…</span>
      </Link>
    );
  }
  if (kind === 'deploy') {
    const classHash = textOf(params['class_hash']);
    const address = classHash === '' ? to('classes') : to('class', classHash, { tab: 'deploy' });
    return (
      <Link className="button" href={address}>
        <span>{text}…</span>
      </Link>
    );
  }
  const run = remedyOf(action, resendable);
  if (!run) return null;
  return (
    <Action
      {...(isFirst ? { kind: 'primary' as const } : {})}
      hint={method === undefined ? 'Sends a transaction' : `Calls ${method}`}
      refused={isPast(action) ? 'The clock is already later.' : undefined}
      run={async () => {
        if (await run()) done();
      }}
    >
      {text}
    </Action>
  );
}

/** A clock that was moved since would go back. */
const isPast = ({ kind, params }: REMEDY_ACTION): boolean =>
  kind === 'set_time' && Number(params['time']) <= chainNow();

/** Methods that a button may call. */
const METHODS: ReadonlySet<string> = new Set([
  'devnet_mint',
  'devnet_deal',
  'devnet_setTime',
  'devnet_increaseTime',
  'devnet_impersonateAccount',
]);

/** What the button runs; true if it was done. Undefined where the transaction cannot be sent again. */
function remedyOf(
  action: REMEDY_ACTION,
  resendable: Resendable | undefined,
): (() => Promise<boolean>) | undefined {
  const { kind, label, method, params } = action;
  if (kind === 'set_resource_bounds') {
    if (!resendable) return undefined;
    const bounds = raised(resendable.bounds, params['resource_bounds']);
    return async () => {
      await sendAgain({ ...resendable, bounds }, label);
      return false;
    };
  }
  if (kind === 'approve') {
    const approval = {
      contract: textOf(params['contract_address']),
      selector: textOf(params['entry_point_selector']),
      calldata: listOf(params['calldata']).map(textOf),
    };
    return async () =>
      (await sendCalls(textOf(params['sender_address']), [approval], label)) !== undefined;
  }
  if (method === undefined || !METHODS.has(method)) return undefined;
  return () => callMethod(label, method, params);
}

/** Calls the method that the node names, and logs it as other actions. */
async function callMethod(label: string, method: string, params: object): Promise<boolean> {
  const curl = asCurl(method, params);
  try {
    await callByName(method, params);
    note({ what: label, curl, outcome: 'done', isFailure: false });
    runTask(refreshCurrent());
    return true;
  } catch (error) {
    note({ what: label, curl, outcome: <ErrorText of={error} />, isFailure: true });
    return false;
  }
}

/** The bounds with the members that the node raised. */
function raised(bounds: Bounds, changes: unknown): Bounds {
  const changedBounds = membersOf(changes);
  const merged = (name: keyof Bounds): Bounds['l1_gas'] => {
    const { max_amount, max_price_per_unit } = bounds[name];
    const change = membersOf(changedBounds[name]);
    return {
      max_amount: textOf(change['max_amount']) || max_amount,
      max_price_per_unit: textOf(change['max_price_per_unit']) || max_price_per_unit,
    };
  };
  return { l1_gas: merged('l1_gas'), l1_data_gas: merged('l1_data_gas'), l2_gas: merged('l2_gas') };
}

const sendModule = () => import('../../parts/send/run.js');

async function isOwnAccount(sender: string): Promise<boolean> {
  const { privateKeyOf } = await import('../../parts/send/keys.js');
  return (await privateKeyOf(sender)) !== undefined;
}

const tell = (hash: string): ReactNode => (
  <>
    transaction <TxRef of={hash} />
  </>
);

/** Sends the calls with bounds, and opens the page of the new transaction. */
async function sendAgain({ sender, calls, bounds }: Resendable, what: string): Promise<void> {
  const { send } = await sendModule();
  const isOurs = await isOwnAccount(sender);
  const hash = await send({ sender, calls, bounds, isOurs, what, tell });
  if (hash !== undefined) go(to('tx', hash));
}

/** Sends calls with simulated bounds; the hash of the transaction. */
async function sendCalls(
  sender: string,
  calls: readonly UserCall[],
  what: string,
): Promise<string | undefined> {
  const { send, simulate, boundsOf } = await sendModule();
  const [run] = await simulate([{ sender, calls }], 'pre_confirmed');
  const bounds = run && boundsOf(run);
  if (!bounds) return undefined;
  const isOurs = await isOwnAccount(sender);
  return send({ sender, calls, bounds, isOurs, what, tell });
}

type Verdict = { readonly isOk: true } | { readonly isOk: false; readonly reason: string };

/** After a remedy: whether the transaction would succeed now, and sending it. */
function RunAgain({ of: resendable }: { readonly of: Resendable }) {
  const [verdict, setVerdict] = useState<Verdict | undefined>();
  const { sender, calls } = resendable;
  const trySimulation = async (): Promise<void> => {
    const { simulate } = await sendModule();
    try {
      const [run] = await simulate([{ sender, calls }], 'pre_confirmed');
      const explained = await run?.explain?.();
      const isOk = run?.verdict.execution_status === 'SUCCEEDED';
      const reason = explained?.summary ?? run?.verdict.revert_reason ?? 'It would be reverted.';
      setVerdict(isOk ? { isOk } : { isOk: false, reason });
    } catch (error) {
      setVerdict({ isOk: false, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <>
      <Action run={trySimulation}>Simulate again</Action>
      <Action kind="primary" run={() => sendAgain(resendable, 'Send again')}>
        Send again
      </Action>
      {verdict && (
        <span role="status" className={verdict.isOk ? 'ok' : 'fail'}>
          {verdict.isOk ? (
            'It would succeed now.'
          ) : (
            <UntrustedText text={verdict.reason} limit={200} />
          )}
        </span>
      )}
    </>
  );
}
