// Knows broken input: every one follows from its number, so a failure can be repeated.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type Dice = (sides: number) => number;

export function dice(seed: number): Dice {
  let state = seed + 0x6d2b79f5;
  return (sides) => {
    state = Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5;
    const mixed = state ^ (state + Math.imul(state ^ (state >>> 7), state | 61));
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const STRINGS = [
  '',
  '0x',
  '0x0',
  '0x1',
  '1',
  '-1',
  '0xg',
  `0x${'f'.repeat(63)}`,
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(200)}1`,
  '0x800000000000011000000000000000000000000000000000000000000000001',
  '0x800000000000000000000000000000000000000000000000000000000000000',
  `0x${'f'.repeat(16)}`,
  `0x${'f'.repeat(32)}`,
  'L1',
  'INVOKE',
  '0x3',
  '\u0000',
  '𝔘𝔫𝔦',
  '\ud800',
  'x'.repeat(5000),
];
const NUMBERS = [0, 1, -1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 64, 1e308, -0];

export const anyString = (roll: Dice): string => STRINGS[roll(STRINGS.length)] ?? '';
export const anyNumber = (roll: Dice): number => NUMBERS[roll(NUMBERS.length)] ?? 0;

function anything(roll: Dice, depth = 0): Json {
  switch (roll(depth > 3 ? 4 : 6)) {
    case 0:
      return null;
    case 1:
      return roll(2) === 0;
    case 2:
      return anyNumber(roll);
    case 3:
      return anyString(roll);
    case 4:
      return Array.from({ length: roll(4) }, () => anything(roll, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: roll(4) }, () => [anyString(roll), anything(roll, depth + 1)]),
      );
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Changes one place of a value: replaced, removed, repeated or grown. */
function mutated(value: Json, roll: Dice): Json {
  if (roll(8) === 0 || typeof value !== 'object' || value === null) return anything(roll);
  if (isList(value)) {
    const index = roll(value.length + 1);
    const rest = value.slice(index + 1);
    const [here] = value.slice(index);
    switch (roll(4)) {
      case 0:
        return [...value.slice(0, index), ...rest];
      case 1:
        return [...value.slice(0, index), anything(roll), ...value.slice(index)];
      case 2:
        return [...value, ...value];
      default:
        return [...value.slice(0, index), mutated(here ?? null, roll), ...rest];
    }
  }
  const keys = Object.keys(value);
  const key = keys[roll(keys.length)];
  if (key === undefined) return anything(roll);
  const { [key]: here, ...others } = value;
  switch (roll(6)) {
    case 0:
      return others;
    case 1:
      return { ...value, [anyString(roll)]: anything(roll) };
    default:
      return { ...others, [key]: mutated(here ?? null, roll) };
  }
}

/** A random text: any value, a mutation of a good one, or a good one cut and smeared. */
export function brokenText(good: readonly Json[], roll: Dice): string {
  const base = good[roll(good.length)] ?? null;
  switch (roll(6)) {
    case 0:
      return JSON.stringify(anything(roll));
    case 1: {
      const whole = JSON.stringify(base);
      const at = roll(whole.length);
      return whole.slice(0, at) + String.fromCharCode(roll(256)) + whole.slice(at + roll(3));
    }
    case 2:
      return JSON.stringify(mutated(mutated(base, roll), roll));
    default:
      return JSON.stringify(mutated(base, roll));
  }
}

export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));
