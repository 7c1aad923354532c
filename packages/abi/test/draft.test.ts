// Drafts of every type: what is typed becomes the felts of the type, within limits.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { CallData } from 'starknet';
import { describe, expect, test } from 'vitest';
import {
  blankDraft,
  type Draft,
  draftOfDecoded,
  draftOfJson,
  encodeDraft,
  fitDraft,
  isFormable,
  MAX_ITEMS,
} from '../src/draft.js';
import { decodeInputs, readAbi } from '../src/index.js';
import { InvalidInput } from '../src/scalar.js';
import { countFields, inputsOf, MAX_FIELDS, rangeOf, shapeOf, typeShape } from '../src/shape.js';
import { draftOfText } from '../src/typed-text.js';
import { feltsOf, feltsOfText } from './support/encoded.js';
import { CHOICE, POINT, SHAPES } from './support/shapes.js';

const none = readAbi([]);
const felts = (type: string, draft: Draft, abi = none) =>
  feltsOf(type, draft, abi, (name) => (name === 'bob' ? '0xb0b' : undefined));

const shapes = readAbi(SHAPES);

describe('values', () => {
  test('numbers', () => {
    expect(felts('core::integer::u256', '1.5 STRK')).toEqual(['0x14d1120d7b160000', '0x0']);
    expect(felts('core::integer::u256', `0x1${'0'.repeat(32)}`)).toEqual(['0x0', '0x1']);
    expect(felts('core::integer::u64', '25 gfri')).toEqual(['0x5d21dba00']);
    expect(felts('core::integer::u64', '1_000_000')).toEqual(['0xf4240']);
    expect(felts('core::integer::u128', '1.25e2')).toEqual(['0x7d']);
    expect(felts('core::integer::u8', '0.5')).toMatch(/whole number/);
    expect(felts('core::integer::u8', '-1')).toMatch(/negative/);
    expect(felts('core::integer::u8', '256')).toMatch(/8 bits/);
    expect(felts('core::integer::i8', '-128')).toEqual([
      `0x${(2n ** 251n + 17n * 2n ** 192n + 1n - 128n).toString(16)}`,
    ]);
    expect(felts('core::integer::i8', '-129')).toMatch(/8 bits/);
    expect(felts('core::integer::u8', '')).toMatch(/Enter a number/);
  });

  test('numbers that are not zero', () => {
    const type = 'core::zeroable::NonZero::<core::integer::u8>';
    expect(felts(type, '1')).toEqual(['0x1']);
    expect(typeof felts(type, '0')).toBe('string');
  });

  test('felts, addresses, classes, texts', () => {
    expect(felts('core::felt252', "'hi'")).toEqual(['0x6869']);
    expect(felts('core::felt252', `'${'a'.repeat(32)}'`)).toMatch(/31 bytes/);
    expect(felts('core::felt252', `0x${'f'.repeat(64)}`)).toMatch(/Too large/);
    expect(felts('core::starknet::contract_address::ContractAddress', 'bob')).toEqual(['0xb0b']);
    expect(felts('core::starknet::contract_address::ContractAddress', '0x00B')).toEqual(['0xb']);
    expect(felts('core::starknet::contract_address::ContractAddress', 'eve')).toMatch(/a name/);
    expect(felts('core::starknet::class_hash::ClassHash', '12')).toMatch(/class hash/);
    expect(felts('core::starknet::eth_address::EthAddress', `0x1${'0'.repeat(40)}`)).toMatch(
      /160 bits/,
    );
    expect(felts('core::byte_array::ByteArray', 'a'.repeat(32))).toEqual([
      '0x1',
      `0x${'61'.repeat(31)}`,
      '0x61',
      '0x1',
    ]);
  });

  test('tuples, records, choices, lists', () => {
    expect(felts('(core::bool, core::felt252)', ['true', '2'])).toEqual(['0x1', '0x2']);
    expect(felts(POINT, ['3', '4'], shapes)).toEqual(['0x3', '0x4', '0x0']);
    expect(felts(CHOICE, { variant: 1, value: ['3', '4'] }, shapes)).toEqual([
      '0x1',
      '0x3',
      '0x4',
      '0x0',
    ]);
    expect(felts(CHOICE, blankDraft(CHOICE, shapes), shapes)).toEqual(['0x2']);
    expect(felts('core::option::Option::<core::integer::u8>', { variant: 0, value: '9' })).toEqual([
      '0x0',
      '0x9',
    ]);
    expect(felts('core::option::Option::<core::integer::u8>', { variant: 1, value: '' })).toEqual([
      '0x1',
    ]);
    expect(
      felts('core::result::Result::<core::felt252, core::bool>', { variant: 1, value: 'true' }),
    ).toEqual(['0x1', '0x1']);
    expect(felts('core::array::Span::<core::felt252>', ['1', '2'])).toEqual(['0x2', '0x1', '0x2']);
    expect(felts('[core::felt252; 2]', ['1', '2'])).toEqual(['0x1', '0x2']);
    expect(felts('felt*', ['1'])).toEqual(['0x1', '0x1']);
  });

  test('each part has its own felts and its own fault', () => {
    const encoded = encodeDraft(POINT, ['3', 'four'], shapes);
    expect(encoded.isWrong).toBe(true);
    expect(encoded.parts?.[0]).toMatchObject({ felts: ['0x3'], isWrong: false });
    expect(encoded.parts?.[1]?.error).toMatch(/Enter a number/);
  });

  test('a list is pasted as JSON or between commas', () => {
    const type = `core::array::Array::<${POINT}>`;
    expect(draftOfText(type, '[{"x": 1, "y": 2}, [3, 0x4]]', shapes)).toEqual([
      ['1', '2'],
      ['3', '0x4'],
    ]);
    expect(draftOfText('core::array::Array::<core::felt252>', '1, 0x2\n3', none)).toEqual([
      '1',
      '0x2',
      '3',
    ]);
    expect(draftOfText(type, '1, 2\n"3";0x4\n', shapes)).toEqual([
      ['1', '2'],
      ['3', '0x4'],
    ]);
    expect(() => draftOfText(type, '1, 2, 3', shapes)).toThrow(/2 values/);
    const long = '123456789012345678901234567890';
    expect(feltsOfText('core::array::Array::<core::felt252>', `[${long}]`, none)).toEqual([
      '0x1',
      `0x${BigInt(long).toString(16)}`,
    ]);
    expect(() => draftOfText(type, '[', shapes)).toThrow(/JSON/);
  });

  test('a variant that does not exist, and a list of lists without brackets, are faults', () => {
    expect(typeof felts(CHOICE, { variant: 9, value: '' }, shapes)).toBe('string');
    const nested = 'core::array::Array::<core::array::Array::<core::integer::u8>>';
    expect(() => draftOfText(nested, '1, 2', none)).toThrow(InvalidInput);
  });

  test('a form begins with the simplest variant', () => {
    const variants = (...types: readonly string[]) =>
      readAbi([
        { type: 'struct', name: 'Inner', members: [{ name: 'a', type: 'felt' }] },
        {
          type: 'enum',
          name: 'Of',
          variants: types.map((type, at) => ({ name: `v${at}`, type })),
        },
      ]);
    const first = (...types: readonly string[]) => typeShape('Of', variants(...types));
    expect(first('()', 'felt', '()')).toMatchObject({ first: 0 });
    expect(first('felt', '()')).toMatchObject({ first: 1 });
    expect(first('Inner', '(felt, felt)', 'felt', 'felt')).toMatchObject({ first: 2 });
    expect(first('Inner', 'Of')).toMatchObject({ first: 0 });
  });

  test('numbers of a type, and how many felts one takes', () => {
    const range = (type: string) => {
      const shape = typeShape(type, none);
      if (shape.kind !== 'felt' && shape.kind !== 'integer') throw new Error(type);
      const { min, max, bits, limbs } = rangeOf(shape);
      return [min, max, bits, limbs];
    };
    const prime = 2n ** 251n + 17n * 2n ** 192n + 1n;
    expect(range('felt')).toEqual([0n, prime - 1n, 252, 1]);
    expect(range('core::zeroable::NonZero::<felt>')).toEqual([1n, prime - 1n, 252, 1]);
    expect(range('core::bytes_31::bytes31')).toEqual([0n, 2n ** 248n - 1n, 248, 1]);
    expect(range('core::integer::u128')).toEqual([0n, 2n ** 128n - 1n, 128, 1]);
    expect(range('core::integer::i128')).toEqual([-(2n ** 127n), 2n ** 127n - 1n, 128, 1]);
    expect(range('Uint256')).toEqual([0n, 2n ** 256n - 1n, 256, 2]);
    expect(range('core::integer::u512')).toEqual([0n, 2n ** 512n - 1n, 512, 4]);
  });

  test('a decoded value of a type without a form is asked for anew', () => {
    const wide = '[felt; 201]';
    const [value] =
      decodeInputs({ inputs: [{ name: 'v', type: wide }] }, Array(201).fill('0x1'), none) ?? [];
    expect(value?.value.kind).toBe('list');
    expect(value && draftOfDecoded(wide, value.value, none)).toBe('');
    const record = { kind: 'record' as const, type: '', members: [] };
    expect(draftOfDecoded('felt', record, none)).toBe('');
    expect(draftOfDecoded('(felt, core::bool)', record, none)).toEqual(['', 'false']);
    const choice = { kind: 'choice' as const, type: '', variant: 'Nothing' };
    expect(draftOfDecoded(CHOICE, choice, shapes)).toEqual({ variant: 2, value: '' });
    expect(draftOfDecoded(CHOICE, { ...choice, variant: 'Missing' }, shapes)).toEqual(
      blankDraft(CHOICE, shapes),
    );
    expect(draftOfDecoded(POINT, choice, shapes)).toEqual(blankDraft(POINT, shapes));
  });

  test('lengths of Cairo 0 are not asked for', () => {
    const inputs = inputsOf({
      inputs: [
        { name: 'calls_len', type: 'felt' },
        { name: 'calls', type: 'felt*' },
        { name: 'size', type: 'felt' },
        { name: 'data', type: 'felt*' },
        { name: 'key_len', type: 'felt' },
        { name: 'key', type: 'felt' },
        { name: 'last_len', type: 'felt' },
      ],
    });
    expect(inputs.map(({ name }) => name)).toEqual([
      ...['calls', 'size', 'data', 'key_len', 'key', 'last_len'],
    ]);
  });
});

