// States: reading, writing, versions, figures.

import { builtinClass, State, type StateDiff } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { hex, PRIME } from '../fixtures/chain.js';
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
const LARGEST_ADDRESS = hex(2n ** 251n - 1n);

const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });

const sierra = await builtinClass('udc');
const cairo0 = await builtinClass('udc-cairo0');

describe('creating a state', () => {
  test('it begins empty, at version 0', async () => {
    const state = State.create();
    expect([state.version, state.firstVersion]).toEqual([0, 0]);
    expect(await state.storageAt(A, '0x1')).toBe('0x0');
    expect(state.diffOf(0)).toEqual(NO_DIFF);
  });

  test('it begins at the version asked for', () => {
    const state = State.create({ version: 7 });
    expect([state.version, state.firstVersion]).toEqual([7, 7]);
    const last = Number.MAX_SAFE_INTEGER;
    expect(State.create({ version: last }).version).toBe(last);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'version %d is refused',
    (version) => {
      expect(() => State.create({ version })).toThrow(refused('input'));
    },
  );

  test('the constructor is closed to outsiders', () => {
    const { native } = State.create();
    expect(() => new State(Symbol('guess'), native, undefined)).toThrow(refused('input'));
  });
});

describe('slots', () => {
  test('come by their keys, page by page, as a version held them', async () => {
    const entries = ['0x5', '0x100', '0x1', '0x20'].map((key) => ({ key, value: key }));
    const first = (
      await State.create({ version: 3 }).apply({
        storage_diffs: [{ address: A, storage_entries: entries }],
      })
    ).advance();
    const state = await (await first.apply(slotDiff(A, '0x20', '0x0'))).apply(
      slotDiff(A, '0x21', '0x9'),
    );
    const slot = (key: string, value: string, since: number) => ({ key, value, since });
    expect(state.slots(A, undefined, 3)).toEqual([
      slot('0x1', '0x1', 3),
      slot('0x5', '0x5', 3),
      slot('0x20', '0x0', 4),
    ]);
    expect(state.slots(A, '0x20', 10)).toEqual([slot('0x21', '0x9', 4), slot('0x100', '0x100', 3)]);
    expect(state.at(3).slots(A, '0x5', 10)).toEqual([
      slot('0x20', '0x20', 3),
      slot('0x100', '0x100', 3),
    ]);
    expect(state.slots(A, '0x100', 10)).toEqual([]);
    expect(state.slots(B, undefined, 10)).toEqual([]);
    expect(() => state.slots(A, 'nonsense', 1)).toThrow(refused('input'));
  });
});

describe('reading', () => {
  test('every kind of value is read back, and what was never written is zero or missing', async () => {
    const state = await State.create({ version: 3 }).apply(
      { ...slotDiff(A, '0x1', '0x2a'), ...nonceDiff(A, '0x5'), ...deployDiff(A, sierra.hash) },
      [sierra],
    );
    expect(await state.storageAt(A, '0x1')).toBe('0x2a');
    expect(await state.storageAt(A, '0x2')).toBe('0x0');
    expect(await state.storageAt(B, '0x1')).toBe('0x0');
    expect(await state.nonceAt(A)).toBe('0x5');
    expect(await state.nonceAt(B)).toBe('0x0');
    expect(await state.classHashAt(A)).toBe(sierra.hash);
    expect(await state.classHashAt(B)).toBe('0x0');
    expect(state.storageSince(A, '0x1')).toBe(3);
    expect(state.storageSince(A, '0x2')).toBeUndefined();
    expect(state.classSince(sierra.hash)).toBe(3);
    expect(state.classSince(cairo0.hash)).toBeUndefined();
    const contractClass = await state.class(sierra.hash);
    expect([contractClass?.hash, contractClass?.compiledClassHash]).toEqual([
      sierra.hash,
      sierra.compiledClassHash,
    ]);
    expect(await state.class(cairo0.hash)).toBeUndefined();
  });

  test('felts may have leading zeros and capitals; answers are canonical', async () => {
    const state = await State.create().apply(slotDiff('0x0A', '0xB', '0x000FF'));
    expect(await state.storageAt(`0x${'a'.padStart(64, '0')}`, '0x0b')).toBe('0xff');
    expect(state.diffOf(0).storage_diffs).toEqual(slotDiff(A, '0xb', '0xff').storage_diffs);
  });

  test('the largest address, key and value have their place', async () => {
    const value = hex(PRIME - 1n);
    const state = await State.create().apply(slotDiff(LARGEST_ADDRESS, LARGEST_ADDRESS, value));
    expect(await state.storageAt(LARGEST_ADDRESS, LARGEST_ADDRESS)).toBe(value);
  });

  const malformed = ['', '1', '0x', '0X1', '0xg', ' 0x1', '-0x1', '0x1 '];
  const tooLong = `0x${'0'.repeat(64)}1`;
  const bad = [...malformed, tooLong, hex(PRIME), `0x${'f'.repeat(64)}`];

  test.each(bad)('%j is no felt anywhere', async (text) => {
    const state = State.create();
    await expect(state.storageAt(text, '0x1')).rejects.toThrow(refused('input'));
    await expect(state.storageAt(A, text)).rejects.toThrow(refused('input'));
    await expect(state.nonceAt(text)).rejects.toThrow(refused('input'));
    await expect(state.classHashAt(text)).rejects.toThrow(refused('input'));
    await expect(state.class(text)).rejects.toThrow(refused('input'));
    expect(() => state.storageSince(text, '0x1')).toThrow(refused('input'));
    expect(() => state.storageSince(A, text)).toThrow(refused('input'));
    expect(() => state.classSince(text)).toThrow(refused('input'));
    await expect(state.apply(slotDiff(A, '0x1', text))).rejects.toThrow(refused('input'));
    await expect(state.apply(nonceDiff(A, text))).rejects.toThrow(refused('input'));
    await expect(state.apply(deployDiff(A, text))).rejects.toThrow(refused('input'));
  });

  test.each([hex(2n ** 251n), hex(PRIME - 1n)])('%s is no address and no key', async (text) => {
    const state = State.create();
    await expect(state.storageAt(text, '0x1')).rejects.toThrow(refused('input'));
    await expect(state.storageAt(A, text)).rejects.toThrow(refused('input'));
    await expect(state.nonceAt(text)).rejects.toThrow(refused('input'));
    await expect(state.classHashAt(text)).rejects.toThrow(refused('input'));
    expect(() => state.storageSince(text, '0x1')).toThrow(refused('input'));
    expect(() => state.storageSince(A, text)).toThrow(refused('input'));
    await expect(state.apply(slotDiff(text, '0x1', '0x1'))).rejects.toThrow(refused('input'));
    await expect(state.apply(slotDiff(A, text, '0x1'))).rejects.toThrow(refused('input'));
    await expect(state.apply(nonceDiff(text, '0x1'))).rejects.toThrow(refused('input'));
    await expect(state.apply(deployDiff(text, '0x1'))).rejects.toThrow(refused('input'));
    await expect(state.apply(replaceDiff(text, '0x1'))).rejects.toThrow(refused('input'));
  });
});

describe('applying a difference', () => {
  test('every list is written, and the difference reads the same', async () => {
    const diff = {
      ...NO_DIFF,
      ...slotDiff(A, '0x1', '0x2a'),
      ...nonceDiff(B, '0x5'),
      ...deployDiff(A, '0xc1'),
      ...declareDiff([sierra, cairo0]),
    };
    const state = await State.create().apply(diff, [sierra, cairo0]);
    expect(state.diffOf(0)).toEqual(diff);
    expect(state.version).toBe(0);
  });

  test('an empty difference is a difference', async () => {
    expect((await State.create().apply({})).diffOf(0)).toEqual(NO_DIFF);
  });

  test('an entry that comes twice counts as its last', async () => {
    const entries = ['0x1', '0x2'].map((value) => ({ key: '0x1', value }));
    const state = await State.create().apply({
      storage_diffs: [
        { address: A, storage_entries: entries },
        { address: A, storage_entries: [{ key: '0x2', value: '0x3' }] },
      ],
      nonces: ['0x1', '0x2'].map((value) => ({ contract_address: A, nonce: value })),
    });
    expect(await state.storageAt(A, '0x1')).toBe('0x2');
    expect(await state.storageAt(A, '0x2')).toBe('0x3');
    expect(await state.nonceAt(A)).toBe('0x2');
  });

  test.each([
    ['null', 'null'],
    ['text', '"0x1"'],
    ['a list in place of a difference', '[]'],
    ['an unknown list', '{"storage": []}'],
    ['a list that is null', '{"nonces": null}'],
    ['a list that is an object', '{"nonces": {}}'],
    ['an entry that is text', '{"nonces": ["0x1"]}'],
    ['an entry that is a list', '{"nonces": [["0x1", "0x2"]]}'],
    ['an entry without a field', '{"nonces": [{"contract_address": "0x1"}]}'],
    ['an unknown field', '{"nonces": [{"contract_address": "0x1", "nonce": "0x1", "a": 1}]}'],
    ['a number as a felt', '{"nonces": [{"contract_address": "0x1", "nonce": 1}]}'],
    ['a slot without value', '{"storage_diffs": [{"address": "0x1", "storage_entries": [{}]}]}'],
    ['a contract without slots', '{"storage_diffs": [{"address": "0x1"}]}'],
    [
      'a bad declared hash',
      '{"declared_classes": [{"class_hash": "1", "compiled_class_hash": "0x1"}]}',
    ],
    [
      'a bad compiled hash',
      '{"declared_classes": [{"class_hash": "0x1", "compiled_class_hash": "1"}]}',
    ],
    ['a bad deprecated hash', '{"deprecated_declared_classes": ["1"]}'],
  ])('%s is refused', async (_what, text) => {
    const diff: Partial<StateDiff> = JSON.parse(text);
    await expect(State.create().apply(diff)).rejects.toThrow(refused('input'));
  });

  test('nothing can be deployed at address 0', async () => {
    const state = State.create();
    await expect(state.apply(deployDiff('0x0', '0x1'))).rejects.toThrow(refused('input'));
    await expect(state.apply(replaceDiff('0x0', '0x1'))).rejects.toThrow(refused('input'));
  });

  test('a listed class must come with its body or be there already', async () => {
    const state = State.create();
    await expect(state.apply(declareDiff([sierra, cairo0]))).rejects.toThrow(refused('state'));
    await expect(state.apply(declareDiff([sierra, cairo0]), [sierra])).rejects.toThrow(
      refused('state'),
    );
    const both = await state.apply(declareDiff([sierra, cairo0]), [sierra, cairo0]);
    const again = await both.advance().apply(declareDiff([sierra, cairo0]));
    expect(again.diffOf(1)).toEqual(NO_DIFF);
    expect(again.classSince(sierra.hash)).toBe(0);
  });

  test('a difference is taken whole or not at all', async () => {
    const state = await State.create().apply(slotDiff(A, '0x1', '0x1'));
    const half = { ...slotDiff(A, '0x1', '0x2'), ...nonceDiff(A, 'one') };
    await expect(state.apply(half)).rejects.toThrow(refused('input'));
    expect(await state.storageAt(A, '0x1')).toBe('0x1');
  });
});

describe('versions', () => {
  test('advancing closes one and begins the next', async () => {
    const state = await chainOf(['0x1', '0x2']);
    expect([state.version, state.firstVersion]).toEqual([2, 0]);
    expect(await state.storageAt(A, '0x1')).toBe('0x2');
  });

  test('a copy is the same value', async () => {
    const state = await chainOf(['0x1']);
    const copy = state.copy();
    expect(await state.diffTo(copy)).toEqual(NO_DIFF);
    expect((await copy.apply(slotDiff(A, '0x1', '0x2'))).version).toBe(1);
    expect(state.at(0).copy().version).toBe(0);
  });

  test('older versions are read through views', async () => {
    const state = await chainOf(['0x1', '0x2', '0x0', '0x4'], State.create({ version: 5 }));
    const read = (version: number) => state.at(version).storageAt(A, '0x1');
    expect(await Promise.all([4, 5, 6, 7, 8, 9].map(read))).toEqual([
      '0x0',
      '0x1',
      '0x2',
      '0x0',
      '0x4',
      '0x4',
    ]);
    const dates = [4, 5, 6, 7, 8, 9].map((at) => state.at(at).storageSince(A, '0x1'));
    expect(dates).toEqual([undefined, 5, 6, 7, 8, 8]);
    expect(state.at(6).version).toBe(6);
  });

  test('a class is not there before the version that declared it', async () => {
    const state = await State.create().advance().apply({}, [sierra]);
    expect(await state.at(0).class(sierra.hash)).toBeUndefined();
    expect(state.at(0).classSince(sierra.hash)).toBeUndefined();
    expect((await state.at(1).class(sierra.hash))?.hash).toBe(sierra.hash);
  });

  test('versions to come, or before the first, cannot be read', async () => {
    const state = await chainOf(['0x1', '0x2'], State.create({ version: 5 }));
    for (const version of [8, 3, 0, Number.MAX_SAFE_INTEGER]) {
      expect(() => state.at(version)).toThrow(refused('state'));
      expect(() => state.diffOf(version)).toThrow(refused('state'));
    }
    expect(() => state.diffOf(4)).toThrow(refused('state'));
    for (const version of [-1, 1.5, Number.NaN]) {
      expect(() => state.at(version)).toThrow(refused('input'));
      expect(() => state.diffOf(version)).toThrow(refused('input'));
    }
  });

  test('a view is not written, compared or exported', async () => {
    const view = (await chainOf(['0x1', '0x2'])).at(1);
    await expect(view.apply({})).rejects.toThrow(refused('state'));
    expect(() => view.advance()).toThrow(refused('state'));
    await expect(view.diffTo(State.create())).rejects.toThrow(refused('state'));
    await expect(State.create().diffTo(view)).rejects.toThrow(refused('state'));
    await expect(view.export().next()).rejects.toThrow(refused('state'));
  });
});

describe('figures', () => {
  test('they count slots, contracts, classes, versions and older values', async () => {
    expect(State.create().figures()).toEqual({
      slots: 0,
      contracts: 0,
      classes: 0,
      versions: 1,
      olderValues: 0,
      approximateBytes: 0,
    });
    let state = await chainOf(['0x1', '0x2', '0x3']);
    state = await state.apply({ ...slotDiff(B, '0x1', '0x1'), ...nonceDiff(B, '0x1') }, [sierra]);
    state = await state.advance().apply(nonceDiff(B, '0x2'));
    const { approximateBytes, ...counts } = state.figures();
    expect(counts).toEqual({ slots: 2, contracts: 2, classes: 1, versions: 5, olderValues: 3 });
    expect(approximateBytes).toBeGreaterThan(10_000);
  });

  test('a rewound state counts what it holds and no more', async () => {
    const base = await chainOf(['0x1', '0x2']);
    const more = { ...slotDiff(B, '0x1', '0x1'), ...nonceDiff(A, '0x1') };
    const grown = await (await chainOf(['0x3', '0x4'], base)).apply(more, [sierra]);
    expect((await grown.rewind(1)).figures()).toEqual(base.figures());
  });
});
