// Filter of events in the address of the page.
import { hash } from 'starknet';
import { describe, expect, test } from 'vitest';
import { keysOf, readFilter, readKeys } from '../../src/rpc/event-filter.js';

describe('a filter', () => {
  test('is read from an address, and a name is a key', () => {
    expect(readKeys('0x01|0x2, *, 0x3')).toEqual([['0x1', '0x2'], [], ['0x3']]);
    expect(readKeys('')).toEqual([]);
    expect(readKeys('nonsense')).toBe(undefined);
    const filter = readFilter(new URLSearchParams({ name: 'Transfer', keys: '*,0x7', from: '-1' }));
    expect(filter.from).toBe(undefined);
    expect(keysOf(filter)).toEqual([[hash.getSelectorFromName('Transfer')], ['0x7']]);
  });
});
