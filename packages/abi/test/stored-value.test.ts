// Values in several slots of storage: decoding, editing, and the slots that an edit writes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeStored,
  encodeStored,
  fieldsOfValue,
  slotsOfValue,
} from '../src/storage/stored-value.js';

type StoredValue = Parameters<typeof decodeStored>[0];

/** Storage in which every slot was read. */
class Storage {
  readonly #slots: Map<string, string>;

  constructor(slots: Readonly<Record<string, string>> = {}) {
    this.#slots = new Map(Object.entries(slots));
  }

  readonly read = (key: string): string => this.#slots.get(key) ?? '0x0';

  /** Edits the value; its fields have the texts by their paths. */
  edit(value: StoredValue, texts: Readonly<Record<string, string>>, count?: number) {
    const edited = encodeStored(value, new Map(Object.entries(texts)), this.read, { count });
    for (const { key, value: felt } of edited.writes) this.#slots.set(key, felt);
    return edited;
  }
}

const TOTAL: StoredValue = {
  key: '0x10',
  variable: 'total',
  path: [],
  type: 'u256',
  slots: [
    { key: '0x10', members: [], type: 'u256', part: 'low' },
    { key: '0x11', members: [], type: 'u256', part: 'high' },
  ],
};

const TITLE: StoredValue = {
  key: '0x20',
  variable: 'title',
  path: [],
  type: 'ByteArray',
  slots: [{ key: '0x20', members: [], type: 'ByteArray', part: 'length', text_key: '0x900' }],
};

const ITEMS: StoredValue = {
  key: '0x30',
  variable: 'items',
  path: [],
  type: 'Vec<u32>',
  slots: [
    { key: '0x30', members: [], type: 'u64', part: 'length' },
    ...['0x300', '0x310', '0x320', '0x330'].map((key, at) => ({
      key,
      members: [String(at)],
      type: 'u32',
    })),
  ],
};

const POSITION: StoredValue = {
  key: '0x40',
  variable: 'position',
  path: [],
  type: 'Position',
  slots: [
    { key: '0x40', members: ['owner'], type: 'ContractAddress' },
    { key: '0x41', members: ['amount'], type: 'u256', part: 'low' },
    { key: '0x42', members: ['amount'], type: 'u256', part: 'high' },
  ],
};

const STATUS: StoredValue = {
  key: '0x50',
  variable: 'status',
  path: [],
  type: 'Status',
  slots: [
    { key: '0x50', members: [], type: 'Status', part: 'variant', variants: ['Open', 'Shut'] },
  ],
};

test('a u256 is one number, and an edit writes both halves', () => {
  const storage = new Storage();
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (total) => {
      const { writes, errors } = storage.edit(TOTAL, { '': String(total) });
      expect(errors).toEqual([]);
      expect(writes.map(({ key }) => key)).toEqual(['0x10', '0x11']);
      expect(decodeStored(TOTAL, storage.read)).toMatchObject({ kind: 'number', value: total });
      expect(fieldsOfValue(TOTAL, storage.read)).toMatchObject([{ text: String(total) }]);
    }),
  );
});

test('a byte array is one string, and a shorter one leaves no word of the longer one', () => {
  const storage = new Storage();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (title) => {
      const { errors } = storage.edit(TITLE, { '': title });
      expect(errors).toEqual([]);
      expect(decodeStored(TITLE, storage.read)).toEqual({ kind: 'text', text: title });
    }),
  );
  storage.edit(TITLE, { '': 'a'.repeat(70) });
  expect(slotsOfValue(TITLE, storage.read)).toEqual(['0x20', '0x900', '0x901', '0x902']);
  storage.edit(TITLE, { '': 'b' });
  expect(slotsOfValue(TITLE, storage.read)).toEqual(['0x20', '0x900']);
  expect(['0x901', '0x902'].map(storage.read)).toEqual(['0x0', '0x0']);
});

test('a string of more than 256 words is rejected', () => {
  const { errors } = new Storage().edit(TITLE, { '': 'a'.repeat(256 * 31 + 1) });
  expect(errors).toMatchObject([{ path: [] }]);
});

describe('a vector', () => {
  const items = (storage: Storage): unknown => {
    const decoded = decodeStored(ITEMS, storage.read);
    return decoded?.kind === 'list' && decoded.items.map((item) => Object(item).value);
  };

  test('grows and shrinks, and an item that was removed is zero', () => {
    const storage = new Storage();
    storage.edit(ITEMS, { '0': '7', '1': '8', '2': '9' }, 3);
    expect(items(storage)).toEqual([7n, 8n, 9n]);
    storage.edit(ITEMS, { '0': '7' }, 1);
    expect(items(storage)).toEqual([7n]);
    expect(['0x30', '0x310', '0x320'].map(storage.read)).toEqual(['0x1', '0x0', '0x0']);
  });

  test('offers fields for items that are appended', () => {
    const storage = new Storage({ '0x30': '0x1', '0x300': '0x5' });
    expect(fieldsOfValue(ITEMS, storage.read, 2)?.map(({ text }) => text)).toEqual(['5', '0']);
  });
});

test('a struct is one record, whose members are edited together', () => {
  const storage = new Storage();
  storage.edit(POSITION, { owner: '0xabc', amount: String(2n ** 200n) });
  expect(decodeStored(POSITION, storage.read)).toMatchObject({
    kind: 'record',
    type: 'Position',
    members: [
      { name: 'owner', value: { felt: '0xabc' } },
      { name: 'amount', value: { value: 2n ** 200n } },
    ],
  });
});

test('an enum has the names of its variants, and rejects others', () => {
  const storage = new Storage();
  expect(storage.edit(STATUS, { '': 'Shut' }).errors).toEqual([]);
  expect(decodeStored(STATUS, storage.read)).toMatchObject({ kind: 'choice', variant: 'Shut' });
  expect(fieldsOfValue(STATUS, storage.read)).toMatchObject([{ variants: ['Open', 'Shut'] }]);
  const [slot] = STATUS.slots;
  const single = { ...STATUS, slots: slot ? [{ ...slot, variants: ['Open'] }] : [] };
  expect(fieldsOfValue(single, new Storage().read)).toMatchObject([
    { text: 'Open', variants: ['Open'] },
  ]);
  expect(storage.edit(STATUS, { '': 'Ajar' }).errors).toMatchObject([{ path: [] }]);
});

test('a value with a slot that was not read is not decoded', () => {
  const partly = (key: string) => (key === '0x11' ? undefined : '0x1');
  expect(decodeStored(TOTAL, partly)).toBeUndefined();
  expect(fieldsOfValue(TOTAL, partly)).toBeUndefined();
});
