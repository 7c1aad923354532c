// Moves of a debugger by their definitions, slowly: a list of active functions for each position.
import type { DEBUG_CLASS, DEBUG_TRACE } from '@starkbox/spec';
import type { Caller } from '../../src/index.js';
import { framesOf, isLoopName, plainName } from '../../src/lines.js';
import { DebugClass } from '../../src/values/debug-class.js';

/** A function that is active, or a call whose code has no lines. */
interface Active {
  /** Of the frame; functions of loops have the frame of the function around them. */
  readonly frame: number;
  /** Lines of user code, outermost first: `function file:line`. */
  readonly chain: readonly string[];
  /** Which call of the function of the loop this is. */
  readonly turn: number;
}

/** A position: the active functions, outermost first. Only the innermost may be library code. */
interface Place {
  readonly stack: readonly Active[];
  readonly isStopOfCall: boolean;
}

interface Anchor {
  readonly frame: number;
  readonly chain: readonly string[];
  readonly level: number;
}

interface Registers {
  readonly pc: number;
  readonly fp: number;
}

export class Reference {
  readonly #places: Place[] = [];
  /** For each position, the outermost level whose line begins there; 0 if none does. */
  readonly #levels: number[] = [];
  readonly #isStop: boolean[] = [];
  /** Whether the function of the level that begins is entered. */
  readonly #isEntry: boolean[] = [];
  /** Frames of calls whose code has no lines. */
  readonly #calls = new Set<number>();

  static async create(caller: Caller, trace: DEBUG_TRACE): Promise<Reference> {
    const reference = new Reference();
    const classes = new Map<string, DebugClass>();
    for (const { class_hash } of trace.runs) {
      const wire: DEBUG_CLASS = Object(await caller('devnet_getDebugClass', { class_hash }));
      classes.set(class_hash, new DebugClass(wire));
    }
    const steps: Registers[][] = [];
    for (const [run, { first_step, step_count }] of trace.runs.entries()) {
      const count = step_count - first_step;
      const { trace_id } = trace;
      const answer = await caller('devnet_readDebugSteps', {
        trace_id,
        run,
        first: first_step,
        count,
      });
      const bytes = Buffer.from(Object(answer).registers, 'base64');
      steps.push(
        Array.from({ length: count }, (_, step) => ({
          pc: bytes.readUInt32LE(step * 12),
          fp: bytes.readUInt32LE(step * 12 + 8),
        })),
      );
    }
    reference.#walk(trace, classes, steps);
    reference.#findStops();
    return reference;
  }

