// Texts and numbers as people write and read them: scalars, short strings, names, types, and the gas of an earlier run.
import { describe, expect, test } from 'vitest';
import { readAbi } from '../src/abi.js';
import { encodeArguments } from '../src/arguments.js';
import {
  canonicalFelt,
  decodeShortString,
  encodeShortString,
  feltOfBytes,
  fromU256,
  PRIME,
  padFelt,
  shortAddress,
  shortHash,
  toFelt,
  u256,
  u256Entries,
} from '../src/felt.js';
import { baselineOf, gasChanges, isBeyond, readBaseline } from '../src/gas/baseline.js';
import { GasReport } from '../src/gas/report.js';
import { classNameOf, contractName, distinctNames, nameInAbi, nameOfClass } from '../src/names.js';
import {
  addressOf,
  boolOf,
  byteArrayOf,
  classHashOf,
  feltOf,
  InvalidInput,
  rawOf,
} from '../src/scalar.js';
import { shapeOf } from '../src/shape.js';
import { readTypeName, shortType, splitAtCommas } from '../src/type-name.js';
import { visibleName } from '../src/visible-name.js';

const refuses = (read: () => unknown) => expect(read).toThrow(InvalidInput);

describe('felts', () => {
  test('are short strings from two printable letters to 31', () => {
    expect(decodeShortString(encodeShortString(' ~'))).toBe(' ~');
    expect(decodeShortString(encodeShortString('a'.repeat(31)))).toBe('a'.repeat(31));
    for (const felt of ['0x', '0x61', '0x616', '0x1f61', '0x617f', `0x${'61'.repeat(32)}`]) {
      expect(decodeShortString(felt)).toBeUndefined();
    }
  });

  test('are shortened where that saves letters', () => {
    const felt = (digits: number) => `0x${'1'.repeat(digits)}`;
    expect(shortHash(felt(10))).toBe(felt(10));
    expect(shortHash(felt(11))).toBe('0x1111…1111');
    expect(shortAddress(felt(12))).toBe(felt(12));
    expect(shortAddress(felt(13))).toBe('0x111111…1111');
    expect(padFelt('0x1')).toBe(`0x${'0'.repeat(63)}1`);
    expect([canonicalFelt(` ${felt(64)} `), canonicalFelt(felt(65)), canonicalFelt('0x')]).toEqual([
      ...[felt(64), undefined, undefined],
    ]);
  });

  test('are bytes, and halves of larger numbers', () => {
    expect([feltOfBytes(new Uint8Array(0)), feltOfBytes(Uint8Array.of(0, 0x0a, 0xff))]).toEqual([
      ...['0x0', '0xaff'],
    ]);
    const value = 2n ** 128n + 5n;
    expect(u256(value)).toEqual({ low: '0x5', high: '0x1' });
    expect(u256(2n ** 128n - 1n)).toEqual({ low: toFelt(2n ** 128n - 1n), high: '0x0' });
    expect(fromU256('0x5', '0x1')).toBe(value);
    expect(u256Entries('0xf', value)).toEqual([
      { key: '0xf', value: '0x5' },
      { key: '0x10', value: '0x1' },
    ]);
  });
});

