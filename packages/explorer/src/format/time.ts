// Formats of times and durations, by the chain's clock.

const SPANS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `90` → `1 min`: the largest unit that fits. */
export function spanText(seconds: number): string {
  const size = Math.abs(Math.trunc(seconds));
  for (const [length, name] of SPANS) {
    if (size >= length) return `${Math.floor(size / length)} ${name}`;
  }
  return '0 s';
}

/** Age by the chain's clock; times in the future are marked. */
export function ageText(timestamp: number, chainNow: number): string {
  const age = chainNow - timestamp;
  if (age < -1) return `in ${spanText(age)}`;
  return age < 1 ? 'now' : spanText(age);
}

/** Offset of the chain's clock from the system clock; undefined if it is negligible. */
export function offsetText(offset: number): string | undefined {
  if (Math.abs(offset) < 2) return undefined;
  // The clocks are read at different times, so an offset may be one second off.
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

/** A time beyond the range of `Date`, which the chain's clock can have. */
const LAST = 8_640_000_000_000;

function at<T>(seconds: number, write: (date: Date) => T): T | string {
  return Math.abs(seconds) > LAST ? `${seconds} s` : write(new Date(seconds * 1000));
}

/** `01:09:12` in UTC. */
export function timeText(seconds: number): string {
  return at(seconds, (date) => TIME.format(date));
}

/** `16 Nov 01:09:12`, with the year unless it is `year`. */
export function momentText(seconds: number, year?: number): string {
  return at(seconds, (date) => {
    const yearText = date.getUTCFullYear() === year ? '' : ` ${YEAR.format(date)}`;
    return `${DAY.format(date)}${yearText} ${TIME.format(date)}`;
  });
}

/** Writer of the times of a span, with the date where it ends on another day. */
export function timeIn(first: number, last: number): (seconds: number) => string {
  if (Math.floor(first / 86_400) === Math.floor(last / 86_400)) return timeText;
  const [year, lastYear] = [first, last].map((time) => new Date(time * 1000).getUTCFullYear());
  return (seconds) => momentText(seconds, year === lastYear ? year : undefined);
}

/** `2026-11-16T01:09:12Z` */
export function isoText(seconds: number): string {
  return at(seconds, (date) => date.toISOString().replace('.000', ''));
}

/** Block interval, from seconds or from a text such as `500ms` or `mempool:2`. */
export function intervalText(setting: string): string {
  if (setting.startsWith('mempool:')) {
    return `${intervalText(setting.slice('mempool:'.length))} from the mempool`;
  }
  return setting.endsWith('ms') ? `${setting.slice(0, -2)} ms` : `${setting} s`;
}

/** When blocks are made, from `block_generation_on` of the node. */
export function generationText(mode: string | undefined): string | undefined {
  if (mode === 'transaction') return 'a block per transaction';
  if (mode === 'demand') return 'blocks on demand';
  if (mode === 'mempool') return 'transactions wait in the mempool';
  return mode === undefined ? undefined : `a block every ${intervalText(mode)}`;
}

/** A date or seconds since 1970, in seconds; without a zone it is UTC. */
export function readMoment(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,12}$/.test(trimmed)) return Number(trimmed);
  if (!/^\d{4}-\d{2}-\d{2}/.test(trimmed)) return undefined;
  const milliseconds = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(trimmed) ? trimmed : `${trimmed}Z`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
