// Cells, decoded values and declarations, without a node.

import { PRIME } from '@starkbox/abi/basics';
import type { DEBUG_TYPE } from '@starkbox/spec';
import { describe, expect, test } from 'vitest';
import { type Cell, evaluateCells, toSigned } from '../src/values/cells.js';
import { DebugClass } from '../src/values/debug-class.js';
import { Decoder } from '../src/values/decode.js';
import { SourceFile } from '../src/values/source-file.js';

const SEGMENTS: readonly (readonly Cell[])[] = [
  [],
  [10n, { segment: 2, offset: 1 }, 3n, undefined, { segment: 3, offset: 1 }],
  [0n, 7n, 8n, 9n],
  // Accesses of a dictionary: key, previous and new value.
  [7n, 0n, 11n, 300n, 0n, 12n, 7n, 11n, 13n],
];
const memory = async (segment: number, first: number, count: number): Promise<readonly Cell[]> =>
  Array.from({ length: count }, (_, index) => SEGMENTS[segment]?.[first + index]);

describe('an expression of a cell', () => {
  test.each<[expression: string, value: Cell]>([
    ['[ap + -3]', 10n],
    ['[fp + 1]', { segment: 2, offset: 1 }],
    ['[[ap + -2] + 2]', 9n],
    ['-5', PRIME - 5n],
    ['[ap + -3] + [ap + -1]', 13n],
    ['[ap + -1] - [ap + -3]', PRIME - 7n],
    ['[ap + -3] * -2', PRIME - 20n],
    ['[fp + 1] + 2', { segment: 2, offset: 3 }],
    ['[ap + 0]', undefined],
    ['[[ap + -3] + 0]', undefined],
    ['nonsense', undefined],
    ['[fp + 1] - 2', { segment: 2, offset: -1 }],
    ['[fp + 1] + -1', { segment: 2, offset: 0 }],
    ['[fp + 1] * 2', undefined],
    ['[fp + 1] - [fp + 1]', 0n],
    ['[fp + 1] + [fp + 1]', undefined],
    ['[fp + 4] - [fp + 1]', undefined],
    ['[ap + -1] + [fp + 1]', { segment: 2, offset: 4 }],
    ['[ap + -1] - [fp + 1]', undefined],
    ['[ap + 0] + 1', undefined],
    ['[ap + -3] + [ap + 0]', undefined],
    ['[ap + -3] - 10', 0n],
    ['[ap + -3] / 0', undefined],
  ])('%s', async (expression, value) => {
    expect(await evaluateCells([expression], { ap: 3, fp: 0 }, memory)).toEqual([value]);
  });

  test('a quotient times its divisor is the dividend', async () => {
    const [quotient] = await evaluateCells(['[ap + -3] / [ap + -1]'], { ap: 3, fp: 0 }, memory);
    expect(typeof quotient === 'bigint' && (quotient * 3n) % PRIME).toBe(10n);
  });
});

test('numbers of the upper half of the field are negative', () => {
  const half = PRIME / 2n;
  expect([half, half + 1n, PRIME - 1n, 0n].map(toSigned)).toEqual([half, -half, -1n, 0n]);
});

const type = (
  id: number,
  generic: string,
  size: number,
  types: readonly number[] = [],
): DEBUG_TYPE => ({
  id,
  generic,
  size,
  types,
  values: [],
});
const CLASS = new DebugClass({
  class_hash: '0x1',
  code: {
    starts: [],
    end: 0,
    functions: [],
    references: [],
    libfuncs: [],
    statements: [],
    types: [
      type(0, 'felt252', 1),
      type(1, 'u8', 1),
      type(2, 'i16', 1),
      type(3, 'Struct', 0),
      type(4, 'Enum', 1, [3, 3]),
      type(5, 'Struct', 2, [0, 1]),
      type(6, 'Enum', 3, [3, 0, 5]),
      type(7, 'Array', 2, [1]),
      type(8, 'Box', 1, [5]),
      type(9, 'Snapshot', 2, [7]),
      type(10, 'ContractAddress', 1),
      type(11, 'Enum', 2, [3, 0, 3, 3]),
      type(12, 'Struct', 2, [1, 1]),
      type(13, 'Struct', 4, [0, 0, 0, 0]),
      type(14, 'Struct', 4, [15, 0, 0]),
      type(15, 'Array', 2, [16]),
      type(16, 'bytes31', 1),
      type(17, 'Struct', 1, [0]),
      type(18, 'SquashedFelt252Dict', 2, [1]),
      type(19, 'Felt252Dict', 1, [5]),
      type(20, 'Struct', 2, [7]),
      type(21, 'Array', 2, [3]),
      type(22, 'BoundedInt', 1),
      type(23, 'RangeCheck', 1),
      type(24, 'NonZero', 1, [2]),
      type(25, 'Nullable', 1, [5]),
    ],
  },
  source: {
    texts: [],
    location_starts: [],
    locations: [],
    functions: [],
    types: [
      { id: 3, name: 'Unit' },
      { id: 4, name: 'core::bool', members: ['False', 'True'] },
      { id: 5, name: 'a::Point::<u8>', members: ['x', 'y'] },
      { id: 6, name: 'a::Shape', members: ['Nothing', 'Line', 'Dot'] },
      { id: 11, name: 'a::Four', members: ['A', 'B', 'C', 'D'] },
      { id: 12, name: 'core::integer::u256' },
      { id: 13, name: 'core::integer::u512' },
      { id: 14, name: 'core::byte_array::ByteArray' },
      { id: 17, name: 'Tuple<felt252>' },
      { id: 20, name: 'core::array::Span::<u8>' },
    ],
  },
});

