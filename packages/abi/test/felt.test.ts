// Felts as text, and selectors.
import { hash } from 'starknet';
import { expect, test } from 'vitest';
import { shortAddress, shortHash } from '../src/felt.js';
import { canonicalFelt, decodeShortString, selectorOf } from '../src/index.js';

test.each(['transfer', 'x', '__execute__', 'a'.repeat(135), 'a'.repeat(136), 'a'.repeat(300)])(
  'selector of %s, as starknet.js computes it',
  (name) => {
    expect(selectorOf(name)).toBe(hash.getSelectorFromName(name));
  },
);

test('felts have one canonical form', () => {
  expect(canonicalFelt('0x000ABC')).toBe('0xabc');
  expect(canonicalFelt('0x0')).toBe('0x0');
  expect(canonicalFelt('abc')).toBeUndefined();
  expect(shortHash('0x392329c987463ac6d6724e7081836b31bf8b456118d441c82aede1ff5f1549c')).toBe(
    '0x3923…549c',
  );
  expect(shortAddress('0x1000')).toBe('0x1000');
  expect(decodeShortString('0x56414c4944')).toBe('VALID');
  expect(decodeShortString('0x5')).toBeUndefined();
});
