// Decoding by ABI, with real contracts and with ABIs made to harm.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeEvent, decodeInputs, decodeOutputs, readAbi, selectorOf } from '../src/index.js';
import { shortType } from '../src/type-name.js';
import { feltsOfText } from './support/encoded.js';

const inputs = (...types: string[]) => ({
  inputs: types.map((type, at) => ({ name: `p${at}`, type })),
});
const empty = readAbi([]);
const values = (types: string[], felts: string[], abi = empty) =>
  decodeInputs(inputs(...types), felts, abi)?.map(({ value }) => value);

describe('types', () => {
  test('simple ones', () => {
    expect(
      values(['core::felt252', 'core::bool', 'core::integer::u8'], ['0x5', '0x1', '0xff']),
    ).toEqual([
      { kind: 'felt', felt: '0x5' },
      { kind: 'bool', value: true },
      { kind: 'number', value: 255n, type: 'u8' },
    ]);
    expect(values(['core::integer::u256'], ['0x1', '0x1'])).toEqual([
      { kind: 'number', value: 2n ** 128n + 1n, type: 'u256' },
    ]);
    const minusOne = `0x${(2n ** 251n + 17n * 2n ** 192n).toString(16)}`;
    expect(values(['core::integer::i16'], [minusOne])).toEqual([
      { kind: 'number', value: -1n, type: 'i16' },
    ]);
  });

  test('what does not fit is not decoded', () => {
    expect(values(['core::integer::u8'], ['0x100'])).toBeUndefined();
    expect(values(['core::bool'], ['0x2'])).toBeUndefined();
    expect(values(['core::felt252'], [])).toBeUndefined();
    expect(values(['core::felt252'], ['0x1', '0x2'])).toBeUndefined();
    expect(values(['not::defined'], ['0x1'])).toBeUndefined();
  });

  test('lists, tuples and texts', () => {
    expect(
      values(['core::array::Array::<(core::integer::u8, core::bool)>'], ['0x1', '0x7', '0x0']),
    ).toEqual([
      {
        kind: 'list',
        items: [
          {
            kind: 'record',
            type: '',
            members: [
              {
                name: '0',
                type: 'core::integer::u8',
                value: { kind: 'number', value: 7n, type: 'u8' },
              },
              { name: '1', type: 'core::bool', value: { kind: 'bool', value: false } },
            ],
          },
        ],
      },
    ]);
    expect(values(['core::byte_array::ByteArray'], ['0x0', '0x68656c6c6f', '0x5'])).toEqual([
      { kind: 'text', text: 'hello' },
    ]);
    expect(values(['[core::felt252; 2]'], ['0x1', '0x2'])).toMatchObject([
      { kind: 'list', items: [{}, {}] },
    ]);
  });

  test('lists of Cairo 0, whose length stands before them', () => {
    const old = {
      inputs: [
        { name: 'xs_len', type: 'felt' },
        { name: 'xs', type: 'felt*' },
      ],
    };
    expect(decodeInputs(old, ['0x2', '0x7', '0x8'], empty)).toMatchObject([
      { name: 'xs', value: { kind: 'list', items: [{ felt: '0x7' }, { felt: '0x8' }] } },
    ]);
  });

  test('are printed whole', () => {
    expect(shortType('core::array::Array::<core::starknet::account::Call>')).toBe('Array<Call>');
    expect(shortType('core::array::Array::<core::array::Span::<core::felt252>>')).toBe(
      'Array<Span<felt252>>',
    );
  });
});