describe('a value', () => {
  const start = { segment: 2, offset: 1 };
  const end = { segment: 2, offset: 4 };
  test.each<[text: string, type: number, cells: readonly Cell[]]>([
    ['12', 0, [12n]],
    ["0x6120776f7264206f662074657874 ('a word of text')", 0, [0x6120776f7264206f662074657874n]],
    ['200', 1, [200n]],
    ['-3', 2, [PRIME - 3n]],
    ['true', 4, [1n]],
    ['Point { x: 1, y: 2 }', 5, [1n, 2n]],
    ['Shape::Nothing', 6, [5n, 0n, 0n]],
    ['Shape::Line(9)', 6, [3n, 0n, 9n]],
    ['Shape::Dot(Point { x: 4, y: 5 })', 6, [1n, 4n, 5n]],
    ['[7, 8, 9]', 7, [start, end]],
    ['[7, 8, 9]', 9, [start, end]],
    ['[]', 7, [start, start]],
    ['0x1f', 10, [31n]],
    ['<not recorded>', 0, [undefined]],
    ['false', 4, [0n]],
    ['<not recorded>', 4, [undefined]],
    ['Four::A', 11, [7n, 0n]],
    ['Four::B(9)', 11, [5n, 9n]],
    ['Four::D', 11, [1n, 0n]],
    ['<not recorded>', 11, [undefined, 0n]],
    [`${2n ** 128n + 5n}`, 12, [5n, 1n]],
    ['<not recorded>', 12, [5n, undefined]],
    [`${2n ** 384n + 2n}`, 13, [2n, 0n, 0n, 1n]],
    ['(5,)', 17, [5n]],
    ['-3', 22, [PRIME - 3n]],
    ['-3', 24, [PRIME - 3n]],
    ['0x5', 23, [5n]],
    ['2:1', 0, [start]],
    ['[7, 8, 9]', 20, [start, end]],
    ['[]', 7, [end, start]],
    ['[]', 21, [start, end]],
    ['2:1, 0x5', 7, [start, 5n]],
    ['2:1, 3:4', 7, [start, { segment: 3, offset: 4 }]],
    ['Point { x: 7, y: 8 }', 8, [start]],
    ['0x0', 25, [0n]],
    [
      '{7: 13, 300: 12}',
      18,
      [
        { segment: 3, offset: 0 },
        { segment: 3, offset: 9 },
      ],
    ],
    [
      '{300: 12, 7: 13}',
      18,
      [
        { segment: 3, offset: 3 },
        { segment: 3, offset: 9 },
      ],
    ],
    [
      '{}',
      18,
      [
        { segment: 3, offset: 3 },
        { segment: 3, offset: 3 },
      ],
    ],
    ['{}', 18, [1n, 2n]],
    // Felts: small ones in decimal, letters from two on.
    ['65', 0, [65n]],
    ['65535', 0, [65_535n]],
    ['65536', 0, [65_536n]],
    ["6382179 ('abc')", 0, [0x616263n]],
    [`0x${(2n ** 64n).toString(16)}`, 0, [2n ** 64n]],
    [`${2n ** 64n - 1n}`, 0, [2n ** 64n - 1n]],
    ["2105376 ('   ')", 0, [0x202020n]],
    ['8290687', 0, [0x7e817fn]],
    ['6381351', 0, [0x615f27n]],
  ])('%s', async (text, id, cells) => {
    expect((await new Decoder(CLASS, memory).decode(id, cells))?.text).toBe(text);
  });

  test('of a text is its bytes, of which a long one shows the first', async () => {
    const words = (count: number): readonly Cell[] =>
      Array.from({ length: count }, () => BigInt(`0x${'61'.repeat(31)}`));
    const textOf = async (count: number, pending: bigint, length: bigint) => {
      const reader = async (_: number, first: number, of: number) =>
        words(count).slice(first, first + of);
      const [begin, last] = [0, count].map((offset) => ({ segment: 4, offset }));
      return (await new Decoder(CLASS, reader).decode(14, [begin, last, pending, length]))?.text;
    };
    expect(await textOf(0, 0n, 0n)).toBe('""');
    expect(await textOf(0, 0x6263n, 2n)).toBe('"bc"');
    expect(await textOf(1, 0x0an, 1n)).toBe(`"${'a'.repeat(31)}\n"`);
    expect(await textOf(0, 0xff62n, 2n)).toBe('"\ufffdb"');
    expect(await textOf(33, 0x62n, 1n)).toBe(`"${'a'.repeat(33 * 31)}b"`);
    expect(await textOf(34, 0x62n, 1n)).toBe(`"${'a'.repeat(33 * 31)}…"`);
    const broken = await new Decoder(CLASS, memory).decode(14, [1n, 2n, 3n, 4n]);
    expect(broken?.text).toBe('<not recorded>');
    expect(broken?.childCount).toBe(0);
  });

  test('shows 16 elements and 7 levels in its text', async () => {
    const reader = async (_: number, first: number, count: number): Promise<readonly Cell[]> =>
      Array.from({ length: count }, (_, index) => BigInt(first + index));
    const listOf = async (count: number) =>
      (
        await new Decoder(CLASS, reader).decode(
          7,
          [0, count].map((offset) => ({ segment: 2, offset })),
        )
      )?.text;
    const upTo = (count: number) => Array.from({ length: count }, (_, at) => at).join(', ');
    expect(await listOf(16)).toBe(`[${upTo(16)}]`);
    expect(await listOf(18)).toBe(`[${upTo(16)}, … 2 more]`);
    const dictionary = async (keys: number) =>
      (
        await new Decoder(CLASS, async (_, first, count) =>
          Array.from({ length: count }, (_, at) => BigInt(Math.floor((first + at) / 3))),
        ).decode(
          18,
          [0, 3 * keys].map((offset) => ({ segment: 2, offset })),
        )
      )?.text;
    expect(await dictionary(16)).not.toMatch(/more/);
    expect(await dictionary(17)).toMatch(/15: 15, … 1 more}$/);
    const nested = new DebugClass({
      class_hash: '0x1',
      code: {
        ...{ starts: [], end: 0, functions: [], references: [], libfuncs: [], statements: [] },
        types: Array.from({ length: 12 }, (_, id) =>
          id === 0 ? type(0, 'felt252', 1) : type(id, 'Struct', 1, [id - 1]),
        ),
      },
      source: {
        ...{ texts: [], location_starts: [], locations: [], functions: [] },
        types: Array.from({ length: 12 }, (_, id) => ({ id, name: id === 0 ? 'felt252' : '(T,)' })),
      },
    });
    const depth = async (id: number) => (await new Decoder(nested, reader).decode(id, [5n]))?.text;
    expect(await depth(7)).toBe('(((((((5,),),),),),),)');
    expect(await depth(8)).toBe('(((((((…,),),),),),),)');
  });

  test('has the parts of its type', async () => {
    const partsOf = async (id: number, cells: readonly Cell[]) => {
      const value = await new Decoder(CLASS, memory).decode(id, cells);
      const children = (await value?.children()) ?? [];
      expect(value?.childCount).toBe(children.length);
      return children.map(({ name, value: { text, type } }) => [name, text, type]);
    };
    expect(await partsOf(5, [1n, 2n])).toEqual([
      ['x', '1', 'felt252'],
      ['y', '2', 'u8'],
    ]);
    expect(await partsOf(6, [1n, 4n, 5n])).toEqual([
      ['Dot', 'Point { x: 4, y: 5 }', 'a::Point::<u8>'],
    ]);
    expect(await partsOf(8, [start])).toEqual([
      ['value', 'Point { x: 7, y: 8 }', 'a::Point::<u8>'],
    ]);
    expect(await partsOf(25, [0n])).toEqual([]);
    expect(await partsOf(12, [1n, 2n])).toEqual([]);
    expect(await partsOf(0, [1n])).toEqual([]);
    expect(await partsOf(17, [5n])).toEqual([['0', '5', 'felt252']]);
    expect(await partsOf(19, [{ segment: 3, offset: 3 }])).toEqual([
      ['7', 'Point { x: 11, y: <not recorded> }', 'a::Point::<u8>'],
    ]);
    const point = await new Decoder(CLASS, memory).decode(5, [1n, 2n]);
    expect((await point?.children(1, 1))?.map(({ name }) => name)).toEqual(['y']);
  });

  test('hands elements out by ranges', async () => {
    const list = await new Decoder(CLASS, memory).decode(7, [start, end]);
    expect(list?.childCount).toBe(3);
    const children = (await list?.children(1, 5)) ?? [];
    expect(children.map(({ name, value }) => [name, value.text])).toEqual([
      ['1', '8'],
      ['2', '9'],
    ]);
  });

  test('of an unknown type is none', async () => {
    expect(await new Decoder(CLASS, memory).decode(99, [1n])).toBeUndefined();
  });
});

