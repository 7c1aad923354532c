// What an execution did: its failures, its marks on the timeline, and the storage as of a position.
import type { DEBUG_ACTION, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';
import type { Mark, StorageEntry } from './debugger.js';
import type { Stops } from './stops.js';
import { GrowingColumns } from './trace/columns.js';
import { NONE, type Timeline } from './trace/timeline.js';

/** What a system call adds to the panic data of the call that it made: the short string `ENTRYPOINT_FAILED`. */
const ENTRYPOINT_FAILED = BigInt('0x454e545259504f494e545f4641494c4544');

/** The position of the failure of each run; undefined for runs that did not fail. */
export function failurePositions(
  { runs, actions }: DEBUG_TRACE,
  { timeline, stops }: { readonly timeline: Timeline; readonly stops: Stops },
): readonly (number | undefined)[] {
  const lastActions = new Map<number, number>();
  for (const { run, step, failed } of actions) if (!failed) lastActions.set(run, step);
  return runs.map(({ failed, failure_step, code, step_count }, run) => {
    if (!failed) return undefined;
    if (code !== 'cairo1' || failure_step === undefined || step_count === 0) {
      const stretch = timeline.stretchesOf(run).at(-1);
      return stretch ? stretch.position + stretch.count - 1 : timeline.firstOfRun(run);
    }
    const lastAction = lastActions.get(run) ?? 0;
    if (lastAction <= failure_step) return timeline.positionOfStep(run, failure_step);
    // Code that has failed makes no system calls: the step made the panic data, and the failure came later.
    return Math.max(timeline.positionOfStep(run, lastAction), stops.lastOfRun(run));
  });
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

export function marksOf(
  { runs, actions }: DEBUG_TRACE,
  timeline: Timeline,
  failures: readonly (number | undefined)[],
): readonly Mark[] {
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
    const position = failures[index];
    if (position !== undefined) {
      marks.push({ position, kind: 'failure', runIndex: index, isReverted: true });
    }
  }
  return marks.sort((mark, other) => mark.position - other.position);
}

function kindOf({ name, called_run }: DEBUG_ACTION): Mark['kind'] | undefined {
  if (called_run !== undefined) return 'call';
  if (name === 'EmitEvent') return 'event';
  if (name === 'StorageWrite') return 'write';
  if (name === 'SendMessageToL1') return 'message';
  return undefined;
}

/** Storage actions of an execution, with a number for each slot. */
export class StorageHistory {
  readonly #trace: DEBUG_TRACE;
  readonly #timeline: Timeline;
  /** Contract and key of each slot, and its value before the execution. */
  readonly slots: readonly Pick<StorageEntry, 'contractAddress' | 'key' | 'initial'>[];
  /** Columns: position, slot, index of the action. */
  readonly #actions = new GrowingColumns(3);

  constructor(trace: DEBUG_TRACE, timeline: Timeline) {
    this.#trace = trace;
    this.#timeline = timeline;
    const slots: Pick<StorageEntry, 'contractAddress' | 'key' | 'initial'>[] = [];
    const numbers = new Map<string, number>();
    for (const [index, action] of trace.actions.entries()) {
      const { key, value, previous, contract_address: contractAddress, name } = action;
      const position = timeline.positionOfAction(index);
      if (contractAddress === undefined || key === undefined || value === undefined) continue;
      if (position === NONE) continue;
      const id = `${contractAddress} ${key}`;
      let slot = numbers.get(id);
      if (slot === undefined) {
        slot = slots.length;
        numbers.set(id, slot);
        const initial = name === 'StorageWrite' ? (previous ?? '0x0') : value;
        slots.push({ contractAddress, key, initial });
      }
      this.#actions.push(position, slot, index);
    }
    this.slots = slots;
  }

  /** The slots that were read or written up to a position, with their values there. */
  at(position: number, contract?: string): readonly StorageEntry[] {
    const { actions } = this.#trace;
    const [positions, slotOf, indexes] = [0, 1, 2].map((column) => this.#actions.column(column));
    const isUndone = this.#undoneAt(position);
    const entries = new Map<number, StorageEntry>();
    for (let at = 0; at < this.#actions.length; at += 1) {
      const writtenAt = positions?.[at] ?? 0;
      if (writtenAt > position) break;
      const number = slotOf?.[at] ?? 0;
      const slot = this.slots[number];
      const action = actions[indexes?.[at] ?? 0];
      if (!slot || !action || (contract !== undefined && contract !== slot.contractAddress))
        continue;
      const { value = '0x0' } = action;
      if (action.name === 'StorageWrite' && !action.failed && !isUndone(action.run)) {
        entries.set(number, { ...slot, value, writtenAt });
      } else if (!entries.has(number)) entries.set(number, { ...slot, value: slot.initial });
    }
    return [...entries.values()];
  }

  /** Whether a failure of a run, or of a run around it, has undone what it wrote. */
  #undoneAt(position: number): (run: number) => boolean {
    const undone = new Map<number, boolean>();
    return (run) => {
      let isUndone = undone.get(run);
      if (isUndone === undefined) {
        isUndone = false;
        for (const failed of failedAround(this.#trace.runs, run)) {
          if (this.#timeline.lastOfRun(failed) < position) isUndone = true;
        }
        undone.set(run, isUndone);
      }
      return isUndone;
    };
  }
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
