// Explanation of a transaction or a call: what failed, where, with which values, and what to do.
import type { Abi } from '../abi.js';
import { buildTree, type CallTree, type Frame, senderOf } from '../call-tree.js';
import { panicText, panicWords, quotedPanic } from '../failure/panic.js';
import { readFailure } from '../failure/reason.js';
import { withNoun } from '../text-layout.js';
import type { TransactionTrace } from '../trace.js';
import { CALL_RULES } from './call-rules.js';
import type { ExplainedFrame, Explanation, PrintedText, SourceLine } from './explained.js';
import type { ExplainedTransaction, Facts, PossibleFinding } from './finding.js';
import { GAS_RULES } from './gas-rules.js';
import { TIME_RULES } from './time-rules.js';
import { TOKEN_RULES } from './token-rules.js';
import { treeLines } from './tree-text.js';
import { type Sources, View } from './view.js';

/** The Cairo stack of a frame, innermost line first. */
export interface FrameStack {
  readonly contract: string;
  readonly selector: string;
  readonly stack: readonly SourceLine[];
}

/** What is explained. */
export interface Subject {
  readonly transaction: ExplainedTransaction;
  readonly trace?: TransactionTrace | undefined;
  readonly status: Explanation['status'];
  /** The revert reason, or why it was refused. */
  readonly reason?: string | undefined;
  /** The Cairo stack of the frame that failed first, innermost line first. */
  readonly stack?: readonly SourceLine[];
  /** Of the frames around it, outermost first: where each made the call that failed. */
  readonly outerStacks?: readonly FrameStack[];
  /** What contracts printed. */
  readonly printed?: readonly PrintedText[];
}

const RULES = [...GAS_RULES, ...CALL_RULES, ...TOKEN_RULES, ...TIME_RULES];

const KINDS: Readonly<Record<Frame['kind'], ExplainedFrame['kind']>> = {
  CALL: 'call',
  DELEGATE: 'library_call',
  CONSTRUCTOR: 'constructor',
  'L1 HANDLER': 'l1_handler',
};

/**
 * Explains a transaction. ABIs and values of the state are asked for as they are needed.
 *
 * @example
 * const { text } = await explain({ transaction, trace, status: 'REVERTED', reason }, { abi, names });
 */
export async function explain(subject: Subject, sources: Sources): Promise<Explanation> {
  const { stack = [] } = subject;
  const tree = treeOf(subject);
  const status = tree.roots.some(({ phase, failed }) => failed && phase === 'validate')
    ? 'REJECTED'
    : subject.status;
  const roots = tree.roots.filter(
    ({ phase, failed }) => failed || (phase !== 'validate' && phase !== 'fee'),
  );
  const view = await View.of(roots, sources);
  if (status === 'SUCCEEDED') {
    const calls = countFrames(roots);
    const summary = `Succeeded: ${calls === 0 ? `${subject.transaction.type} without calls` : withNoun(calls, 'call')}`;
    const callLines = calls === 0 ? [] : ['', ...treeLines(roots, view)];
    const lines = [summary, ...callLines, ...printedLines(subject)];
    return {
      status,
      summary,
      frames: [],
      stack: [],
      ...printedIn(subject),
      text: lines.join('\n'),
    };
  }
  const path = pathOf(tree);
  const failure = readFailure(subject.reason ?? '');
  const first = path.at(-1);
  const felts = failure.panic?.felts ?? (first?.result?.length ? first.result : undefined);
  const panic = felts && { felts, text: panicText(felts, first && view.abiOf(first)) };
  const facts: Facts = {
    transaction: subject.transaction,
    sender: NO_ACCOUNT.has(subject.transaction.type) ? undefined : senderOf(subject.transaction),
    frame: first,
    caller: path.at(-2),
    isUncertain: tree.isUncertain,
    view,
    sources,
  };
  const finding = await findingOf(
    panic ? panicWords(panic.felts).join('\n') : (subject.reason ?? ''),
    facts,
  );
  const cause =
    finding?.what ??
    (panic ? panicCause(panic.felts, first && view.abiOf(first)) : failure.message);
  const location =
    first && !finding?.isWhole ? `${view.contract(first)}.${view.functionOf(first)}` : '';
  const joint = location === '' ? '' : cause.startsWith('panicked') ? ' ' : ' failed: ';
  const summary = `${STATUS_WORDS[status]}: ${location}${joint}${cause}`;
  const hint = finding?.hint;
  const lines = [
    summary,
    ...(roots.length > 0 ? ['', ...treeLines(roots, view, { stack, cause })] : []),
    ...(tree.isUncertain
      ? ['', 'Several identical calls may have failed; this is the last of them.']
      : []),
    ...printedLines(subject),
    ...(hint === undefined ? [] : ['', `hint: ${hint}`]),
  ];
  const frames = path.map((frame, at) => ({
    ...explainFrame(frame, view),
    ...stackOf(frame, subject.outerStacks?.[at]),
  }));
  const failed = frames.at(-1);
  return {
    status,
    summary: oneLine(summary),
    ...(failed === undefined ? {} : placeOf(failed)),
    ...(panic ? { panic } : {}),
    frames,
    ...(failed === undefined ? {} : { failed_first: frames.length - 1 }),
    stack,
    ...printedIn(subject),
    ...(hint === undefined ? {} : { hint }),
    ...(finding?.advice === undefined ? {} : { advice: finding.advice }),
    ...(finding?.actions === undefined ? {} : { actions: finding.actions }),
    text: lines.join('\n'),
  };
}

