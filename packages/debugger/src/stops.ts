// Where moves stop: line changes of user code, or the system calls of code without lines.
import type { CodeTable, LineTable } from './lines.js';
import { GrowingColumns } from './trace/columns.js';
import { NO_PC, NONE, type Timeline } from './trace/timeline.js';

/** The function of the outermost level that begins at a stop was not active before in its frame. */
const ENTERS = 0x40;
/** The outermost level of inlining whose line begins at a stop; 0 if each line goes on, as after a call returned. */
const LEVEL = 0x3f;

/** Columns of stops. */
const POSITION = 0;
const LINE = 1;
const FRAME = 2;
const FLAGS = 3;

/** The function around a position whose lines a step over follows. */
interface Anchor {
  /** The activation of the function, in which loops are merged; `NONE` outside of all functions. */
  readonly frame: number;
  /** The level of inlining. */
  readonly level: number;
  /** The line; 0 in code without lines. */
  readonly line: number;
}

/**
 * The stops of a timeline. A stop begins where user code is of another line or frame than the user code before it.
 *
 * A frame is an activation together with its loops. A line of a frame begins where the line before it in this frame,
 * or a line that it is inlined into, is another one; it lasts until the next line begins, calls included. So where a
 * call returns, a stop begins, but no line.
 */
export class Stops {
  readonly timeline: Timeline;
  readonly lines: LineTable;
  /** The code of each run; undefined without lines. */
  readonly #codes: readonly (CodeTable | undefined)[];
  readonly #frameOf: Uint32Array;
  readonly #positions: Uint32Array;
  readonly #lines: Uint32Array;
  readonly #frames: Uint32Array;
  readonly #flags: Uint32Array;
  /** The number of stops. */
  readonly count: number;

  constructor(timeline: Timeline, lines: LineTable, codes: readonly (CodeTable | undefined)[]) {
    this.timeline = timeline;
    this.lines = lines;
    this.#codes = codes.map((code) => (code?.hasLines ? code : undefined));
    this.#frameOf = this.#mergeLoops();
    const stops = this.#find();
    this.count = stops.length;
    this.#positions = stops.column(POSITION);
    this.#lines = stops.column(LINE);
    this.#frames = stops.column(FRAME);
    this.#flags = stops.column(FLAGS);
  }

