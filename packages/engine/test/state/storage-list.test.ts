// The storage of a state difference as text: read by another thread, with the effect of its values.

import { State, StateSource, StorageList } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { slotDiff } from '../fixtures/diffs.js';

const A = '0xa';
const B = '0xb';
const LIST = [
  {
    address: B,
    storage_entries: [
      { key: '0x2', value: '0x52' },
      { key: '0x1', value: '0x51' },
    ],
  },
  { address: A, storage_entries: [{ key: '0x1', value: '0x0' }] },
];

async function read(list: object): Promise<StorageList> {
  const storage = await StorageList.read(JSON.stringify(list));
  if (!storage) throw new Error('not in canonical form');
  return storage;
}

describe('a list of slots', () => {
  test('ends where its text ends', async () => {
    const text = JSON.stringify(LIST);
    const storage = await StorageList.read(`${text},"nonces":[]}`);
    expect(storage?.text).toBe(text);
    expect(storage?.slotCount).toBe(3);
    expect(storage?.addresses.toSorted()).toEqual([A, B]);
    expect(storage?.parse()).toEqual(LIST);
  });

  test('is not read in another form', async () => {
    for (const text of ['', '[', '{}', JSON.stringify(LIST, null, 1), '[{"address":"0x0A"}]']) {
      expect(await StorageList.read(text)).toBeUndefined();
    }
  });

  test('has the effect of its values, beside other changes and more than once', async () => {
    const before = await State.create().apply(slotDiff(A, '0x1', '0x7'));
    const nonces = [{ contract_address: A, nonce: '0x1' }];
    const [storage, start] = [await read(LIST), before.advance()];
    const expected = await start.apply({ storage_diffs: LIST, nonces });
    for (const _time of [1, 2]) {
      const state = await start.apply({ nonces }, [], storage);
      expect(state.diffOf(1)).toEqual(expected.diffOf(1));
      expect(state.figures()).toEqual(expected.figures());
    }
  });

  test('a source is asked for the values that it replaces', async () => {
    const source = new StateSource(async () => '0x51');
    const state = State.create({ version: 8, source });
    const storage = await read(LIST);
    await state.prefetch({}, storage);
    const { storage_diffs } = (await state.apply({}, [], storage)).diffOf(8);
    expect(storage_diffs).toEqual([
      { address: A, storage_entries: [{ key: '0x1', value: '0x0' }] },
      { address: B, storage_entries: [{ key: '0x2', value: '0x52' }] },
    ]);
  });
});
