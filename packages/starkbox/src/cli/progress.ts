// Knows how a terminal shows how far a long task is: one line that is written over and then gone.
import type { Output } from '../terminal.js';

export interface Step {
  /** What is being done. */
  readonly section: string;
  readonly bytes: number;
  /** Of so many, where that is known. The last step has reached it. */
  readonly of?: number;
}

/** A line is drawn again after this much, and first: what is shorter takes no time. */
const STRIDE = 8 * 1024 * 1024;

/** Hears of steps and shows them; nothing where nobody would see a line change. */
export function progressLine(output: Output): ((step: Step) => void) | undefined {
  if (output.isTTY !== true) return undefined;
  let drawn = 0;
  return ({ section, bytes, of }) => {
    if (bytes === of) {
      if (drawn > 0) output.write('\r\u001b[K');
      drawn = 0;
    } else if (bytes < drawn || bytes - drawn >= STRIDE) {
      const share =
        of === undefined ? '' : ` of ${megabytes(of)}, ${Math.floor((100 * bytes) / of)} %`;
      output.write(`\r${section}: ${megabytes(bytes)}${share}\u001b[K`);
      drawn = bytes;
    }
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
