// A state whose old versions were moved to an origin reads, changes and rewinds as before.

import { State, type StateDiff, StateSource } from '@starkbox/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hex } from '../fixtures/chain.js';

const ADDRESSES = ['0xa', '0xb'];
const KEYS = ['0x1', '0x2', '0x3'];

const value = fc.constantFrom('0x0', '0x1', '0x2');
const write = fc.record({
  address: fc.constantFrom(...ADDRESSES),
  slot: fc.option(fc.record({ key: fc.constantFrom(...KEYS), value }), { nil: undefined }),
  nonce: fc.option(value, { nil: undefined }),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

function diffOf(writes: readonly Write[]): Partial<StateDiff> {
  return {
    storage_diffs: writes.flatMap(({ address, slot }) =>
      slot ? [{ address, storage_entries: [slot] }] : [],
    ),
    nonces: writes.flatMap(({ address, nonce }) =>
      nonce === undefined ? [] : [{ contract_address: address, nonce }],
    ),
  };
}

/** Answers as a state does at one of its versions. */
function originAt(state: State, version: number): StateSource {
  const view = state.at(version);
  return new StateSource(async (question) => {
    if (question.kind === 'storage') return view.storageAt(question.address, question.key);
    if (question.kind === 'nonce') return view.nonceAt(question.address);
    return null;
  });
}

async function valuesAt(state: State): Promise<readonly string[]> {
  const values: string[] = [];
  for (const address of ADDRESSES) {
    values.push(await state.nonceAt(address));
    for (const key of KEYS) values.push(await state.storageAt(address, key));
  }
  return values;
}

test('it reads alike, changes alike and goes back alike', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { maxLength: 3 }), { minLength: 2, maxLength: 8 }),
      fc.array(fc.array(write, { maxLength: 3 }), { maxLength: 3 }),
      fc.nat(),
      fc.nat(),
      async (before, after, at, depth) => {
        let whole = State.create();
        for (const writes of before) whole = (await whole.apply(diffOf(writes))).advance();
        const base = at % whole.version;
        let settled = await whole.settle(base, originAt(whole, base));
        expect([settled.version, settled.firstVersion]).toEqual([whole.version, base + 1]);
        for (const writes of after) {
          const diff = diffOf(writes);
          // A write without a previous read leaves the old value unknown.
          await valuesAt(settled);
          const [next, other] = await Promise.all([settled.apply(diff), whole.apply(diff)]);
          const step = await settled.diffTo(next);
          expect(await valuesAt(await settled.apply(step))).toEqual(await valuesAt(other));
          [settled, whole] = [next.advance(), other.advance()];
        }
        for (let version = base + 1; version < whole.version; version += 1) {
          expect(await valuesAt(settled.at(version))).toEqual(await valuesAt(whole.at(version)));
          expect(settled.diffOf(version)).toEqual(whole.diffOf(version));
        }
        const version = base + (depth % (whole.version - base));
        const [rewound, other] = await Promise.all([
          settled.rewind(version),
          whole.rewind(version),
        ]);
        expect(await valuesAt(rewound)).toEqual(await valuesAt(other));
      },
    ),
    { numRuns: 200 },
  );
});

test('a state without history reads and changes alike', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { maxLength: 3 }), { minLength: 2, maxLength: 8 }),
      fc.array(write, { maxLength: 3 }),
      fc.nat(),
      async (before, open, at) => {
        let whole = State.create();
        let forgetful = State.create({ keepHistory: false });
        for (const writes of before) {
          whole = (await whole.apply(diffOf(writes))).advance();
          forgetful = (await forgetful.apply(diffOf(writes))).advance();
        }
        [whole, forgetful] = [await whole.apply(diffOf(open)), await forgetful.apply(diffOf(open))];
        const base = at % whole.version;
        const settled = await forgetful.settle(base, originAt(whole, base));
        const same = await whole.settle(base, originAt(whole, base));
        expect(settled.figures().slots).toBe(same.figures().slots);
        expect(await valuesAt(settled)).toEqual(await valuesAt(whole));
        expect(settled.diffOf(settled.version)).toEqual(same.diffOf(same.version));
        expect(await valuesAt(settled.advance())).toEqual(await valuesAt(whole));
      },
    ),
    { numRuns: 100 },
  );
});

test('what was settled is no longer in memory', async () => {
  let state = State.create();
  for (let version = 0; version < 50; version += 1) {
    const entry = { key: hex(version), value: '0x1' };
    const diff = { storage_diffs: [{ address: '0xa', storage_entries: [entry] }] };
    state = (await state.apply(diff)).advance();
  }
  const settled = await state.settle(39, originAt(state, 39));
  expect(state.figures()).toMatchObject({ slots: 50, versions: 51 });
  expect(settled.figures()).toMatchObject({ slots: 10, versions: 11 });
  expect(await settled.storageAt('0xa', '0x5')).toBe('0x1');
  await expect(state.settle(50, originAt(state, 39))).rejects.toThrow(/version 50/);
});
