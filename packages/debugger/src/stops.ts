// Where moves stop: line changes of user code, or the system calls of code without lines.
import type { CodeTable, LineTable } from './lines.js';
import { NO_PC, NONE, type Timeline } from './trace/timeline.js';

/** A stop begins here: the next position of user code in time is of another line or another frame. */
const BEGINS = 0x80;
/** The function of the outermost level that begins here was not active before in this frame. */
const ENTERS = 0x40;
/** The outermost level of inlining whose line begins here; 0 if each line goes on, as after the return of a call. */
const LEVEL = 0x3f;

/** The function around a position whose lines a step over follows. */
export interface Anchor {
  /** The activation of the function, in which loops are merged; `NONE` outside of all runs. */
  readonly frame: number;
  /** The level of inlining. */
  readonly level: number;
  /** The line; 0 in code without lines. */
  readonly line: number;
}

/**
 * The stops of a timeline. In a frame (an activation together with its loops), a line begins where the line before it,
 * or a line that it is inlined into, is another one; it lasts until the next line begins, calls included.
 */
export class Stops {
  readonly timeline: Timeline;
  readonly lines: LineTable;
  /** The code of each run; undefined without lines. */
  readonly #codes: readonly (CodeTable | undefined)[];
  readonly #frames: Uint32Array;
  readonly #flags: Uint8Array;

  constructor(timeline: Timeline, lines: LineTable, codes: readonly (CodeTable | undefined)[]) {
    this.timeline = timeline;
    this.lines = lines;
    this.#codes = codes.map((code) => (code?.hasLines ? code : undefined));
    this.#frames = this.#mergeLoops();
    this.#flags = this.#mark();
  }

  get last(): number {
    return this.timeline.length - 1;
  }

