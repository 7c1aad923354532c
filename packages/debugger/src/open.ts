// A debugger of one recorded execution.
import { isObject } from '@starkbox/abi/basics';
import type { DEBUG_ACTION, DEBUG_TRACE } from '@starkbox/spec';
import { isFile, malformed, PreparedBreakpoint, placeOf } from './breakpoints.js';
import { Classes } from './classes.js';
import type {
  Breakpoint,
  Caller,
  Debugger,
  Direction,
  Evaluated,
  Instruction,
  Mark,
  OpenOptions,
  Position,
  Registers,
  RunOptions,
  Scope,
  SourceLocation,
  StackFrame,
  Stop,
  StopReason,
  StorageEntry,
  Target,
  Variable,
} from './debugger.js';
import { instructionsAround } from './disassembly.js';
import { failedRun, failurePositions, gasAt, marksOf, StorageHistory } from './execution.js';
import { compare, follow, type Path, readCondition, readPath } from './expressions.js';
import { type ActiveFunction, activationOf, activeFunctions } from './frames.js';
import { type CodeFrame, type CodeTable, plainName } from './lines.js';
import { nameSlots, type SlotNames, slotId, slotNameText, slotValue } from './slots.js';
import { Stops } from './stops.js';
import { RecordedTrace } from './trace/recorded-trace.js';
import { NO_PC, NONE, Timeline } from './trace/timeline.js';
import { gasOf, scopeOf } from './values/scope.js';
import { callVariables } from './values-by-abi.js';

/**
 * Records an execution in a node and opens it at its first position.
 *
 * @param call makes JSON-RPC requests
 * @throws if the node rejects the request, or does not record executions
 */
export async function openDebugger(
  call: Caller,
  target: Target,
  options: OpenOptions = {},
): Promise<Debugger> {
  const recorded = await RecordedTrace.open(call, target, options);
  try {
    const { trace } = recorded;
    const hashes = new Set(trace.runs.map(({ class_hash }) => class_hash));
    const [timeline, classes] = await Promise.all([
      Timeline.load(trace, recorded.steps(options.onProgress)),
      Classes.load(call, hashes),
    ]);
    return new RecordedDebugger({ call, target, recorded, timeline, classes });
  } catch (error) {
    await recorded.close().catch(() => undefined);
    throw error;
  }
}

interface Parts {
  readonly call: Caller;
  readonly target: Target;
  readonly recorded: RecordedTrace;
  readonly timeline: Timeline;
  readonly classes: Classes;
}

/** One frame of a stack: an active function, or one that is inlined into it. */
interface Frame {
  readonly active: ActiveFunction;
  /** Undefined for a whole call. */
  readonly code: CodeFrame | undefined;
}

class RecordedDebugger implements Debugger {
  readonly trace: DEBUG_TRACE;
  readonly length: number;
  readonly marks: readonly Mark[];
  readonly startOfInterest: Position;
  readonly notes: readonly string[];
  readonly #parts: Parts;
  /** By run. */
  readonly #codes: readonly (CodeTable | undefined)[];
  readonly #stops: Stops;
  readonly #storage: StorageHistory;
  readonly #actionsOfRun: readonly (readonly number[])[];
  #position = 0;
  #stack: { readonly position: number; readonly frames: readonly Frame[] } | undefined;
  #slotNames: Promise<SlotNames> | undefined;

