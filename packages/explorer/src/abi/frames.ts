// Knows the tree of calls of a transaction: from its trace, or, where it failed and there is none, from what is certain.

import type { Params, Result } from '../rpc/methods.js';
import { readFailure } from './failure.js';
import { selectorOf } from './keccak.js';

export type Trace = Result<'starknet_traceTransaction'>;
export type Transaction = Result<'starknet_getTransactionByHash'>;
export type Receipt = Result<'starknet_getTransactionReceipt'>;

/** A transaction that was sent, or that only might be. */
export type Sent = Transaction | Params<'starknet_simulateTransactions'>['transactions'][number];
export type Verdict = Pick<Receipt, 'execution_status'> & { readonly revert_reason?: string };

export type Phase = 'validate' | 'execute' | 'constructor' | 'handler' | 'fee';

export interface Happening {
  readonly keys: readonly string[];
  readonly data: readonly string[];
  readonly order: number;
}

export interface Frame {
  /** `execute.1.0`: the way to it. */
  readonly id: string;
  readonly phase: Phase;
  readonly depth: number;
  readonly contract: string;
  /** Undefined where the call was never made, so that nobody knows what would have run. */
  readonly classHash: string | undefined;
  readonly selector: string;
  readonly kind: 'CALL' | 'DELEGATE' | 'CONSTRUCTOR' | 'L1 HANDLER';
  readonly caller: string | undefined;
  /** Undefined where only the fact of the call is known. */
  readonly calldata: readonly string[] | undefined;
  readonly result: readonly string[] | undefined;
  readonly l2Gas: number | undefined;
  readonly events: readonly Happening[];
  readonly children: readonly Frame[];
  /** On the way to the failure. */
  readonly failed: boolean;
  /** The failure itself. */
  readonly cause: string | undefined;
  /** Undone because something later failed, or never begun because something earlier did. */
  readonly fate: 'undone' | 'not reached' | undefined;
}

export interface CallTree {
  readonly roots: readonly Frame[];
  readonly count: number;
  /** The frame that caused the failure. */
  readonly cause: Frame | undefined;
  /** Several equal calls may have been the one that failed, and nothing tells which. */
  readonly isUncertain: boolean;
}

type Invocation = Extract<Trace, { type: 'DEPLOY_ACCOUNT' }>['constructor_invocation'];

const EXECUTE = selectorOf('__execute__');
const CONSTRUCTOR = selectorOf('constructor');
const DEEPEST = 400;

