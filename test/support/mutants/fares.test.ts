// The boundary of one rule is tested, that of the other is not.
import { expect, test } from 'vitest';
import { isFree, paysHalf } from './fares.js';

test('children pay half until they are twelve', () => {
  expect([11, 12].map(paysHalf)).toEqual([true, false]);
});

test('old passengers pay nothing', () => {
  expect([30, 80].map(isFree)).toEqual([false, true]);
});
