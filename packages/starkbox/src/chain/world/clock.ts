// Chain time as an offset to real time; the only file that reads the wall clock.

import { invalidParams } from '../../errors.js';

/** The latest time that is an exact number in JSON. */
const LATEST_TIME = Number.MAX_SAFE_INTEGER;

/** How chain time follows real time, in whole seconds. */
export interface Clock {
  /** Chain time minus real time. */
  readonly offset: number;
  /** The exact time of the next block, where one was asked for. */
  readonly exact: number | undefined;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Real time in milliseconds since 1970. */
export function realMilliseconds(): number {
  return Date.now();
}

/** A clock that shows `start` now, or real time without one. */
export function clockFrom(start: number | undefined): Clock {
  return start === undefined
    ? { offset: 0, exact: undefined }
    : { offset: start - now(), exact: start };
}

/**
 * The time that a block gets if it is sealed at this moment.
 *
 * @param parent the time of the block before it: the system's clock may step back, and the chain's must
 * not; only a time that was asked for may be earlier
 */
export function nextBlockTime({ offset, exact }: Clock, parent = 0): number {
  // Neither time before 1970 nor a time that is not exact can be written into a block.
  return exact ?? Math.min(Math.max(0, parent, now() + offset), LATEST_TIME);
}

/** The clock after `setTime`: the next block has exactly this time, and time runs on from there. */
export function setTo(time: number): Clock {
  return { offset: time - now(), exact: time };
}

/**
 * The clock after `increaseTime`; throws what the caller is told if blocks could not show that time.
 *
 * @param parent as of `nextBlockTime`: time is increased from where it would be
 */
export function increasedBy(clock: Clock, seconds: number, parent = 0): Clock {
  const from = nextBlockTime(
    { ...clock, exact: undefined },
    clock.exact === undefined ? parent : 0,
  );
  const most = LATEST_TIME - from;
  if (seconds > most) {
    invalidParams(
      `params.time: at most ${most} seconds from now; the time of a block is at most ${LATEST_TIME}`,
    );
  }
  return { ...clock, offset: from + seconds - now() };
}

/** The clock after a block took its time. */
export function afterBlock(clock: Clock): Clock {
  return clock.exact === undefined ? clock : { ...clock, exact: undefined };
}
