// Knows what time it is on the chain; the only place that reads the wall clock.

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

/** The time that a block gets if it is sealed at this moment. */
export function nextBlockTime({ offset, exact }: Clock): number {
  // Neither time before 1970 nor a time that is not exact can be written into a block.
  return exact ?? Math.min(Math.max(0, now() + offset), Number.MAX_SAFE_INTEGER);
}

/** The clock after `setTime`: the next block has exactly this time, and time runs on from there. */
export function setTo(time: number): Clock {
  return { offset: time - now(), exact: time };
}

export function increasedBy(clock: Clock, seconds: number): Clock {
  return { ...clock, offset: Math.min(clock.offset + seconds, Number.MAX_SAFE_INTEGER) };
}

/** The clock after a block took its time. */
export function afterBlock(clock: Clock): Clock {
  return clock.exact === undefined ? clock : { ...clock, exact: undefined };
}