describe('what is typed', () => {
  test('as a felt is a number below the prime, or a text', () => {
    expect(feltOf('-1')).toBe(toFelt(PRIME - 1n));
    expect(feltOf(String(PRIME - 1n))).toBe(toFelt(PRIME - 1n));
    expect(feltOf(String(1n - PRIME))).toBe('0x1');
    for (const number of [PRIME, -PRIME]) refuses(() => feltOf(String(number)));
    expect([feltOf('255', 8), feltOf('0', 8)]).toEqual(['0xff', '0x0']);
    for (const text of ['256', '-1']) refuses(() => feltOf(text, 8));
    expect(feltOf(`'${'a'.repeat(31)}'`)).toBe(`0x${'61'.repeat(31)}`);
    refuses(() => feltOf(`'${'a'.repeat(32)}'`));
    expect([
      feltOf('1_000'),
      feltOf('1,000'),
      feltOf('2e3'),
      feltOf('1.5e1'),
      feltOf('2 gwei'),
    ]).toEqual([...['0x3e8', '0x3e8', '0x7d0', '0xf', toFelt(2n * 10n ** 9n)]]);
    expect([feltOf('3 wei'), feltOf('1 ETH'), feltOf('1 strk'), feltOf('1 fri')]).toEqual([
      ...['0x3', toFelt(10n ** 18n), toFelt(10n ** 18n), '0x1'],
    ]);
    for (const text of ['', 'x', '0x', '1.', '1e', '1.55e1', '1 dollar', '_1'])
      refuses(() => feltOf(text));
  });

  test('as a truth value, an address or a class', () => {
    expect(['true', '1', 'false', '0'].map(boolOf)).toEqual(['0x1', '0x1', '0x0', '0x0']);
    for (const text of ['', '2', 'True']) refuses(() => boolOf(text));
    const address = (text: string) =>
      addressOf(text, (name) => (name === 'bob' ? '0xb' : undefined));
    const bound = 2n ** 251n;
    expect([address('0x00A'), address('bob'), address('12'), address(toFelt(bound - 1n))]).toEqual([
      ...['0xa', '0xb', '0xc', toFelt(bound - 1n)],
    ]);
    for (const text of [toFelt(bound), String(bound), 'eve', '-1', ''])
      refuses(() => address(text));
    expect(classHashOf(toFelt(PRIME - 1n))).toBe(toFelt(PRIME - 1n));
    for (const text of [toFelt(PRIME), '12', '']) refuses(() => classHashOf(text));
  });

  test('as a text or as felts has a length', () => {
    expect(byteArrayOf('')).toEqual(['0x0', '0x0', '0x0']);
    expect(byteArrayOf('a'.repeat(31))).toEqual(['0x1', `0x${'61'.repeat(31)}`, '0x0', '0x0']);
    expect(byteArrayOf('ab')).toEqual(['0x0', '0x6162', '0x2']);
    expect(byteArrayOf('a'.repeat(100_000))[0]).toBe(toFelt(Math.floor(100_000 / 31)));
    refuses(() => byteArrayOf('a'.repeat(100_001)));
    expect(rawOf('["0x1", 2] 3')).toEqual(['0x1', '0x2', '0x3']);
    expect(rawOf('1 '.repeat(2_000))).toHaveLength(2_000);
    refuses(() => rawOf('1 '.repeat(2_001)));
  });

  test('as a number of JavaScript is exact', () => {
    const abi = readAbi([]);
    const encode = (type: string, value: unknown) =>
      encodeArguments({ name: 'f', inputs: [{ name: 'v', type }], outputs: [] }, [value], abi);
    expect(encode('core::felt252', Number.MAX_SAFE_INTEGER)).toEqual([toFelt(2 ** 53 - 1)]);
    expect(encode('core::integer::u8', 255n)).toEqual(['0xff']);
    expect(encode('core::integer::u8', ' 255 ')).toEqual(['0xff']);
    expect(encode('core::felt252', "'ab'")).toEqual(['0x6162']);
    for (const value of [2 ** 53, 1.5, Number.NaN]) {
      expect(() => encode('core::felt252', value)).toThrow(/not exact/);
    }
    expect(() => encode('core::integer::u8', "'ab'")).toThrow(/enter a number/i);
    expect(() => encode('core::integer::u8', 256)).toThrow(/8 bits/);
  });
});

