// Values of Cairo types: they are encoded as forms do, decoded to the same value, and shrunk by fast-check.

import { createHash } from 'node:crypto';
import { type Abi, type AbiFunction, decodeOutputs, readAbi } from '@starkbox/abi';
import { PRIME } from '@starkbox/abi/basics';
import { draftOfDecoded, encodeDraft, functionCodec } from '@starkbox/abi/internal';
import * as fc from 'fast-check';
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus';
import { describe, expect, test } from 'vitest';
import type { StepValue } from '../../src/properties/model/history.js';
import { arbitraryOf } from '../../src/properties/values/arbitrary.js';
import { Draws, EMPTY_POOL, type ValuePool } from '../../src/properties/values/drawing.js';

const ABI = [
  {
    type: 'struct',
    name: 'app::Point',
    members: [
      { name: 'x', type: 'core::integer::i32' },
      { name: 'y', type: 'core::integer::u256' },
    ],
  },
  {
    type: 'struct',
    name: 'app::Tree',
    members: [
      { name: 'value', type: 'core::integer::u8' },
      { name: 'children', type: 'core::array::Array::<app::Tree>' },
    ],
  },
  {
    type: 'enum',
    name: 'app::Order',
    variants: [
      { name: 'Limit', type: 'app::Point' },
      { name: 'Market', type: '()' },
      { name: 'Many', type: 'core::array::Span::<app::Point>' },
    ],
  },
  {
    type: 'enum',
    name: 'core::option::Option::<core::integer::u64>',
    variants: [
      { name: 'Some', type: 'core::integer::u64' },
      { name: 'None', type: '()' },
    ],
  },
  {
    type: 'enum',
    name: 'core::result::Result::<core::felt252, core::bool>',
    variants: [
      { name: 'Ok', type: 'core::felt252' },
      { name: 'Err', type: 'core::bool' },
    ],
  },
];

const READ: Abi = readAbi(ABI);

const INTEGERS = ['8', '16', '32', '64', '128'].flatMap((bits) => [
  `core::integer::u${bits}`,
  `core::integer::i${bits}`,
]);

const TYPES = [
  ...INTEGERS,
  'core::felt252',
  'core::bool',
  'core::integer::u256',
  'core::starknet::contract_address::ContractAddress',
  'core::starknet::class_hash::ClassHash',
  'core::starknet::eth_address::EthAddress',
  'core::bytes_31::bytes31',
  'core::byte_array::ByteArray',
  'core::array::Array::<core::integer::u256>',
  'core::array::Span::<core::array::Array::<core::felt252>>',
  '(core::integer::u8, (core::bool, core::integer::u256))',
  '[core::integer::u16; 3]',
  'core::zeroable::NonZero::<core::integer::u128>',
  'core::box::Box::<core::integer::u8>',
  'core::option::Option::<core::integer::u64>',
  'core::result::Result::<core::felt252, core::bool>',
  'app::Point',
  'app::Tree',
  'app::Order',
  '()',
];

const echo = (type: string): AbiFunction => ({
  name: 'echo',
  kind: 'view',
  inputs: [{ name: 'value', type }],
  outputs: [type],
});