describe('hostile shapes', () => {
  test('a type that contains itself', () => {
    const abi = readAbi([
      { type: 'struct', name: 'Loop', members: [{ name: 'again', type: 'Loop' }] },
    ]);
    expect(values(['Loop'], ['0x1'], abi)).toBeUndefined();
  });

  test('a list of nothings that claims to be long', () => {
    expect(values(['core::array::Array::<()>'], ['0xffffffff'])).toBeUndefined();
    expect(values(['core::array::Array::<()>'], ['0x7d0'])).toBeUndefined();
    expect(values(['[(); 1000000000]'], [])).toBeUndefined();
  });

  test('names that objects have by nature, and entries that are none', () => {
    const abi = readAbi([
      {
        type: 'function',
        name: '__proto__',
        inputs: [{ name: 'constructor', type: 'core::felt252' }],
      },
      { type: 'struct', name: 'toString', members: [{ name: '__proto__', type: 'core::felt252' }] },
      null,
      7,
      { type: 'function', name: 7 },
      { type: 'function', name: 'f', inputs: 'none' },
      { type: 'interface', name: 'I', items: { length: 1e9 } },
    ]);
    expect([...abi.functions.values()].map(({ name }) => name)).toEqual(['__proto__', 'f']);
    expect(values(['toString'], ['0x1'], abi)).toMatchObject([
      { members: [{ name: '__proto__' }] },
    ]);
    expect(values(['hasOwnProperty'], ['0x1'], abi)).toBeUndefined();
    expect(readAbi('{not json').functions.size).toBe(0);
    expect(readAbi(undefined).functions.size).toBe(0);
    expect(readAbi('x'.repeat(10)).events.size).toBe(0);
  });

  test('a type name that never closes its brackets', () => {
    expect(values([`core::array::Array::<${'('.repeat(10_000)}>`], ['0x1', '0x1'])).toBeUndefined();
  });

  test('flat events that contain each other many times are searched once', () => {
    const flat = (name: string, to: string) => ({ name, type: to, kind: 'flat' });
    const abi = readAbi([
      { type: 'event', name: 'E', kind: 'enum', variants: [flat('A', 'F'), flat('B', 'F')] },
      { type: 'event', name: 'F', kind: 'enum', variants: [flat('C', 'E'), flat('D', 'E')] },
      { type: 'event', name: 'R', kind: 'enum', variants: [flat('E', 'E'), flat('F', 'F')] },
    ]);
    expect(abi.roots).toEqual(['R']);
    expect(decodeEvent(['0x1'], [], abi)).toBeUndefined();
  });

  test('events that nest into themselves', () => {
    const abi = readAbi([
      {
        type: 'event',
        name: 'E',
        kind: 'enum',
        variants: [{ name: 'E', type: 'E', kind: 'flat' }],
      },
      {
        type: 'event',
        name: 'R',
        kind: 'enum',
        variants: [{ name: 'E', type: 'E', kind: 'flat' }],
      },
    ]);
    expect(decodeEvent([selectorOf('E')], [], abi)).toBeUndefined();
  });
});

test('an event of the second of two contracts in an ABI', () => {
  const abi = readAbi(
    ['a', 'b'].flatMap((module) => [
      {
        type: 'event',
        kind: 'enum',
        name: `${module}::Event`,
        variants: [{ name: module.toUpperCase(), type: `${module}::Moved`, kind: 'nested' }],
      },
      { type: 'event', kind: 'struct', name: `${module}::Moved`, members: [] },
    ]),
  );
  for (const name of ['A', 'B']) {
    expect(decodeEvent([selectorOf(name)], [], abi)).toMatchObject({ members: [] });
  }
  expect(decodeEvent([selectorOf('C')], [], abi)).toBeUndefined();
});

describe('our own contracts', () => {
  const abiOf = (name: string) =>
    readAbi(
      JSON.parse(
        readFileSync(
          new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url),
          'utf8',
        ),
      ).abi,
    );

  test('an event with a key', () => {
    expect(
      decodeEvent([selectorOf('CountRaised'), '0x64'], ['0x7', '0xc'], abiOf('counter')),
    ).toMatchObject({
      name: 'CountRaised',
      members: [
        { name: 'caller', value: { kind: 'address', felt: '0x64' } },
        { name: 'before', value: { value: 7n } },
        { name: 'after', value: { value: 12n } },
      ],
    });
  });

  test('outputs', () => {
    const abi = abiOf('counter');
    const get = abi.functions.get(selectorOf('get'));
    expect(get && decodeOutputs(get, ['0x7'], abi)).toEqual([
      { kind: 'number', value: 7n, type: 'u128' },
    ]);
  });

  test('what is typed comes back when it is read', () => {
    const abi = abiOf('reverter');
    expect(feltsOfText('core::array::Array::<core::felt252>', '["0x1", 2]', abi)).toEqual([
      '0x2',
      '0x1',
      '0x2',
    ]);
    expect(feltsOfText('core::integer::u256', '1e30', abi)).toEqual([
      `0x${(10n ** 30n).toString(16)}`,
      '0x0',
    ]);
    expect(feltsOfText('core::felt252', "'hi'", abi)).toEqual(['0x6869']);
    expect(feltsOfText('core::integer::u8', '256', abi)).toMatch(/8 bits/);
    expect(feltsOfText('core::bool', 'maybe', abi)).toMatch(/true or false/);
    expect(feltsOfText('core::byte_array::ByteArray', 'hello', abi)).toEqual([
      '0x0',
      '0x68656c6c6f',
      '0x5',
    ]);
  });
});