  /** The frame of each activation. Activations of a loop belong to the frame of the function around it. */
  #mergeLoops(): Uint32Array {
    const { timeline } = this;
    const { parents, runs, firsts } = timeline.columns;
    const frames = new Uint32Array(timeline.activationCount).fill(NONE);
    const loops: number[] = [];
    for (let index = 0; index < frames.length; index += 1) {
      let activation = index;
      while (frames[activation] === NONE) {
        const run = runs[activation] ?? NONE;
        const code = this.#codes[run];
        const ofRun = timeline.activationOfRun(run);
        const parent = parents[activation] ?? NONE;
        const pc = timeline.pcs[firsts[activation] ?? 0] ?? NO_PC;
        if (activation === ofRun || !code) frames[activation] = ofRun;
        else if (parent !== ofRun && parent !== NONE && code.isLoop(pc)) {
          loops.push(activation);
          activation = parent;
        } else frames[activation] = activation;
      }
      const frame = frames[activation] ?? NONE;
      for (let loop = loops.pop(); loop !== undefined; loop = loops.pop()) frames[loop] = frame;
    }
    return frames;
  }

  #find(): GrowingColumns {
    const { timeline, lines } = this;
    const { activations, pcs, length } = timeline;
    const frameOf = this.#frameOf;
    const { runs } = timeline.columns;
    const stops = new GrowingColumns(4);
    const lineOfFrame = new Uint32Array(timeline.activationCount);
    const hasStopped = new Uint8Array(timeline.activationCount);
    // Whether the current turn of a loop has more than one line.
    const hasLines = new Uint8Array(timeline.activationCount);
    let [frameBefore, lineBefore, run] = [NONE, 0, NONE];
    let code: CodeTable | undefined;
    for (let position = 0; position < length - 1; position += 1) {
      const activation = activations[position] ?? NONE;
      if (runs[activation] !== run) {
        run = runs[activation] ?? NONE;
        code = this.#codes[run];
      }
      const pc = pcs[position] ?? NO_PC;
      if (!code || pc === NO_PC) {
        const isFirst = position === timeline.firstOfRun(run);
        if (isFirst || timeline.actionAt(position) !== undefined) {
          stops.push(position, 0, frameOf[activation] ?? NONE, 1 | (isFirst ? ENTERS : 0));
          [frameBefore, lineBefore] = [NONE, 0];
        }
        continue;
      }
      const line = code.lines[pc] ?? 0;
      if (line === 0) continue;
      const frame = frameOf[activation] ?? NONE;
      const last = lineOfFrame[frame] ?? 0;
      let flags = 0;
      if (last !== line) {
        const common = last === 0 ? 0 : lines.commonDepth(last, line);
        if (common < lines.depthOf(line)) {
          flags = (common + 1) | (this.#isEntry(last, line, common + 1) ? ENTERS : 0);
        }
      }
      if (hasStopped[activation] === 0) {
        hasStopped[activation] = 1;
        // The next turn of a loop that has a single line.
        if (last === line && frame !== activation && hasLines[frame] === 0) flags = 1;
        hasLines[frame] = 0;
      } else if (flags !== 0) hasLines[frame] = 1;
      if (flags !== 0 || frame !== frameBefore || line !== lineBefore) {
        stops.push(position, line, frame, flags);
      }
      lineOfFrame[frame] = line;
      [frameBefore, lineBefore] = [frame, line];
    }
    return stops;
  }

  #isEntry(before: number, line: number, level: number): boolean {
    const { lines } = this;
    if (lines.depthOf(before) < level) return true;
    const functionBefore = lines.node(lines.outer(before, level)).functionName;
    return functionBefore !== lines.node(lines.outer(line, level)).functionName;
  }

  get #end(): number {
    return this.timeline.length - 1;
  }

  /** The number of stops before a position. */
  indexOf(position: number): number {
    const positions = this.#positions;
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((positions[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The position of a stop; of one behind the last, the end. */
  positionOf(stop: number): number {
    return stop < this.count ? (this.#positions[stop] ?? 0) : this.#end;
  }

  /**
   * The first stop of some lines on the way from one stop to another, both included; undefined if there is none.
   *
   * @param isWanted by line; 0 is code without lines
   */
  find(from: number, to: number, isWanted: Uint8Array): number | undefined {
    const lines = this.#lines;
    if (from <= to) {
      for (let stop = from; stop <= to; stop += 1) {
        if (isWanted[lines[stop] ?? 0] === 1) return stop;
      }
    } else {
      for (let stop = from; stop >= to; stop -= 1) {
        if (isWanted[lines[stop] ?? 0] === 1) return stop;
      }
    }
    return undefined;
  }

  lineOf(stop: number): number {
    return this.#lines[stop] ?? 0;
  }

  runOf(stop: number): number {
    return this.timeline.runAt(this.positionOf(stop));
  }

  /** The last position of user code of a run, without the calls that it made; its start if it has none. */
  lastOfRun(run: number): number {
    for (const { position, count } of this.timeline.stretchesOf(run).toReversed()) {
      for (let at = position + count - 1; at >= position; at -= 1) {
        if (this.#lineAt(at) !== 0) return at;
      }
    }
    return this.timeline.firstOfRun(run);
  }

  /** The outermost level whose line begins at a stop; 0 if none does. */
  levelOf(stop: number): number {
    return (this.#flags[stop] ?? 0) & LEVEL;
  }

  /** The outermost level whose function is entered at a stop; 0 if none is. */
  entryOf(stop: number): number {
    const flags = this.#flags[stop] ?? 0;
    const level = flags & LEVEL;
    if (level === 0) return 0;
    return (flags & ENTERS) !== 0 ? level : level + 1;
  }

  /** Whether a run stops at lines. */
  hasLines(run: number): boolean {
    return this.#codes[run] !== undefined;
  }

  /** The line of user code at a position; 0 in library code and in code without lines. */
  #lineAt(position: number): number {
    const run = this.timeline.runAt(position);
    return this.#codes[run]?.lines[this.timeline.pcs[position] ?? NO_PC] ?? 0;
  }

  /** The innermost function of user code that is active at a position. */
  #anchorAt(position: number): Anchor {
    const { timeline } = this;
    let at = position;
    let activation = timeline.activations[position] ?? NONE;
    while (activation !== NONE) {
      const run = timeline.runOf(activation);
      if (!this.#codes[run]) return { frame: timeline.activationOfRun(run), level: 1, line: 0 };
      // Steps of a call that were dropped are in no function.
      if (at === position && timeline.pcs[at] === NO_PC) break;
      const line = at === NONE ? 0 : this.#lineAt(at);
      if (line !== 0 && activation !== timeline.activationOfRun(run)) {
        const frame = this.#frameOf[activation] ?? NONE;
        return { frame, level: this.lines.depthOf(line), line };
      }
      at = timeline.callPositionOf(activation);
      activation = timeline.parentOf(activation);
    }
    return { frame: NONE, level: 0, line: 0 };
  }

  /** The first stop after a position, or the end. */
  next(position: number): number {
    return this.positionOf(this.indexOf(position + 1));
  }

  /** The last stop before a position, or the start. */
  previous(position: number): number {
    const stop = this.indexOf(position) - 1;
    return stop < 0 ? 0 : this.positionOf(stop);
  }

  over(position: number): number {
    const { frame, level } = this.#anchorAt(position);
    if (frame === NONE) return this.next(position);
    const end = this.indexOf(this.timeline.lastOf(frame) + 1);
    for (let stop = this.indexOf(position + 1); stop < end; stop += 1) {
      if (this.#frames[stop] !== frame) continue;
      const hasReturned = this.lines.depthOf(this.lineOf(stop)) < level && this.lineOf(stop) !== 0;
      if (hasReturned || this.#beginsLine(stop, frame, level)) return this.positionOf(stop);
    }
    return this.positionOf(end);
  }

  overBack(position: number): number {
    const { frame, level } = this.#anchorAt(position);
    if (frame === NONE) return this.previous(position);
    const start = this.#lineStart(frame, level, position);
    if (start === undefined) return this.#callingLine(frame, position);
    if (start < position) return start;
    const stop = this.indexOf(position);
    const begins = this.levelOf(stop);
    // The first line of an inlined function leads to the line that it is inlined into.
    const limit = begins > 1 && this.entryOf(stop) === begins ? begins - 1 : begins;
    return this.#lineStart(frame, limit, position - 1) ?? this.#callingLine(frame, position);
  }

  out(position: number): number {
    const anchor = this.#anchorAt(position);
    const { frame, level } = anchor;
    if (frame === NONE) {
      const activation = this.timeline.activations[position] ?? NONE;
      return activation === NONE ? this.#end : this.next(this.timeline.lastOf(activation));
    }
    const end = this.indexOf(this.timeline.lastOf(frame) + 1);
    if (level > 1) {
      for (let stop = this.indexOf(position + 1); stop < end; stop += 1) {
        if (this.#frames[stop] === frame && !this.#isWithin(anchor, stop)) {
          return this.positionOf(stop);
        }
      }
    }
    return this.positionOf(end);
  }

  outBack(position: number): number {
    const anchor = this.#anchorAt(position);
    const { frame, level } = anchor;
    if (frame === NONE) return this.previous(position);
    if (level <= 1) return this.#callingLine(frame, position);
    const first = this.indexOf(this.timeline.firstOf(frame));
    let start = position;
    let begins = 0;
    for (let stop = this.indexOf(position + 1) - 1; stop >= first; stop -= 1) {
      if (this.#frames[stop] !== frame) continue;
      if (!this.#isWithin(anchor, stop)) break;
      start = this.positionOf(stop);
      begins = this.levelOf(stop);
      if (begins > 0 && begins < level) break;
    }
    const isCallAtStart = begins > 0 && begins < level;
    if (isCallAtStart && start < position) return start;
    const limit = isCallAtStart ? begins : level - 1;
    return this.#lineStart(frame, limit, start - 1) ?? this.#callingLine(frame, position);
  }

  /** Whether a stop of the same frame is in the function of an anchor, called by the same lines. */
  #isWithin({ line, level }: Anchor, stop: number): boolean {
    const { lines } = this;
    const other = this.lineOf(stop);
    if (lines.depthOf(other) < level) return false;
    if (lines.outer(other, level - 1) !== lines.outer(line, level - 1)) return false;
    const functionName = lines.node(lines.outer(other, level)).functionName;
    return functionName === lines.node(lines.outer(line, level)).functionName;
  }

  #beginsLine(stop: number, frame: number, level: number): boolean {
    const begins = (this.#flags[stop] ?? 0) & LEVEL;
    return begins !== 0 && begins <= level && this.#frames[stop] === frame;
  }

  /** Where the line of a level begins that contains a position. */
  #lineStart(frame: number, level: number, position: number): number | undefined {
    const first = this.indexOf(this.timeline.firstOf(frame));
    for (let stop = this.indexOf(position + 1) - 1; stop >= first; stop -= 1) {
      if (this.#beginsLine(stop, frame, level)) return this.positionOf(stop);
    }
    return undefined;
  }

  /** The line that called a frame; the last stop before the position if the call was dropped, or the start. */
  #callingLine(frame: number, position: number): number {
    const { timeline } = this;
    let activation = frame;
    while (activation !== NONE) {
      const call = timeline.callPositionOf(activation);
      if (call !== NONE) {
        const caller = this.#anchorAt(call);
        if (caller.frame === NONE) return 0;
        return this.#lineStart(caller.frame, caller.level, call) ?? this.previous(position);
      }
      activation = timeline.parentOf(activation);
    }
    // Before the first line of the execution is the validation, or nothing.
    return this.previous(timeline.firstOf(frame));
  }
}
