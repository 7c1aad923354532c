// Layers of a hosted chain against a model: any writes, folded at any time, read in any range.
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import type { Entry, EntryRange } from 'starkbox/registry';
import { describe, expect, test } from 'vitest';
import { foldedAbove } from '../src/layers/fold.js';
import { LayeredDatabase } from '../src/layers/layered-database.js';
import { MemoryRun } from '../src/layers/run.js';
import { Table } from '../src/layers/table.js';
import { readManifest } from '../src/manifest.js';

const key = fc.integer({ min: 0, max: 60 }).map((number) => Buffer.of(number >> 3, number & 7));
const value = fc.option(fc.uint8Array({ maxLength: 5 }).map(Buffer.from), { nil: undefined });
const batch = fc.record({
  entries: fc.array(fc.tuple(key, value), { maxLength: 20 }),
  isFolded: fc.boolean(),
});

const sorted = (model: ReadonlyMap<string, Buffer>) =>
  [...model].sort(([first], [other]) => (first < other ? -1 : 1));

function found(
  model: ReadonlyMap<string, Buffer>,
  { start, end, reverse = false, limit }: EntryRange,
) {
  const all = reverse ? sorted(model).toReversed() : sorted(model);
  const [from, to] = [start?.toString('hex'), end?.toString('hex')];
  return all
    .filter(([hex]) => from === undefined || (reverse ? hex <= from : hex >= from))
    .filter(([hex]) => to === undefined || (reverse ? hex > to : hex < to))
    .slice(0, limit);
}

describe('A database of layers', () => {
  test('reads what was written last, in every range', async () => {
    const range = fc.record({
      start: fc.option(key, { nil: undefined }),
      end: fc.option(key, { nil: undefined }),
      reverse: fc.boolean(),
      limit: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 8 }), range, async (batches, bounds) => {
        const model = new Map<string, Buffer>();
        const empty = { tables: [], newest: MemoryRun.EMPTY };
        const database = new LayeredDatabase('a chain', empty, async (layers) => layers);
        for (const { entries, isFolded } of batches) {
          await database.write(entries);
          for (const [key, other] of entries) {
            if (other) model.set(key.toString('hex'), other);
            else model.delete(key.toString('hex'));
          }
          if (isFolded) await database.rewrite(async (layers) => foldedAbove(0, layers, 1));
        }
        const { start, end, reverse, limit } = bounds;
        const entryRange: EntryRange = {
          reverse,
          ...(start && { start }),
          ...(end && { end }),
          ...(limit !== undefined && { limit }),
        };
        const read = [...database.getRange(entryRange)];
        expect(read.map((entry) => [entry.key.toString('hex'), entry.value])).toEqual(
          found(model, entryRange),
        );
        for (const [hex, value] of model)
          expect(database.get(Buffer.from(hex, 'hex'))).toEqual(value);
      }),
    );
  });

  test('a table of many entries finds each of them, and the place of those that it lacks', () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index * 2);
    const wide = (number: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes;
    };
    const table = Table.of(numbers.map((number): Entry => [wide(number), wide(number + 1)]));
    for (const [index, number] of numbers.entries()) {
      expect(table.lowerBound(wide(number))).toBe(index);
      expect(table.lowerBound(wide(number + 1))).toBe(index + 1);
      expect(table.valueAt(index)).toEqual(wide(number + 1));
    }
  });

  test('bytes that are no table are refused', () => {
    const { data } = Table.of([[Buffer.of(1), Buffer.of(2)]]);
    expect(() => new Table(data.subarray(0, data.length - 1))).toThrow('no table');
    expect(() => new Table(Buffer.alloc(3))).toThrow('no table');
    const cut = Buffer.from(data);
    cut.writeUInt32LE(2 ** 31, cut.length - 8);
    expect(() => new Table(cut)).toThrow('cut');
  });
});

test('a short manifest that inflates to very much is rejected', () => {
  const head = Buffer.from(JSON.stringify({ format: 2 }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const bytes = Buffer.concat([length, head, deflateRawSync(Buffer.alloc(64 << 20))]);
  expect(bytes.length).toBeLessThan(100_000);
  expect(() => readManifest(bytes)).toThrow(/larger than/);
});