function countFrames(frames: readonly Frame[]): number {
  return frames.reduce((sum, { children }) => sum + 1 + countFrames(children), 0);
}

function printedIn({ printed = [] }: Subject): Pick<Explanation, 'printed'> {
  return printed.length > 0 ? { printed } : {};
}

function printedLines({ printed = [] }: Subject): readonly string[] {
  const lines = printed.flatMap(({ contract, text }) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${contract} printed: ${line}`),
  );
  return lines.length > 0 ? ['', ...lines] : [];
}

function panicCause(felts: readonly string[], abi: Abi | undefined): string {
  return felts.length === 0
    ? 'panicked without a reason'
    : `panicked with ${quotedPanic(felts, abi)}`;
}

const NO_ACCOUNT: ReadonlySet<string> = new Set(['CALL', 'L1_HANDLER']);

const STATUS_WORDS: Readonly<Record<Explanation['status'], string>> = {
  SUCCEEDED: 'Succeeded',
  REVERTED: 'Reverted',
  REJECTED: 'Rejected',
};

/** A refused transaction leaves no trace, and one that named no call has no tree. */
function treeOf({ transaction, trace, status, reason }: Subject): CallTree {
  if (status === 'SUCCEEDED') return buildTree(transaction, trace, { execution_status: status });
  const failed = {
    execution_status: 'REVERTED',
    ...(reason === undefined ? {} : { revert_reason: reason }),
  } as const;
  const tree = buildTree(transaction, trace, failed);
  const isNamed = status === 'REVERTED' || readFailure(reason ?? '').path.length > 0;
  return isNamed ? tree : { ...tree, roots: [], cause: undefined };
}

/** The frames that failed, outermost first. */
function pathOf({ roots }: CallTree): readonly Frame[] {
  const path: Frame[] = [];
  let level: readonly Frame[] = roots.filter(({ phase }) => phase !== 'fee');
  for (let next = failedIn(level); next; next = failedIn(level)) {
    path.push(next);
    level = next.children;
  }
  return path;
}

const failedIn = (frames: readonly Frame[]): Frame | undefined =>
  frames.findLast(({ failed }) => failed);

async function findingOf(text: string, facts: Facts): Promise<PossibleFinding> {
  for (const { pattern, find } of RULES) {
    const match = pattern.exec(text);
    const finding = match && (await find(match, facts));
    if (finding) return finding;
  }
  return undefined;
}

const oneLine = (text: string): string => text.replace(/(?<!\s)\s*\n\s*/g, ' ');

function explainFrame(frame: Frame, view: View): ExplainedFrame {
  const classHash = view.classOf(frame);
  const values = view.argumentsOf(frame);
  return {
    kind: KINDS[frame.kind],
    phase: frame.phase,
    contract: frame.contract,
    contract_name: view.nameOf(frame).name,
    ...(classHash === undefined ? {} : { class_hash: classHash }),
    selector: frame.selector,
    function: view.functionOf(frame),
    ...(values === undefined ? {} : { arguments: values }),
  };
}

/** A second run may have other frames than the reason names. */
function stackOf(frame: Frame, traced: FrameStack | undefined): Pick<ExplainedFrame, 'stack'> {
  const isSame = traced?.contract === frame.contract && traced.selector === frame.selector;
  return isSame && traced.stack.length > 0 ? { stack: traced.stack } : {};
}

function placeOf({
  contract,
  contract_name,
  class_hash,
  function: name,
  arguments: values,
}: ExplainedFrame) {
  return {
    contract,
    contract_name,
    ...(class_hash === undefined ? {} : { class_hash }),
    function: name,
    ...(values === undefined ? {} : { arguments: values }),
  };
}
