// Parts of a debugger: base64, instructions, expressions, names of functions.

import { selectorOf } from '@starkbox/abi';
import { PRIME } from '@starkbox/abi/basics';
import type { NAMED_SLOT } from '@starkbox/spec';
import { Random } from '@starkbox/test-support/random';
import { describe, expect, test } from 'vitest';
import { decodeInstruction } from '../src/disassembly.js';
import { compare, follow, readCondition, readLiteral, readPath } from '../src/expressions.js';
import type { Value } from '../src/index.js';
import {
  type CodeFrame,
  DEEPEST,
  framesOf,
  isLoopName,
  LineTable,
  plainName,
  wrappedName,
} from '../src/lines.js';
import { nameSlots, slotNameText, slotValue } from '../src/slots.js';
import { wordsOfBase64 } from '../src/trace/base64.js';
import { callVariables, leaf, valueOfDecoded } from '../src/values-by-abi.js';
import { runOf } from './support/hand-made.js';

describe('base64', () => {
  test('is read as unsigned words of 32 bits, little-endian', () => {
    const random = new Random(1);
    for (let length = 0; length < 50; length += 1) {
      const words = Uint32Array.from({ length }, () => random.below(2 ** 32));
      const text = Buffer.from(words.buffer).toString('base64');
      expect(wordsOfBase64(text)).toEqual(words);
    }
  });

  test('rejects other letters', () => {
    expect(() => wordsOfBase64('ab*d')).toThrow('Expected base64.');
    expect(() => wordsOfBase64('ab€d')).toThrow('Expected base64.');
  });
});

/** Words of instructions in the encoding of the Cairo machine. */
const INSTRUCTIONS: readonly (readonly [word: string, next: string, text: string])[] = [
  ['0x208b7fff7fff7ffe', '0x0', 'ret'],
  ['0x480680017fff8000', '0x5', '[ap] = 5, ap++'],
  ['0x480a7ffd7fff8000', '0x0', '[ap] = [fp - 3], ap++'],
  ['0x48127ffe7fff8000', '0x0', '[ap] = [ap - 2], ap++'],
  ['0x1104800180018000', '0xa', 'call rel 10'],
  ['0x10780017fff7fff', '0x4', 'jmp rel 4'],
  ['0x20680017fff7ffd', '0x6', 'jmp rel 6 if [ap - 3] != 0'],
  [
    '0x482480017ffe8000',
    '0x800000000000011000000000000000000000000000000000000000000000000',
    '[ap] = [ap - 2] + -1, ap++',
  ],
  ['0x40780017fff7fff', '0x2', 'ap += 2'],
  ['0x48487ffe7fff8000', '0x0', '[ap] = [ap - 1] * [fp - 2], ap++'],
  ['0x480080007fff8000', '0x0', '[ap] = [[ap - 1]], ap++'],
];

test.each(INSTRUCTIONS)('the instruction %s', (word, next, text) => {
  expect(decodeInstruction(word, next)?.text).toBe(text);
});

test('the other forms of instructions', () => {
  /** Fields of an instruction; offsets are biased. */
  const word = (flags: number, { dst = 0, op0 = 0, op1 = 0 } = {}, extension = 0) => {
    const fields = [dst, op0, op1].map((offset) => BigInt(offset + 0x8000));
    const encoded = [...fields, BigInt(flags)].reduceRight(
      (sum, field) => (sum << 16n) | field,
      0n,
    );
    return `0x${(encoded | (BigInt(extension) << 63n)).toString(16)}`;
  };
  const textOf = (...of: Parameters<typeof word>) => decodeInstruction(word(...of), '0x7');
  expect(textOf(1 << 12, { op1: 2 })).toEqual({ text: 'call abs [[ap] + 2]', size: 1 });
  expect(textOf(1 << 7, { op0: -1 })?.text).toBe('jmp abs [[ap - 1]]');
  expect(textOf((1 << 7) | (1 << 11))?.text).toBe('jmp abs [[ap]], ap++');
  expect(textOf((1 << 9) | 1 | (1 << 11), { dst: 3 })?.text).toBe(
    'jmp rel [[ap]] if [fp + 3] != 0, ap++',
  );
  expect(textOf(0)?.text).toBe('nop [ap]');
  expect(textOf((1 << 11) | (1 << 1), { op0: 1 })?.text).toBe('nop [fp + 1], ap++');
  expect(textOf(1)).toBeUndefined();
  expect(textOf((1 << 14) | 4 | (1 << 5))).toEqual({ text: '[ap] = [ap] + 7', size: 2 });
  expect(textOf((1 << 14) | 4 | (1 << 6), {}, 3)?.text).toBe('qm31 [ap] = [ap] * 7');
  expect([1, 2].map((extension) => textOf(1 << 14, {}, extension)?.text)).toEqual([
    'blake2s [ap] = [[ap]]',
    'blake2s_last [ap] = [[ap]]',
  ]);
  expect(textOf(1 << 14, {}, 4)).toBeUndefined();
  const immediate = word((1 << 10) | 4);
  expect(decodeInstruction(immediate, null)?.text).toBe('ap += ?');
  expect(decodeInstruction(immediate, '2:5')?.text).toBe('ap += 2:5');
  const half = PRIME / 2n;
  expect(decodeInstruction(immediate, `0x${half.toString(16)}`)?.text).toBe(`ap += ${half}`);
  expect(decodeInstruction(immediate, `0x${(half + 1n).toString(16)}`)?.text).toBe(
    `ap += -${half}`,
  );
});

