// What a slot of storage holds, by its name.
import { expect, test } from 'vitest';
import { encodeShortString, PRIME, toFelt } from '../src/felt.js';
import {
  decodeScalar,
  decodeSlot,
  keyText,
  plainFeltText,
  type SlotName,
  slotPartText,
  slotText,
} from '../src/storage/slot-name.js';

const slot = (name: Partial<SlotName>): SlotName => ({
  variable: 'total',
  path: [],
  origin: 'abi',
  ...name,
});

test('parts of a value', () => {
  const u256 = { type: 'u256' } as const;
  const wide = (part: 'low' | 'high', high?: string) =>
    decodeSlot(slot({ ...u256, part }), '0x5', high);
  expect(wide('low', '0x2')).toEqual({ kind: 'number', value: 2n ** 129n + 5n, type: 'u256' });
  // Only the slot of the lower half tells the whole.
  expect(wide('low')).toEqual({ kind: 'number', value: 5n, type: 'u128' });
  expect(wide('high', '0x2')).toEqual({ kind: 'number', value: 5n, type: 'u128' });
  const title = { type: 'ByteArray' } as const;
  expect(decodeSlot(slot({ ...title, part: 'length' }), '0x1f')).toEqual({
    kind: 'number',
    value: 31n,
    type: 'u32',
  });
  const text = slot({ ...title, part: 'text' });
  expect(decodeSlot(text, encodeShortString('end'))).toEqual({ kind: 'text', text: 'end' });
  expect(decodeSlot(text, '0x1')).toEqual({ kind: 'felt', felt: '0x1' });
});

test('scalars by their types', () => {
  const value = (type: string, felt: string) => decodeSlot(slot({ type }), felt);
  expect(value('bool', '0x0')).toEqual({ kind: 'bool', value: false });
  expect(value('bool', '0x1')).toEqual({ kind: 'bool', value: true });
  // No program wrote it.
  expect(value('bool', '0x2')).toEqual({ kind: 'felt', felt: '0x2' });
  const minusTwo = toFelt(PRIME - 2n);
  expect(value('i8', minusTwo)).toEqual({ kind: 'number', value: -2n, type: 'i8' });
  expect(value('i8', '0x2')).toEqual({ kind: 'number', value: 2n, type: 'i8' });
  expect(value('u64', '0x7')).toEqual({ kind: 'number', value: 7n, type: 'u64' });
  expect(value('ClassHash', '0x7')).toEqual({ kind: 'class', felt: '0x7' });
  expect(value('EthAddress', '0x7')).toEqual({ kind: 'address', felt: '0x7' });
  const fields = [
    { name: 'daily', type: 'u32', shift: 0, bits: 32 },
    { name: 'is_strict', type: 'bool', shift: 32 },
  ];
  expect(decodeSlot(slot({ type: 'Limits', fields }), toFelt(2n ** 32n + 0xabn))).toEqual({
    kind: 'record',
    type: 'Limits',
    members: [
      { name: 'daily', type: 'u32', value: { kind: 'number', value: 0xabn, type: 'u32' } },
      { name: 'is_strict', type: 'bool', value: { kind: 'bool', value: true } },
    ],
  });
});

test('without a type, what may be an amount is a number', () => {
  const [most, least] = [2n ** 96n - 1n, 2n ** 96n];
  expect(decodeScalar(undefined, toFelt(most))).toEqual({
    kind: 'number',
    value: most,
    type: 'felt252',
  });
  expect(decodeScalar(undefined, toFelt(least))).toEqual({ kind: 'felt', felt: toFelt(least) });
  expect(decodeScalar('u8', '0x1')).toEqual({ kind: 'number', value: 1n, type: 'u8' });
});

test('names of slots', () => {
  const texts = { address: (felt: string) => `@${felt}`, felt: (felt: string) => `f${felt}` };
  const key = (type: string, ...felts: readonly string[]) => ({ type, felts: [...felts] });
  expect(keyText(key('bool', '0x1'), texts)).toBe('true');
  expect(keyText(key('bool', '0x0'), texts)).toBe('false');
  expect(keyText(key('u256', '0x1', '0x1'), texts)).toBe(String(2n ** 128n + 1n));
  expect(keyText(key('i16', toFelt(PRIME - 3n)), texts)).toBe('-3');
  expect(keyText(key('felt252', '0x3'), texts)).toBe('f0x3');
  const path = [{ keys: [key('ContractAddress', '0xa'), key('u8', '0x2')] }, { member: 'low' }];
  expect(slotText({ variable: 'v', path }, texts)).toBe('v[@0xa, 2].low');
  expect(slotPartText({ part: 'text', offset: 0 })).toBe('text');
  expect(slotPartText({ part: 'text', offset: 1 })).toBe('text 2');
  expect(slotPartText({ part: 'high', offset: 1 })).toBe('high');
  expect(slotPartText({ offset: 1 })).toBe('+ 1');
  expect(slotPartText({})).toBeUndefined();
});

test('felts as text', () => {
  const unnamed = (felt: string) => felt;
  expect(plainFeltText('0x7', () => 'account 0')).toBe('account 0');
  expect(plainFeltText(encodeShortString('USD'), unnamed)).toBe("'USD'");
  expect(plainFeltText(encodeShortString('US'), unnamed)).toBe(String(0x5553));
  // Up to 14 letters, the prefix included.
  expect(plainFeltText('0x1000000000ff', unnamed)).toBe(String(0x1000000000ff));
  expect(plainFeltText('0x10000000000ff', unnamed)).toBe('0x10000000000ff');
});
