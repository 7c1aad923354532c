// Positions in the order of time over nested runs, and the activations of Cairo functions inside of runs.
import type { DEBUG_TRACE } from '@starkbox/spec';
import { GrowingColumns } from './columns.js';
import type { StepRange } from './recorded-trace.js';

/** The pc of positions that are no step of Cairo 1 code. */
export const NO_PC = 0xffffffff;
/** The parent of outermost activations, and the activation of the last position. */
export const NONE = 0xffffffff;

/** Columns of activations. */
const FP = 0;
const PARENT = 1;
const RUN = 2;
const FIRST = 3;
const LAST = 4;
/** The outermost of the activations around this one that were called by the same instruction, without a gap. */
const CALLED_ALIKE = 5;
/** Their number. */
const ALIKE = 6;

/** A stretch of positions of one run: consecutive steps, or a single position that is no step. */
interface Stretch {
  readonly run: number;
  readonly position: number;
  /** Undefined if it is no step. */
  readonly step?: number;
  readonly count: number;
}

/**
 * An activation is an execution of a Cairo function, from its call to its return. Each run has an activation for the
 * call of the contract itself, around those of its functions; its parent is the activation that made the call.
 */
export class Timeline {
  /** The number of positions; the last is the end. */
  readonly length: number;
  readonly pcs: Uint32Array;
  readonly aps: Uint32Array;
  /** The innermost activation of each position. */
  readonly activations: Uint32Array;
  readonly #actionPositions: Uint32Array;
  readonly #runFirst: Uint32Array;
  readonly #runLast: Uint32Array;
  readonly #runActivation: Uint32Array;
  /** The position of the system call that called a run. */
  readonly #runCall: Uint32Array;
  readonly #stretchesOfRun: readonly (readonly Stretch[])[];
  readonly #actionAt: ReadonlyMap<number, number>;
  readonly #table = new GrowingColumns(7);
  /** The pc to which a function returns whose call was dropped. */
  readonly #resumedAt = new Map<number, number>();

  constructor({ runs, actions }: DEBUG_TRACE) {
    const layout = new Layout({ runs, actions });
    this.#stretchesOfRun = layout.stretchesOfRun;
    this.#runFirst = layout.runFirst;
    this.#runLast = layout.runLast;
    this.#actionPositions = layout.actionPositions;
    this.length = layout.length + 1;
    this.pcs = new Uint32Array(this.length).fill(NO_PC);
    this.aps = new Uint32Array(this.length);
    this.activations = new Uint32Array(this.length).fill(NONE);
    this.#runActivation = new Uint32Array(runs.length).fill(NONE);
    this.#runCall = new Uint32Array(runs.length).fill(NONE);
    const actionAt = new Map<number, number>();
    for (const [action, position] of this.#actionPositions.entries()) {
      if (position !== NONE) actionAt.set(position, action);
    }
    this.#actionAt = actionAt;
  }

  /** Fills in the steps, which come run by run in the order in which the runs began. */
  static async load(trace: DEBUG_TRACE, ranges: AsyncIterable<StepRange>): Promise<Timeline> {
    const timeline = new Timeline(trace);
    const cursors: RunCursor[] = [];
    const begin = (count: number): void => {
      while (cursors.length < count) {
        cursors.at(-1)?.end();
        cursors.push(new RunCursor(timeline, trace, cursors.length));
      }
    };
    for await (const { run, registers } of ranges) {
      begin(run + 1);
      cursors[run]?.append(registers);
    }
    begin(trace.runs.length);
    cursors.at(-1)?.end();
    return timeline;
  }

  get activationCount(): number {
    return this.#table.length;
  }

  /** Adds an activation; its last position is set at its end. */
  addActivation(fp: number, parent: number, run: number, first: number): number {
    return this.#table.push(fp, parent, run, first, first, this.#table.length, 1);
  }