test('declarations of a function, with the lines where they are visible', () => {
  const file = new SourceFile(`fn outer(a: u8, ref b: Array<u8>) -> u8 {
    let (first, Point { x: left, y }) = pair; // let no = 1;
    for item in list {
        let mut sum = "let text = 2";
        b.append(item);
        sum += 1;
    }
    match shape {
        Shape::Dot(point) => { point.x },
        Shape::Circle((center, _)) => center.x,
    }
}`);
  const found = file.functionAt({ line: 3, column: 8 });
  expect(found?.declarations.map(({ name, line, end }) => [name, line, end.line])).toEqual([
    ['a', 0, 11],
    ['b', 0, 11],
    ['first', 1, 11],
    ['left', 1, 11],
    ['y', 1, 11],
    ['item', 2, 6],
    ['sum', 3, 6],
    ['point', 8, 8],
    ['center', 9, 9],
  ]);
  expect(found?.declarations.flatMap(({ name, isMutable }) => (isMutable ? name : []))).toEqual([
    'b',
    'sum',
  ]);
  expect(found?.changes.map(({ name, line, loops }) => [name, line, loops[0]?.first])).toEqual([
    ['b', 4, 2],
    ['sum', 5, 2],
  ]);
  expect(file.functionAt({ line: 20, column: 0 })).toBeUndefined();
});