describe('types', () => {
  test.each([
    ['(u8, (u8, u16))', { kind: 'tuple', of: ['u8', '(u8, u16)'] }],
    ['(a: felt, b: x::Y)', { kind: 'tuple', of: ['felt', 'x::Y'] }],
    ['[u8; 3]', { kind: 'array', of: 'u8', length: 3 }],
    ['[[u8; 2]; 3]', { kind: 'array', of: '[u8; 2]', length: 3 }],
    ['[u8]', { kind: 'named', name: '[u8]', of: [] }],
    ['[u8; x]', { kind: 'named', name: '[u8; x]', of: [] }],
    ['felt*', { kind: 'named', name: 'pointer', of: ['felt'] }],
    ['@a::B::<C, (D, E)>', { kind: 'named', name: 'a::B', of: ['C', '(D, E)'] }],
    ['Map<A, B>', { kind: 'named', name: 'Map', of: ['A', 'B'] }],
    ['<A>', { kind: 'named', name: '<A>', of: [] }],
    ['()', { kind: 'tuple', of: [] }],
  ])('%s', (text, type) => {
    expect(readTypeName(text)).toEqual(type);
  });

  test('are split at the commas outside of brackets', () => {
    expect(splitAtCommas('a, b<c, d>, (e, f), [g, h], {i, j}, k -> l, m,')).toEqual([
      ...['a', 'b<c, d>', '(e, f)', '[g, h]', '{i, j}', 'k -> l', 'm'],
    ]);
    expect(shortType('core::array::Array::<core::integer::u8>')).toBe('Array<u8>');
  });

  test('of the core library may be wrapped', () => {
    const abi = readAbi([]);
    expect(shapeOf('core::box::Box::<core::integer::u8>', abi)).toMatchObject({
      kind: 'integer',
      bits: 8,
    });
    expect(shapeOf('x::NonZero::<core::bool>', abi)).toEqual({ kind: 'bool' });
    expect(shapeOf('core::option::Option::<felt>', abi)).toMatchObject({
      kind: 'choice',
      first: 1,
    });
    expect(shapeOf('core::result::Result::<felt, ()>', abi)).toMatchObject({
      kind: 'choice',
      first: 1,
    });
  });
});

describe('names', () => {
  test('are shown up to 60 letters, without what cannot be seen', () => {
    expect(visibleName('𝒃'.repeat(60))).toBe('𝒃'.repeat(60));
    expect(visibleName('a'.repeat(61))).toBe(`${'a'.repeat(59)}…`);
    expect(visibleName(' a \n b ')).toBe('a � b');
    expect(visibleName(`e${'\u0301'.repeat(9)}`)).toBe(`e${'\u0301'.repeat(3)}`);
    for (const text of ['', '  ', '0x12', '0Xab', '\u200b\u200b'])
      expect(visibleName(text)).toBeUndefined();
    expect(visibleName('x0x12')).toBe('x0x12');
  });

  test('that several have, or that are taken, have the address', () => {
    const [first, second] = ['0x1111111111111111', '0x2222222222222222'];
    const own = { names: new Map([['0x7', 'Bank']]), reserved: new Set(['bank']) };
    const distinct = distinctNames(
      [
        [first, 'Token'],
        [second, 'token'],
        ['0x3', 'Other'],
        ['0x3', 'Other'],
      ],
      own,
    );
    expect(distinct(first, 'Token')).toBe(`Token ${shortAddress(first)}`);
    expect(distinct('0x3', 'Other')).toBe('Other');
    expect(distinct(second, 'Bank')).toBe(`Bank ${shortAddress(second)}`);
    expect(distinct('0x7', 'Bank')).toBe('Bank');
    expect(distinctNames([])('0x1', 'New')).toBe('New');
  });

  test('are a label, that of a token, of an artifact, of the ABI, or the address', () => {
    const abi = readAbi([{ type: 'event', name: 'a::vault::Event', kind: 'enum', variants: [] }]);
    expect([classNameOf(abi), nameInAbi(abi)]).toEqual(['vault', 'vault']);
    const named = (
      names: [string, string][],
      given = { classes: new Map<string, string>(), tokens: new Map<string, string>() },
    ) => contractName('0xa', '0xc', abi, new Map(names), given);
    expect(named([['0xa', 'mine']])).toEqual({ name: 'mine', isOwn: true });
    const token = { classes: new Map(), tokens: new Map([['0xa', 'TKN']]) };
    expect(named([], token)).toEqual({ name: 'TKN', isOwn: false });
    expect(named([['0xc', 'labelled class']])).toEqual({ name: 'labelled class', isOwn: false });
    const artifact = { classes: new Map([['0xc', 'Vault']]), tokens: new Map() };
    expect(named([], artifact)).toEqual({ name: 'Vault', isOwn: false });
    expect(named([])).toEqual({ name: 'vault', isOwn: false });
    expect(contractName('0xa', undefined, undefined, new Map())).toEqual({
      name: '0xa',
      isOwn: true,
    });
    const sources = { label: undefined, artifact: undefined, inAbi: undefined };
    const udc = '0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69';
    expect(nameOfClass(udc, { ...sources, inAbi: 'x' })).toEqual({
      name: 'UDC (Cairo 0)',
      source: 'CLASS',
    });
    expect(nameOfClass('0xc', { ...sources, artifact: '0x12' })).toBeUndefined();
    expect(nameOfClass('0xc', { ...sources, artifact: 'A', label: 'L' })?.source).toBe('LABEL');
    expect(nameOfClass('0xc', { ...sources, artifact: 'A', inAbi: 'B' })?.source).toBe('ARTIFACT');
  });
});

