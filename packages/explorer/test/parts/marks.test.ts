// Marks of addresses, and the hues of contracts beside each other.
import { FIXTURE_NAMES } from '@starkbox/abi/internal';
import { expect, test } from 'vitest';
import { huesOf, markOf } from '../../src/parts/marks.js';

const ACCOUNTS = [
  '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691',
  '0x78662e7352d062084b0010068b99288486c2d8b914f6e2a55ce945f8792c8b1',
];
const MINTER = [...FIXTURE_NAMES].find(([, name]) => name === 'minter')?.[0] ?? '';

test('the first accounts and the minter differ, though their addresses end alike', () => {
  const looks = [...ACCOUNTS, MINTER].map((address) => JSON.stringify(markOf(address)));
  expect(new Set(looks).size).toBe(3);
});

test('up to eight contracts beside each other have hues of their own', () => {
  const contracts = Array.from({ length: 8 }, (_, at) => `0x${(at * 8 + 1).toString(16)}`);
  const hues = huesOf([...contracts, ...contracts]);
  expect(hues.size).toBe(8);
  expect(new Set(hues.values()).size).toBe(8);
  expect(hues).toEqual(huesOf(contracts));
  expect(hues.get(contracts[0] ?? '')).toBe(markOf(contracts[0] ?? '').hue);
});