test('words that are no instructions', () => {
  expect(decodeInstruction(null, null)).toBeUndefined();
  expect(decodeInstruction('1:5', null)).toBeUndefined();
  expect(decodeInstruction(`0x${'f'.repeat(60)}`, null)).toBeUndefined();
});

/** A value with parts. */
function tree(text: string, parts: Readonly<Record<string, Value>>): Value {
  const names = Object.keys(parts);
  return {
    type: 'T',
    text,
    childCount: names.length,
    children: async (first = 0, count = names.length) =>
      names.slice(first, first + count).flatMap((name) => {
        const value = parts[name];
        return value ? [{ name, value, isParameter: false }] : [];
      }),
  };
}

test('values by an ABI have their parts, of which some are asked for', async () => {
  const one = { kind: 'number', value: 1n, type: 'u8' } as const;
  const part = (decoded: Parameters<typeof valueOfDecoded>[0]) => valueOfDecoded(decoded, 'T');
  const named = async (value: Value, first?: number, count?: number) =>
    (await value.children(first, count)).map(({ name, value: { text } }) => [name, text]);
  const list = part({ kind: 'list', items: [one, { ...one, value: 2n }, { ...one, value: 3n }] });
  expect(list.childCount).toBe(3);
  expect(await named(list)).toEqual([
    ['0', '1'],
    ['1', '2'],
    ['2', '3'],
  ]);
  expect(await named(list, 1, 1)).toEqual([['1', '2']]);
  expect(await named(list, 2)).toEqual([['2', '3']]);
  const record = part({
    kind: 'record',
    type: 'P',
    members: [{ name: 'x', type: 'u8', value: one }],
  });
  expect(await named(record)).toEqual([['x', '1']]);
  expect(await named(part({ kind: 'choice', type: 'C', variant: 'Some', value: one }))).toEqual([
    ['Some', '1'],
  ]);
  const none = part({ kind: 'choice', type: 'C', variant: 'None' });
  expect([none.childCount, await named(none), part(one).childCount]).toEqual([0, [], 0]);
});

test('arguments of a call have the types of the ABI, and its results where it has returned', () => {
  const abi = [
    {
      type: 'function',
      name: 'pay',
      inputs: [
        { name: 'to', type: 'core::felt252' },
        { name: 'amount', type: 'core::integer::u256' },
      ],
      outputs: [{ type: 'core::bool' }],
      state_mutability: 'external',
    },
    {
      type: 'function',
      name: 'both',
      inputs: [],
      outputs: [{ type: 'core::bool' }, { type: 'core::integer::u8' }],
      state_mutability: 'view',
    },
    {
      type: 'constructor',
      name: 'constructor',
      inputs: [{ name: 'owner', type: 'core::felt252' }],
    },
  ];
  const shown = (changes: Parameters<typeof runOf>[0], hasReturned: boolean) =>
    callVariables(runOf(changes), abi, hasReturned).map(({ name, value, isParameter }) => [
      name,
      value.type,
      value.text,
      isParameter,
    ]);
  const pay = { entry_point_selector: selectorOf('pay'), calldata: ['0x7', '0x5', '0x0'] };
  const parameters = [
    ['to', 'core::felt252', '0x7', true],
    ['amount', 'core::integer::u256', '5', true],
  ];
  expect(shown({ ...pay, result: ['0x1'] }, false)).toEqual(parameters);
  expect(shown({ ...pay, result: ['0x1'] }, true)).toEqual([
    ...parameters,
    ['result', 'core::bool', 'true', false],
  ]);
  const list = 'Array<felt252>';
  expect(shown({ ...pay, result: ['0x1'], failed: true }, true).at(-1)).toEqual([
    ...['panic data', list, '[0x1]', false],
  ]);
  expect(shown({ ...pay, result: ['0x1', '0x2', '0x3'] }, true).at(-1)).toEqual([
    ...['result', list, '[0x1, 0x2, 0x3]', false],
  ]);
  expect(shown({ ...pay, calldata: ['0x1'] }, false)).toEqual([['calldata', list, '[0x1]', true]]);
  expect(shown({ calldata: ['0x1'] }, false)).toEqual([['calldata', list, '[0x1]', true]]);
  const both = { entry_point_selector: selectorOf('both'), result: ['0x0', '0x9'] };
  expect(shown(both, true)).toEqual([
    ['result 0', 'core::bool', 'false', false],
    ['result 1', 'core::integer::u8', '9', false],
  ]);
  const constructed = { entry_point_type: 'CONSTRUCTOR', calldata: ['0x3'] } as const;
  expect(shown(constructed, false)).toEqual([['owner', 'core::felt252', '0x3', true]]);
});

