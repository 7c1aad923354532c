// Lots of others, random numbers and room: pure functions with the same results on every machine.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BackgroundTransaction,
  backgroundLoad,
  fitting,
  gasOf,
} from '../../../src/chain/network/background-load.js';
import {
  capacityOf,
  fullnessOf,
  remainingCapacity,
  remainingGas,
} from '../../../src/chain/network/capacity.js';
import { type Congestion, MARKET_ONLY } from '../../../src/chain/network/conditions.js';
import { power, randomNumbers } from '../../../src/chain/network/random.js';

const CAPACITY = 5_800_000_000;
const FLOOR = 8_000_000_000n;
const CONGESTION: Congestion = {
  demand: 0.5,
  variation: 0,
  elasticity: 1,
  median_tip: 1_000_000,
  tip_spread: 16,
  transactions: 8,
};

function draw(
  round: number,
  changes: Partial<Congestion> = {},
  price = FLOOR,
): readonly BackgroundTransaction[] {
  const congestion = { ...CONGESTION, ...changes };
  const factors = { round, price, floor: FLOOR, capacity: CAPACITY };
  return backgroundLoad({ ...MARKET_ONLY, seed: 1, congestion }, factors);
}

test('a seed draws the same load as in earlier versions', () => {
  const varied: Partial<Congestion> = { variation: 0.5, elasticity: 1.5, demand: 1.2 };
  const rounds = Array.from({ length: 20 }, (_, round) =>
    draw(round, varied, FLOOR + BigInt(round) * 10n ** 9n),
  );
  const digest = createHash('sha256').update(JSON.stringify(rounds)).digest('hex');
  expect(digest.slice(0, 12)).toBe('f833a0b2bde2');
});

