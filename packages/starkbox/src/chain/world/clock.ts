// Chain time as an offset to real time; the only file that reads the wall clock.

import { invalidParams } from '../../errors.js';

/** The largest integer that is exact in JSON. */
const LATEST_TIME = Number.MAX_SAFE_INTEGER;

/** Chain time relative to real time. */
export interface Clock {
  /** Chain time minus real time, in whole seconds. */
  readonly offset: number;
  /** The millisecond of real time at which a second of the chain begins; not stored. */
  readonly phase: number;
  /** The requested time of the next block. */
  readonly exact: number | undefined;
  /** Seconds from each block to the next; undefined where time passes as it really does. */
  readonly step?: number | undefined;
}

/** Real time in seconds, where one begins at the millisecond `phase`. */
function now(phase: number): number {
  return Math.floor((Date.now() - phase) / 1000);
}

/** Real time in milliseconds since 1970. */
export function realMilliseconds(): number {
  return Date.now();
}

/** A clock that starts now at `start`, or at real time if `start` is undefined. */
export function clockFrom(start: number | undefined): Clock {
  return start === undefined ? { offset: 0, phase: 0, exact: undefined } : setTo(start);
}

/**
 * The timestamp of a block that is closed now.
 *
 * @param parent timestamp of the previous block; the result is earlier only if that was requested,
 * even if the system clock steps back
 */
export function nextBlockTime({ offset, phase, exact, step }: Clock, parent?: number): number {
  if (exact !== undefined) return exact;
  const time = step !== undefined && parent !== undefined ? parent + step : now(phase) + offset;
  // A timestamp is neither negative nor larger than an exact number.
  return Math.min(Math.max(0, parent ?? 0, time), LATEST_TIME);
}

/** The clock after `setTime`: the next block has exactly this time, and a second later time is one more. */
export function setTo(time: number, step?: number): Clock {
  const phase = Date.now() % 1000;
  return { offset: time - now(phase), phase, exact: time, step };
}

/**
 * The clock after its step was set or removed; without one, time continues from the latest block.
 *
 * @param parent timestamp of the latest block
 */
export function withStep(clock: Clock, step: number | undefined, parent: number): Clock {
  if (step === clock.step) return clock;
  if (step !== undefined) return { ...clock, step };
  return { ...setTo(parent), exact: clock.exact };
}

/**
 * The clock after `increaseTime`; throws an `RpcError` if the time exceeds the largest timestamp.
 *
 * @param parent as in `nextBlockTime`, whose result is the base of the increase
 */
export function increasedBy(clock: Clock, seconds: number, parent = 0): Clock {
  const from =
    clock.step === undefined
      ? nextBlockTime({ ...clock, exact: undefined }, clock.exact === undefined ? parent : 0)
      : nextBlockTime(clock, parent);
  const most = LATEST_TIME - from;
  if (seconds > most) {
    invalidParams(
      `params.time: at most ${most} seconds from now; the time of a block is at most ${LATEST_TIME}`,
    );
  }
  const offset = from + seconds - now(clock.phase);
  return clock.step === undefined
    ? { ...clock, offset }
    : { ...clock, offset, exact: from + seconds };
}

/** The clock after a block was closed: a requested time applies to one block. */
export function afterBlock(clock: Clock): Clock {
  return clock.exact === undefined ? clock : { ...clock, exact: undefined };
}