describe('names of slots', () => {
  const slot = (key: string, changes: Partial<NAMED_SLOT>): NAMED_SLOT => ({
    contract_address: '0xc0',
    key,
    name: 'balances[0x1]',
    variable: 'balances',
    path: [{ keys: [{ type: 'ContractAddress', felts: ['0x1'] }] }],
    origin: 'source',
    ...changes,
  });

  test('are asked for by contract, at most 500 keys at once and 5,000 in all', async () => {
    const asked: [contract: string, keys: number, felts: number][] = [];
    const caller = async (_: string, params: unknown) => {
      const { contracts, felts } = Object(params);
      const [{ contract_address, keys }] = contracts;
      asked.push([contract_address, keys.length, felts.length]);
      if (contract_address === '0xbad') throw new Error('not named');
      return { slots: [slot(keys[0], { contract_address }), { key: '0x1' }, null] };
    };
    const slotsOf = (contractAddress: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({ contractAddress, key: `0x${at.toString(16)}` }));
    const felts = Array.from({ length: 501 }, () => '0x1');
    const names = await nameSlots(
      caller,
      [...slotsOf('0xbad', 1), ...slotsOf('0xc0', 501), ...slotsOf('0xc1', 5_000)],
      felts,
      '0x7',
    );
    expect(asked.slice(0, 3)).toEqual([
      ['0xbad', 1, 500],
      ['0xc0', 500, 500],
      ['0xc0', 1, 500],
    ]);
    expect(asked.reduce((sum, [, keys]) => sum + keys, 0)).toBe(5_000);
    expect([...names.keys()].slice(0, 2)).toEqual(['0xc0 0x0', '0xc0 0x1f4']);
  });

  test('have the part of the value', () => {
    const texts = [{}, { part: 'low' }, { part: 'text', offset: 2 }, { offset: 3 }] as const;
    expect(texts.map((changes) => slotNameText(slot('0x1', changes)))).toEqual([
      'balances[0x1]',
      'balances[0x1].low',
      'balances[0x1].text 3',
      'balances[0x1] + 3',
    ]);
  });

  test('lead to values', () => {
    const pairs = [
      slot('0x5', { part: 'low', type: 'u256' }),
      slot('0x6', { part: 'high', type: 'u256' }),
      slot('0x7', { variable: 'owner', path: [{ member: 'key' }], type: 'ContractAddress' }),
      slot('0x8', {
        variable: 'pairs',
        path: [{ keys: ['0x1', '0x2'].map((felt) => ({ type: 'u8', felts: [felt] })) }],
      }),
    ];
    const values: Readonly<Record<string, string>> = { '0x5': '0x9', '0x6': '0x1', '0x7': '0xab' };
    const entries = ['0x5', '0x6', '0x7', '0x8'].map((key) => ({
      contractAddress: '0xc0',
      key,
      value: values[key] ?? '0x3',
      initial: '0x0',
    }));
    const names = new Map(pairs.map((named) => [`0xc0 ${named.key}`, named]));
    const textAt = (text: string, of = entries) => {
      const { name = '', steps = [] } = readPath(`storage${text}`) ?? {};
      expect(name).toBe('storage');
      const value = slotValue(of, names, steps);
      return value && [value.type, value.text];
    };
    expect(textAt('[0x5]')).toEqual(['felt252', '0x9']);
    expect(textAt('[7]')).toEqual(['felt252', '0xab']);
    expect(textAt('[0x99]')).toBeUndefined();
    expect(textAt('[name]')).toBeUndefined();
    expect(textAt('.balances[0x1]')).toEqual(['u256', `${2n ** 128n + 9n}`]);
    expect(textAt('.balances[1]')).toEqual(['u256', `${2n ** 128n + 9n}`]);
    expect(textAt('.balances[1].low')).toEqual(['felt252', '0x9']);
    expect(textAt('.balances[1].high')).toEqual(['felt252', '0x1']);
    expect(textAt('.balances[1]', entries.slice(0, 1))?.[0]).toBe('u256');
    expect(textAt('.balances[2]')).toBeUndefined();
    expect(textAt('.balances')).toBeUndefined();
    expect(textAt('.balances.low')).toBeUndefined();
    expect(textAt('.owner.key')).toEqual(['ContractAddress', '0xab']);
    expect(textAt('.owner[key]')).toBeUndefined();
    expect(textAt('.owner.other')).toBeUndefined();
    expect(textAt('.pairs[1, 2]')).toEqual(['felt252', '0x3']);
    expect(textAt('.pairs[1]')).toBeUndefined();
    expect(textAt('.pairs[2, 1]')).toBeUndefined();
  });
});

