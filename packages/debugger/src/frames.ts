// Frames of Cairo functions inside of frames of calls, at a position.
import type { CodeFrame, CodeTable } from './lines.js';
import { NO_PC, NONE, type Timeline } from './trace/timeline.js';

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
  codeOf: (run: number) => CodeTable | undefined,
  position: number,
): readonly ActiveFunction[] {
  const functions: ActiveFunction[] = [];
  let at = position;
  let pc = timeline.pcs[position] ?? NO_PC;
  let activation = timeline.activations[position] ?? NONE;
  while (activation !== NONE) {
    const run = timeline.runOf(activation);
    const before = functions.at(-1);
    if (activation === timeline.activationOfRun(run)) {
      if (before?.run !== run) {
        functions.push({ run, activation, position: at, pc: NO_PC, frames: [], repetitions: 1 });
      }
    } else {
      const code = codeOf(run);
      const frames = code?.framesAt(pc) ?? [];
      if (before && code && before.run === run && isRepetition(code, before.pc, pc)) {
        before.repetitions += 1;
      } else if (frames.length > 0) {
        functions.push({ run, activation, position: at, pc, frames, repetitions: 1 });
      }
    }
    ({ position: at, pc } = timeline.callOf(activation));
    activation = timeline.parentOf(activation);
  }
  return functions;
}

/** Whether a caller is an earlier turn of the same loop, or calls itself from the same instruction. */
function isRepetition(code: CodeTable, pc: number, callerPc: number): boolean {
  if (pc === callerPc) return true;
  return code.functions[pc] === code.functions[callerPc] && code.isLoop(pc);
}
