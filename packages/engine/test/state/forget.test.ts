// Shows that a state can let go of its old history and keeps the rest exactly.

import { State } from '@starkbox/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hex } from '../fixtures/chain.js';
import { chainOf, nonceDiff, slotDiff } from '../fixtures/diffs.js';

const VALUES = ['0x1', '0x2', '0x3', '0x4', '0x5', '0x6'];
const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });

describe('after forgetting what is older than version 3', () => {
  test('newer versions read as before, and their differences stand', async () => {
    const whole = await chainOf(VALUES);
    const state = await whole.forget(3);
    expect([state.version, state.firstVersion]).toEqual([6, 3]);
    for (const version of [2, 3, 4, 5, 6]) {
      expect(await state.at(version).storageAt('0xa', '0x1')).toBe(
        await whole.at(version).storageAt('0xa', '0x1'),
      );
    }
    for (const version of [3, 4, 5]) expect(state.diffOf(version)).toEqual(whole.diffOf(version));
  });

  test('older versions are refused, to read, to compare and to go back to', async () => {
    const state = await (await chainOf(VALUES)).forget(3);
    expect(() => state.at(1)).toThrow(refused('state'));
    expect(() => state.diffOf(2)).toThrow(refused('state'));
    await expect(state.rewind(1)).rejects.toThrow(refused('state'));
    expect(await (await state.rewind(2)).storageAt('0xa', '0x1')).toBe('0x3');
  });

  test('the older handle still knows everything', async () => {
    const whole = await chainOf(VALUES);
    await whole.forget(5);
    expect(await whole.at(0).storageAt('0xa', '0x1')).toBe('0x1');
  });

  test('values that nothing can read any more are not counted', async () => {
    const whole = await chainOf(VALUES);
    expect(whole.figures().olderValues).toBe(5);
    expect((await whole.forget(3)).figures()).toMatchObject({ olderValues: 3, versions: 4 });
    expect((await whole.forget(100)).figures()).toMatchObject({ olderValues: 0, versions: 1 });
  });
});

test('nonces and classes of an imported state are forgotten as well', async () => {
  let state = State.create();
  for (const nonce of ['0x1', '0x2', '0x3', '0x4']) {
    state = (await state.apply(nonceDiff('0xa', nonce))).advance();
  }
  const copy = await (await State.import(state.export())).forget(3);
  expect(copy.figures().olderValues).toBe(1);
  expect(await copy.at(2).nonceAt('0xa')).toBe('0x3');
});

test('forgetting nothing changes nothing, and no version is no version', async () => {
  const state = await chainOf(VALUES);
  const same = await state.forget(0);
  expect(same.figures()).toEqual(state.figures());
  await expect(state.forget(-1)).rejects.toThrow(refused('input'));
  await expect(state.at(1).forget(1)).rejects.toThrow(refused('state'));
});

test('whatever is forgotten whenever, the rest reads as if nothing had been', async () => {
  const write = fc.record({
    key: fc.integer({ min: 1, max: 3 }),
    value: fc.integer({ min: 0, max: 3 }),
  });
  const block = fc.record({ writes: fc.array(write, { maxLength: 4 }), forget: fc.nat(12) });
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 12 }), async (blocks) => {
      let whole = State.create();
      let state = State.create();
      for (const { writes, forget } of blocks) {
        for (const { key, value } of writes) {
          whole = await whole.apply(slotDiff('0xa', hex(key), hex(value)));
          state = await state.apply(slotDiff('0xa', hex(key), hex(value)));
        }
        whole = whole.advance();
        state = await state.advance().forget(forget);
        for (let version = state.firstVersion; version <= state.version; version += 1) {
          for (const key of ['0x1', '0x2', '0x3']) {
            expect(await state.at(version).storageAt('0xa', key)).toBe(
              await whole.at(version).storageAt('0xa', key),
            );
          }
          expect(state.diffOf(version)).toEqual(whole.diffOf(version));
        }
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});