describe('what is typed', () => {
  const types = [
    'core::felt252',
    'core::bool',
    'core::integer::u8',
    'core::integer::i128',
    'core::integer::u256',
    'core::byte_array::ByteArray',
    POINT,
    CHOICE,
    `core::array::Array::<${CHOICE}>`,
    `(${POINT}, core::option::Option::<core::integer::u64>)`,
  ];
  const abi = readAbi([
    ...[...shapes.structs].map(([name, members]) => ({ type: 'struct', name, members })),
    ...[...shapes.enums].map(([name, variants]) => ({ type: 'enum', name, variants })),
    {
      type: 'enum',
      name: 'core::option::Option::<core::integer::u64>',
      variants: [
        { name: 'Some', type: 'core::integer::u64' },
        { name: 'None', type: '()' },
      ],
    },
  ]);
  const draft = (type: string): fc.Arbitrary<Draft> => {
    const shape = shapeOf(type, abi);
    switch (shape.kind) {
      case 'bool':
        return fc.constantFrom('true', 'false');
      case 'integer':
        return fc.integer({ min: shape.signed ? -100 : 0, max: 100 }).map(String);
      case 'text':
        return fc.string({ unit: 'grapheme', maxLength: 80 });
      case 'list':
        return fc.array(draft(shape.of), { maxLength: 4 });
      case 'record':
        return fc.tuple(...shape.members.map((member) => draft(member.type)));
      case 'choice':
        return fc.oneof(
          ...shape.variants.map((variant, at) =>
            draft(variant.type).map((value) => ({ variant: at, value })),
          ),
        );
      case 'unit':
        return fc.constant('');
      default:
        return fc.bigInt({ min: 0n, max: 2n ** 200n }).map((value) => `0x${value.toString(16)}`);
    }
  };

  test.each(types)('comes back when it is read: %s', (type) => {
    fc.assert(
      fc.property(draft(type), (typed) => {
        const encoded = encodeDraft(type, typed, abi);
        expect(encoded.isWrong).toBe(false);
        const [value] = decodeInputs({ inputs: [{ name: 'v', type }] }, encoded.felts, abi) ?? [];
        expect(value && draftOfDecoded(type, value.value, abi)).toEqual(typed);
        // And once more after a way through an address.
        expect(fitDraft(type, JSON.parse(JSON.stringify(typed)), abi)).toEqual(typed);
      }),
      { numRuns: 60 },
    );
  });

  test('is encoded as a client does it', () => {
    const file = new URL('../../../contracts/cairo/reverter.sierra.json', import.meta.url);
    const source = JSON.parse(readFileSync(file, 'utf8')).abi;
    const abi = readAbi(source);
    const client = new CallData(source);
    for (const { name, inputs } of abi.functions.values()) {
      const drafts = inputs.map(({ type }) =>
        shapeOf(type, abi).kind === 'list' ? ['7', '0x8'] : '0x9',
      );
      const ours = inputs.flatMap(({ type }, at) => {
        const encoded = encodeDraft(type, drafts[at] ?? '', abi, undefined);
        return [...encoded.felts];
      });
      const theirs = client.compile(
        name,
        drafts.map((draft) => draft),
      );
      expect(ours.map(BigInt)).toEqual(theirs.map(BigInt));
    }
  });
});

