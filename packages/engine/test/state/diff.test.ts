// Differences of a block, and between any two states.

import { builtinClass, type Class, State } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import {
  chainOf,
  declareDiff,
  deployDiff,
  NO_DIFF,
  nonceDiff,
  replaceDiff,
  slotDiff,
} from '../fixtures/diffs.js';

const A = '0xa';
const B = '0xb';

const sierra = await builtinClass('udc');
const cairo0 = await builtinClass('udc-cairo0');

describe('the difference of a version', () => {
  test('a closed version keeps what it changed, the open one tells it so far', async () => {
    const state = await (await chainOf(['0x1', '0x2'])).apply(slotDiff(B, '0x9', '0x3'));
    expect(state.diffOf(0)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x1') });
    expect(state.diffOf(1)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x2') });
    expect(state.diffOf(2)).toEqual({ ...NO_DIFF, ...slotDiff(B, '0x9', '0x3') });
    expect(JSON.parse(state.diffTextOf(2))).toEqual(state.diffOf(2));
  });

  test('entries are sorted by address and key', async () => {
    const entries = ['0x10', '0x9', '0x1'].map((key) => ({ key, value: '0x1' }));
    const state = await State.create().apply({
      storage_diffs: ['0x10', '0x9'].map((address) => ({ address, storage_entries: entries })),
      nonces: ['0x10', '0x9'].map((address) => ({ contract_address: address, nonce: '0x1' })),
    });
    const { storage_diffs, nonces } = state.diffOf(0);
    expect(storage_diffs.map(({ address }) => address)).toEqual(['0x9', '0x10']);
    expect(storage_diffs[0]?.storage_entries.map(({ key }) => key)).toEqual(['0x1', '0x9', '0x10']);
    expect(nonces.map(({ contract_address }) => contract_address)).toEqual(['0x9', '0x10']);
  });

  test('a list without slots makes no contract', async () => {
    const nothing = { storage_diffs: [{ address: A, storage_entries: [] }] };
    const state = await State.create().apply(nothing);
    expect(state.figures().contracts).toBe(0);
    expect(state.diffOf(0)).toEqual(NO_DIFF);
  });

  test('what a block changes and takes back is left out', async () => {
    const before = {
      ...slotDiff(A, '0x1', '0x1'),
      ...nonceDiff(A, '0x1'),
      ...deployDiff(A, '0xc1'),
    };
    let state = (await State.create().apply(before)).advance();
    const away = {
      ...slotDiff(A, '0x1', '0x2'),
      ...nonceDiff(A, '0x2'),
      ...replaceDiff(A, '0xc2'),
    };
    const restored = {
      ...slotDiff(A, '0x1', '0x1'),
      ...nonceDiff(A, '0x1'),
      ...replaceDiff(A, '0xc1'),
    };
    state = await state.apply(away);
    state = await state.apply(slotDiff(B, '0x1', '0x7'));
    state = await (await state.apply(slotDiff(B, '0x1', '0x0'))).apply(restored);
    expect(state.diffOf(1)).toEqual(NO_DIFF);
    expect(state.advance().diffOf(1)).toEqual(NO_DIFF);
  });

  test('writing what is there already is no difference', async () => {
    const state = await chainOf(['0x1', '0x1']);
    expect(state.diffOf(1)).toEqual(NO_DIFF);
    expect((await State.create().apply(slotDiff(A, '0x1', '0x0'))).diffOf(0)).toEqual(NO_DIFF);
  });

  test('a slot is dated by the last version whose difference has it', async () => {
    let state = await chainOf(['0x1', '0x1']);
    state = (
      await (await state.apply(slotDiff(A, '0x1', '0x2'))).apply(slotDiff(A, '0x1', '0x1'))
    ).advance();
    expect(state.storageSince(A, '0x1')).toBe(0);
    const zero = (await State.create().apply(slotDiff(A, '0x1', '0x0'))).advance();
    expect(zero.storageSince(A, '0x1')).toBeUndefined();
  });

  test('a first class is a deployment, a second one a replacement', async () => {
    const first = await State.create().apply(deployDiff(A, '0xc1'));
    const both = await first.apply(replaceDiff(A, '0xc2'));
    expect(both.diffOf(0)).toEqual({ ...NO_DIFF, ...deployDiff(A, '0xc2') });
    const later = await first.advance().apply(deployDiff(A, '0xc2'));
    expect(later.diffOf(1)).toEqual({ ...NO_DIFF, ...replaceDiff(A, '0xc2') });
  });

  test('a contract that comes and goes within a block is no deployment', async () => {
    const state = await (await State.create().apply(deployDiff(A, '0xc1'))).apply(
      replaceDiff(A, '0x0'),
    );
    expect(state.diffOf(0)).toEqual(NO_DIFF);
  });

  test('classes are listed by their kind, once', async () => {
    const state = await State.create().apply({}, [sierra, cairo0, sierra]);
    const twice = await state.apply({}, [sierra]);
    expect(twice.diffOf(0)).toEqual({ ...NO_DIFF, ...declareDiff([sierra, cairo0]) });
    expect((await twice.advance().apply({}, [sierra])).diffOf(1)).toEqual(NO_DIFF);
  });
});

describe('the way from one state to another', () => {
  test('the way between kin is what differs, in both directions', async () => {
    const base = await chainOf(['0x1']);
    const child = await base.apply({ ...slotDiff(A, '0x1', '0x2'), ...deployDiff(B, '0xc1') }, [
      sierra,
    ]);
    const right = (
      await base.apply({ ...slotDiff(A, '0x2', '0x3'), ...nonceDiff(A, '0x1') })
    ).advance();
    expect(await child.diffTo(right)).toEqual({
      ...NO_DIFF,
      storage_diffs: [
        {
          address: A,
          storage_entries: [
            { key: '0x1', value: '0x1' },
            { key: '0x2', value: '0x3' },
          ],
        },
      ],
      ...nonceDiff(A, '0x1'),
      ...replaceDiff(B, '0x0'),
    });
    expect(await right.diffTo(child)).toEqual({
      ...NO_DIFF,
      storage_diffs: [
        {
          address: A,
          storage_entries: [
            { key: '0x1', value: '0x2' },
            { key: '0x2', value: '0x0' },
          ],
        },
      ],
      ...nonceDiff(A, '0x0'),
      ...deployDiff(B, '0xc1'),
      declared_classes: declareDiff([sierra]).declared_classes,
    });
  });

  test('the difference of unrelated states leads from one to the other', async () => {
    const first = await State.create().apply(
      { ...slotDiff(A, '0x1', '0x1'), ...nonceDiff(A, '0x7'), ...deployDiff(A, '0xc1') },
      [sierra],
    );
    const other = (
      await State.create({ version: 40, keepHistory: false }).apply(
        {
          storage_diffs: [A, B].map((address) => ({
            address,
            storage_entries: [
              { key: '0x1', value: '0x2' },
              { key: '0x3', value: '0x4' },
            ],
          })),
          deployed_contracts: [A, B].map((address) => ({ address, class_hash: '0xc2' })),
        },
        [cairo0],
      )
    ).advance();
    await leads(first, other, [cairo0]);
    await leads(other, first, [sierra]);
  });

  test('a state is no way from itself', async () => {
    const state = await chainOf(['0x1', '0x2']);
    expect(await state.diffTo(state)).toEqual(NO_DIFF);
    expect(await state.diffTo(await chainOf(['0x3', '0x2']))).toEqual(NO_DIFF);
    expect(await state.diffTo(await state.apply(slotDiff(B, '0x1', '0x0')))).toEqual(NO_DIFF);
  });
});

/** Applies the difference to another state, and compares the result with it. */
async function leads(from: State, to: State, classes: readonly Class[]): Promise<void> {
  const arrived = await from.apply(await from.diffTo(to), classes);
  expect(await arrived.diffTo(to)).toEqual(NO_DIFF);
  for (const { hash } of classes) expect((await arrived.class(hash))?.hash).toBe(hash);
  for (const address of [A, B]) {
    expect(await arrived.nonceAt(address)).toBe(await to.nonceAt(address));
    expect(await arrived.classHashAt(address)).toBe(await to.classHashAt(address));
    for (const key of ['0x1', '0x2', '0x3']) {
      expect(await arrived.storageAt(address, key)).toBe(await to.storageAt(address, key));
    }
  }
}
