// Output of commands: its style, sizes and times for people, and the report of a comparison.
import { writeFileSync } from 'node:fs';
import type { Width } from '@starkbox/abi/basics';
import type { Environment } from '../../config/environment.js';
import { codeOf, reasonOf } from '../../errors.js';
import type { WorkDisplay } from '../../probe.js';
import type { Paint } from '../../terminal.js';

export interface Style {
  /** Whether a program reads it. */
  readonly json: boolean;
  readonly paint: Paint;
  /** Columns of the terminal; undefined for other output. */
  readonly width?: Width;
  /** Shows work that takes long. */
  readonly progress?: WorkDisplay | undefined;
}

/** Thrown by a command that fails with a text for stdout, the message. */
export class FailedWithOutput extends Error {
  override readonly name: string = 'FailedWithOutput';
}

/** Thrown by a comparison that finds a difference. The message is the report. */
export class DifferenceFound extends FailedWithOutput {
  override readonly name = 'DifferenceFound';
}

/** Writes a file that an option names. @throws Error with the path */
export function writeNamedFile(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const isFolderMissing = codeOf(error) === 'ENOENT';
    const reason = isFolderMissing ? 'the folder does not exist' : reasonOf(error);
    throw new Error(`cannot write ${file}: ${reason}`, { cause: error });
  }
}

export function size(bytes: number): string {
  if (bytes < 10_000) return `${bytes.toLocaleString('en')} bytes`;
  return bytes < 10_000_000
    ? `${(bytes / 1000).toFixed(0)} kB`
    : `${(bytes / 1_000_000).toFixed(0)} MB`;
}

/** Seconds since 1970 as people write a time. */
export function moment(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime())
    ? `${seconds} s`
    : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** What a command runs in. */
export interface Surroundings {
  readonly env: Environment;
  readonly paint: Paint;
  /** Columns of the terminal; undefined for other output. */
  readonly width: number | undefined;
  /** Reads all of stdin. */
  readonly readInput: () => Promise<string>;
  /** Shows long work, on a terminal. */
  readonly progress?: Style['progress'];
}