describe('hostile shapes', () => {
  const doubling = readAbi(
    Array.from({ length: 40 }, (_, at) => ({
      type: 'struct',
      name: `S${at}`,
      members: [
        { name: 'a', type: `S${at + 1}` },
        { name: 'b', type: `S${at + 1}` },
      ],
    })),
  );
  const cyclic = readAbi([
    { type: 'struct', name: 'Loop', members: [{ name: 'again', type: 'Loop' }] },
    { type: 'struct', name: 'Ping', members: [{ name: 'pong', type: 'Pong' }] },
    { type: 'struct', name: 'Pong', members: [{ name: 'ping', type: '(Ping, core::felt252)' }] },
    { type: 'enum', name: 'Only', variants: [{ name: 'Again', type: 'Only' }] },
    {
      type: 'enum',
      name: 'Tree',
      variants: [
        { name: 'Leaf', type: 'core::felt252' },
        { name: 'Both', type: '(Tree, Tree)' },
      ],
    },
    {
      type: 'struct',
      name: 'Forest',
      members: [{ name: 'trees', type: 'core::array::Array::<Forest>' }],
    },
    {
      type: 'struct',
      name: 'Wide',
      members: Array.from({ length: 5_000 }, (_, at) => ({ name: `m${at}`, type: 'felt' })),
    },
    {
      type: 'enum',
      name: 'Many',
      variants: Array.from({ length: 5_000 }, (_, at) => ({ name: `v${at}`, type: 'felt' })),
    },
    { type: 'enum', name: 'Empty', variants: [] },
    { type: 'struct', name: '__proto__', members: [{ name: '__proto__', type: 'core::felt252' }] },
  ]);

  test.each(['Loop', 'Ping', 'Pong', 'Only', 'Wide', 'Many', 'Empty', 'unknown::Type'])(
    '%s is asked for as felts',
    (type) => {
      expect(shapeOf(type, cyclic).kind).toBe('raw');
      expect(blankDraft(type, cyclic)).toBe('');
      expect(felts(type, '0x1 2, 3', cyclic)).toEqual(['0x1', '0x2', '0x3']);
    },
  );

  test('a type that doubles at each layer costs no time', () => {
    expect(shapeOf('S0', doubling).kind).toBe('raw');
    expect(countFields('S39', doubling)).toBe(3);
    expect(isFormable([{ name: 'a', type: 'S0' }], doubling)).toBe(true);
    blankDraft('S30', doubling);
    // Without a bound this would visit 2^40 members and never end.
    fitDraft('S0', [[[[[]]]]], doubling);
  });

  test('types that contain themselves behind a list or a choice have a form', () => {
    expect(blankDraft('Forest', cyclic)).toEqual([[]]);
    expect(felts('Forest', [[[[]]]], cyclic)).toEqual(['0x1', '0x0']);
    expect(felts('Tree', { variant: 0, value: '5' }, cyclic)).toEqual(['0x0', '0x5']);
    const leaf = { variant: 0, value: '5' };
    expect(felts('Tree', { variant: 1, value: [leaf, leaf] }, cyclic)).toEqual([
      '0x1',
      '0x0',
      '0x5',
      '0x0',
      '0x5',
    ]);
  });

  test('nesting, length and names have an end', () => {
    let deep: Draft = [];
    for (let at = 0; at < 100; at++) deep = [[deep]];
    expect(felts('Forest', deep, cyclic)).toMatch(/too deeply/);
    const many = Array.from({ length: 3_000 }, () => '1');
    expect(felts('core::array::Array::<core::felt252>', many)).toMatch(/at most/);
    expect(shapeOf('[core::felt252; 1000000000]', none).kind).toBe('raw');
    expect(shapeOf(`${'('.repeat(500)}felt${')'.repeat(500)}`, none).kind).toBe('raw');
    expect(felts('__proto__', ['7'], cyclic)).toEqual(['0x7']);
    const inputs = Array.from({ length: MAX_FIELDS + 1 }, () => ({ name: 'x', type: 'felt' }));
    expect(isFormable(inputs, none)).toBe(false);
  });

  test('fields, variants and items are counted to their last', () => {
    const kindOf = (type: string, abi = none) => shapeOf(type, abi).kind;
    expect(
      [`[felt; ${MAX_FIELDS}]`, `[felt; ${MAX_FIELDS + 1}]`].map((type) => kindOf(type)),
    ).toEqual(['list', 'raw']);
    // A list or record of parts counts itself too.
    expect(countFields('[(felt, felt); 4]', none)).toBe(1 + 4 * 3);
    expect(countFields('core::array::Array::<(felt, felt)>', none)).toBe(1);
    expect(countFields(CHOICE, shapes)).toBe(2);
    const membersOf = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `m${at}`, type: 'felt' }));
    const abi = readAbi([
      ...[MAX_FIELDS - 1, MAX_FIELDS].map((count) => ({
        type: 'struct',
        name: `Struct${count}`,
        members: membersOf(count),
      })),
      ...[300, 301].map((count) => ({
        type: 'enum',
        name: `Enum${count}`,
        variants: membersOf(count),
      })),
    ]);
    expect(kindOf(`Struct${MAX_FIELDS - 1}`, abi)).toBe('record');
    expect(kindOf(`Struct${MAX_FIELDS}`, abi)).toBe('raw');
    expect([kindOf('Enum300', abi), kindOf('Enum301', abi)]).toEqual(['choice', 'raw']);
    expect(isFormable(membersOf(MAX_FIELDS), none)).toBe(true);
    // One that is asked for as felts is one field.
    expect(
      isFormable([{ name: 'a', type: `Struct${MAX_FIELDS}` }, ...membersOf(MAX_FIELDS - 1)], abi),
    ).toBe(true);
    expect(isFormable([{ name: 'a', type: '(felt, felt)' }, ...membersOf(197)], none)).toBe(true);
    expect(isFormable([{ name: 'a', type: '(felt, felt)' }, ...membersOf(198)], none)).toBe(false);
    const list = 'core::array::Array::<core::felt252>';
    const items = (count: number) => Array.from({ length: count }, () => '1');
    expect(felts(list, items(MAX_ITEMS))).toHaveLength(MAX_ITEMS + 1);
    expect(felts(list, items(MAX_ITEMS + 1))).toMatch(/at most/);
    expect(fitDraft(list, items(MAX_ITEMS), none)).toHaveLength(MAX_ITEMS);
    expect(fitDraft(list, items(MAX_ITEMS + 1), none)).toEqual([]);
    expect(draftOfText(list, JSON.stringify(items(MAX_ITEMS)), none)).toHaveLength(MAX_ITEMS);
    expect(() => draftOfText(list, JSON.stringify(items(MAX_ITEMS + 1)), none)).toThrow(/at most/);
    // Items of all lists together.
    const pair = `(${list}, ${list})`;
    expect(felts(pair, [items(MAX_ITEMS - 1), ['2']])).toHaveLength(MAX_ITEMS + 2);
    expect(JSON.stringify(encodeDraft(pair, [items(MAX_ITEMS), ['2']], none))).toMatch(/in all/);
  });

  test('32 layers are the most', () => {
    const nested = (layers: number): Draft => (layers === 0 ? [] : [nested(layers - 1)]);
    const depthOf = (draft: Draft): number => {
      const [inner] = Array.isArray(draft) ? draft : [];
      return inner === undefined ? 0 : 1 + depthOf(inner);
    };
    // A forest takes two layers: its record, and the list in it.
    expect(encodeDraft('Forest', nested(31), cyclic).isWrong).toBe(false);
    expect(encodeDraft('Forest', nested(33), cyclic).isWrong).toBe(true);
    expect(depthOf(fitDraft('Forest', nested(60), cyclic))).toBe(33);
    const forest = JSON.stringify(nested(31));
    expect(depthOf(draftOfJson('Forest', JSON.parse(forest), cyclic))).toBe(31);
    expect(() => draftOfJson('Forest', nested(33), cyclic)).toThrow(InvalidInput);
  });

  test('a draft that does not fit its type becomes blank', () => {
    for (const json of [7, null, {}, [[]], { variant: 99, value: '' }, '__proto__', undefined]) {
      expect(felts(POINT, fitDraft(POINT, json, shapes), shapes)).toMatch(/Enter a number/);
    }
    expect(fitDraft(CHOICE, { variant: -1, value: 'x' }, shapes)).toEqual(
      blankDraft(CHOICE, shapes),
    );
  });
});