describe('expressions', () => {
  test('a path has members and keys', () => {
    expect(readPath(' a.b[2].c rest')).toEqual({
      name: 'a',
      steps: [{ member: 'b' }, { key: '2' }, { member: 'c' }],
      rest: ' rest',
    });
    expect(readPath('5')).toBeUndefined();
    expect(readPath(`a${'.b'.repeat(2_000)}`)).toBeUndefined();
  });

  test('a path leads to a part, or to a sentence', async () => {
    const value = tree('T', { b: tree('[1, 2]', { '0': leaf('u8', '1'), '1': leaf('u8', '2') }) });
    const at = async (text: string) => follow(value, readPath(text)?.steps ?? []);
    expect((await at('a.b[1]')).value?.text).toBe('2');
    expect((await at('a.b[2]')).note).toBe('There is no [2] in a value of the type T.');
    expect((await at('a.c')).note).toBe('There is no .c in a value of the type T.');
  });

  test('the halves of a u256', async () => {
    const value = leaf('core::integer::u256', `${(5n << 128n) + 7n}`);
    const at = async (text: string) => follow(value, readPath(text)?.steps ?? []);
    expect((await at('a.low')).value).toMatchObject({ text: '7', type: 'core::integer::u128' });
    expect((await at('a.high')).value?.text).toBe('5');
    expect((await at('a.middle')).note).toContain('.middle');
  });

  test('a part is found among many, and by its index', async () => {
    const many = tree(
      'T',
      Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`m${at}`, leaf('u8', `${at}`)])),
    );
    const at = async (text: string) =>
      (await follow(many, readPath(text)?.steps ?? [])).value?.text;
    expect([await at('a.m0'), await at('a.m99'), await at('a.m100'), await at('a.m200')]).toEqual([
      ...['0', '99', '100', '200'],
    ]);
    expect([await at('a[0]'), await at('a[200]'), await at('a[0xc8]'), await at('a[m3]')]).toEqual([
      ...['0', '200', '200', '3'],
    ]);
    expect([await at('a[201]'), await at('a[-1]'), await at('a.m201')]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(readPath('a::b')?.steps).toEqual([{ member: 'b' }]);
    expect([readPath('a'.repeat(2_000))?.rest, readPath('a'.repeat(2_001))]).toEqual([
      '',
      undefined,
    ]);
  });

  test('literals are numbers, strings and truth values', () => {
    const texts = ['12', '-3', '1_000', '0xff', "'ab'", '"ab"', 'true', 'ab', '1.5', ''];
    expect(texts.map(readLiteral)).toEqual([
      12n,
      -3n,
      1000n,
      255n,
      'ab',
      'ab',
      true,
      undefined,
      undefined,
      undefined,
    ]);
  });

  /** Conditions on a value with a text. */
  const CONDITIONS: readonly (readonly [text: string, condition: string, holds: boolean])[] = [
    ['12', 'a == 12', true],
    ['12', 'a == 0xc', true],
    ['0xc', 'a >= 12', true],
    ['12', 'a > 12', false],
    ['-3', 'a < 0', true],
    ['12', 'a != 12', false],
    ['"name"', 'a == "name"', true],
    ['"name"', "a != 'other'", true],
    ['0x6162', "a == 'ab'", true],
    ['true', 'a', true],
    ['true', '!a', false],
    ['false', 'a == false', true],
    ['5', 'a > 1 && a < 10', true],
    ['5', 'a > 1 && a < 3', false],
    ['12', 'a >= 12', true],
    ['12', 'a >= 13', false],
    ['12', 'a <= 12', true],
    ['12', 'a <= 11', false],
    ['12', 'a < 12', false],
    ['12', 'a < 13', true],
    ['12', 'a != 13', true],
    ['"ab"', 'a == 0x6162', true],
    ['"ab"', 'a > 0x6161', true],
    ['true', 'a != true', false],
    ['true', 'a != false', true],
    ['Shape::Dot', "a == 'Shape::Dot'", true],
  ];

  test.each(CONDITIONS)('the value %s: %s is %s', (text, condition, holds) => {
    const comparisons = readCondition(condition) ?? [];
    expect(comparisons.length).toBeGreaterThan(0);
    const isTrue = comparisons.every(
      ({ operator, literal }) => compare(leaf('T', text), operator, literal) === true,
    );
    expect(isTrue).toBe(holds);
  });

  test('what is no condition, and what cannot be compared', () => {
    for (const text of ['', '5 > a', 'a >', 'a == b', 'a 5', '!a == 5']) {
      expect(readCondition(text)).toBeUndefined();
    }
    const longest = `"${'a'.repeat(31)}"`;
    expect(compare(leaf('T', longest), '>', 5n)).toBe(true);
    expect(compare(leaf('T', longest.replace('a', 'aa')), '>', 5n)).toBeUndefined();
    expect(compare(leaf('T', 'true'), '<', true)).toBeUndefined();
    expect(compare(leaf('T', 'Point { x: 1 }'), '<', 5n)).toBeUndefined();
    expect(compare(leaf('T', '"name"'), '<', 'other')).toBeUndefined();
  });
});