test('closures, conditions and references declare and change variables too', () => {
  const file = new SourceFile(`fn f(mut a: u8, b: Span<(u8, u8)>) {
    let add = |p, q: u8| p + q;
    let block = |r| { r };
    call(|s| s, a | 1);
    if let Some(t) = x { t; }
    while let Some(u) = y { u; }
    if a == 1 && let Some(v) = z { v; }
    match w {
        A | B => 1,
        C(m) | D(m) => { m },
        _ => 2,
    };
    a = 1;
    list[0] = 2;
    point.x.y = 3;
    a == 4;
    a <= 5;
    list.at(0);
    list.append(6);
    change(ref a, list.len());
    a -= 7;
    loop { a *= 8; for i in j { k = 9; } l = 10; }
}
fn other() { a = 11; }
fn declared(c: u8) -> u8;`);
  const inner = file.functionAt({ line: 1, column: 4 });
  const declared = inner?.declarations.map(({ name, line, end }) => `${name} ${line} ${end.line}`);
  expect(declared?.slice(0, 2)).toEqual(['a 0 22', 'b 0 22']);
  expect(declared?.slice(2)).toEqual([
    ...['add 1 22', 'p 1 1', 'q 1 1', 'block 2 22', 'r 2 2', 's 3 3', 't 4 4', 'u 5 5', 'v 6 6'],
    ...['m 9 9', 'm 9 9', 'i 21 21'],
  ]);
  expect(inner?.declarations[0]?.isMutable).toBe(true);
  expect(inner?.changes.map(({ name, line, loops }) => `${name} ${line} ${loops.length}`)).toEqual([
    ...['a 12 0', 'list 13 0', 'point 14 0', 'list 18 0', 'a 19 0', 'a 20 0'],
    ...['a 21 1', 'k 21 2', 'l 21 1'],
  ]);
  expect(file.functionAt({ line: 23, column: 14 })?.changes.map(({ name }) => name)).toEqual(['a']);
  expect(file.functionAt({ line: 24, column: 5 })).toBeUndefined();
  expect(file.hasAt('add', { line: 1, column: 8 })).toBe(true);
  expect(file.hasAt('add', { line: 1, column: 9 })).toBe(false);
  expect(file.hasAt('add', { line: 99, column: 0 })).toBe(false);
});
