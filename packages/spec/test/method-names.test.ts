// Names of methods and their aliases.
import { expect, test } from 'vitest';
import { aliasOf, canonicalName, namesOf } from '../src/method-names.js';

test('gives the canonical name of either name', () => {
  expect(canonicalName('sandbox_mint')).toBe('devnet_mint');
  expect(canonicalName('chain_call')).toBe('starknet_call');
  expect(canonicalName('devnet_mint')).toBe('devnet_mint');
  expect(canonicalName('rpc.discover')).toBe('rpc.discover');
});

test('gives the alias of a canonical name', () => {
  expect(aliasOf('devnet_mint')).toBe('sandbox_mint');
  expect(aliasOf('starknet_call')).toBe('chain_call');
  expect(aliasOf('rpc.discover')).toBeUndefined();
});

test('gives both names with their prefixes, whichever is given', () => {
  const names = [
    { name: 'starknet_call', prefix: 'starknet' },
    { name: 'chain_call', prefix: 'chain' },
  ];
  expect(namesOf('starknet_call')).toEqual(names);
  expect(namesOf('chain_call')).toEqual(names);
  expect(namesOf('rpc.discover')).toEqual([{ name: 'rpc.discover', prefix: 'rpc' }]);
});
