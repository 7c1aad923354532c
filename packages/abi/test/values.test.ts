// Readers of untrusted values, arguments by name, mistyped selectors and excerpts of sources.
import { describe, expect, test } from 'vitest';
import { readAbi } from '../src/abi.js';
import { encodeArguments, functionCodec, orderedArguments } from '../src/arguments.js';
import { excerptRows, excerptText } from '../src/explain/excerpt.js';
import { findMistyped } from '../src/explain/nearest-function.js';
import { isObject, listOf, memberOf, membersOf, propertyOf } from '../src/json.js';
import { selectorOf } from '../src/selector.js';
import { CHOICE, POINT, SHAPES } from './support/shapes.js';

test('every value is read', () => {
  class Point {
    x = 1;
    get y() {
      return 2;
    }
  }
  const values = [undefined, null, 5, 'a', [7], { a: 1 }, new Point()];
  expect(values.map(isObject)).toEqual([false, false, false, false, false, true, true]);
  expect(values.map(membersOf)).toEqual([{}, {}, {}, {}, { 0: 7 }, { a: 1 }, { x: 1 }]);
  expect(values.map(listOf)).toEqual([[], [], [], [], [7], [], []]);
  expect(values.map((value) => memberOf(value, 'a'))).toEqual([
    ...Array(5).fill(undefined),
    1,
    undefined,
  ]);
  expect(memberOf([7], '0')).toBe(7);
  expect([memberOf(new Point(), 'y'), propertyOf(new Point(), 'y'), propertyOf(null, 'y')]).toEqual(
    [undefined, 2, undefined],
  );
});

describe('arguments', () => {
  const inputs = ['to', 'amount'].map((name) => ({ name, type: 'felt252' }));
  const signature = { type: 'function', name: 'pay', inputs, outputs: [] };

  test('are given in order or by name', () => {
    expect(orderedArguments(signature, [1, 2])).toEqual([1, 2]);
    expect(orderedArguments(signature, { amount: 2, to: 1 })).toEqual([1, 2]);
    expect(orderedArguments({ ...signature, inputs: [] }, {})).toEqual([]);
  });

  test.each([
    [[1], /takes 2 arguments; 1 was given/],
    [[1, 2, 3], /3 were given/],
    [{ to: 1, amount: 2, memo: 3 }, /none is named memo/],
    [{ to: 1 }, /amount was not given/],
  ])('%j are refused', (values, message) => {
    expect(() => orderedArguments(signature, values)).toThrow(message);
  });
});

describe('values of arguments', () => {
  const abi = readAbi(SHAPES);
  const signature = (type: string) => ({
    type: 'function',
    name: 'put',
    inputs: [{ name: 'value', type }],
    outputs: [type],
  });
  const felts = (type: string, value: unknown) => encodeArguments(signature(type), [value], abi);
  const TUPLE = '(core::felt252, core::bool)';

  test.each<[string, unknown, readonly string[]]>([
    [POINT, { x: 1, y: 2 }, ['0x1', '0x2', '0x0']],
    [POINT, [1, 2], ['0x1', '0x2', '0x0']],
    [TUPLE, [7, true], ['0x7', '0x1']],
    [CHOICE, 'Nothing', ['0x2']],
    [CHOICE, { At: { x: 1, y: 2 } }, ['0x1', '0x1', '0x2', '0x0']],
  ])('%s: %j', (type, value, expected) => {
    expect(felts(type, value)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    [POINT, [1]],
    [POINT, 5],
    [POINT, null],
    [POINT, { x: 1 }],
    [TUPLE, { 0: 7, 1: true }],
    [TUPLE, [7]],
    [CHOICE, 'Missing'],
    [CHOICE, {}],
    [CHOICE, undefined],
  ])('%s refuses %j', (type, value) => {
    expect(() => felts(type, value)).toThrow(/^Argument value of put/);
  });

  test('come back from results', () => {
    const decode = (type: string, result: readonly string[]) =>
      functionCodec(signature(type), abi).decode(result);
    expect(decode(POINT, ['0x1', '0x2', '0x0'])).toEqual({ x: 1n, y: 2n });
    expect(decode(TUPLE, ['0x7', '0x1'])).toEqual([7n, true]);
    expect(decode(CHOICE, ['0x2'])).toMatch('Nothing');
    expect(decode(CHOICE, ['0x1', '0x1', '0x2', '0x0'])).toEqual({ At: { x: 1n, y: 2n } });
    const several = { ...signature('core::bool'), outputs: ['core::bool', 'core::felt252'] };
    expect(functionCodec(several, abi).decode(['0x0', '0x5'])).toEqual([false, 5n]);
    expect(functionCodec({ ...several, outputs: [] }, abi).decode([])).toBeUndefined();
  });
});

describe('a mistyped function', () => {
  const abi = readAbi(
    ['transfer_from', 'balance', '__validate__'].map((name) => ({
      type: 'function',
      name,
      inputs: [],
      outputs: [],
      state_mutability: 'view',
    })),
  );

  test.each([
    ['transferFrom', 'transfer_from'],
    ['get_balance', 'balance'],
    ['transfer_frm', 'transfer_from'],
    ['balnace', 'balance'],
    ['ballance', 'balance'],
  ])('%s', (written, meant) => {
    expect(findMistyped(selectorOf(written), abi)).toEqual({ written, meant });
  });

  test.each(['other', 'blnc'])('is not found: %s', (written) => {
    expect(findMistyped(selectorOf(written), abi)).toBeUndefined();
  });
});

describe('an excerpt', () => {
  const line = (number: number, changes: object = {}) => ({
    function: 'increase',
    file: 'a.cairo',
    line: number,
    column: 9,
    excerpt: { first_line: 8, lines: ['    fn a() {', '', '        𝒃.c();', '    }'] },
    ...changes,
  });

  test('has no common indentation, and a caret below the column', () => {
    expect(excerptText(line(10))).toEqual([
      '   9 |',
      '  10 |     𝒃.c();',
      '     |     ^',
      '  11 | }',
    ]);
    expect(excerptText(line(10, { column: 10 }))[2]).toBe('     |      ^');
    expect(excerptRows(line(10, { column: 10 }))[2]?.parts).toEqual(['    𝒃', '.c();']);
    expect(excerptText(line(8, { column: undefined }))).toEqual([
      '  8 | fn a() {',
      '    | ^',
      '  9 |',
    ]);
  });

  test('says whether the file has changed', () => {
    const changed = line(11, { excerpt: { ...line(11).excerpt, changed: true } });
    expect(excerptText(changed).at(-1)).toMatch(/^ {5}= /);
    expect(excerptText(line(10, { excerpt: undefined }))).toEqual([]);
  });
});
