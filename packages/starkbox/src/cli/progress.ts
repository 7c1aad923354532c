// Progress line in a terminal, removed at the end.
import { type Output, visible } from '../terminal.js';

export interface Step {
  /** What is being done. */
  readonly section: string;
  readonly bytes: number;
  /** The total, if it is known. */
  readonly of?: number;
}

/** Bytes between two updates, and before the first one. */
const STRIDE = 8 * 1024 * 1024;

/** Undefined if the output is not a terminal. */
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
      output.write(`\r${visible(section)}: ${megabytes(bytes)}${share}\u001b[K`);
      drawn = bytes;
    }
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