  /** Adds the activation of a call that the trace has. */
  addCalled(fp: number, parent: number, run: number, first: number): number {
    const isAlike =
      this.callPositionOf(parent) !== NONE &&
      this.runOf(parent) === run &&
      this.activationOfRun(run) !== parent &&
      this.pcs[this.firstOf(parent) - 1] === this.pcs[first - 1];
    if (!isAlike) return this.addActivation(fp, parent, run, first);
    const outermost = this.#table.column(CALLED_ALIKE)[parent] ?? parent;
    const count = (this.#table.column(ALIKE)[parent] ?? 1) + 1;
    return this.#table.push(fp, parent, run, first, first, outermost, count);
  }

  /** The callers of an activation whose calls are the same instruction: the outermost one, and their number. */
  callersOf(activation: number): { readonly outermost: number; readonly count: number } {
    const last = this.#table.column(CALLED_ALIKE)[activation] ?? activation;
    return { outermost: this.parentOf(last), count: this.#table.column(ALIKE)[activation] ?? 1 };
  }

  endActivation(activation: number, last: number): void {
    this.#table.column(LAST)[activation] = last;
  }

  /** Sets a parent that was found after its child, because its call was dropped. */
  setLateParent(activation: number, parent: number, resumedAt: number): void {
    this.#table.column(PARENT)[activation] = parent;
    this.#resumedAt.set(activation, resumedAt);
  }

  setRunActivation(run: number, activation: number, callPosition: number): void {
    this.#runActivation[run] = activation;
    this.#runCall[run] = callPosition;
  }

  fpOf(activation: number): number {
    return this.#table.column(FP)[activation] ?? 0;
  }

  parentOf(activation: number): number {
    return this.#table.column(PARENT)[activation] ?? NONE;
  }

  runOf(activation: number): number {
    return this.#table.column(RUN)[activation] ?? NONE;
  }

  firstOf(activation: number): number {
    return this.#table.column(FIRST)[activation] ?? 0;
  }

  lastOf(activation: number): number {
    return this.#table.column(LAST)[activation] ?? 0;
  }

  /** Whole columns, for passes over all activations. */
  get columns(): {
    readonly parents: Uint32Array;
    readonly runs: Uint32Array;
    readonly firsts: Uint32Array;
    readonly lasts: Uint32Array;
  } {
    return {
      parents: this.#table.column(PARENT),
      runs: this.#table.column(RUN),
      firsts: this.#table.column(FIRST),
      lasts: this.#table.column(LAST),
    };
  }

  /** The activation of the call of a run. */
  activationOfRun(run: number): number {
    return this.#runActivation[run] ?? NONE;
  }

  runAt(position: number): number {
    const activation = this.activations[position] ?? NONE;
    return activation === NONE ? NONE : this.runOf(activation);
  }

  firstOfRun(run: number): number {
    return this.#runFirst[run] ?? 0;
  }

  /** The last position of a run and of all that it called. */
  lastOfRun(run: number): number {
    return this.#runLast[run] ?? 0;
  }

  positionOfAction(action: number): number {
    return this.#actionPositions[action] ?? NONE;
  }

  actionAt(position: number): number | undefined {
    return this.#actionAt.get(position);
  }

  /** The position of a step, or the nearest one before it if the trace does not have it. */
  positionOfStep(run: number, step: number): number {
    let nearest = this.firstOfRun(run);
    for (const stretch of this.#stretchesOfRun[run] ?? []) {
      if (stretch.step === undefined) nearest = Math.max(nearest, stretch.position);
      else if (stretch.step <= step) {
        nearest = stretch.position + Math.min(step - stretch.step, stretch.count - 1);
      }
    }
    return nearest;
  }

  /** Where a run's steps are in time. */
  stretchesOf(run: number): readonly Stretch[] {
    return this.#stretchesOfRun[run] ?? [];
  }

  /** The pc of the call of an activation at a position of {@link Timeline.callPositionOf}. */
  callPcOf(activation: number, position: number): number {
    if (position !== NONE) return this.pcs[position] ?? NO_PC;
    const resumed = this.#resumedAt.get(activation);
    // The word before the return address belongs to the call.
    return resumed === undefined ? NO_PC : resumed - 1;
  }

  /** The position of the call of an activation; `NONE` for outermost ones, and for calls that were dropped. */
  callPositionOf(activation: number): number {
    if (this.#resumedAt.size > 0 && this.#resumedAt.has(activation)) return NONE;
    const run = this.runOf(activation);
    const ofRun = this.activationOfRun(run);
    if (activation === ofRun) return this.#runCall[run] ?? NONE;
    return this.parentOf(activation) === ofRun ? NONE : this.firstOf(activation) - 1;
  }
}

/** The order of all positions. */
class Layout {
  readonly stretchesOfRun: Stretch[][];
  readonly runFirst: Uint32Array;
  readonly runLast: Uint32Array;
  readonly actionPositions: Uint32Array;
  length = 0;

  constructor({ runs, actions }: Pick<DEBUG_TRACE, 'runs' | 'actions'>) {
    this.stretchesOfRun = runs.map(() => []);
    this.runFirst = new Uint32Array(runs.length);
    this.runLast = new Uint32Array(runs.length);
    this.actionPositions = new Uint32Array(actions.length).fill(NONE);
    const actionsOf: number[][] = runs.map(() => []);
    for (const [index, { run }] of actions.entries()) actionsOf[run]?.push(index);
    const calledBy = new Map<number, number[]>();
    const outermost: number[] = [];
    for (const [index, { parent, parent_action }] of runs.entries()) {
      if (parent === undefined || parent_action === undefined || parent >= index) {
        outermost.push(index);
        continue;
      }
      const called = calledBy.get(parent_action);
      if (called) called.push(index);
      else calledBy.set(parent_action, [index]);
    }
    for (const root of outermost) this.#layOut(root, { runs, actions }, actionsOf, calledBy);
  }

  /** Without recursion: calls may be nested deeply. */
  #layOut(
    root: number,
    { runs, actions }: Pick<DEBUG_TRACE, 'runs' | 'actions'>,
    actionsOf: readonly (readonly number[])[],
    calledBy: ReadonlyMap<number, readonly number[]>,
  ): void {
    const stack: { run: number; next: number; step: number; pending: readonly number[] }[] = [];
    const begin = (run: number): void => {
      this.runFirst[run] = this.length;
      const { first_step = 0, step_count = 0 } = runs[run] ?? {};
      if (first_step > 0 || step_count <= first_step) this.#add(run, undefined, 1);
      stack.push({ run, next: 0, step: first_step, pending: [] });
    };
    begin(root);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const [called, ...later] = top.pending;
      if (called !== undefined) {
        top.pending = later;
        begin(called);
        continue;
      }
      const { run } = top;
      const end = runs[run]?.step_count ?? 0;
      const action = actionsOf[run]?.[top.next];
      if (action === undefined) {
        this.#add(run, top.step, end - top.step);
        this.runLast[run] = this.length - 1;
        stack.pop();
        continue;
      }
      top.next += 1;
      const step = actions[action]?.step ?? 0;
      const firstStep = runs[run]?.first_step ?? 0;
      if (step < firstStep || end <= firstStep) {
        this.#add(run, undefined, 1);
        this.actionPositions[action] = this.length - 1;
      } else {
        const upTo = Math.min(step, end - 1) + 1;
        this.#add(run, top.step, upTo - top.step);
        top.step = Math.max(top.step, upTo);
        this.actionPositions[action] = this.length - 1;
      }
      top.pending = calledBy.get(action) ?? [];
    }
  }

  #add(run: number, step: number | undefined, count: number): void {
    if (count <= 0) return;
    const stretch: Stretch = {
      run,
      position: this.length,
      count,
      ...(step === undefined ? {} : { step }),
    };
    this.stretchesOfRun[run]?.push(stretch);
    this.length += count;
  }
}

