// The harness of the bench: bounds that fail, rounds that alternate, and processes that answer.
import { afterEach, expect, test, vi } from 'vitest';
import { Child } from '../bench/harness/child.js';
import { interleave } from '../bench/harness/rounds.js';
import { defineScenario, type Options } from '../bench/harness/scenario.js';

const exitCode = process.exitCode;

afterEach(() => {
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});

/** Runs a scenario whose figure is its size. @returns its last line, and whether it fails */
async function run(options: Options): Promise<{ json: unknown; fails: boolean }> {
  const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const scenario = defineScenario({
    measures: 'its size',
    sizes: { size: [10, 1] },
    promises: () => ({ exact: { atMost: 5 }, noisy: { atMost: 0, isNoisy: true } }),
    async measure({ figures, sizes }) {
      figures.sayAll({ exact: sizes.size, noisy: sizes.size });
      return undefined;
    },
  });
  await scenario.run('sizes', options);
  const json: unknown = JSON.parse(String(lines.mock.calls.at(-1)?.[0]));
  return { json, fails: process.exitCode === 1 };
}

test('a quick run fails by a broken bound, but not by one that noise can break', async () => {
  expect(await run({ quick: true })).toEqual({
    json: { exact: 1, noisy: 1, size: 1, quick: true },
    fails: false,
  });
  expect((await run({ quick: true, size: '6' })).fails).toBe(true);
});

test('a full run enforces all bounds', async () => {
  expect((await run({ size: '4' })).fails).toBe(true);
});

test('a promised figure that was not measured is an error', async () => {
  const scenario = defineScenario({
    measures: 'nothing',
    sizes: {},
    promises: () => ({ missing: { atMost: 1 } }),
    measure: async () => undefined,
  });
  await expect(scenario.run('nothing', {})).rejects.toThrow('not measured: missing');
});

test('rounds alternate, and the first one is left out', async () => {
  const order: string[] = [];
  const sample = (name: string, cost: number) => async (round: number) => {
    order.push(name);
    return cost * (round + 1);
  };
  const rounds = await interleave(2, { fast: sample('fast', 1), slow: sample('slow', 3) });
  expect(order).toEqual(['fast', 'slow', 'slow', 'fast', 'fast', 'slow']);
  expect(rounds.of('fast')).toEqual([2, 3]);
  expect(rounds.ratio('slow', 'fast')).toBe(3);
});

test('a process that exits fails the call that waits for it', async () => {
  const child = new Child(new URL('./missing.js', import.meta.url));
  await expect(child.call('anything')).rejects.toThrow('exited');
  await child.end();
});
