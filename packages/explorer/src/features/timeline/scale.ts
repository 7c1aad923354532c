// Position of blocks on the timeline, by number or by time with long gaps folded.

export interface Window {
  readonly first: number;
  readonly last: number;
}

export interface Moment {
  readonly number: number;
  readonly time: number;
}

/** A gap in time that is drawn shorter than it is. */
export interface Fold {
  /** First block after the gap. */
  readonly before: number;
  readonly seconds: number;
}

/** Positions between 0 and 1. */
export interface Scale {
  at(number: number): number;
  readonly folds: readonly Fold[];
}

const MAX_FOLDS = 6;
/** Shorter gaps are never folded. */
const SHORTEST = 600;
/** A gap is folded if it is this many times longer than usual. */
const UNUSUAL = 20;
const FOLD_WIDTH = 0.04;

/** The longest gaps, a few at most, in chain order. */
export function foldsIn(moments: readonly Moment[]): readonly Fold[] {
  const gaps = moments.slice(1).map(({ number, time }, at) => ({
    before: number,
    seconds: time - (moments[at]?.time ?? time),
  }));
  const sizes = gaps.map(({ seconds }) => Math.abs(seconds)).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return gaps
    .filter(({ seconds }) => Math.abs(seconds) >= Math.max(SHORTEST, usual * UNUSUAL))
    .sort((a, b) => Math.abs(b.seconds) - Math.abs(a.seconds))
    .slice(0, MAX_FOLDS)
    .sort((a, b) => a.before - b.before);
}

export function byNumber(window: Window, moments: readonly Moment[]): Scale {
  const span = Math.max(1, window.last - window.first);
  return { at: (number) => (number - window.first) / span, folds: foldsIn(moments) };
}

/** @param moments the blocks of the window, without a gap */
export function byTime(window: Window, moments: readonly Moment[]): Scale {
  const folds = foldsIn(moments);
  const folded = new Set(folds.map(({ before }) => before));
  const steps = moments.slice(1).map(({ number, time }, at) => {
    const passed = Math.max(0, time - (moments[at]?.time ?? time));
    return { number, passed: folded.has(number) ? undefined : passed };
  });
  const whole = steps.reduce((sum, { passed }) => sum + (passed ?? 0), 0);
  const room = 1 - folds.length * FOLD_WIDTH;
  const places = new Map<number, number>();
  let at = 0;
  const [first] = moments;
  if (first) places.set(first.number, 0);
  for (const { number, passed } of steps) {
    at +=
      passed === undefined
        ? FOLD_WIDTH
        : whole === 0
          ? room / steps.length
          : (passed / whole) * room;
    places.set(number, at);
  }
  const last = moments.at(-1);
  return {
    folds,
    at: (number) => {
      const position = places.get(number);
      if (position !== undefined) return position;
      if (last && number > last.number) return 1;
      return number <= window.first ? 0 : 1;
    },
  };
}

/** Zooms by a factor of two around a position between 0 and 1, within the whole range. */
export function zoom(window: Window, whole: Window, factor: number, around: number): Window {
  const span = window.last - window.first;
  const next = Math.min(Math.max(4, Math.round(span * factor)), whole.last - whole.first);
  const fixed = window.first + span * around;
  return within({ first: Math.round(fixed - next * around), last: 0 }, next, whole);
}

export function pan(window: Window, whole: Window, share: number): Window {
  const span = window.last - window.first;
  const by = Math.sign(share) * Math.max(1, Math.round(Math.abs(share) * span));
  return within({ first: window.first + by, last: 0 }, span, whole);
}

function within({ first }: Window, span: number, whole: Window): Window {
  const bounded = Math.max(whole.first, Math.min(first, whole.last - span));
  return { first: bounded, last: bounded + span };
}
