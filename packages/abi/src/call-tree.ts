// Call tree of a transaction, from its trace or, where a revert left no frames, from the revert reason.
import type { EXPLAINED_FRAME } from '@starkbox/spec';
import { panicText } from './failure/panic.js';
import { type FailedFrame, readFailure } from './failure/reason.js';
import { selectorOf } from './selector.js';
import type { ExecutionResult, Invocation, TracedTransaction, TransactionTrace } from './trace.js';
import { readMulticall, type UserCall } from './transactions/multicall.js';

export type Phase = EXPLAINED_FRAME['phase'];

export interface FrameEvent {
  readonly keys: readonly string[];
  readonly data: readonly string[];
  readonly order: number;
}

/** One call of a transaction. */
export interface Frame {
  /** Path from the root, for example `execute.1.0`. */
  readonly id: string;
  readonly phase: Phase;
  readonly depth: number;
  readonly contract: string;
  /** Undefined where the call was not made. */
  readonly classHash: string | undefined;
  readonly selector: string;
  readonly kind: 'CALL' | 'DELEGATE' | 'CONSTRUCTOR' | 'L1 HANDLER';
  readonly caller: string | undefined;
  /** Undefined where the revert reason names the call but not its calldata. */
  readonly calldata: readonly string[] | undefined;
  readonly result: readonly string[] | undefined;
  readonly l2Gas: number | undefined;
  /** Of a call that the protocol measures in Cairo steps; it has no L2 gas. */
  readonly l1Gas?: number;
  readonly events: readonly FrameEvent[];
  readonly children: readonly Frame[];
  /** Whether this frame is on the path to the failure. */
  readonly failed: boolean;
  /** The panic message, on the frame that failed first. */
  readonly cause: string | undefined;
  /** Undone because a later call failed, or not reached because an earlier one did. */
  readonly fate: 'undone' | 'not reached' | undefined;
}

export interface CallTree {
  readonly roots: readonly Frame[];
  readonly count: number;
  /** The frame that caused the failure. */
  readonly cause: Frame | undefined;
  /** Whether several equal calls could be the one that failed. */
  readonly isUncertain: boolean;
}

const EXECUTE = selectorOf('__execute__');
const CONSTRUCTOR = selectorOf('constructor');
/** Phases that a revert reason names by the function of its first frame. */
const PHASES: ReadonlyMap<string, Phase> = new Map([
  [selectorOf('__validate__'), 'validate'],
  [selectorOf('__validate_declare__'), 'validate'],
  [selectorOf('__validate_deploy__'), 'validate'],
  [CONSTRUCTOR, 'constructor'],
]);
const VALIDATE_DEPLOY = selectorOf('__validate_deploy__');
const KINDS: Readonly<Record<FailedFrame['kind'], Frame['kind']>> = {
  call: 'CALL',
  library_call: 'DELEGATE',
  constructor: 'CONSTRUCTOR',
};
const DEEPEST = 400;

/** Builds the call tree of a transaction. */
export function buildTree(
  transaction: TracedTransaction,
  trace: TransactionTrace | undefined,
  receipt: ExecutionResult,
): CallTree {
  const roots: Frame[] = [];
  let isUncertain = false;
  const add = (call: Invocation | undefined, phase: Phase): void => {
    if (call) roots.push(fromInvocation(call, phase, phase, 0));
  };
  add(trace?.validate_invocation, 'validate');
  add(trace?.constructor_invocation, 'constructor');
  const middle = trace?.execute_invocation ?? trace?.function_invocation;
  const isHandler = (trace?.type ?? transaction.type) === 'L1_HANDLER';
  const phase: Phase = isHandler ? 'handler' : 'execute';
  if (middle && 'contract_address' in middle) add(middle, phase);
  else {
    const reason = middle?.revert_reason ?? receipt.revert_reason;
    if (reason !== undefined) {
      const rebuilt = fromReason(transaction, reason, phase);
      if (rebuilt) roots.push(rebuilt.root);
      isUncertain = rebuilt?.isUncertain ?? false;
    }
  }
  add(trace?.fee_transfer_invocation, 'fee');

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

function fromInvocation(call: Invocation, phase: Phase, id: string, depth: number): Frame {
  const children =
    depth > DEEPEST
      ? []
      : call.calls.map((inner, at) => fromInvocation(inner, phase, `${id}.${at}`, depth + 1));
  const failed = call.is_reverted;
  const { l2_gas, l1_gas = 0 } = call.execution_resources;
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
    l2Gas: l2_gas,
    ...(l2_gas === 0 && l1_gas > 0 ? { l1Gas: l1_gas } : {}),
    events: call.events.map(({ keys, data, order }) => ({ keys, data, order: order ?? 0 })),
    children,
    failed,
    cause: innermost ? panicText(call.result) : undefined,
    fate: undefined,
  };
}

