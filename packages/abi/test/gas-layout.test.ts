// Rectangles of a gas graph.
import { expect, test } from 'vitest';
import { depthOf, layOut } from '../src/gas/layout.js';
import type { GasBlock } from '../src/gas/tree.js';

function block(id: string, gas: number, ...children: readonly GasBlock[]): GasBlock {
  return { id, called: undefined, phase: undefined, calls: 1, gas, self: 0, children };
}

test('children stand from the left, and those too small to draw are one rectangle', () => {
  const crumbs = [
    block('a', 4),
    block('b', 3, block('c', 2, block('d', 1))),
    block('refund', -5),
    block('e', 3),
  ];
  const root = block('all', 1000, block('f', 300), ...crumbs, block('g', 500, block('h', 500)));
  const boxes = layOut(root, 100).map(({ block: drawn, parent, ...box }) => ({
    id: drawn?.id,
    parent: parent?.id,
    ...box,
  }));
  const of = 6;
  expect(boxes).toEqual([
    {
      id: 'all',
      parent: undefined,
      x: 0,
      width: 100,
      depth: 0,
      gas: 1000,
      count: 1,
      position: 1,
      of: 1,
    },
    { id: 'f', parent: 'all', x: 0, width: 30, depth: 1, gas: 300, count: 1, position: 1, of },
    // Six blocks: four children, and two below one of them.
    {
      id: undefined,
      parent: 'all',
      x: 30,
      width: 1,
      depth: 1,
      gas: 10,
      count: 6,
      position: 0,
      of: 0,
    },
    { id: 'g', parent: 'all', x: 31, width: 50, depth: 1, gas: 500, count: 1, position: 6, of },
    { id: 'h', parent: 'g', x: 31, width: 50, depth: 2, gas: 500, count: 1, position: 1, of: 1 },
  ]);
  expect(depthOf(layOut(root, 100))).toBe(3);
});

test('a block of the least width is drawn, and a group that stays below it is not', () => {
  const root = block('all', 100, block('least', 1), block('a', 0.5), block('b', 98));
  expect(layOut(root, 100).map(({ block: drawn, x }) => [drawn?.id, x])).toEqual([
    ['all', 0],
    ['least', 0],
    ['b', 1.5],
  ]);
});

test('a group at the end is drawn', () => {
  const root = block('all', 100, block('a', 98), block('b', 0.5), block('c', 0.5));
  expect(layOut(root, 100).map(({ x, count }) => [x, count])).toEqual([
    [0, 1],
    [0, 1],
    [98, 2],
  ]);
  expect(depthOf([])).toBe(1);
});

test('children that have more gas than their parent share its width', () => {
  const root = block('all', 10, block('a', 30), block('b', 10), block('refund', -5));
  expect(layOut(root, 80).map(({ x, width }) => [x, width])).toEqual([
    [0, 80],
    [0, 60],
    [60, 20],
  ]);
  expect(layOut(block('all', 0, block('a', 0)), 80)).toHaveLength(1);
  // Of the least gas too.
  expect(layOut(block('all', 1, block('a', 1), block('b', 1)), 80).map(({ x }) => x)).toEqual([
    0, 0, 40,
  ]);
});