describe.each(TYPES)('%s', (type) => {
  const codec = functionCodec(echo(type), READ);
  const values = arbitraryOf(ABI, type, { numbers: [1000n, 10n ** 18n], classHashes: ['0x1234'] });

  test('is encoded as a form does, and decoded to the same value', () => {
    void fc.assert(
      fc.property(values, (value) => {
        const felts = codec.encode([value]);
        const [shown] = decodeOutputs(echo(type), felts, READ) ?? [];
        if (!shown) throw new Error(`${felts} cannot be shown`);
        expect(encodeDraft(type, draftOfDecoded(type, shown, READ), READ).felts).toEqual(felts);
        expect(codec.decode(felts)).toEqual(value);
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  test('is shrunk without context to values that are encoded as well', () => {
    for (const value of fc.sample(values, { numRuns: 20, seed: 2 })) {
      expect(values.canShrinkWithoutContext(value)).toBe(true);
      for (const shrunk of values.shrink(value, undefined).take(8)) {
        expect(() => codec.encode([shrunk.value])).not.toThrow();
      }
    }
  });
});

test('u512 is one number of four limbs', () => {
  const codec = functionCodec(echo('core::integer::u512'), READ);
  const value = (1n << 511n) + (2n << 256n) + 3n;
  const felts = codec.encode([value]);
  expect(felts).toEqual(['0x3', '0x0', '0x2', `0x${(1n << 127n).toString(16)}`]);
  expect(codec.decode(felts)).toBe(value);
});

describe('a seed draws the same values as in earlier versions', () => {
  const POOL: ValuePool = {
    recent: {
      numbers: [7n, 1000n, 10n ** 18n],
      felts: [0x6f776e6572n, 2n ** 200n],
      ofType: (type) => (type.endsWith('u64') || type.endsWith('felt252') ? [41n, 42n] : []),
    },
    numbers: [12n, 34n],
    felts: [99n, 2n ** 251n],
    constants: [86_400n, 10_000n, 2n ** 130n],
    actors: ['0xa', '0xb', '0xc'],
    contracts: ['0x1001', '0x1002'],
    addresses: ['0x2001'],
    classHashes: ['0xc1a55'],
    caller: '0xb',
    time: 1_000_000n,
  };
  const { addresses: _, classHashes: __, ...others } = POOL;
  const pools = [POOL, EMPTY_POOL, { ...EMPTY_POOL, ...others, addresses: [], classHashes: [] }];
  const text = (value: StepValue): string =>
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));

  /** How a value is drawn may change on purpose; then a seed that a user has noted draws another history. */
  test.each([
    ['core::integer::u8', 'ddd66484ff6b'],
    ['core::integer::u64', 'f540599b2f96'],
    ['core::integer::i128', '72d8d430ed3a'],
    ['core::integer::u256', '61707aa98eac'],
    ['core::felt252', 'f9e1ed5f8c60'],
    ['core::starknet::contract_address::ContractAddress', 'a77afd6e3eeb'],
    ['core::starknet::class_hash::ClassHash', '037027c98214'],
    ['core::byte_array::ByteArray', '3d432571a36d'],
    ['core::array::Array::<core::integer::u8>', 'be181dc4eb4a'],
    ['app::Tree', '5db7d0bddf9e'],
    ['app::Order', '3d1b91edd546'],
  ])('%s', (type, digest) => {
    const draw = new Draws(READ).of(type);
    const random = new fc.Random(xorshift128plus(11));
    const drawn = Array.from({ length: 900 }, (_, at) =>
      text(draw(random, pools[at % 3] ?? EMPTY_POOL, 0)),
    );
    const hash = createHash('sha256').update(drawn.join('\n'));
    expect(hash.digest('hex').slice(0, 12)).toBe(digest);
  });
});

test('draws boundary values, small numbers and the values that it was handed', () => {
  const numbers = [123_456_789n];
  const drawn = new Set(
    fc.sample(arbitraryOf(ABI, 'core::integer::u128', { numbers }), { numRuns: 5000, seed: 3 }),
  );
  const max = (1n << 128n) - 1n;
  const expected = [0n, 1n, max, max - 1n, max / 2n, max / 2n + 1n, 1n << 64n, (1n << 64n) - 1n];
  const relative = [-1n, 0n, 1n].map((change) => 123_456_789n + change);
  expect(expected.filter((value) => !drawn.has(value))).toEqual([]);
  expect(relative.filter((value) => !drawn.has(value))).toEqual([]);
  expect(drawn.has(123_456_789n * 2n)).toBe(true);
  expect(drawn.has(123_456_789n / 2n)).toBe(true);
});

test('a felt is drawn up to the prime', () => {
  const drawn = new Set(fc.sample(arbitraryOf(ABI, 'core::felt252'), { numRuns: 3000, seed: 4 }));
  expect(drawn.has(PRIME - 1n)).toBe(true);
  expect(drawn.has(PRIME / 2n)).toBe(true);
});

test('a NonZero value is never zero, and shrinks to one', () => {
  const values = arbitraryOf(ABI, 'core::zeroable::NonZero::<core::integer::u8>');
  expect(fc.sample(values, { numRuns: 1000, seed: 5 })).not.toContain(0n);
  const smallest = [...values.shrink(200n, undefined).take(1)].map(({ value }) => value);
  expect(smallest).toEqual([1n]);
});

test('fast-check shrinks to the smallest failing value', () => {
  const shrunkTo = (type: string, passes: (value: StepValue) => boolean): unknown =>
    fc.check(fc.property(arbitraryOf(ABI, type), passes), { numRuns: 2000, seed: 6 })
      .counterexample?.[0];
  expect(shrunkTo('core::integer::u256', (value) => Number(value) < 12_345)).toBe(12_345n);
  expect(
    shrunkTo('core::option::Option::<core::integer::u64>', (value) => typeof value === 'string'),
  ).toEqual({ Some: 0n });
  expect(shrunkTo('core::array::Array::<core::bool>', (value) => Object(value).length < 2)).toEqual(
    [false, false],
  );
});

test('a wrong argument is rejected with the function, the type and the value', () => {
  const codec = functionCodec(echo('core::integer::u8'), READ);
  expect(() => codec.encode([256n])).toThrow(
    'Argument value of echo(value: u8) -> u8: the value does not fit into 8 bits.',
  );
  expect(() => codec.encode([])).toThrow('echo(value: u8) -> u8 takes 1 argument; 0 were given.');
  expect(() => arbitraryOf(ABI, 'app::Unknown')).toThrow(
    'The ABI does not define the type Unknown',
  );
});

test('paths of the core library may be left out', () => {
  const shorts = ['u8', 'Array<ContractAddress>', '(bool, Span<u256>)', '[u16; 2]', 'Option<u64>'];
  for (const type of shorts) {
    const [value = 0n] = fc.sample(arbitraryOf(ABI, type), { numRuns: 1, seed: 1 });
    expect(arbitraryOf(ABI, type).canShrinkWithoutContext(value), type).toBe(true);
  }
  expect(() => arbitraryOf(ABI, 'Point')).toThrow('The ABI does not define the type Point');
});
