// What an execution did: its failures, its marks on the timeline, and the storage as of a position.
import type { DEBUG_ACTION, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';
import type { Mark, StorageEntry } from './debugger.js';
import { NONE, type Timeline } from './trace/timeline.js';

/** What a system call adds to the panic data of the call that it made: the short string `ENTRYPOINT_FAILED`. */
const ENTRYPOINT_FAILED = BigInt('0x454e545259504f494e545f4641494c4544');

/** The position of the failure of a run; undefined if it did not fail. */
export function failurePosition(
  { runs }: DEBUG_TRACE,
  timeline: Timeline,
  run: number,
): number | undefined {
  const { failed, failure_step, code, step_count = 0 } = runs[run] ?? {};
  if (!failed) return undefined;
  if (code === 'cairo1' && failure_step !== undefined && step_count > 0) {
    return timeline.positionOfStep(run, failure_step);
  }
  const own = timeline.stretchesOf(run).at(-1);
  return own ? own.position + own.count - 1 : timeline.firstOfRun(run);
}

/** The run whose failure ended the execution: it was passed on by all of its callers. Undefined if none failed. */
export function failedRun({ runs, actions }: DEBUG_TRACE): number | undefined {
  let failed = runs.findLastIndex(
    ({ parent, failed: isFailed }) => parent === undefined && isFailed,
  );
  if (failed < 0) return undefined;
  for (;;) {
    const caller = failed;
    const called = runs.findLastIndex(
      ({ parent, failed: isFailed }) => parent === caller && isFailed,
    );
    const [outer, inner] = [runs[caller], runs[called]];
    if (!outer || !inner) return failed;
    const action = actions[inner.parent_action ?? -1];
    if (!isPassedOn(outer, inner, action)) return failed;
    failed = called;
  }
}

function isPassedOn(outer: DEBUG_RUN, inner: DEBUG_RUN, action: DEBUG_ACTION | undefined): boolean {
  if (inner.result === undefined) return true;
  // Cairo 0 code cannot catch a failure.
  if (outer.code !== 'cairo1') return true;
  if (outer.result === undefined) return outer.failure_step === action?.step;
  const data = inner.result;
  const added = outer.result[data.length];
  return (
    added !== undefined &&
    BigInt(added) === ENTRYPOINT_FAILED &&
    data.every((felt, index) => felt === outer.result?.[index])
  );
}

/** For each run, the outermost run around it that failed, which undoes what it did; itself included. */
function undoingRuns(runs: readonly DEBUG_RUN[]): Uint32Array {
  const undoing = new Uint32Array(runs.length).fill(NONE);
  for (const [index, { parent, failed }] of runs.entries()) {
    const outer = parent === undefined || parent >= index ? NONE : (undoing[parent] ?? NONE);
    undoing[index] = outer !== NONE || !failed ? outer : index;
  }
  return undoing;
}

/** The failed runs around each run, innermost first; itself included. */
function* failedAround(runs: readonly DEBUG_RUN[], run: number): Generator<number> {
  let at: number | undefined = run;
  while (at !== undefined) {
    const around: DEBUG_RUN | undefined = runs[at];
    if (around?.failed) yield at;
    const parent: number | undefined = around?.parent;
    at = parent !== undefined && parent < at ? parent : undefined;
  }
}

export function marksOf(trace: DEBUG_TRACE, timeline: Timeline): readonly Mark[] {
  const { runs, actions } = trace;
  const undoing = undoingRuns(runs);
  const marks: Mark[] = [];
  for (const [index, action] of actions.entries()) {
    const kind = kindOf(action);
    const position = timeline.positionOfAction(index);
    if (!kind || position === NONE) continue;
    const isReverted = (undoing[action.run] ?? NONE) !== NONE;
    marks.push({ position, kind, runIndex: action.run, action, isReverted });
  }
  for (const [index, run] of runs.entries()) {
    const isReverted = (undoing[index] ?? NONE) !== NONE;
    if (run.parent !== undefined) {
      const position = Math.min(timeline.lastOfRun(index) + 1, timeline.length - 1);
      marks.push({ position, kind: 'return', runIndex: index, isReverted });
    }
    const position = failurePosition(trace, timeline, index);
    if (position !== undefined) {
      marks.push({ position, kind: 'failure', runIndex: index, isReverted: true });
    }
  }
  return marks.sort((left, right) => left.position - right.position);
}

function kindOf({ name, called_run }: DEBUG_ACTION): Mark['kind'] | undefined {
  if (called_run !== undefined) return 'call';
  if (name === 'EmitEvent') return 'event';
  if (name === 'StorageWrite') return 'write';
  if (name === 'SendMessageToL1' || name === 'SendMessageToL1') return 'message';
  return undefined;
}

/** The slots that were read or written up to a position, with their values there. */
export function storageAt(
  { runs, actions }: DEBUG_TRACE,
  timeline: Timeline,
  position: number,
  contract?: string,
): readonly StorageEntry[] {
  const slots = new Map<string, StorageEntry>();
  const undoneBy = new Map<number, boolean>();
  const isUndone = (run: number): boolean => {
    let undone = undoneBy.get(run);
    if (undone === undefined) {
      undone = false;
      for (const failed of failedAround(runs, run)) {
        if (timeline.lastOfRun(failed) < position) undone = true;
      }
      undoneBy.set(run, undone);
    }
    return undone;
  };
  for (const [index, action] of actions.entries()) {
    const { key, value, previous, contract_address: contractAddress } = action;
    if (contractAddress === undefined || key === undefined || value === undefined) continue;
    if (contract !== undefined && contract !== contractAddress) continue;
    const at = timeline.positionOfAction(index);
    if (at > position) continue;
    const id = `${contractAddress} ${key}`;
    const slot = slots.get(id);
    const isWrite = action.name === 'StorageWrite' && !action.failed;
    const initial = slot?.initial ?? (action.name === 'StorageWrite' ? (previous ?? '0x0') : value);
    if (isWrite && !isUndone(action.run)) {
      slots.set(id, { contractAddress, key, value, initial, writtenAt: at });
    } else if (!slot) slots.set(id, { contractAddress, key, value: initial, initial });
  }
  return [...slots.values()];
}

/** Gas at a position as the last system call before it, or the start of the call, says. */
export function gasAt(
  { runs, actions }: DEBUG_TRACE,
  timeline: Timeline,
  position: number,
  actionsOfRun: readonly number[],
): number | undefined {
  const run = runs[timeline.runAt(position)];
  if (run?.code !== 'cairo1') return undefined;
  let [low, high] = [0, actionsOfRun.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.positionOfAction(actionsOfRun[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return actions[actionsOfRun[low - 1] ?? -1]?.gas ?? run.initial_gas;
}