describe('functions', () => {
  test('names without generics, loops and wrappers', () => {
    expect(plainName('a::f::<core::felt252, a::T::<u8>>')).toBe('a::f');
    expect(plainName('a::f[12-34]{NotSpecialized, 0, }')).toBe('a::f');
    expect([isLoopName('a::f[12-34]'), isLoopName('a::f[12-34]{x}')]).toEqual([true, true]);
    expect(isLoopName('a::f')).toBe(false);
    expect(wrappedName('a::__wrapper__Impl__f')).toBe('a::Impl::f');
    expect(wrappedName('a::__wrapper__f')).toBe('a::f');
  });

  test('lines are below the lines that they are inlined into', () => {
    const table = new LineTable();
    const frame = (name: string, line: number, changes: Partial<CodeFrame> = {}): CodeFrame => ({
      ...{ entry: 0, name, file: 'a.cairo', line, isInlined: false, isLibrary: false },
      ...changes,
    });
    const outer = table.lineOf([frame('a', 1)]);
    const inner = table.lineOf([frame('b', 5), frame('a', 1)]);
    const other = table.lineOf([frame('b', 6), frame('a', 1)]);
    const apart = table.lineOf([frame('b', 5), frame('a', 2)]);
    expect(
      table.lineOf([frame('b', 5), frame('core::f', 3, { isLibrary: true }), frame('a', 1)]),
    ).toBe(inner);
    expect(new Set([outer, inner, other, apart]).size).toBe(4);
    expect([outer, inner].map((line) => table.depthOf(line))).toEqual([1, 2]);
    expect([table.outer(inner, 1), table.outer(inner, 2), table.outer(inner, 0)]).toEqual([
      ...[outer, inner, 0],
    ]);
    const common = (line: number, second: number) => table.commonDepth(line, second);
    expect([
      common(inner, other),
      common(inner, inner),
      common(inner, apart),
      common(outer, inner),
    ]).toEqual([1, 2, 0, 1]);
    expect(table.lineOf([])).toBe(0);
    const deep = Array.from({ length: DEEPEST + 1 }, (_, at) => frame(`f${at}`, at));
    expect(table.depthOf(table.lineOf(deep))).toBe(DEEPEST);
    expect(() => table.node(table.count)).toThrow(RangeError);
    expect(table.node(inner)).toMatchObject({ functionName: 'b', line: 5, parent: outer });
    expect([...table.entries()]).toHaveLength(table.count - 1);
  });

  test('code of a macro is a part of the function around it', () => {
    const at = (line: number) => ({ file: 'a.cairo', line, column: 1, isGenerated: false });
    const frames = framesOf([
      { function: 'core::fmt::f', ...at(9), file: 'corelib/src/fmt.cairo' },
      { function: 'm::assert_macro', ...at(5), isGenerated: true },
      { function: 'm::__wrapper__Impl__f', ...at(1), isGenerated: true },
    ]);
    expect(frames.map(({ name, line, isLibrary }) => [name, line, isLibrary])).toEqual([
      ['core::fmt::f', 9, true],
      ['m::Impl::f', 5, false],
    ]);
  });
});
