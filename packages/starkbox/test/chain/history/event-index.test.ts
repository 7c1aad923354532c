// The event index compared with a search through all events.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BlockIndex } from '../../../src/chain/history/block-index.js';
import {
  candidates,
  type Emitted,
  type EventFilter,
  eventMarks,
} from '../../../src/chain/history/event-index.js';

/** What a chain emitted: a list of events for each block. */
type Model = readonly (readonly Emitted[])[];

/** The marks of a chain's blocks, as its history keeps them. */
class EventIndex {
  static readonly empty: EventIndex = new EventIndex(BlockIndex.empty, []);
  readonly #mentions: BlockIndex;
  readonly #marks: readonly (readonly number[])[];

  constructor(mentions: BlockIndex, marks: readonly (readonly number[])[]) {
    this.#mentions = mentions;
    this.#marks = marks;
  }

  get size(): number {
    return this.#mentions.size;
  }

  with(block: number, emitted: readonly Emitted[]): EventIndex {
    const marks = eventMarks(emitted);
    return new EventIndex(this.#mentions.with(marks, block), [...this.#marks, marks]);
  }

  truncate(from: number): EventIndex {
    const gone = this.#marks.slice(from).flat();
    return new EventIndex(this.#mentions.without(gone, from), this.#marks.slice(0, from));
  }

  /** Without the blocks before one. */
  since(from: number): BlockIndex {
    return this.#mentions.withoutOlder(this.#marks.slice(0, from).flat(), from);
  }

  get whole(): BlockIndex {
    return BlockIndex.of(0, this.#marks);
  }

  candidates(filter: EventFilter): Generator<number, void, undefined> {
    return candidates(filter, (mark) => this.#mentions.cursor(mark));
  }
}

const felt = fc.constantFrom('0x0', '0x1', '0x2', '0xa', '0xb', '0xabcdef', '0x100000000');
const event = fc.record({ from_address: felt, keys: fc.array(felt, { maxLength: 4 }) });
const events = fc.array(event, { maxLength: 3 });
const filter = fc.record({
  from: fc.nat(25),
  to: fc.nat(30),
  addresses: fc.option(fc.array(felt, { maxLength: 3 }), { nil: undefined }),
  keys: fc.array(fc.array(felt, { maxLength: 3 }), { maxLength: 5 }),
});

/** Whether an event matches, as generously as a reader of blocks may see it. */
function matches({ from_address, keys }: Emitted, filter: EventFilter): boolean {
  return (
    (filter.addresses?.includes(from_address) ?? true) &&
    filter.keys.every((alternatives, position) => {
      const key = keys[position];
      return alternatives.length === 0 || key === undefined || alternatives.includes(key);
    })
  );
}

function search(model: Model, filter: EventFilter): readonly number[] {
  return model.flatMap((emitted, block) =>
    block >= filter.from && block <= filter.to && emitted.some((event) => matches(event, filter))
      ? [block]
      : [],
  );
}

/** What can be said without knowing which events of a block belong together. */
function blocksWith(model: Model, filter: EventFilter): readonly number[] {
  const conditions = [
    { ...filter, keys: [] },
    ...filter.keys.map((alternatives, position) => ({
      ...filter,
      addresses: undefined,
      keys: [...Array.from({ length: position }, () => []), alternatives],
    })),
  ];
  const blocksOfConditions = conditions.map((condition) => search(model, condition));
  return search(model, { ...filter, addresses: undefined, keys: [] }).filter((block) =>
    blocksOfConditions.every((blocks) => blocks.includes(block)),
  );
}

function check(index: EventIndex, model: Model, filter: EventFilter): void {
  const blocks = [...index.candidates(filter)];
  expect(blocks).toEqual(expect.arrayContaining([...search(model, filter)]));
  // With so few felts no two share a mark.
  expect(blocks).toEqual(blocksWith(model, filter));
}

const grow = (model: Model, index = EventIndex.empty, from = 0): EventIndex =>
  model.reduce((grown, emitted, block) => grown.with(from + block, emitted), index);

describe('an index of events', () => {
  test('finds what a search through all blocks finds', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), filter, (model, filter) => {
        check(grow(model), model, filter);
      }),
      { numRuns: 500 },
    );
  });

  test('is right on every branch, after any truncation', () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('grow' as const), back: fc.nat(3), blocks: fc.array(events) }),
      fc.record({ does: fc.constant('cut' as const), back: fc.nat(3), depth: fc.nat(12) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        (steps, filters) => {
          const branches: { readonly index: EventIndex; readonly model: Model }[] = [
            { index: EventIndex.empty, model: [] },
          ];
          for (const step of steps) {
            const { index, model } = branches.at(-1 - (step.back % branches.length)) ?? {
              index: EventIndex.empty,
              model: [],
            };
            if (step.does === 'grow') {
              branches.push({
                index: grow(step.blocks, index, model.length),
                model: [...model, ...step.blocks],
              });
            } else {
              const length = Math.max(0, model.length - step.depth);
              branches.push({ index: index.truncate(length), model: model.slice(0, length) });
            }
          }
          for (const { index, model } of branches) {
            for (const filter of filters) check(index, model, filter);
            // Nothing is left of what was cut off.
            expect(index.size).toBe(grow(model).size);
          }
        },
      ),
    );
  });

  test('forgets old blocks, and is the same when built at once', () => {
    fc.assert(
      fc.property(
        fc.array(events, { maxLength: 30 }),
        filter,
        fc.nat(30),
        (model, filter, from) => {
          const index = grow(model);
          const expected = [...index.candidates(filter)];
          const candidatesIn = (mentions: BlockIndex) => [
            ...candidates(filter, (mark) => mentions.cursor(mark)),
          ];
          expect(candidatesIn(index.whole)).toEqual(expected);
          expect(candidatesIn(index.since(from))).toEqual(
            expected.filter((block) => block >= from),
          );
        },
      ),
    );
  });

  test('skips through long lists', () => {
    const model = Array.from({ length: 5_000 }, (_, block) => [
      { from_address: '0x1', keys: ['0xa', block % 700 === 3 ? '0x2' : '0x0'] },
      ...(block % 11 === 0 ? [{ from_address: '0x2', keys: ['0xb'] }] : []),
    ]);
    const index = grow(model);
    for (const filter of [
      { from: 0, to: 5_000, addresses: ['0x1'], keys: [['0xa'], ['0x2']] },
      { from: 703, to: 4_203, addresses: ['0x1'], keys: [['0xa'], ['0x2']] },
      { from: 704, to: 4_202, addresses: ['0x2', '0x1'], keys: [[], ['0x2']] },
      { from: 17, to: 4_999, addresses: ['0x2'], keys: [['0xb', '0xabcdef']] },
      { from: 4_990, to: 4_999, addresses: undefined, keys: [] },
    ]) {
      check(index, model, filter);
    }
  });

  test('looks for nothing before it is asked', () => {
    const index = grow(Array.from({ length: 100 }, () => [{ from_address: '0x1', keys: ['0xa'] }]));
    const blocks = index.candidates({ from: 40, to: 60, addresses: ['0x1'], keys: [] });
    const later = index.with(100, [{ from_address: '0x1', keys: [] }]).truncate(10);
    expect([blocks.next().value, blocks.next().value]).toEqual([40, 41]);
    expect([...later.candidates({ from: 8, to: 60, addresses: ['0x1'], keys: [] })]).toEqual([
      8, 9,
    ]);
    expect([...blocks]).toHaveLength(19);
  });

  test('handles blocks without events, and filters without addresses', () => {
    const index = grow([[], [{ from_address: '0x1', keys: [] }], [], []]);
    expect([...index.candidates({ from: 0, to: 9, addresses: undefined, keys: [] })]).toEqual([1]);
    expect([...index.candidates({ from: 0, to: 9, addresses: undefined, keys: [[]] })]).toEqual([
      1,
    ]);
    expect([...index.candidates({ from: 0, to: 9, addresses: [], keys: [] })]).toEqual([]);
    expect([...index.candidates({ from: 2, to: 1, addresses: undefined, keys: [] })]).toEqual([]);
  });
});
