// A sorted map behaves like a plain map whose keys are sorted, and finds what differs from another.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedMap } from '../../src/chain/mempool/sorted-map.js';

const CHANGES = fc.array(
  fc.record({ key: fc.integer({ min: 0, max: 40 }).map(String), value: fc.option(fc.nat(3)) }),
  { maxLength: 60 },
);

type Change = { readonly key: string; readonly value: number | null };

function applied(start: SortedMap<number>, changes: readonly Change[]): SortedMap<number> {
  return changes.reduce(
    (map, { key, value }) => (value === null ? map.delete(key) : map.set(key, value)),
    start,
  );
}

function plain(changes: readonly Change[]): [string, number][] {
  const map = new Map<string, number>();
  for (const { key, value } of changes) {
    if (value === null) map.delete(key);
    else map.set(key, value);
  }
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

test('keys and values, ranks and walks are those of a plain map', () => {
  fc.assert(
    fc.property(CHANGES, fc.nat(40).map(String), (changes, from) => {
      const map = applied(new SortedMap(), changes);
      const expected = plain(changes);
      expect([...map.from()]).toEqual(expected);
      expect(map.size).toBe(expected.length);
      expect(map.first()).toBe(expected[0]?.[1]);
      expect(map.get(from)).toBe(new Map(expected).get(from));
      expect([...map.from(from)]).toEqual(expected.filter(([key]) => key >= from));
      expect(map.rank(from)).toBe(expected.filter(([key]) => key < from).length);
    }),
    { numRuns: 200 },
  );
});

test('differences are exactly the keys whose values differ', () => {
  fc.assert(
    fc.property(CHANGES, CHANGES, (changes, more) => {
      const before = applied(new SortedMap(), changes);
      const after = applied(before, more);
      const [was, is] = [new Map(plain(changes)), new Map(plain([...changes, ...more]))];
      const keys = [...new Set([...was.keys(), ...is.keys()])].sort();
      expect([...before.differences(after)]).toEqual(
        keys
          .map((key) => ({ key, before: was.get(key), after: is.get(key) }))
          .filter((change) => change.before !== change.after),
      );
    }),
    { numRuns: 200 },
  );
});
