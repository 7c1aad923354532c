// Names that were probably meant: of methods under other prefixes or of other nodes, and of words spelled nearly so.
import { METHODS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { didYouMean, nearest, nearestMethod } from '../../src/rpc/protocol/method-suggestions.js';

test.each([
  ['abcdef', 'abcdxx', true],
  ['abcdef', 'abcxxx', false],
  ['abcdef', 'abcd', false],
  ['abcde', 'abcxx', false],
  ['abcde', 'abcdx', true],
  ['ABCDE', 'abcde', true],
  ['a'.repeat(30), `${'a'.repeat(26)}bbbb`, true],
  ['a'.repeat(30), `${'a'.repeat(25)}bbbbb`, false],
  ['a'.repeat(64), `${'a'.repeat(63)}b`, true],
  ['a'.repeat(65), `${'a'.repeat(64)}b`, false],
  ['ab', 'ax', false],
])('%s may mean %s: %s', (name, other, isNear) => {
  expect(nearest(name, [other, 'zzzzzzzzzzz'])).toBe(isNear ? other : undefined);
});

test('the name with the fewest differences is meant', () => {
  expect(nearest('abcdef', ['abcdxx', 'abcdex', 'zzzzzz'])).toBe('abcdex');
  expect(nearest('abcdef', [])).toBeUndefined();
  expect(didYouMean('x')).toBe('; did you mean x?');
  expect(didYouMean(undefined)).toBe('');
});

test.each([
  ['anvil_mine', 'devnet_createBlock'],
  ['evm_setNextBlockTimestamp', 'devnet_setTime'],
  ['txpool_inspect', 'devnet_mempoolList'],
  ['eth_call', 'starknet_call'],
  ['starknet_CALL', 'starknet_call'],
  ['devnet_mnit', 'devnet_mint'],
  ['sandbox_mnit', 'sandbox_mint'],
  ['devnet_createBl', 'devnet_createBlock'],
  ['starknet_getBlockWithTxHash', 'starknet_getBlockWithTxHashes'],
  ['devnet_', undefined],
  ['frobnicate', undefined],
  [`devnet_mint${'x'.repeat(60)}`, undefined],
])('%s may mean %s', (name, method) => {
  expect(nearestMethod(name, Object.keys(METHODS))).toBe(method);
});

test('methods that are not served are not meant', () => {
  expect(nearestMethod('anvil_mine', ['starknet_call'])).toBeUndefined();
});