describe('random numbers', () => {
  test('are the same everywhere', () => {
    const random = randomNumbers(1, 'load', 0);
    expect([random(), random(), random()]).toEqual([
      0.07846115482971072, 0.13919866108335555, 0.3507540205027908,
    ]);
    const large = randomNumbers(Number.MAX_SAFE_INTEGER, 'load', 2 ** 40);
    expect(large()).toBe(0.863287715241313);
  });

  test('depend on the seed, on the purpose and on the position', () => {
    const first = (seed: number, purpose: string, position: number) =>
      randomNumbers(seed, purpose, position)();
    const seeds = Array.from({ length: 2000 }, (_, seed) => first(seed, 'load', 0));
    const positions = Array.from({ length: 2000 }, (_, position) => first(0, 'load', position + 1));
    const highSeeds = Array.from({ length: 100 }, (_, high) =>
      first((high + 1) * 2 ** 32, 'load', 0),
    );
    const purposes = ['reorg', 'submission', 'x', 'y'].map((purpose) => first(0, purpose, 0));
    const all = [...seeds, ...positions, ...highSeeds, ...purposes];
    // Of 2^32 values, two of 4104 may be equal by chance.
    expect(new Set(all).size).toBeGreaterThanOrEqual(all.length - 1);
  });

  test('are even', () => {
    const random = randomNumbers(3, 'load', 5);
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let count = 0; count < 100_000; count += 1) {
      const tenth = Math.floor(random() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  test('powers are as exact as their exponents', () => {
    const numbers = fc.tuple(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.integer({ min: 0, max: 4 * 4096 }),
    );
    fc.assert(
      fc.property(numbers, ([base, exponent]) => {
        const expected = base ** (exponent / 4096);
        expect(power(base, exponent / 4096) / expected).toBeCloseTo(1, 9);
      }),
      { numRuns: 500 },
    );
  });
});

describe('background load', () => {
  test('are the same everywhere', () => {
    expect(draw(0).slice(0, 3)).toEqual([
      {
        gas: 41647384,
        tip: 13094940,
      },
      {
        gas: 55431404,
        tip: 253408,
      },
      {
        gas: 61071531,
        tip: 4734342,
      },
    ]);
    expect(draw(0)).toEqual(draw(0));
    expect(draw(1)).not.toEqual(draw(0));
  });

  test('have the gas of the demand, which falls as the price rises', () => {
    const share = (load: readonly BackgroundTransaction[]) => gasOf(load) / CAPACITY;
    expect(share(draw(0))).toBeCloseTo(0.5, 6);
    expect(share(draw(0, { demand: 30 }))).toBeCloseTo(30, 4);
    expect(share(draw(0, {}, 2n * FLOOR))).toBeCloseTo(0.25, 6);
    expect(share(draw(0, { elasticity: 2 }, 2n * FLOOR))).toBeCloseTo(0.125, 6);
    expect(share(draw(0, { elasticity: 0 }, 2n * FLOOR))).toBeCloseTo(0.5, 6);
    expect(share(draw(0, {}, FLOOR / 2n))).toBeCloseTo(0.5, 6);
    expect(draw(0, { demand: 0 })).toEqual([]);
  });

  test('vary within their bounds', () => {
    const shares = Array.from(
      { length: 1000 },
      (_, round) => gasOf(draw(round, { variation: 0.4 })) / CAPACITY,
    );
    expect(Math.min(...shares)).toBeGreaterThan(0.299);
    expect(Math.max(...shares)).toBeLessThan(0.701);
    expect(Math.min(...shares)).toBeLessThan(0.32);
    expect(Math.max(...shares)).toBeGreaterThan(0.68);
  });

  test('have tips around the median, within the spread', () => {
    const tips = Array.from({ length: 200 }, (_, round) => draw(round))
      .flat()
      .map(({ tip }) => tip)
      .sort((first, second) => first - second);
    expect(tips.at(0)).toBeGreaterThanOrEqual(62_500);
    expect(tips.at(-1)).toBeLessThanOrEqual(16_000_000);
    expect(tips[Math.floor(tips.length / 2)]).toBeGreaterThan(900_000);
    expect(tips[Math.floor(tips.length / 2)]).toBeLessThan(1_100_000);
    // On a logarithmic scale, a quarter lies below the median divided by the root of the spread.
    const quarter = tips.filter((tip) => tip < 250_000).length / tips.length;
    expect(quarter).toBeCloseTo(0.25, 1);
  });

  test('that fit a block have higher tips than those that do not', () => {
    const load = draw(0, { demand: 2, tip_spread: 100 });
    const chosen = fitting(load, CAPACITY);
    expect(gasOf(chosen)).toBeLessThanOrEqual(CAPACITY);
    const left = load.filter((transaction) => !chosen.includes(transaction));
    const rest = CAPACITY - gasOf(chosen);
    for (const { gas } of left) expect(gas).toBeGreaterThan(rest);
    expect(load.filter((transaction) => chosen.includes(transaction))).toEqual(chosen);
    const average = (some: readonly BackgroundTransaction[]) =>
      some.reduce((sum, { tip }) => sum + tip, 0) / some.length;
    expect(average(chosen)).toBeGreaterThan(average(left));
  });
});

describe('capacity', () => {
  const capacity = capacityOf({});
  const none = capacityOf({
    l1_gas: 0,
    message_segment_length: 0,
    n_events: 0,
    n_txs: 0,
    state_diff_size: 0,
    sierra_gas: 0,
    proving_gas: 0,
    receipt_l2_gas: 0,
  });

  test('is the capacity of the network with changes', () => {
    expect(capacity).toMatchObject({ n_txs: 500, receipt_l2_gas: CAPACITY, state_diff_size: 4000 });
    expect(capacityOf({ n_txs: 3 }, '0.14.1')).toMatchObject({ n_txs: 3, receipt_l2_gas: 5e9 });
  });

  test('shrinks by the share of others', () => {
    expect(remainingCapacity(capacity, 0)).toBe(capacity);
    expect(remainingCapacity(capacity, CAPACITY / 4)).toEqual({
      ...capacity,
      receipt_l2_gas: (CAPACITY * 3) / 4,
      sierra_gas: 3_750_000_000,
      proving_gas: 3_750_000_000,
      n_txs: 375,
    });
    expect(remainingCapacity(capacity, 2 * CAPACITY)).toMatchObject({
      receipt_l2_gas: 0,
      n_txs: 0,
    });
  });

  test('leaves others the smallest share that is free', () => {
    expect(remainingGas(capacity, none)).toBe(CAPACITY);
    expect(remainingGas(capacity, { ...none, n_txs: 250 })).toBe(CAPACITY / 2);
    expect(remainingGas(capacity, { ...none, sierra_gas: 4e9, n_txs: 250 })).toBe(CAPACITY / 5);
    expect(remainingGas(capacity, { ...none, receipt_l2_gas: 6e9 })).toBe(0);
  });

  test('is full by its most used weight', () => {
    expect(fullnessOf(capacity, none, 0)).toBe(0);
    expect(fullnessOf(capacity, { ...none, n_events: 2500 }, 0)).toBe(0.5);
    expect(fullnessOf(capacity, { ...none, n_txs: 100 }, CAPACITY / 10)).toBe(0.3);
    expect(fullnessOf(capacity, { ...none, n_txs: 600 }, 0)).toBe(1);
  });
});
