// Columns left out of narrow tables: by rank, and no more than must be.
import { expect, test } from 'vitest';
import { withoutRoom } from '../../src/parts/table/fitting-columns.js';

const COLUMNS = [
  { head: 'reason', least: 30 },
  { head: 'senders', width: '20', rank: 2 },
  { head: 'transactions', width: '40', rank: 1 },
  { head: 'hash', width: '10', rank: 3 },
];
const widthOf = ({ width, least }: { width?: string; least?: number }): number =>
  least ?? Number(width);

test('columns leave by rank', () => {
  expect(withoutRoom(COLUMNS, 100, widthOf)).toEqual([]);
  expect(withoutRoom(COLUMNS, 95, widthOf)).toEqual(['hash']);
  expect(withoutRoom(COLUMNS, 75, widthOf)).toEqual(['senders', 'hash']);
});

test('columns that fit after a wide one has left come back, the most important first', () => {
  expect(withoutRoom(COLUMNS, 60, widthOf)).toEqual(['transactions']);
  expect(withoutRoom(COLUMNS, 55, widthOf)).toEqual(['transactions', 'hash']);
  expect(withoutRoom(COLUMNS, 45, widthOf)).toEqual(['transactions', 'senders']);
  expect(withoutRoom(COLUMNS, 35, widthOf)).toEqual(['transactions', 'senders', 'hash']);
});