function kindOf(callType: string, entryPoint: string): Frame['kind'] {
  if (callType === 'DELEGATE' || callType === 'LIBRARY_CALL') return 'DELEGATE';
  if (entryPoint === 'CONSTRUCTOR') return 'CONSTRUCTOR';
  return entryPoint === 'L1_HANDLER' ? 'L1 HANDLER' : 'CALL';
}

const UNKNOWN = {
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

/** What is common to the frames that are rebuilt from one revert reason. */
interface Revert {
  readonly phase: Phase;
  readonly message: string;
  /** The failing calls below the account, from the outermost to the innermost. */
  readonly path: ReturnType<typeof readFailure>['path'];
}

/**
 * A revert leaves no frames, only a text. The calls that the sender asked for and the path to the failure are
 * certain; nothing else is added.
 */
function fromReason(
  transaction: TracedTransaction,
  reason: string,
  ran: Phase,
): { root: Frame; isUncertain: boolean } | undefined {
  const { path, message } = readFailure(reason);
  const [top, ...below] = path;
  const sender = senderOf(transaction) ?? top?.contract;
  if (sender === undefined) return undefined;
  const phase = PHASES.get(top?.selector ?? '') ?? ran;
  const revert: Revert = { phase, message, path: below };
  const calldata = calldataOf(transaction);
  const isExecuted = transaction.type === 'INVOKE' && phase === 'execute';
  const calls = isExecuted && calldata ? (readMulticall(calldata) ?? []) : [];
  const matches = calls.flatMap((call, at) =>
    call.contract === below[0]?.contract && call.selector === below[0].selector ? [at] : [],
  );
  const children =
    calls.length === 0
      ? failingFrames(revert, 0, phase)
      : calledFrames(revert, calls, matches.at(-1), sender);
  const root: Frame = {
    ...UNKNOWN,
    id: phase,
    phase,
    depth: 0,
    contract: top?.contract ?? sender,
    classHash: top?.classHash,
    selector: top && top.selector !== 'unknown' ? top.selector : rootSelector(transaction),
    kind: phase === 'handler' ? 'L1 HANDLER' : KINDS[top?.kind ?? 'call'],
    calldata: top?.selector === VALIDATE_DEPLOY ? undefined : calldata,
    children,
    failed: true,
    cause: children.some((child) => child.failed) ? undefined : message,
  };
  return { root, isUncertain: matches.length > 1 };
}

function calldataOf({ type, calldata, constructor_calldata }: TracedTransaction) {
  return type === 'DEPLOY_ACCOUNT' ? constructor_calldata : calldata;
}

function rootSelector({ entry_point_selector, type }: TracedTransaction): string {
  return entry_point_selector ?? (type === 'DEPLOY_ACCOUNT' ? CONSTRUCTOR : EXECUTE);
}

/** The rest of the path to the failure, each frame inside of the one before. */
function failingFrames(revert: Revert, depth: number, parent: string): readonly Frame[] {
  const step = revert.path[depth];
  if (!step) return [];
  const id = `${parent}.0`;
  const children = failingFrames(revert, depth + 1, id);
  return [
    {
      ...UNKNOWN,
      id,
      phase: revert.phase,
      depth: depth + 1,
      contract: step.contract,
      classHash: step.classHash,
      selector: step.selector,
      kind: KINDS[step.kind],
      failed: true,
      cause: children.length === 0 ? revert.message : undefined,
      children,
    },
  ];
}

/** The calls that the sender asked for, with the path to the failure below the failing one. */
function calledFrames(
  revert: Revert,
  calls: readonly UserCall[],
  failing: number | undefined,
  caller: string,
): readonly Frame[] {
  return calls.map(({ contract, selector, calldata }, at): Frame => {
    const id = `${revert.phase}.${at}`;
    const failed = at === failing;
    const children = failed ? failingFrames(revert, 1, id) : [];
    return {
      ...UNKNOWN,
      id,
      phase: revert.phase,
      depth: 1,
      contract,
      classHash: failed ? revert.path[0]?.classHash : undefined,
      selector,
      kind: 'CALL',
      caller,
      calldata,
      failed,
      cause: failed && children.length === 0 ? revert.message : undefined,
      fate: failing === undefined || failed ? undefined : at < failing ? 'undone' : 'not reached',
      children,
    };
  });
}

export function senderOf(transaction: TracedTransaction): string | undefined {
  return transaction.sender_address ?? transaction.contract_address;
}

/** The classes of all frames, each once. */
export function classesIn(roots: readonly Frame[]): readonly string[] {
  const classHashes = new Set<string>();
  const visit = (frame: Frame): void => {
    if (frame.classHash !== undefined) classHashes.add(frame.classHash);
    frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return [...classHashes];
}