  /** The frame of each activation. Activations of a loop belong to the frame of the function around it. */
  #mergeLoops(): Uint32Array {
    const { timeline } = this;
    const { parents, runs, firsts } = timeline.columns;
    const frames = new Uint32Array(timeline.activationCount).fill(NONE);
    const path: number[] = [];
    for (let index = 0; index < frames.length; index += 1) {
      let activation = index;
      for (;;) {
        if (frames[activation] !== NONE) break;
        const run = runs[activation] ?? NONE;
        const code = this.#codes[run];
        const ofRun = timeline.activationOfRun(run);
        if (activation === ofRun) frames[activation] = activation;
        else if (!code) frames[activation] = ofRun;
        else {
          const pc = timeline.pcs[firsts[activation] ?? 0] ?? NO_PC;
          const parent = parents[activation] ?? NONE;
          if (parent !== ofRun && parent !== NONE && code.isLoop(pc)) {
            path.push(activation);
            activation = parent;
            continue;
          }
          frames[activation] = activation;
        }
        break;
      }
      const frame = frames[activation] ?? NONE;
      for (let loop = path.pop(); loop !== undefined; loop = path.pop()) frames[loop] = frame;
    }
    return frames;
  }

  #mark(): Uint8Array {
    const { timeline, lines } = this;
    const { activations, pcs, length } = timeline;
    const frames = this.#frames;
    const { runs } = timeline.columns;
    const flags = new Uint8Array(length);
    const lineOfFrame = new Uint32Array(timeline.activationCount);
    const hasStopped = new Uint8Array(timeline.activationCount);
    let [frameBefore, lineBefore] = [NONE, 0];
    let run = NONE;
    let code: CodeTable | undefined;
    for (let position = 0; position < length - 1; position += 1) {
      const activation = activations[position] ?? NONE;
      if (runs[activation] !== run) {
        run = runs[activation] ?? NONE;
        code = this.#codes[run];
      }
      if (!code || pcs[position] === NO_PC) {
        if (this.#isOpaqueStop(position, run)) {
          flags[position] = BEGINS | 1 | (position === timeline.firstOfRun(run) ? ENTERS : 0);
          [frameBefore, lineBefore] = [NONE, 0];
        }
        continue;
      }
      const line = code.lines[pcs[position] ?? NO_PC] ?? 0;
      if (line === 0) continue;
      const frame = frames[activation] ?? NONE;
      const last = lineOfFrame[frame] ?? 0;
      let flag = frame !== frameBefore || line !== lineBefore ? BEGINS : 0;
      if (last !== line) {
        const common = last === 0 ? 0 : lines.commonDepth(last, line);
        if (common < lines.depthOf(line)) {
          flag |= BEGINS | (common + 1) | (this.#isEntry(last, line, common + 1) ? ENTERS : 0);
        }
      } else if (frame !== activation && hasStopped[activation] === 0) {
        // The next turn of a loop that has a single line.
        flag |= BEGINS | 1;
      }
      hasStopped[activation] = 1;
      lineOfFrame[frame] = line;
      [frameBefore, lineBefore] = [frame, line];
      flags[position] = flag;
    }
    flags[length - 1] = 0;
    return flags;
  }

  #isEntry(before: number, line: number, level: number): boolean {
    const { lines } = this;
    if (lines.depthOf(before) < level) return true;
    const functionBefore = lines.node(lines.outer(before, level)).functionName;
    return functionBefore !== lines.node(lines.outer(line, level)).functionName;
  }

  /** Without lines or recorded steps: the start of the call, and each system call. */
  #isOpaqueStop(position: number, run: number): boolean {
    return (
      run !== NONE &&
      (position === this.timeline.firstOfRun(run) || this.timeline.actionAt(position) !== undefined)
    );
  }

  isStop(position: number): boolean {
    return ((this.#flags[position] ?? 0) & BEGINS) !== 0;
  }

  /** The outermost level whose line begins at a position; 0 if none does. */
  levelAt(position: number): number {
    return (this.#flags[position] ?? 0) & LEVEL;
  }

  /** The outermost level whose function is entered at a position; 0 if none is. */
  entryAt(position: number): number {
    const flag = this.#flags[position] ?? 0;
    const level = flag & LEVEL;
    if (level === 0) return 0;
    return (flag & ENTERS) !== 0 ? level : level + 1;
  }

  /** The line of user code at a position; 0 in library code and in code without lines. */
  lineAt(position: number): number {
    const run = this.timeline.runAt(position);
    return this.#codes[run]?.lines[this.timeline.pcs[position] ?? NO_PC] ?? 0;
  }

  /** Whether a run stops at lines. */
  hasLines(run: number): boolean {
    return this.#codes[run] !== undefined;
  }

  frameOf(position: number): number {
    const activation = this.timeline.activations[position] ?? NONE;
    return activation === NONE ? NONE : (this.#frames[activation] ?? NONE);
  }

  /** The innermost function of user code that is active at a position. */
  anchorAt(position: number): Anchor {
    const { timeline } = this;
    let at = position;
    let activation = timeline.activations[position] ?? NONE;
    while (activation !== NONE) {
      const run = timeline.runOf(activation);
      if (!this.#codes[run]) return { frame: timeline.activationOfRun(run), level: 1, line: 0 };
      // Steps of a call that were dropped are in no function.
      if (at === position && timeline.pcs[at] === NO_PC) break;
      const line = at === NONE ? 0 : this.lineAt(at);
      if (line !== 0 && activation !== timeline.activationOfRun(run)) {
        const frame = this.#frames[activation] ?? NONE;
        return { frame, level: this.lines.depthOf(line), line };
      }
      at = timeline.callOf(activation).position;
      activation = timeline.parentOf(activation);
    }
    return { frame: NONE, level: 0, line: 0 };
  }

  /** The first stop after a position, or the end. */
  next(position: number): number {
    const flags = this.#flags;
    for (let at = position + 1; at < flags.length; at += 1) {
      if ((flags[at] ?? 0) >= BEGINS) return at;
    }
    return this.last;
  }

  /** The last stop before a position, or the start. */
  previous(position: number): number {
    const flags = this.#flags;
    for (let at = position - 1; at > 0; at -= 1) if ((flags[at] ?? 0) >= BEGINS) return at;
    return 0;
  }

  over(position: number): number {
    const { frame, level } = this.anchorAt(position);
    if (frame === NONE) return this.next(position);
    const last = this.timeline.lastOf(frame);
    const at = this.#nextLine(frame, level, position + 1, last);
    return at ?? this.next(last);
  }

  overBack(position: number): number {
    const { frame, level } = this.anchorAt(position);
    if (frame === NONE) return this.previous(position);
    const start = this.#lineStart(frame, level, position);
    if (start === undefined) return this.#callingLine(frame, position);
    if (start < position) return start;
    const before = this.#lineStart(frame, this.levelAt(position), position - 1);
    return before ?? this.#callingLine(frame, position);
  }

  out(position: number): number {
    const anchor = this.anchorAt(position);
    const { frame, level } = anchor;
    if (frame === NONE) {
      const activation = this.timeline.activations[position] ?? NONE;
      return activation === NONE ? this.last : this.next(this.timeline.lastOf(activation));
    }
    const last = this.timeline.lastOf(frame);
    if (level > 1) {
      for (let at = position + 1; at <= last; at += 1) {
        if (this.isStop(at) && this.frameOf(at) === frame && !this.#isWithin(anchor, at)) return at;
      }
    }
    return this.next(last);
  }

  outBack(position: number): number {
    const anchor = this.anchorAt(position);
    const { frame, level } = anchor;
    if (frame === NONE) return this.previous(position);
    if (level <= 1) return this.#callingLine(frame, position);
    const first = this.timeline.firstOf(frame);
    let start = position;
    for (let at = position; at >= first; at -= 1) {
      if (!this.isStop(at) || this.frameOf(at) !== frame) continue;
      if (at < position && !this.#isWithin(anchor, at)) break;
      start = at;
      const begins = this.levelAt(at);
      if (begins > 0 && begins < level) break;
    }
    const begins = this.levelAt(start);
    const isCallAtStart = begins > 0 && begins < level;
    if (isCallAtStart && start < position) return start;
    const limit = isCallAtStart ? begins : level - 1;
    return this.#lineStart(frame, limit, start - 1) ?? this.#callingLine(frame, position);
  }

  /** Whether a stop of the same frame is in the function of an anchor, without a new line of its callers. */
  #isWithin({ line, level }: Anchor, at: number): boolean {
    const { lines } = this;
    const other = this.lineAt(at);
    if (lines.depthOf(other) < level) return false;
    if (lines.outer(other, level - 1) !== lines.outer(line, level - 1)) return false;
    const inOther = lines.node(lines.outer(other, level)).functionName;
    return inOther === lines.node(lines.outer(line, level)).functionName;
  }

  #nextLine(frame: number, level: number, first: number, last: number): number | undefined {
    const flags = this.#flags;
    const { activations } = this.timeline;
    const frames = this.#frames;
    for (let at = first; at <= last; at += 1) {
      const begins = (flags[at] ?? 0) & LEVEL;
      if (begins === 0 || begins > level) continue;
      if (frames[activations[at] ?? 0] === frame) return at;
    }
    return undefined;
  }

  /** Where the line of a level begins that contains a position. */
  #lineStart(frame: number, level: number, position: number): number | undefined {
    const flags = this.#flags;
    const { activations } = this.timeline;
    const frames = this.#frames;
    const first = this.timeline.firstOf(frame);
    for (let at = position; at >= first; at -= 1) {
      const begins = (flags[at] ?? 0) & LEVEL;
      if (begins === 0 || begins > level) continue;
      if (frames[activations[at] ?? 0] === frame) return at;
    }
    return undefined;
  }

  /** The line that called a frame; the last stop before the position if the call was dropped, or the start. */
  #callingLine(frame: number, position: number): number {
    const { timeline } = this;
    let activation = frame;
    while (activation !== NONE) {
      const call = timeline.callOf(activation).position;
      if (call !== NONE) {
        const caller = this.anchorAt(call);
        if (caller.frame === NONE) return 0;
        const start = this.#lineStart(caller.frame, caller.level, call);
        return start ?? this.previous(position);
      }
      activation = timeline.parentOf(activation);
    }
    // Before the first line of the execution is the validation, or nothing.
    return this.previous(timeline.firstOf(frame));
  }
}
