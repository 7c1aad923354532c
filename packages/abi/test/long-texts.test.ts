// Texts of a megabyte that match nothing: their readers end at once, where time that grows with the square would take hours.
import { describe, expect, test } from 'vitest';
import { readAbi } from '../src/abi.js';
import { findMistyped } from '../src/explain/nearest-function.js';
import { panicIn } from '../src/failure/panic.js';
import { readFailure } from '../src/failure/reason.js';
import { classNameOf } from '../src/names.js';
import { selectorOf } from '../src/selector.js';
import { readDeclarations } from '../src/storage/cairo-source.js';
import { shortType } from '../src/type-name.js';

const LENGTH = 2 ** 20;
const long = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length));

const VARIANT = { name: 'A', type: 'core::bool', kind: 'nested' };

describe('names of an ABI', () => {
  const abiOf = (name: string) =>
    readAbi([
      { type: 'function', name, inputs: [], outputs: [], state_mutability: 'view' },
      { type: 'event', name: `${name}::Event`, kind: 'enum', variants: [VARIANT] },
    ]);

  test('types are shortened', () => {
    const letters = long('a');
    expect(shortType(letters)).toBe(letters);
    expect(shortType(`core::${letters}::<core::u8>`)).toBe(`${letters}<u8>`);
  });

  test('classes are named after the module of their events', () => {
    expect(classNameOf(abiOf('a::bank'))).toBe('bank');
    expect(classNameOf(abiOf(':::'))).toBeUndefined();
  });

  test('a function whose name begins with lines is found by the name without them', () => {
    const abi = abiOf('__get_it');
    expect(findMistyped(selectorOf('_GetIt'), abi)?.meant).toBe('__get_it');
  });
});

describe('failures', () => {
  test.each([' ', '\n', '"\\', '["0x1",', '.'])('with %j many times', (piece) => {
    const text = long(piece);
    expect(readFailure(text).path).toEqual([]);
    expect(panicIn(`("${text}`)?.felts.length ?? 0).toBeLessThan(20_000);
  });

  test('a text that was cut is no part of a panic', () => {
    expect(panicIn('(0x1, "whole", "cut')?.felts.length).toBe(5);
  });
});

describe('sources', () => {
  const LINES = [
    '#[',
    '#[a]',
    '#[a] ',
    'pub(',
    'mod a {',
    'struct a { b: c ',
    'const a: b',
    'const a: b = 1',
    'impl a of StorePacking<',
    'impl a of StorePacking<b, c> { fn pack(',
    '"\\',
    "'\\",
    '{',
    '} ',
    ' ',
  ];

  test.each(LINES)('with %j many times', (line) => {
    const { structs } = readDeclarations([{ file: 'a.cairo', text: long(line) }]);
    expect(structs.size).toBeLessThan(2);
  });

  test('of many fields and parentheses in a packing', () => {
    const packing = (sum: string): string =>
      `impl a of StorePacking<b, c> { fn pack(value: b) -> c { ${sum} } }`;
    const texts = [
      packing(`let b { ${long('x,')} } = value; x`),
      packing(`${long('(')}value.x${long(')')}+value.y`),
      packing(`${'('.repeat(60_000)}value.x${')+value.y'.repeat(60_000)}+value.z`),
    ];
    for (const text of texts) {
      const { packings } = readDeclarations([{ file: 'a.cairo', text }]);
      expect(packings.get('b')?.fields).toBeUndefined();
    }
  });
});
