// Declarations of Cairo sources, and the layout of storage that follows from them.
import { describe, expect, test } from 'vitest';
import { readDeclarations } from '../src/storage/cairo-source.js';
import { hashedName, keyCount, TypeReader } from '../src/storage/storage-type.js';

const SOURCE = `
// struct Commented { a: u8 }
const SHIFT: u128 = 0x100000000;
pub const FAR: u256 = 4294967296_u256;
type Id = (u64, ContractAddress);

#[derive(Drop, starknet::Store)]
pub struct Position {
    pub owner: ContractAddress,
    amount: u256, // of "tokens" } {
    pub(crate) label: felt252,
}

#[starknet::contract]
mod vault {
    const TEXT: felt252 = 'a } brace';
    #[storage]
    struct Storage {
        positions: Map<Id, Position>,
        #[substorage(v0)]
        #[rename("older")]
        names: Vec<ByteArray>,
        choice: Choice,
        limits: Limits,
        pool: Pool,
    }

    #[derive(starknet::Store)]
    enum Choice { First, #[default] Second: u256, Third }

    #[starknet::storage_node]
    struct Pool { total: u128, shares: Map<bool, felt252> }
}

struct Limits { daily: u32, single: u32, is_strict: bool }

impl LimitsPacking of StorePacking<Limits, u128> {
    fn pack(value: Limits) -> u128 {
        value.daily.into() + value.single.into() * SHIFT + (if value.is_strict { 1 } else { 0 }) * 0x10000000000000000
    }
    fn unpack(value: u128) -> Limits { other(value) }
}

struct Other { a: u8, b: u8 }
impl OtherPacking of starknet::storage_access::StorePacking<Other, felt252> {
    fn pack(value: Other) -> felt252 { let Other { a, b } = value; a.into() + 3 * b.into() }
}
struct Position { repeated: u8 }
`;

const declarations = readDeclarations([{ file: 'a/src/lib.cairo', text: SOURCE }]);
const types = new TypeReader(declarations);

const cellsOf = (type: string): unknown => {
  const read = types.read(type);
  return read.kind === 'cells'
    ? read.cells.map(({ members, type: of, part }) => [members.join('.'), of, part])
    : read.kind;
};

test('variables, with their attributes and the module around them', () => {
  const [storage, ...others] = declarations.storages;
  expect(others).toEqual([]);
  expect(storage).toMatchObject({ module: 'vault', attributes: ['storage'] });
  expect(storage?.members.map((member) => [member.name, member.type, hashedName(member)])).toEqual([
    ['positions', 'Map<Id, Position>', 'positions'],
    ['names', 'Vec<ByteArray>', 'older'],
    ['choice', 'Choice', 'choice'],
    ['limits', 'Limits', 'limits'],
    ['pool', 'Pool', 'pool'],
  ]);
  expect(storage?.members[1]?.attributes).toEqual(['substorage(v0)', 'rename("older")']);
});

test('structs, of which the first one of a name counts, and none in a comment', () => {
  expect(declarations.structs.get('Position')?.members.map(({ name }) => name)).toEqual([
    'owner',
    'amount',
    'label',
  ]);
  // A file is a module; that of a package has its folder's name.
  expect(declarations.structs.get('Position')?.module).toBe('src');
  expect(declarations.structs.has('Commented')).toBe(false);
  const [token] = readDeclarations([
    { file: 'a/token.cairo', text: '#[storage]\nstruct Storage { a: u8 }' },
  ]).storages;
  expect(token?.module).toBe('token');
});

test('packed structs', () => {
  expect(declarations.packings.get('Limits')).toEqual({
    as: 'u128',
    fields: [
      { name: 'daily', shift: 0, bits: 32 },
      { name: 'single', shift: 32, bits: 32 },
      { name: 'is_strict', shift: 64 },
    ],
  });
  // A factor that is no power of two.
  expect(declarations.packings.get('Other')).toEqual({ as: 'felt252', fields: undefined });
});