/** Fills in the steps of one run and finds its activations. */
class RunCursor {
  readonly #timeline: Timeline;
  readonly #run: number;
  readonly #stretches: readonly Stretch[];
  readonly #runActivation: number;
  #stretch = 0;
  #offset = 0;
  /** Active functions, outermost first, and their frame pointers. */
  readonly #active: number[] = [];
  readonly #pointers: number[] = [];

  constructor(timeline: Timeline, { runs }: DEBUG_TRACE, run: number) {
    this.#timeline = timeline;
    this.#run = run;
    const { parent, parent_action } = runs[run] ?? {};
    const action = parent === undefined || parent_action === undefined ? undefined : parent_action;
    const position = action === undefined ? NONE : timeline.positionOfAction(action);
    const caller = position === NONE ? NONE : (timeline.activations[position] ?? NONE);
    this.#runActivation = timeline.addActivation(0, caller, run, timeline.firstOfRun(run));
    timeline.setRunActivation(run, this.#runActivation, position);
    const steps: Stretch[] = [];
    for (const stretch of timeline.stretchesOf(run)) {
      if (stretch.step === undefined) timeline.activations[stretch.position] = this.#runActivation;
      else steps.push(stretch);
    }
    this.#stretches = steps;
  }

  append(registers: Uint32Array): void {
    const { pcs, aps, activations } = this.#timeline;
    let stretch = this.#stretches[this.#stretch];
    for (let at = 0; at < registers.length; at += 3) {
      while (stretch && this.#offset === stretch.count) {
        this.#stretch += 1;
        this.#offset = 0;
        stretch = this.#stretches[this.#stretch];
      }
      if (!stretch) return;
      const position = stretch.position + this.#offset;
      this.#offset += 1;
      const pc = registers[at] ?? 0;
      pcs[position] = pc;
      aps[position] = registers[at + 1] ?? 0;
      const fp = registers[at + 2] ?? 0;
      if (fp !== this.#pointers.at(-1)) this.#enter(fp, pc, position);
      activations[position] = this.#active.at(-1) ?? this.#runActivation;
    }
  }

  /** A call sets a larger frame pointer, a return restores the smaller one of the caller. */
  #enter(fp: number, pc: number, position: number): void {
    const timeline = this.#timeline;
    let outermost = NONE;
    for (let top = this.#pointers.at(-1); top !== undefined && top > fp; ) {
      const ended = this.#active.pop() ?? NONE;
      this.#pointers.pop();
      timeline.endActivation(ended, position - 1);
      outermost = ended;
      top = this.#pointers.at(-1);
    }
    if (this.#pointers.at(-1) === fp) return;
    const isReturn = outermost !== NONE;
    const parent = this.#active.at(-1) ?? this.#runActivation;
    // The caller of the first recorded function began among steps that were dropped.
    const first = isReturn ? timeline.firstOf(outermost) : position;
    const activation =
      isReturn || parent === this.#runActivation
        ? timeline.addActivation(fp, parent, this.#run, first)
        : timeline.addCalled(fp, parent, this.#run, first);
    if (isReturn) timeline.setLateParent(outermost, activation, pc);
    this.#active.push(activation);
    this.#pointers.push(fp);
  }

  end(): void {
    const last = this.#timeline.lastOfRun(this.#run);
    for (const activation of this.#active) this.#timeline.endActivation(activation, last);
    this.#timeline.endActivation(this.#runActivation, last);
  }
}
