// Cells, decoded values and declarations, without a node.

import { PRIME } from '@starkbox/abi/basics';
import type { DEBUG_TYPE } from '@starkbox/spec';
import { describe, expect, test } from 'vitest';
import { type Cell, evaluateCells } from '../src/values/cells.js';
import { DebugClass } from '../src/values/debug-class.js';
import { Decoder } from '../src/values/decode.js';
import { SourceFile } from '../src/values/source-file.js';

const SEGMENTS: readonly (readonly Cell[])[] = [
  [],
  [10n, { segment: 2, offset: 1 }, 3n, undefined],
  [0n, 7n, 8n, 9n],
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
  ])('%s', async (expression, value) => {
    expect(await evaluateCells([expression], { ap: 3, fp: 0 }, memory)).toEqual([value]);
  });

  test('a quotient times its divisor is the dividend', async () => {
    const [quotient] = await evaluateCells(['[ap + -3] / [ap + -1]'], { ap: 3, fp: 0 }, memory);
    expect(typeof quotient === 'bigint' && (quotient * 3n) % PRIME).toBe(10n);
  });
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
  ])('%s', async (text, id, cells) => {
    expect((await new Decoder(CLASS, memory).decode(id, cells))?.text).toBe(text);
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
