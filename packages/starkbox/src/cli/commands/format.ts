// Output of commands: its style, sizes and times for people, and the report of a comparison.
import type { Width } from '@starkbox/abi/text-layout';
import type { Environment } from '../../config/environment.js';
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

/** Thrown by a comparison that finds a difference. The message is the report, which goes to stdout. */
export class DifferenceFound extends Error {
  override readonly name = 'DifferenceFound';
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
