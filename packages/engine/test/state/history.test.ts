// Immutability of states: rewinding, branching, long histories.

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { builtinClass, State } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { block, hex } from '../fixtures/chain.js';
import {
  chainOf,
  declareDiff,
  deployDiff,
  NO_DIFF,
  nonceDiff,
  replaceDiff,
  slotDiff,
} from '../fixtures/diffs.js';

const A = '0xa';
const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });
const range = (count: number): readonly number[] => [...Array(count).keys()];

/** A slot at every version of a handle. */
const historyOf = (state: State, key = '0x1'): Promise<readonly string[]> =>
  Promise.all(range(state.version + 1).map((version) => state.at(version).storageAt(A, key)));

const sierra = await builtinClass('udc');
const cairo0 = await builtinClass('udc-cairo0');

describe('rewinding', () => {
  test('several blocks are undone, with what is pending', async () => {
    const state = await (await chainOf(['0x1', '0x2', '0x3', '0x4'])).apply(
      { ...slotDiff(A, '0x2', '0x9'), ...nonceDiff(A, '0x9'), ...deployDiff(A, '0xc1') },
      [sierra],
    );
    const rewound = await state.rewind(1);
    expect([rewound.version, rewound.firstVersion]).toEqual([2, 0]);
    expect(await historyOf(rewound)).toEqual(['0x1', '0x2', '0x2']);
    expect(await historyOf(rewound, '0x2')).toEqual(['0x0', '0x0', '0x0']);
    expect([await rewound.nonceAt(A), await rewound.classHashAt(A)]).toEqual(['0x0', '0x0']);
    expect(await rewound.class(sierra.hash)).toBeUndefined();
    expect(rewound.diffOf(1)).toEqual(state.diffOf(1));
    expect(rewound.diffOf(2)).toEqual(NO_DIFF);
    expect(() => rewound.at(3)).toThrow(refused('state'));
    expect(await (await chainOf(['0x1', '0x2'])).diffTo(rewound)).toEqual(NO_DIFF);
  });

  test('to the last closed version only what is pending is dropped', async () => {
    const state = await (await chainOf(['0x1', '0x2'])).apply(slotDiff(A, '0x1', '0x3'));
    const rewound = await state.rewind(1);
    expect(rewound.version).toBe(2);
    expect(await historyOf(rewound)).toEqual(['0x1', '0x2', '0x2']);
  });

  test('every kind of change is undone and can be made again', async () => {
    const first = { ...nonceDiff(A, '0x1'), ...deployDiff(A, '0xc1') };
    const second = { ...nonceDiff(A, '0x2'), ...replaceDiff(A, '0xc2') };
    const genesis = (await State.create().apply(first)).advance();
    const grown = (await genesis.apply(second, [sierra, cairo0])).advance().advance();
    const rewound = await grown.rewind(0);
    expect([await rewound.nonceAt(A), await rewound.classHashAt(A)]).toEqual(['0x1', '0xc1']);
    expect(rewound.classSince(cairo0.hash)).toBeUndefined();
    const again = (await rewound.apply(second, [sierra, cairo0])).advance();
    expect(again.diffOf(1)).toEqual({ ...NO_DIFF, ...second, ...declareDiff([sierra, cairo0]) });
  });

  test('to before the first version nothing is left', async () => {
    const state = await chainOf(['0x1', '0x2'], State.create({ version: 5 }));
    const rewound = await state.rewind(4);
    expect([rewound.version, rewound.firstVersion]).toEqual([5, 5]);
    expect(await rewound.storageAt(A, '0x1')).toBe('0x0');
    expect(rewound.storageSince(A, '0x1')).toBeUndefined();
    await expect(state.rewind(3)).rejects.toThrow(refused('state'));
  });

  test('works from a view, too', async () => {
    const rewound = await (await chainOf(['0x1', '0x2', '0x3'])).at(0).rewind(0);
    expect(await historyOf(await chainOf(['0x7'], rewound))).toEqual(['0x1', '0x7', '0x7']);
  });

  test('is refused for the open version, later ones, and what is no version', async () => {
    const state = await chainOf(['0x1']);
    await expect(state.rewind(1)).rejects.toThrow(refused('state'));
    await expect(state.rewind(2)).rejects.toThrow(refused('state'));
    await expect(state.rewind(-1)).rejects.toThrow(refused('input'));
    await expect(state.rewind(0.5)).rejects.toThrow(refused('input'));
    await expect(state.rewind(Number.NaN)).rejects.toThrow(refused('input'));
  });

  /** Blocks that change a slot and take it back: their differences are empty. */
  async function fidget(start: State, blocks: number): Promise<State> {
    let state = start;
    for (const _ of range(blocks)) {
      const away = await state.apply(slotDiff(A, '0x1', '0x99'));
      state = (await away.apply(slotDiff(A, '0x1', await start.storageAt(A, '0x1')))).advance();
    }
    return state;
  }

  test.each(range(12))('%i blocks without a difference leave no trace', async (blocks) => {
    let state = await (await fidget(await chainOf(['0x1']), blocks)).rewind(0);
    const values = ['0x1'];
    for (const version of range(12)) {
      const value = hex(version + 2);
      state = await chainOf([value], state);
      values.push(value);
      expect(await historyOf(state)).toEqual([...values, value]);
    }
  });

  test('a slot is dated as if the undone blocks had never been', async () => {
    const rewound = await (await fidget(await chainOf(['0x1']), 1)).rewind(0);
    expect(rewound.storageSince(A, '0x1')).toBe(0);
    const zero = await (await fidget(State.create().advance(), 1)).rewind(0);
    expect(zero.storageSince(A, '0x1')).toBeUndefined();
    expect(zero.figures().slots).toBe(0);
  });
});