describe('the gas of an earlier run', () => {
  test('is that of the medians by function', () => {
    const report = new GasReport('contract');
    expect(baselineOf(report.page())).toEqual({});
    const call = {
      ...{ contract_address: '0x1', class_hash: '0x1c', entry_point_selector: '0x2' },
      ...({ entry_point_type: 'EXTERNAL', call_type: 'CALL', caller_address: '0x0' } as const),
      ...{ calldata: [], result: [], calls: [], events: [], is_reverted: false },
    };
    for (const l2_gas of [5, 9, 30]) {
      report.add({
        ...{
          type: 'INVOKE',
          validate_invocation: { ...call, execution_resources: { l1_gas: 0, l2_gas } },
        },
        execution_resources: { l1_gas: 0, l1_data_gas: 1, l2_gas },
      });
    }
    const baseline = baselineOf(report.page());
    expect(Object.values(baseline).map(({ l2_gas }) => l2_gas)).toContain(9);
    expect(Object.keys(baseline)).toEqual(Object.keys(baseline).toSorted());
    expect(readBaseline(JSON.parse(JSON.stringify(baseline)))).toEqual(baseline);
    for (const wrong of [null, [], 5, { f: 5 }, { f: { l2_gas: '5' } }, { f: [] }]) {
      expect(readBaseline(wrong)).toBeUndefined();
    }
  });

  test('differs by function and resource, and may be within a tolerance', () => {
    const before = { b: { l2_gas: 100, l1_gas: 0 }, gone: { l2_gas: 1 } };
    const after = { b: { l2_gas: 105, l1_data_gas: 2 }, added: { l2_gas: 3 }, same: {} };
    expect(gasChanges(before, after)).toEqual([
      { name: 'added', resource: 'l2_gas', is: 3 },
      { name: 'b', resource: 'l2_gas', was: 100, is: 105 },
      { name: 'b', resource: 'l1_data_gas', is: 2 },
      { name: 'gone', resource: 'l2_gas', was: 1 },
    ]);
    const change = { name: 'b', resource: 'l2_gas' };
    const isMore = (was: number | undefined, is: number | undefined) =>
      isBeyond(
        { ...change, ...(was === undefined ? {} : { was }), ...(is === undefined ? {} : { is }) },
        0.25,
      );
    expect([
      isMore(100, 125),
      isMore(100, 126),
      isMore(undefined, 9),
      isMore(9, undefined),
    ]).toEqual([...[false, true, false, false]]);
  });
});