export interface UserCall {
  readonly contract: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/** The calls that an account is asked to make, as accounts of today encode them, or those of Cairo 0. */
export function readMulticall(calldata: readonly string[]): readonly UserCall[] | undefined {
  return readCalls(calldata) ?? readCallArray(calldata);
}

/** All heads first, each with where its part of the calldata begins; then the calldata of all. */
function readCallArray(calldata: readonly string[]): readonly UserCall[] | undefined {
  const count = Number(calldata[0] ?? 'NaN');
  if (!(count * 4 + 2 <= calldata.length)) return undefined;
  const end = 1 + count * 4;
  const data = calldata.slice(end + 1);
  if (Number(calldata[end]) !== data.length) return undefined;
  const calls: UserCall[] = [];
  for (let at = 1; at < end; at += 4) {
    const [contract = '', selector = '', start = '', length = ''] = calldata.slice(at, at + 4);
    const from = Number(start);
    const until = from + Number(length);
    if (!(until <= data.length)) return undefined;
    calls.push({ contract, selector, calldata: data.slice(from, until) });
  }
  return calls;
}

function readCalls(calldata: readonly string[]): readonly UserCall[] | undefined {
  const calls: UserCall[] = [];
  let at = 1;
  const count = Number(calldata[0] ?? 'NaN');
  if (!(count <= calldata.length)) return undefined;
  for (let index = 0; index < count; index++) {
    const contract = calldata[at];
    const selector = calldata[at + 1];
    const length = Number(calldata[at + 2] ?? 'NaN');
    if (contract === undefined || selector === undefined || !(length <= calldata.length - at - 3)) {
      return undefined;
    }
    calls.push({ contract, selector, calldata: calldata.slice(at + 3, at + 3 + length) });
    at += 3 + length;
  }
  return at === calldata.length ? calls : undefined;
}

function fromInvocation(call: Invocation, phase: Phase, id: string, depth: number): Frame {
  const children =
    depth > DEEPEST
      ? []
      : call.calls.map((inner, at) => fromInvocation(inner, phase, `${id}.${at}`, depth + 1));
  const failed = call.is_reverted;
  const innermost = failed && !children.some((child) => child.failed);
  return {
    id,
    phase,
    depth,
    contract: call.contract_address,
    classHash: call.class_hash,
    selector: call.entry_point_selector,
    kind: kindOf(call.call_type, call.entry_point_type),
    caller: call.caller_address,
    calldata: call.calldata,
    result: call.result,
    l2Gas: call.execution_resources.l2_gas,
    events: call.events.map(({ keys, data, order }) => ({ keys, data, order: order ?? 0 })),
    children,
    failed,
    cause: innermost ? panicText(call.result) : undefined,
    fate: undefined,
  };
}

/** The result of a reverted frame is what it panicked with. */
function panicText(result: readonly string[]): string {
  const words = result.map((felt) => {
    const text = decodeURIComponent(
      felt.slice(2).length % 2 === 0
        ? felt.slice(2).replace(/(..)/g, '%$1')
        : encodeURIComponent(felt),
    );
    return /^[\x20-\x7e]+$/.test(text) ? text : felt;
  });
  return words.join(', ') || 'no reason given';
}

function kindOf(callType: string, entryPoint: string): Frame['kind'] {
  if (callType === 'DELEGATE' || callType === 'LIBRARY_CALL') return 'DELEGATE';
  if (entryPoint === 'CONSTRUCTOR') return 'CONSTRUCTOR';
  return entryPoint === 'L1_HANDLER' ? 'L1 HANDLER' : 'CALL';
}

/** Builds the tree that is shown. */
export function buildTree(transaction: Sent, trace: Trace | undefined, receipt: Verdict): CallTree {
  const roots: Frame[] = [];
  let isUncertain = false;
  const add = (call: Invocation | undefined, phase: Phase): void => {
    if (call) roots.push(fromInvocation(call, phase, phase, 0));
  };
  if (trace && 'validate_invocation' in trace) add(trace.validate_invocation, 'validate');
  if (trace?.type === 'DEPLOY_ACCOUNT') add(trace.constructor_invocation, 'constructor');
  const middle =
    trace?.type === 'INVOKE'
      ? trace.execute_invocation
      : trace?.type === 'L1_HANDLER'
        ? trace.function_invocation
        : undefined;
  const phase: Phase = trace?.type === 'L1_HANDLER' ? 'handler' : 'execute';
  if (middle && 'contract_address' in middle) add(middle, phase);
  else {
    const reason =
      middle && 'revert_reason' in middle ? middle.revert_reason : receipt.revert_reason;
    if (reason !== undefined) {
      const rebuilt = fromReason(transaction, reason, phase);
      if (rebuilt) roots.push(rebuilt.root);
      isUncertain = rebuilt?.isUncertain ?? false;
    }
  }
  if (trace && 'fee_transfer_invocation' in trace) add(trace.fee_transfer_invocation, 'fee');

  let count = 0;
  let cause: Frame | undefined;
  const visit = (frame: Frame): void => {
    count++;
    if (frame.cause !== undefined && frame.phase !== 'fee') cause ??= frame;
    frame.children.forEach(visit);
  };
  roots.forEach(visit);
  if (receipt.execution_status === 'SUCCEEDED') cause = undefined;
  return { roots, count, cause, isUncertain };
}

const unknown = {
  calldata: undefined,
  result: undefined,
  l2Gas: undefined,
  events: [],
  children: [],
  caller: undefined,
  cause: undefined,
  fate: undefined,
  failed: false,
  classHash: undefined,
} satisfies Partial<Frame>;

/**
 * A failed execution leaves no frames, only an account of it. Certain are the calls that the sender asked for
 * and the way to the failure; nothing else is shown.
 */
function fromReason(
  transaction: Sent,
  reason: string,
  phase: Phase,
): { root: Frame; isUncertain: boolean } | undefined {
  const { path, message } = readFailure(reason);
  const sender = senderOf(transaction);
  if (sender === undefined) return undefined;
  const calldata = 'calldata' in transaction ? transaction.calldata : undefined;
  const [top, ...below] = path;
  const selector =
    'entry_point_selector' in transaction && transaction.entry_point_selector !== undefined
      ? transaction.entry_point_selector
      : transaction.type === 'DEPLOY_ACCOUNT'
        ? CONSTRUCTOR
        : EXECUTE;
  const calls = transaction.type === 'INVOKE' && calldata ? (readMulticall(calldata) ?? []) : [];
  const matches = calls.flatMap((call, at) =>
    call.contract === below[0]?.contract && call.selector === below[0].selector ? [at] : [],
  );
  const failing = matches.at(-1);

  const chain = (depth: number, id: string): readonly Frame[] => {
    const step = below[depth];
    if (!step) return [];
    const rest = chain(depth + 1, `${id}.0`);
    return [
      {
        ...unknown,
        id: `${id}.0`,
        phase,
        depth: depth + 1,
        contract: step.contract,
        classHash: step.classHash,
        selector: step.selector,
        kind: 'CALL',
        failed: true,
        cause: rest.length === 0 ? message : undefined,
        children: rest,
      },
    ];
  };

  let children: readonly Frame[];
  if (calls.length === 0) children = chain(0, phase);
  else {
    children = calls.map((call, at): Frame => {
      const id = `${phase}.${at}`;
      const isFailing = at === failing;
      const inner = isFailing ? chain(1, id) : [];
      return {
        ...unknown,
        id,
        phase,
        depth: 1,
        contract: call.contract,
        classHash: isFailing ? below[0]?.classHash : undefined,
        selector: call.selector,
        kind: 'CALL',
        caller: sender,
        calldata: call.calldata,
        failed: isFailing,
        cause: isFailing && inner.length === 0 ? message : undefined,
        fate:
          failing === undefined || isFailing ? undefined : at < failing ? 'undone' : 'not reached',
        children: inner,
      };
    });
  }
  const root: Frame = {
    ...unknown,
    id: phase,
    phase,
    depth: 0,
    contract: top?.contract ?? sender,
    classHash: top?.classHash,
    selector: top && top.selector !== 'unknown' ? top.selector : selector,
    kind: phase === 'handler' ? 'L1 HANDLER' : 'CALL',
    calldata,
    children,
    failed: true,
    cause: children.some((child) => child.failed) ? undefined : message,
  };
  return { root, isUncertain: matches.length > 1 };
}

export function senderOf(transaction: Sent): string | undefined {
  if ('sender_address' in transaction) return transaction.sender_address;
  return 'contract_address' in transaction ? transaction.contract_address : undefined;
}

/** The frames that are visible when those in `open` are open, in order. */
export function visibleFrames(
  roots: readonly Frame[],
  open: ReadonlySet<string>,
): readonly Frame[] {
  const shown: Frame[] = [];
  const visit = (frame: Frame): void => {
    shown.push(frame);
    if (open.has(frame.id)) frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return shown;
}

/** What is open on arrival: the way to the failure, or execution two levels deep. */
export function firstOpen(tree: CallTree): Set<string> {
  const open = new Set<string>();
  const visit = (frame: Frame): void => {
    const wanted =
      frame.failed || ((frame.phase === 'execute' || frame.phase === 'handler') && frame.depth < 2);
    if (wanted) open.add(frame.id);
    frame.children.forEach(visit);
  };
  tree.roots.forEach(visit);
  return open;
}

export function classesIn(roots: readonly Frame[]): readonly string[] {
  const found = new Set<string>();
  const visit = (frame: Frame): void => {
    if (frame.classHash !== undefined) found.add(frame.classHash);
    frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return [...found];
}