  constructor(parts: Parts) {
    const { recorded, timeline, classes } = parts;
    const { trace } = recorded;
    this.#parts = parts;
    this.trace = trace;
    this.length = timeline.length;
    this.#codes = trace.runs.map(({ class_hash }) => classes.table(class_hash));
    this.#stops = new Stops(timeline, classes.lines, this.#codes);
    const failures = failurePositions(trace, { timeline, stops: this.#stops });
    this.marks = marksOf(trace, timeline, failures);
    this.#storage = new StorageHistory(trace, timeline);
    const failed = failedRun(trace);
    this.startOfInterest = failures[failed ?? -1] ?? 0;
    const actionsOfRun: number[][] = trace.runs.map(() => []);
    for (const [index, { run }] of trace.actions.entries()) actionsOfRun[run]?.push(index);
    this.#actionsOfRun = actionsOfRun;
    this.notes = notesOf(trace, classes);
  }

  get position(): Position {
    return this.#position;
  }

  get action(): DEBUG_ACTION | undefined {
    return this.#actionAt(this.#position);
  }

  #actionAt(position: number): DEBUG_ACTION | undefined {
    const index = this.#parts.timeline.actionAt(position);
    return index === undefined ? undefined : this.trace.actions[index];
  }

  #stopAt(position: number, reason: StopReason, breakpoint?: Breakpoint): Stop {
    this.#position = Math.max(0, Math.min(position, this.length - 1));
    const action = this.action;
    return {
      position: this.#position,
      reason,
      ...(breakpoint ? { breakpoint } : {}),
      ...(action ? { action } : {}),
    };
  }

