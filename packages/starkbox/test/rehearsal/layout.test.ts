// Layouts of storage, compared by slots, names and types.
import { variablesOf } from '@starkbox/abi/internal';
import { describe, expect, test } from 'vitest';
import { HASHES } from '../../src/chain/storage-names/class-variables.js';
import { compareVariables } from '../../src/rehearsal/layout.js';

const NO_ABI = {
  functions: new Map(),
  constructor_: undefined,
  events: new Map(),
  roots: [],
  structs: new Map(),
  enums: new Map(),
};

/** Variables of a contract with these members of its storage. */
function variables(members: string, more = '') {
  const text = `mod vault { ${more} #[storage] struct Storage { ${members} } }`;
  const facts = { abi: NO_ABI, program: undefined, sources: [{ file: 'vault.cairo', text }] };
  return variablesOf(facts, HASHES).variables.filter(({ origin }) => origin === 'source');
}

const compare = (old: readonly [string, string?], now: readonly [string, string?]) =>
  compareVariables(variables(...old), variables(...now));

describe('a type', () => {
  test.each([
    ['u64', 'u128'],
    ['u128', 'felt252'],
    ['ContractAddress', 'felt252'],
    ['bool', 'u8'],
    ['u128', 'u256'],
    ['Map<u64, u128>', 'Map<u128, u128>'],
    ['Map<ContractAddress, u64>', 'Map<felt252, u128>'],
  ])('%s can be read as %s', (old, now) => {
    const { changes } = compare([`value: ${old}`], [`value: ${now}`]);
    expect(changes).toEqual([
      { kind: 'compatible', variable: 'value', old, new: now, effects: [] },
    ]);
  });

  test.each([
    ['u128', 'u64', 'value reads u128 as u64'],
    ['felt252', 'u256', 'value reads felt252 as u256'],
    ['felt252', 'ByteArray', 'value reads felt252 as ByteArray'],
    ['u8', 'i8', 'value reads u8 as i8'],
    ['Map<u64, u128>', 'Map<u64, u64>', 'value[…] reads u128 as u64'],
    [
      'Map<u64, u128>',
      'Map<u256, u128>',
      'entries of value are at other slots: stored entries are not read',
    ],
    ['u128', 'Map<u64, u128>', 'value has another structure: stored values are not read'],
    ['Vec<u128>', 'Vec<u64>', 'value[…] reads u128 as u64'],
  ])('%s cannot be read as %s', (old, now, effect) => {
    const { changes } = compare([`value: ${old}`], [`value: ${now}`]);
    expect(changes).toEqual([
      { kind: 'changed', variable: 'value', old, new: now, effects: [effect] },
    ]);
  });
});

describe('a struct', () => {
  const one = 'struct Fee { rate: u16, to: ContractAddress }';

  test('with a new member at its end reads the old ones', () => {
    const more = 'struct Fee { rate: u16, to: ContractAddress, since: u64 }';
    const { changes } = compare(['fee: Fee', one], ['fee: Fee', more]);
    expect(changes).toMatchObject([{ kind: 'compatible', effects: [] }]);
  });

  test('with a new member between others reads them as others', () => {
    const more = 'struct Fee { rate: u16, since: u64, to: ContractAddress }';
    const { changes } = compare(['fee: Fee', one], ['fee: Fee', more]);
    expect(changes).toMatchObject([
      {
        kind: 'changed',
        effects: ['fee.since reads fee.to', 'fee.to is read from a slot that fee does not use'],
      },
    ]);
  });
});

describe('a variable', () => {
  test('of another name and the same type has moved', () => {
    const { changes } = compare(
      ['ERC20_balances: Map<ContractAddress, u256>'],
      ['token_balances: Map<ContractAddress, u256>'],
    );
    expect(changes).toMatchObject([{ kind: 'moved', variable: 'token_balances' }]);
  });

  test('of another name and type is removed, and another one is added', () => {
    const { changes } = compare(['owner: ContractAddress'], ['paused: bool']);
    expect(changes).toEqual([
      { kind: 'removed', variable: 'owner', old: 'ContractAddress', effects: [] },
      { kind: 'added', variable: 'paused', new: 'bool', effects: [] },
    ]);
  });

  test('of an unknown type is named, not compared', () => {
    expect(compare(['fee: Fee'], ['fee: u128'])).toEqual({ changes: [], unknown: ['fee'] });
  });

  test('that stays shows nothing', () => {
    expect(compare(['fee: u128'], ['fee: u128'])).toEqual({ changes: [], unknown: [] });
  });
});
