// Values at which the axes of a chart are labelled.

export interface Tick {
  /** Between 0, at the foot of the chart, and 1. */
  readonly share: number;
  readonly value: number;
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Ticks from zero to at least `most`, in two or three steps; whole numbers only. */
export function ticksTo(most: number): readonly Tick[] {
  const step = Math.max(1, roundUp(Math.max(most, 1) / 3));
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, at) => ({ share: at / steps, value: at * step }));
}

/** Ticks around a range that need not begin at zero. */
export function ticksBetween(least: number, most: number): readonly Tick[] {
  if (!(most > least)) return [{ share: 0.5, value: least }];
  const step = roundUp((most - least) / 3);
  const first = Math.floor(least / step);
  const steps = Math.ceil(most / step) - first;
  return Array.from({ length: steps + 1 }, (_, at) => ({
    share: at / steps,
    value: (first + at) * step,
  }));
}

/** Where a value is among ticks, from 0 to 1. */
export function shareOf(value: number, ticks: readonly Tick[]): number {
  const [low, high] = [ticks[0], ticks.at(-1)];
  if (!low || !high || high.value === low.value) return 0.5;
  return (value - low.value) / (high.value - low.value);
}

/** Every how many blocks a label fits, if each block has `step` pixels. */
export function labelStride(step: number, room: number): number {
  return step <= 0 ? 1 : Math.max(1, roundUp(room / step));
}
