// Seeded random numbers, so that every request can be made again.

/** A number from 0 to below `sides`. */
export type Dice = (sides: number) => number;

/** A generator for each index of a seed, independent of the ones before it. */
export function dice(seed: number, index = 0): Dice {
  let state = mix(seed) ^ mix(index + 0x51ed270b);
  return (sides) => {
    state = (state + 0x9e3779b9) | 0;
    return Math.floor((mix(state) / 2 ** 32) * sides);
  };
}

/** Spreads every bit of a number over all 32. */
function mix(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

export function pick<T>(roll: Dice, list: readonly [T, ...T[]]): T;
export function pick<T>(roll: Dice, list: readonly T[]): T | undefined;
export function pick<T>(roll: Dice, list: readonly T[]): T | undefined {
  return list[roll(list.length)];
}

/** True in so many of a hundred cases. */
export function chance(roll: Dice, percent: number): boolean {
  return roll(100) < percent;
}

/** Picks by weight: what has twice the weight comes twice as often. */
export function weighted<T>(roll: Dice, list: readonly (readonly [number, T])[]): T {
  let remaining = roll(list.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, item] of list) {
    remaining -= weight;
    if (remaining < 0) return item;
  }
  throw new Error('nothing to pick from');
}