describe('sums that pack', () => {
  const fieldsOf = (body: string, constants = 'const S: u128 = 256;') =>
    readDeclarations([
      {
        file: 'lib.cairo',
        text: `${constants} impl P of StorePacking<A, u128> { fn pack(value: A) -> u128 { ${body} } }`,
      },
    ]).packings.get('A')?.fields;

  test.each([
    ['value.a.into() + value.b.into() * S', ['a', 'b']],
    ['value.b.into() * constants::S + value.a.into()', ['a', 'b']],
    ['let A { a, b } = value; a.into() + 256_u128 * b.into()', ['a', 'b']],
    ['(value.a.into() + value.b.into() * 2) + (value.c.into() * S)', ['a', 'b', 'c']],
    ['value.a.into()', ['a']],
  ])('%s', (body, names) => {
    expect(fieldsOf(body)?.map(({ name }) => name)).toEqual(names);
  });

  test.each([
    'value.a.into() + value.b.into()',
    'value.a.into() * value.b.into()',
    'value.a.into() * S * S',
    'value.a.into() + 7',
    'value.a.into() + value.b.into() * UNKNOWN',
    'let x = value.a; x.into()',
    'other(value)',
  ])('is none: %s', (body) => {
    expect(fieldsOf(body)).toBeUndefined();
  });
});

test('slots of values', () => {
  expect(cellsOf('Position')).toEqual([
    ['owner', 'ContractAddress', undefined],
    ['amount', 'u256', 'low'],
    ['amount', 'u256', 'high'],
    ['label', 'felt252', undefined],
  ]);
  expect(cellsOf('(u8, [bool; 2])')).toEqual([
    ['0', 'u8', undefined],
    ['1.0', 'bool', undefined],
    ['1.1', 'bool', undefined],
  ]);
  expect(cellsOf('Option<u256>')).toEqual([
    ['', 'Option', 'variant'],
    ['', 'u256', 'low'],
    ['', 'u256', 'high'],
  ]);
  expect(cellsOf('Result<u8, u256>')).toEqual([
    ['', 'Result', 'variant'],
    ['0', undefined, undefined],
    ['1', undefined, undefined],
  ]);
  expect(cellsOf('NonZero<u8>')).toEqual([['', 'u8', undefined]]);
  expect(cellsOf('ITokenDispatcher')).toEqual([['contract_address', 'ContractAddress', undefined]]);
  expect(cellsOf('ITokenLibraryDispatcher')).toEqual([['class_hash', 'ClassHash', undefined]]);
  expect(cellsOf('Limits')).toEqual([['', 'Limits', undefined]]);
  // Up to 256 slots.
  expect(cellsOf('[u8; 256]')).toHaveLength(256);
  expect(cellsOf('[u8; 257]')).toBe('unknown');
  expect(cellsOf('([u8; 200], [u8; 57])')).toBe('unknown');
  expect(cellsOf('Nothing')).toBe('unknown');
  expect(cellsOf('(u8, Nothing)')).toBe('unknown');
  expect(cellsOf('Option<Nothing>')).toBe('unknown');
});

test('the default variant is stored as 0, and those before it one further', () => {
  const choice = types.read('Choice');
  if (choice.kind !== 'cells') throw new Error('the slots are known');
  expect(choice.cells.map(({ type, variants }) => [type, variants])).toEqual([
    ['Choice', ['Second', 'First', 'Third']],
    ['u256', undefined],
    ['u256', undefined],
  ]);
});

test('keys of maps', () => {
  expect(types.keyUnits('Id')).toEqual([
    { kind: 'integer', type: 'u64', bits: 64 },
    { kind: 'address', type: 'ContractAddress' },
  ]);
  expect(types.keyUnits('Position')?.map(({ kind }) => kind)).toEqual(['address', 'u256', 'felt']);
  expect(types.keyUnits('bool')).toEqual([{ kind: 'variants', type: 'bool', count: 2 }]);
  // An enum with a value has no fixed felts, nor has a list.
  expect(types.keyUnits('Choice')).toBeUndefined();
  expect(types.keyUnits('[u8; 2]')).toBeUndefined();
  expect(types.keyUnits('(u8, Nothing)')).toBeUndefined();
  const count = (type: string) => keyCount(types.read(type));
  expect(['u8', 'Vec<u8>', 'Map<Id, u8>', 'Map<u8, Vec<u8>>', 'Map<u8, Pool>'].map(count)).toEqual([
    0, 1, 2, 2, 2,
  ]);
});
