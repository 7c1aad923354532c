// Frames of Cairo functions inside of frames of calls, at a position.
import type { CodeFrame, CodeTable } from './lines.js';
import { NO_PC, NONE, type Timeline } from './trace/timeline.js';
import type { Activation, Registers } from './values/scope.js';

/** An active function with those that are inlined into it, or a whole call. */
export interface ActiveFunction {
  readonly run: number;
  readonly activation: number;
  /** Where it is now; of a caller, the position of the call; `NONE` if the call was dropped. */
  readonly position: number;
  /** `NO_PC` for a whole call. */
  readonly pc: number;
  /** Innermost first; empty for a whole call. */
  readonly frames: readonly CodeFrame[];
  /** Turns of a loop or of a recursion that it stands for. */
  repetitions: number;
}

/** The active functions at a position, innermost first. */
export function activeFunctions(
  timeline: Timeline,
  codes: readonly (CodeTable | undefined)[],
  position: number,
): readonly ActiveFunction[] {
  const functions: ActiveFunction[] = [];
  let at = position;
  let pc = timeline.pcs[position] ?? NO_PC;
  let activation = timeline.activations[position] ?? NONE;
  let [outermost, count] = [activation, 1];
  while (activation !== NONE) {
    const run = timeline.runOf(activation);
    const before = functions.at(-1);
    if (activation === timeline.activationOfRun(run)) {
      if (before?.run !== run) {
        functions.push({ run, activation, position: at, pc: NO_PC, frames: [], repetitions: 1 });
      }
    } else {
      const code = codes[run];
      if (before && code && before.run === run && isRepetition(code, before.pc, pc)) {
        before.repetitions += count;
      } else {
        const frames = code?.framesAt(pc) ?? [];
        if (frames.length > 0) {
          functions.push({ run, activation, position: at, pc, frames, repetitions: count });
        }
      }
    }
    // Callers whose calls are the same instruction are one frame.
    at = timeline.callPositionOf(outermost);
    pc = timeline.callPcOf(outermost, at);
    activation = timeline.parentOf(outermost);
    ({ outermost, count } = timeline.callersOf(outermost));
  }
  return functions;
}

/** Whether a caller is an earlier turn of the same loop, or calls itself from the same instruction. */
function isRepetition(code: CodeTable, pc: number, callerPc: number): boolean {
  if (pc === callerPc) return true;
  return code.functions[pc] === code.functions[callerPc] && code.isLoop(pc);
}

/** The steps of an active function, from where it is now. */
export function activationOf(
  timeline: Timeline,
  { activation, position }: Pick<ActiveFunction, 'activation' | 'position'>,
): Activation {
  const fp = timeline.fpOf(activation);
  const registers = (at: number): Registers => ({
    pc: timeline.pcs[at] ?? NO_PC,
    ap: timeline.aps[at] ?? 0,
    fp,
  });
  return {
    fp,
    *steps() {
      const first = timeline.firstOf(activation);
      for (let at = position; at !== NONE && at >= first; ) {
        const called = calledAt(timeline, activation, at);
        if (called === NONE) {
          if (timeline.pcs[at] !== NO_PC) yield registers(at);
          at -= 1;
        } else at = timeline.firstOf(called) - 1;
      }
    },
  };
}

/** The activation that a function called and that is active at a position; `NONE` if the function itself is. */
function calledAt(timeline: Timeline, activation: number, position: number): number {
  let at = timeline.activations[position] ?? NONE;
  let called = NONE;
  while (at !== NONE && at !== activation) {
    called = at;
    at = timeline.parentOf(at);
  }
  return called;
}