describe('handles', () => {
  test('an old one reads what it read, whatever is written elsewhere', async () => {
    const old = await (await chainOf(['0x1', '0x2'])).apply(slotDiff(A, '0x2', '0x5'), [sierra]);
    const before = { history: await historyOf(old), diff: old.diffOf(2), figures: old.figures() };
    let other = old;
    for (const round of range(300)) {
      const diff = { ...slotDiff(A, hex(round % 7), hex(round)), ...nonceDiff(A, hex(round)) };
      other = await other.apply({ ...diff, ...deployDiff(A, hex(round + 1)) }, [cairo0]);
      if (round % 3 === 0) other = other.advance();
      if (round % 50 === 49) other = await other.rewind(other.version - 10);
    }
    expect(await historyOf(old)).toEqual(before.history);
    expect([await old.storageAt(A, '0x2'), await old.nonceAt(A)]).toEqual(['0x5', '0x0']);
    expect(await old.classHashAt(A)).toBe('0x0');
    expect(old.classSince(cairo0.hash)).toBeUndefined();
    expect({ ...before, diff: old.diffOf(2), figures: old.figures() }).toEqual(before);
    expect(old.version).toBe(2);
  });

  test('two children do not see each other, and rewinding one leaves the other alone', async () => {
    const parent = await chainOf(['0x1', '0x2']);
    const firstChild = await chainOf(['0x10', '0x11'], parent);
    const right = await chainOf(['0x20', '0x21', '0x22'], parent);
    const lefts = ['0x1', '0x2', '0x10', '0x11', '0x11'];
    const rights = ['0x1', '0x2', '0x20', '0x21', '0x22', '0x22'];
    expect(await historyOf(firstChild)).toEqual(lefts);
    expect(await historyOf(right)).toEqual(rights);
    const rewound = await chainOf(['0x30'], await right.rewind(0));
    expect(await historyOf(rewound)).toEqual(['0x1', '0x30', '0x30']);
    expect(await historyOf(firstChild)).toEqual(lefts);
    expect(await historyOf(right)).toEqual(rights);
    expect(await historyOf(parent)).toEqual(['0x1', '0x2', '0x2']);
    expect(firstChild.diffOf(2)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x10') });
    expect(right.diffOf(2)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x20') });
  });

  test('many can be written at once from one state', async () => {
    const parent = await chainOf(['0x1']);
    const children = await Promise.all(range(64).map((n) => chainOf([hex(n), hex(n + 1)], parent)));
    for (const [n, child] of children.entries()) {
      expect(await historyOf(child)).toEqual(['0x1', hex(n), hex(n + 1), hex(n + 1)]);
    }
  });
});

describe('without history', () => {
  const forgetful = () => State.create({ keepHistory: false });

  test('the head is right and older versions are refused', async () => {
    const state = await chainOf(['0x1', '0x2', '0x3'], forgetful());
    expect(await state.storageAt(A, '0x1')).toBe('0x3');
    expect(state.storageSince(A, '0x1')).toBe(2);
    expect(await state.at(3).storageAt(A, '0x1')).toBe('0x3');
    expect(() => state.at(2)).toThrow(refused('state'));
    expect(() => state.at(4)).toThrow(refused('state'));
    await expect(state.rewind(1)).rejects.toThrow(refused('state'));
    expect(state.figures().olderValues).toBe(0);
  });

  test('the open block has its difference, and closed ones have none', async () => {
    const diff = { ...slotDiff(A, '0x1', '0x1'), ...nonceDiff(A, '0x1'), ...deployDiff(A, '0xc1') };
    const first = await forgetful().apply(diff, [sierra]);
    expect(first.diffOf(0)).toEqual({ ...NO_DIFF, ...diff, ...declareDiff([sierra]) });
    const second = await first.advance().apply(slotDiff(A, '0x1', '0x2'));
    expect(second.diffOf(1)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x2') });
    expect([second.firstVersion, second.figures().versions]).toEqual([1, 1]);
    expect(() => second.diffOf(0)).toThrow(/difference of version 0 was not kept: history is off/);
    expect(() => second.diffOf(2)).toThrow(refused('state'));
  });

  test('a block that is closed has its difference in the report', async () => {
    const state = await forgetful().apply(slotDiff(A, '0x1', '0x1'));
    const { diff, latest } = await state.close(block(0), [], { parentHash: '0x0' });
    expect(JSON.parse(diff)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x1') });
    expect(latest.firstVersion).toBe(1);
  });

  test('a value that becomes zero is a difference', async () => {
    const state = await (await chainOf(['0x1'], forgetful())).apply(slotDiff(A, '0x1', '0x0'));
    expect(state.diffOf(1)).toEqual({ ...NO_DIFF, ...slotDiff(A, '0x1', '0x0') });
  });

  test('a value that stays is no difference', async () => {
    const state = await (await chainOf(['0x1'], forgetful())).apply(slotDiff(A, '0x1', '0x1'));
    expect(state.diffOf(1)).toEqual(NO_DIFF);
  });

  test('three thousand blocks are kept as one is', async () => {
    const grown = async (keepHistory: boolean, blocks: number) => {
      const values = range(blocks).map((number) => hex((number % 7) + 1));
      return (await chainOf(values, State.create({ keepHistory }))).figures();
    };
    expect(await grown(false, 3_000)).toEqual(await grown(false, 1));
    const [short, many] = [await grown(true, 1), await grown(true, 3_000)];
    expect([many.versions, many.olderValues]).toEqual([3_001, 2_999]);
    expect(many.approximateBytes).toBeGreaterThan(2_999 * 300 + short.approximateBytes);
  });

  test('a second class is a replacement', async () => {
    const first = (await forgetful().apply(deployDiff(A, '0xc1'))).advance();
    const state = await first.apply(replaceDiff(A, '0xc2'));
    expect(state.diffOf(1)).toEqual({ ...NO_DIFF, ...replaceDiff(A, '0xc2') });
  });
});

describe('a slot with twenty thousand values', () => {
  const COUNT = 20_000;
  const SAMPLE = [0, 1, 2, 3, 511, 512, 4095, 9_999, 16_383, 16_384, COUNT - 2, COUNT - 1, COUNT];

  async function deep(): Promise<State> {
    let state = State.create();
    for (const n of range(COUNT)) {
      const { version } = state;
      state = await state.apply({ ...slotDiff(A, '0x1', hex(n + 1)), ...nonceDiff(A, hex(n + 1)) });
      if (state.version !== version) throw new Error('writing moved the version');
      state = state.advance();
    }
    return state;
  }

  /** Every version holds its own number plus one; the open one holds what the last left. */
  async function check(state: State): Promise<void> {
    const expectedAt = (version: number) => hex(Math.min(version + 1, state.version));
    for (const version of SAMPLE.filter((version) => version <= state.version)) {
      const view = state.at(version);
      expect(await view.storageAt(A, '0x1')).toBe(expectedAt(version));
      expect(await view.nonceAt(A)).toBe(expectedAt(version));
      expect(view.storageSince(A, '0x1')).toBe(Math.min(version, state.version - 1));
    }
    for (const version of range(Math.ceil(state.version / 37)).map((n) => n * 37)) {
      expect(await state.at(version).storageAt(A, '0x1')).toBe(expectedAt(version));
    }
  }

  test('is read, rewound, sent on and let go', { timeout: 180_000 }, async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const use = async () => {
      const state = await deep();
      await check(state);
      await check(await state.rewind(10_000));
      await check(await state.rewind(0));
      const pieces: Uint8Array[] = [];
      for await (const piece of state.export()) pieces.push(piece);
      await check(await State.import(pieces));
    };
    await use();
    // Letting go of the last handle frees the whole chain; too deep a recursion would end the process.
    for (const _ of range(5)) {
      collect();
      await setImmediate();
    }
    expect(await historyOf(await chainOf(['0x1']))).toEqual(['0x1', '0x1']);
  });
});
