// Parts of a debugger: base64, instructions, expressions, names of functions.

import { Random } from '@starkbox/test-support/random';
import { describe, expect, test } from 'vitest';
import { decodeInstruction } from '../src/disassembly.js';
import { compare, follow, readCondition, readLiteral, readPath } from '../src/expressions.js';
import type { Value } from '../src/index.js';
import { framesOf, isLoopName, plainName, wrappedName } from '../src/lines.js';
import { wordsOfBase64 } from '../src/trace/base64.js';
import { leaf, valueOfDecoded } from '../src/values-by-abi.js';

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
