// Knows how moments and spans are written, by the clock of the chain.

const SPANS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `90` → `1 min`; always the largest span that fits. */
export function spanText(seconds: number): string {
  const size = Math.abs(Math.trunc(seconds));
  for (const [length, name] of SPANS) {
    if (size >= length) return `${Math.floor(size / length)} ${name}`;
  }
  return '0 s';
}

/** How old a moment is by the chain's clock. A moment that is still to come says so. */
export function ageText(timestamp: number, chainNow: number): string {
  const age = chainNow - timestamp;
  if (age < -1) return `in ${spanText(age)}`;
  return age < 1 ? 'now' : spanText(age);
}

/** What the chain's clock is ahead of or behind the wall's, and undefined if that does not matter. */
export function offsetText(offset: number): string | undefined {
  if (Math.abs(offset) < 2) return undefined;
  // Two clocks that are read apart differ by a second, which must not make a day 23 hours.
  const whole = Math.round(offset / 60) * 60;
  const near = Math.abs(whole - offset) <= 2 ? whole : offset;
  return `${offset < 0 ? '−' : '+'}${spanText(near)}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const YEAR = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});

/** A moment beyond what a date can hold, which a chain's clock may well be set to. */
const LAST = 8_640_000_000_000;

function at<T>(seconds: number, write: (date: Date) => T): T | string {
  return Math.abs(seconds) > LAST ? `${seconds} s` : write(new Date(seconds * 1000));
}

/** `01:09:12`, in UTC as everything here. */
export function timeText(seconds: number): string {
  return at(seconds, (date) => TIME.format(date));
}

/** `16 Nov 01:09:12`, with the year where it is not `year`. */
export function momentText(seconds: number, year?: number): string {
  return at(seconds, (date) => {
    const named = date.getUTCFullYear() === year ? '' : ` ${YEAR.format(date)}`;
    return `${DAY.format(date)}${named} ${TIME.format(date)}`;
  });
}

/** `2026-11-16T01:09:12Z` */
export function isoText(seconds: number): string {
  return at(seconds, (date) => date.toISOString().replace('.000', ''));
}

/** The time between two blocks, from a number of seconds or from milliseconds such as 500ms. */
export function intervalText(setting: string): string {
  return setting.endsWith('ms') ? `${setting.slice(0, -2)} ms` : `${setting} s`;
}