  #walk(
    trace: DEBUG_TRACE,
    classes: ReadonlyMap<string, DebugClass>,
    steps: readonly (readonly Registers[])[],
  ): void {
    let frames = 0;
    let turns = 0;
    const visit = (run: number, outer: readonly Active[]): void => {
      const code = classes.get(trace.runs[run]?.class_hash ?? '');
      const actions = [...trace.actions.entries()].filter(([, action]) => action.run === run);
      const called = (action: number): void => {
        for (const [index, { parent_action }] of trace.runs.entries()) {
          if (parent_action === action) visit(index, this.#places.at(-1)?.stack ?? []);
        }
      };
      const registers = steps[run] ?? [];
      const callFrame = frames++;
      const call: Active = { frame: callFrame, chain: [], turn: 0 };
      if (registers.length === 0) {
        this.#places.push({ stack: [...outer, call], isStopOfCall: true });
        for (const [index] of actions) {
          this.#places.push({ stack: [...outer, call], isStopOfCall: true });
          called(index);
        }
        return;
      }
      const hasLines = code?.hasCode === true && code.hasLocations;
      const active: { fp: number; frame: number; turn: number; chain: readonly string[] }[] = [];
      for (const [step, { pc, fp }] of registers.entries()) {
        const action = actions.find(([, { step: at }]) => at === step)?.[0];
        if (!hasLines || !code) {
          const isStopOfCall = step === 0 || action !== undefined;
          this.#places.push({ stack: [...outer, call], isStopOfCall });
        } else {
          while ((active.at(-1)?.fp ?? 0) > fp) active.pop();
          const before = active.at(-1);
          if (before?.fp !== fp) {
            const statement = code.statementAt(pc);
            const name = statement === undefined ? '' : (code.functionAt(statement)?.name ?? '');
            const isLoop = before !== undefined && isLoopName(name);
            const frame = isLoop ? before.frame : frames++;
            turns += 1;
            active.push({ fp, frame, turn: isLoop ? turns : 0, chain: [] });
          }
          const innermost = active.at(-1);
          if (innermost) innermost.chain = chainAt(code, pc);
          this.#places.push({
            stack: [...outer, ...active.map(({ frame, turn, chain }) => ({ frame, turn, chain }))],
            isStopOfCall: false,
          });
        }
        if (action !== undefined) called(action);
      }
    };
    for (const [run, { parent }] of trace.runs.entries()) if (parent === undefined) visit(run, []);
    this.#places.push({ stack: [], isStopOfCall: false });
  }

  #findStops(): void {
    const chainOf = new Map<number, readonly string[]>();
    const turns = new Set<string>();
    /** Lines of the current turn of a loop, behind its first. */
    const linesOfTurn = new Map<number, number>();
    let before = '';
    for (const { stack, isStopOfCall } of this.#places) {
      const top = stack.at(-1);
      let level = 0;
      let isStop = isStopOfCall;
      let isEntry = false;
      if (isStopOfCall) {
        if (top) this.#calls.add(top.frame);
        level = 1;
        before = '';
      } else if (top && top.chain.length > 0) {
        const last = chainOf.get(top.frame) ?? [];
        level = top.chain.findIndex((line, index) => line !== last[index]) + 1;
        const isSame = level === 0 && last.length === top.chain.length;
        const turn = `${top.frame} ${top.turn}`;
        if (!turns.has(turn)) {
          const hasOneLine = !linesOfTurn.get(top.frame);
          if (top.turn > 0 && isSame && hasOneLine) level = 1;
          turns.add(turn);
          linesOfTurn.set(top.frame, 0);
        } else if (level > 0) linesOfTurn.set(top.frame, 1);
        chainOf.set(top.frame, top.chain);
        isEntry = level > 0 && functionOf(last[level - 1]) !== functionOf(top.chain[level - 1]);
        const line = `${top.frame} ${top.chain.join(' < ')}`;
        isStop = level > 0 || line !== before;
        before = line;
      }
      this.#levels.push(level);
      this.#isStop.push(isStop);
      this.#isEntry.push(isEntry);
    }
  }

  get last(): number {
    return this.#places.length - 1;
  }

  isStop(position: number): boolean {
    return this.#isStop[position] === true;
  }

  /** The frame and level of the innermost function of user code, or of the call without lines. */
  anchor(position: number): Anchor | undefined {
    const { stack = [] } = this.#places[position] ?? {};
    const active = stack.findLast(({ chain, frame }) => chain.length > 0 || this.#calls.has(frame));
    if (!active) return undefined;
    const { frame, chain } = active;
    return { frame, chain, level: Math.max(1, chain.length) };
  }

  level(position: number): number {
    return this.#levels[position] ?? 0;
  }

  next(position: number): number {
    for (let at = position + 1; at < this.last; at += 1) if (this.#isStop[at]) return at;
    return this.last;
  }

  previous(position: number): number {
    for (let at = position - 1; at > 0; at -= 1) if (this.#isStop[at]) return at;
    return 0;
  }

  over(position: number): number {
    const anchor = this.anchor(position);
    if (!anchor) return this.next(position);
    for (let at = position + 1; at < this.last; at += 1) {
      const { stack = [] } = this.#places[at] ?? {};
      if (!this.#isStop[at]) continue;
      if (!stack.some(({ frame }) => frame === anchor.frame)) return at;
      const top = stack.at(-1);
      if (top?.frame !== anchor.frame) continue;
      const level = this.level(at);
      const hasReturned = top.chain.length > 0 && top.chain.length < anchor.level;
      if (hasReturned || (level > 0 && level <= anchor.level)) return at;
    }
    return this.last;
  }

  overBack(position: number): number {
    const anchor = this.anchor(position);
    if (!anchor) return this.previous(position);
    const start = this.#begin(anchor.frame, anchor.level, position);
    if (start === undefined) return this.#callingLine(anchor.frame, position);
    if (start < position) return start;
    const level = this.level(position);
    const isEntry = level > 1 && this.#isEntry[position] === true;
    const before = this.#begin(anchor.frame, isEntry ? level - 1 : level, position - 1);
    return before ?? this.#callingLine(anchor.frame, position);
  }

  /** Whether the function at a position ended before another position, or at it. */
  isLeft(earlier: number, later: number): boolean {
    const anchor = this.anchor(earlier);
    if (!anchor || anchor.level === 1) return false;
    for (let at = earlier + 1; at <= later; at += 1) {
      const top = this.#places[at]?.stack.at(-1);
      const isOwn = top?.frame === anchor.frame && top.chain.length > 0;
      if (isOwn && !this.#isSameFunction(anchor, at)) return true;
    }
    return false;
  }

  out(position: number): number {
    const anchor = this.anchor(position);
    if (!anchor) return this.last;
    for (let at = position + 1; at < this.last; at += 1) {
      const { stack = [] } = this.#places[at] ?? {};
      if (!this.#isStop[at]) continue;
      if (!stack.some(({ frame }) => frame === anchor.frame)) return at;
      const isOwn = stack.at(-1)?.frame === anchor.frame;
      if (anchor.level > 1 && isOwn && !this.#isSameFunction(anchor, at)) return at;
    }
    return this.last;
  }

  outBack(position: number): number {
    const anchor = this.anchor(position);
    if (!anchor) return this.previous(position);
    const { frame, level } = anchor;
    if (level === 1) return this.#callingLine(frame, position);
    let start = position;
    for (let at = position; at >= 0; at -= 1) {
      if (!this.#isStop[at] || this.#places[at]?.stack.at(-1)?.frame !== frame) continue;
      if (!this.#isSameFunction(anchor, at)) break;
      start = at;
      if (this.level(at) > 0 && this.level(at) < level) break;
    }
    const begins = this.level(start);
    const isFirstOfLine = begins > 0 && begins < level;
    if (isFirstOfLine && start < position) return start;
    const outer = this.#begin(frame, isFirstOfLine ? begins : level - 1, start - 1);
    return outer ?? this.#callingLine(frame, position);
  }

  /** Whether a position of the same frame is in the function of an anchor, called by the same lines. */
  #isSameFunction({ chain, level }: Anchor, position: number): boolean {
    const other = this.#places[position]?.stack.at(-1)?.chain ?? [];
    return (
      other.length >= level &&
      chain.slice(0, level - 1).every((line, index) => line === other[index]) &&
      functionOf(chain[level - 1]) === functionOf(other[level - 1])
    );
  }

  /** Where the line of a frame begins that a position is in. */
  #begin(frame: number, level: number, position: number): number | undefined {
    for (let at = position; at >= 0; at -= 1) {
      const begins = this.level(at);
      const isOwn = this.#places[at]?.stack.at(-1)?.frame === frame;
      if (isOwn && begins > 0 && begins <= level) return at;
    }
    return undefined;
  }

  #callingLine(frame: number, position: number): number {
    const isActive = (at: number): boolean =>
      this.#places[at]?.stack.some((active) => active.frame === frame) === true;
    let first = position;
    while (first > 0 && isActive(first - 1)) first -= 1;
    const before = this.#places[first - 1];
    const index = this.#places[first]?.stack.findIndex((active) => active.frame === frame) ?? 0;
    // A call at the outermost level has no caller.
    if (index === 0 || !before) return this.previous(first);
    const caller = this.anchor(first - 1);
    if (!caller) return 0;
    return this.#begin(caller.frame, caller.level, first - 1) ?? this.previous(position);
  }
}

const functionOf = (line: string | undefined): string | undefined => line?.split(' ')[0];

function chainAt(code: DebugClass, pc: number): readonly string[] {
  const statement = code.statementAt(pc);
  if (statement === undefined) return [];
  return framesOf(code.locationsAt(statement))
    .filter(({ isLibrary, file, line }) => !isLibrary && file !== undefined && line !== undefined)
    .map(({ name, file, line }) => `${plainName(name)} ${file}:${line}`)
    .reverse();
}