  /** The ends are reasons of their own. */
  #move(position: number, reason: StopReason): Stop {
    if (position >= this.length - 1) return this.#stopAt(position, 'end');
    return this.#stopAt(position, position <= 0 ? 'start' : reason);
  }

  positionOf(runIndex: number, step: number): Position {
    return this.#parts.timeline.positionOfStep(runIndex, step);
  }

  async goTo(position: Position): Promise<Stop> {
    if (!Number.isSafeInteger(position)) {
      throw new RangeError(
        `Expected a position from 0 to ${this.length - 1}, but got ${position}.`,
      );
    }
    return this.#stopAt(position, 'goto');
  }

  async stepIn(direction: Direction = 'forward'): Promise<Stop> {
    const stops = this.#stops;
    const at = this.#position;
    return this.#move(direction === 'forward' ? stops.next(at) : stops.previous(at), 'step');
  }

  async stepOver(direction: Direction = 'forward'): Promise<Stop> {
    const stops = this.#stops;
    const at = this.#position;
    return this.#move(direction === 'forward' ? stops.over(at) : stops.overBack(at), 'step');
  }

  async stepOut(direction: Direction = 'forward'): Promise<Stop> {
    const stops = this.#stops;
    const at = this.#position;
    return this.#move(direction === 'forward' ? stops.out(at) : stops.outBack(at), 'step');
  }

  async stepInstruction(direction: Direction = 'forward'): Promise<Stop> {
    return this.#move(this.#position + (direction === 'forward' ? 1 : -1), 'step');
  }

  async run(options: RunOptions = {}): Promise<Stop> {
    const notes = new Map<Breakpoint, string>();
    const stop = await this.#runWith(options, notes);
    return notes.size === 0 ? stop : { ...stop, notes: [...notes.values()] };
  }

  async checkBreakpoint(breakpoint: Breakpoint): Promise<string | undefined> {
    const { condition } = breakpoint;
    if (condition !== undefined && !readCondition(condition)) return malformed(condition);
    return new PreparedBreakpoint(breakpoint, this.#stops, this.trace.runs).problem;
  }

  /** @param notes gets a sentence for each breakpoint whose condition cannot be tested */
  async #runWith(options: RunOptions, notes: Map<Breakpoint, string>): Promise<Stop> {
    const { direction = 'forward', breakpoints = [], until = [], signal, to } = options;
    const start = this.#position;
    const mark = this.#nextMark(start, direction, until);
    const last = this.length - 1;
    const sign = direction === 'forward' ? 1 : -1;
    let end = mark?.position ?? (direction === 'forward' ? last : 0);
    const isTarget = to !== undefined && (to - start) * sign > 0 && (to - end) * sign <= 0;
    if (isTarget) end = to;
    const prepared = breakpoints.map(
      (breakpoint) => new PreparedBreakpoint(breakpoint, this.#stops, this.trace.runs),
    );
    if (prepared.length > 0) {
      const reached = await this.#runTo(prepared, { start, end, signal, notes });
      if (reached) return reached;
    }
    if (isTarget) return this.#stopAt(end, 'goto');
    if (mark) return this.#stopAt(mark.position, mark.reason);
    return this.#move(end, 'step');
  }

  /** Moves to the first breakpoint on the way; the start is left out. */
  async #runTo(
    breakpoints: readonly PreparedBreakpoint[],
    way: {
      readonly start: number;
      readonly end: number;
      readonly signal: RunOptions['signal'];
      readonly notes: Map<Breakpoint, string>;
    },
  ): Promise<Stop | undefined> {
    const { start, end, signal, notes } = way;
    const stops = this.#stops;
    const sign = end < start ? -1 : 1;
    const first = sign > 0 ? stops.indexOf(start + 1) : stops.indexOf(start) - 1;
    const last = sign > 0 ? stops.indexOf(end + 1) - 1 : stops.indexOf(end);
    const isWanted = new Uint8Array(stops.lines.count);
    for (const breakpoint of breakpoints) breakpoint.markLines(isWanted);
    for (let from = first; (last - from) * sign >= 0; ) {
      const stop = stops.find(from, last, isWanted);
      if (stop === undefined) break;
      for (const candidate of breakpoints) {
        if (!candidate.isAt(stop)) continue;
        const { breakpoint } = candidate;
        const at = stops.positionOf(stop);
        if (await this.#holds(breakpoint, at, notes)) {
          return this.#stopAt(at, 'breakpoint', breakpoint);
        }
        if (signal?.aborted) return this.#stopAt(at, 'aborted');
      }
      from = stop + sign;
    }
    return undefined;
  }

  /** The next mark of some kinds, which are those of reasons. */
  #nextMark(
    start: number,
    direction: Direction,
    until: NonNullable<RunOptions['until']>,
  ): { readonly position: number; readonly reason: StopReason } | undefined {
    let nearest: { readonly position: number; readonly reason: StopReason } | undefined;
    for (const { position, kind } of this.marks) {
      const reason = until.find((wantedKind) => wantedKind === kind);
      if (!reason) continue;
      if (direction === 'forward' && position > start) return { position, reason };
      if (direction === 'backward' && position < start) nearest = { position, reason };
    }
    return nearest;
  }

  /** Whether the condition of a breakpoint holds; one that names nothing does not. */
  async #holds(
    breakpoint: Breakpoint,
    position: number,
    notes: Map<Breakpoint, string>,
  ): Promise<boolean> {
    const { condition } = breakpoint;
    if (condition === undefined) return true;
    const comparisons = readCondition(condition);
    if (!comparisons) throw new TypeError(malformed(condition));
    const before = this.#position;
    this.#position = position;
    try {
      for (const { path, operator, literal } of comparisons) {
        const { value, note } = await this.#evaluatePath(path, undefined);
        // A slot is missing until the execution uses it.
        if (!value && path.name !== 'storage' && !notes.has(breakpoint)) {
          notes.set(breakpoint, `The breakpoint at ${placeOf(breakpoint)} was passed. ${note}`);
        }
        if (!value || compare(value, operator, literal) !== true) return false;
      }
      return true;
    } finally {
      this.#position = before;
    }
  }

  #frames(): readonly Frame[] {
    const { timeline } = this.#parts;
    if (this.#stack?.position === this.#position) return this.#stack.frames;
    const frames = activeFunctions(timeline, this.#codes, this.#position).flatMap(
      (active): Frame[] =>
        active.frames.length === 0
          ? [{ active, code: undefined }]
          : active.frames.map((code) => ({ active, code })),
    );
    this.#stack = { position: this.#position, frames };
    return frames;
  }

  async frameCount(): Promise<number> {
    return this.#frames().length;
  }

  async frames(
    first = 0,
    count: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly StackFrame[]> {
    return this.#frames()
      .slice(first, first + count)
      .map((frame, index) => this.#stackFrame(frame, first + index));
  }

  #stackFrame({ active, code }: Frame, index: number): StackFrame {
    const run = this.trace.runs[active.run];
    if (!run) throw new RangeError(`The trace has no run ${active.run}.`);
    const location = code && locationOf(run.class_hash, code);
    return {
      index,
      run,
      runIndex: active.run,
      name: code ? plainName(code.name) : (run.function_name ?? run.entry_point_selector),
      ...(location ? { location } : {}),
      isInlined: code?.isInlined ?? false,
      repetitions: active.repetitions,
      isLibrary: code?.isLibrary ?? false,
      ...(active.pc === NO_PC ? {} : { pc: active.pc }),
    };
  }

  /** The innermost frame of user code, or the innermost one. */
  #defaultFrame(): number {
    return Math.max(
      0,
      this.#frames().findIndex(({ code }) => code && !code.isLibrary),
    );
  }

  async scope(frameIndex: number = this.#defaultFrame()): Promise<Scope> {
    const frame = this.#frames()[frameIndex];
    if (!frame) return { variables: [], unmapped: 0, note: 'The execution has ended.' };
    const { timeline, classes, recorded } = this.#parts;
    const { active, code } = frame;
    const debugClass = classes.get(this.trace.runs[active.run]?.class_hash ?? '');
    if (!debugClass || !code) {
      const note = 'The code of this call has no debug information. These are its arguments.';
      return { variables: await this.callArguments(active.run), unmapped: 0, note };
    }
    const scope = await scopeOf({
      debugClass,
      activation: activationOf(timeline, active),
      memory: recorded.memoryOf(active.run),
      inlinedIndex: code.entry,
      sourceText: (file) => this.sourceText(debugClass.classHash, file),
    });
    const isEntry = this.#frames().findLast((other) => other.active.run === active.run) === frame;
    if (scope.variables.length > 0 || !isEntry) return scope;
    return { ...scope, variables: await this.callArguments(active.run) };
  }

  async callArguments(runIndex: number): Promise<readonly Variable[]> {
    const run = this.trace.runs[runIndex];
    if (!run) throw new RangeError(`The trace has no run ${runIndex}.`);
    const { timeline, classes } = this.#parts;
    const hasReturned = this.#position > timeline.lastOfRun(runIndex);
    return callVariables(run, classes.get(run.class_hash)?.abi ?? '[]', hasReturned);
  }

  async storage(contractAddress?: string): Promise<readonly StorageEntry[]> {
    const entries = this.#storage.at(this.#position, contractAddress);
    const names = await this.#namesOfSlots();
    return entries.map((entry) => {
      const slot = names.get(slotId(entry));
      return slot ? { ...entry, name: slotNameText(slot) } : entry;
    });
  }

  #namesOfSlots(): Promise<SlotNames> {
    const { call, target } = this.#parts;
    const transaction = 'transactionHash' in target ? target.transactionHash : undefined;
    const felts = new Set(this.trace.runs.flatMap(({ calldata }) => calldata));
    this.#slotNames ??= nameSlots(call, this.#storage.slots, [...felts], transaction);
    return this.#slotNames;
  }

  async registers(): Promise<Registers | undefined> {
    const { timeline } = this.#parts;
    const pc = timeline.pcs[this.#position] ?? NO_PC;
    if (pc === NO_PC) return undefined;
    const activation = timeline.activations[this.#position] ?? NONE;
    return { pc, ap: timeline.aps[this.#position] ?? 0, fp: timeline.fpOf(activation) };
  }

  async gas(): Promise<number | undefined> {
    const { timeline, classes, recorded } = this.#parts;
    const [innermost] = this.#frames();
    const run = this.trace.runs[innermost?.active.run ?? -1];
    if (run && run.initial_gas === undefined) return undefined;
    const debugClass = classes.get(run?.class_hash ?? '');
    if (innermost?.code && debugClass) {
      const activation = activationOf(timeline, innermost.active);
      const gasLeft = await gasOf(debugClass, activation, recorded.memoryOf(innermost.active.run));
      if (gasLeft !== undefined) return Number(gasLeft);
    }
    const actions = this.#actionsOfRun[timeline.runAt(this.#position)] ?? [];
    return gasAt(this.trace, timeline, this.#position, actions);
  }

  async evaluate(expression: string, frameIndex?: number): Promise<Evaluated> {
    const path = readPath(expression);
    if (path?.rest.trim() !== '') {
      return { note: 'Expected a variable, such as a.b[2], or a slot, such as storage.total.' };
    }
    return this.#evaluatePath(path, frameIndex);
  }

  async #evaluatePath(path: Path, frameIndex: number | undefined): Promise<Evaluated> {
    if (path.name === 'storage' && path.steps.length > 0) return this.#evaluateSlot(path);
    const { variables, note } = await this.scope(frameIndex);
    // A variable hides earlier ones of its name.
    const variable = variables.findLast(({ name }) => name === path.name);
    if (variable) return follow(variable.value, path.steps);
    const sentence = `There is no variable ${path.name} here.`;
    return { note: note === undefined ? sentence : `${sentence} ${note}` };
  }

  /** A slot of the contract whose code runs. */
  async #evaluateSlot({ steps }: Path): Promise<Evaluated> {
    const frame = this.#frames()[this.#defaultFrame()];
    const address = this.trace.runs[frame?.active.run ?? -1]?.contract_address;
    const names = await this.#namesOfSlots();
    const value = slotValue(this.#storage.at(this.#position, address), names, steps);
    if (value) return { value };
    const text = steps.map((step) => ('key' in step ? `[${step.key}]` : `.${step.member}`));
    return { note: `The execution has not used the slot storage${text.join('')} so far.` };
  }

  async sources(): Promise<readonly { readonly classHash: string; readonly file: string }[]> {
    return this.#parts.classes.all.flatMap(({ classHash, files }) =>
      files.map((file) => ({ classHash, file })),
    );
  }

  async sourceText(classHash: string, file: string): Promise<string | undefined> {
    const params = { class_hash: classHash, file };
    // A node in restrictive mode forbids it.
    const answer = await this.#parts.call('devnet_getDebugSource', params).catch(() => undefined);
    const text = isObject(answer) ? answer['text'] : undefined;
    return typeof text === 'string' ? text : undefined;
  }

  async codeLines(file: string): Promise<readonly number[]> {
    const numbers = new Set<number>();
    for (const [, node] of this.#parts.classes.lines.entries()) {
      if (isFile(node.file, file)) numbers.add(node.line);
    }
    return [...numbers].sort((line, other) => line - other);
  }

  async disassemble(
    runIndex: number,
    pc: number,
    before: number,
    count: number,
  ): Promise<readonly Instruction[]> {
    const { recorded, classes } = this.#parts;
    const first = Math.max(0, pc - 2 * before - 8);
    const words = await recorded.cells(runIndex, 0, first, pc - first + 2 * count + 2);
    const { class_hash = '' } = this.trace.runs[runIndex] ?? {};
    const table = classes.table(class_hash);
    return instructionsAround(words, { first, pc, before, count }, (at) => {
      const code = table?.framesAt(at).find(({ isLibrary }) => !isLibrary);
      return code && locationOf(class_hash, code);
    });
  }

  async close(): Promise<void> {
    await this.#parts.recorded.close();
  }
}

function locationOf(
  classHash: string,
  { file, line, column }: CodeFrame,
): SourceLocation | undefined {
  if (file === undefined || line === undefined) return undefined;
  return { classHash, file, line, column: column ?? 1 };
}

/** Sentences that say what is missing. */
function notesOf(
  { dropped_steps, dropped_memory }: DEBUG_TRACE,
  classes: Classes,
): readonly string[] {
  const notes: string[] = [];
  if (dropped_steps > 0) {
    notes.push(
      `The trace lacks its first ${dropped_steps} steps. To keep more steps, raise maxSteps.`,
    );
  }
  if (dropped_memory > 0) {
    notes.push(
      `The trace lacks the memory of ${dropped_memory} calls, so their variables are unknown. To keep more memory, raise maxBytes.`,
    );
  }
  return [...notes, ...classes.notes];
}
