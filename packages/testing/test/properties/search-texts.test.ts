// What a search reads and writes: its options, reasons of failures, histories in files, progress, and its digest.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeShortString } from '@starkbox/abi/basics';
import { describe, expect, test } from 'vitest';
import type { History } from '../../src/properties/model/history.js';
import { Corpus } from '../../src/properties/runner/corpus.js';
import { RunDigest } from '../../src/properties/runner/digest.js';
import { historyOfJson, stepToJson } from '../../src/properties/runner/history-text.js';
import { Progress, progressLine } from '../../src/properties/runner/progress.js';
import { RevertCounts, reasonOf } from '../../src/properties/runner/reasons.js';
import {
  checkOptions,
  checkOverrides,
  checkSearchOptions,
  DEFAULT_RUNS,
  planOf,
  workersOf,
} from '../../src/properties/runner/settings.js';

const HISTORY: History = [
  {
    kind: 'call',
    from: '0x1',
    to: '0x2',
    function: 'f',
    arguments: [5n, -3n, 'n:5', true, [1n], { a: 2n }],
  },
  { kind: 'action', name: 'poke', arguments: [] },
  { kind: 'time', seconds: 0 },
  { kind: 'block' },
];

describe('a history in a file', () => {
  const json = JSON.parse(JSON.stringify(HISTORY.map(stepToJson)));

  test('is read as it was written', () => {
    expect(historyOfJson(json)).toEqual(HISTORY);
  });

  test('is damaged where a member is another', () => {
    const [call, action, time] = json;
    for (const step of [
      ...['from', 'to', 'function', 'arguments'].map((name) => ({ ...call, [name]: 5 })),
      ...[1.5, null, 'x', 'n:x', 'n:', 'n:1.5', ['y:1']].map((value) => ({
        ...call,
        arguments: [value],
      })),
      ...[{ ...action, name: 5 }, { ...action, arguments: {} }, { kind: 'other' }, 5],
      ...[-1, 1.5, '5', 2 ** 53].map((seconds) => ({ ...time, seconds })),
    ]) {
      expect(() => historyOfJson([time, step])).toThrow('step 2 is damaged');
    }
    expect(() => historyOfJson({})).toThrow('its history is not a list');
  });

  test('is kept in the corpus until it is removed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
    try {
      const corpus = new Corpus(join(folder, 'inner'));
      expect(await corpus.read()).toEqual({ entries: [], damages: [] });
      const file = await corpus.add('solvent', HISTORY);
      expect(await corpus.add('solvent', HISTORY)).toBe(file);
      expect(await corpus.add('other', HISTORY)).not.toBe(file);
      const damaged = ['{', '{"format":2}', '{"format":1}', '{"format":1,"invariant":"a"}'];
      for (const [at, text] of damaged.entries()) {
        writeFileSync(join(corpus.folder, `violation-${at}.json`), text);
      }
      for (const name of ['other.json', 'violation-1.txt'])
        writeFileSync(join(corpus.folder, name), '{');
      const { entries, damages } = await corpus.read();
      expect(entries.map(({ invariant }) => invariant).sort()).toEqual(['other', 'solvent']);
      expect(entries.find((entry) => entry.file === file)?.history).toEqual(HISTORY);
      expect(damages).toHaveLength(damaged.length);
      expect(damages[1]).toMatch(
        /violation-1.json is damaged and is not tried: its format is 2, not 1/,
      );
      for (const entry of entries) await corpus.remove(entry);
      expect((await corpus.read()).entries).toEqual([]);
      expect(readdirSync(corpus.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      await expect(new Corpus(join(corpus.folder, 'other.json')).read()).rejects.toThrow(
        /cannot be read/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('reasons', () => {
  test('are the strings of a panic, or the first line of a message', () => {
    const panic = [encodeShortString('not owner'), '0x5'];
    const failure = { frames: [], returned: [] };
    expect(reasonOf({ message: 'x', ...failure, panic })).toBe('not owner, 0x5');
    expect(reasonOf({ message: 'first\nsecond', ...failure, panic: [] })).toBe('first');
    expect(reasonOf({ message: 'x'.repeat(160), ...failure })).toBe('x'.repeat(160));
    expect(reasonOf({ message: 'x'.repeat(161), ...failure })).toBe(`${'x'.repeat(160)}…`);
  });

  test('are counted, most frequent first, up to 200', () => {
    const counts = new RevertCounts();
    for (const reason of ['b', 'a', 'c', 'c']) counts.add(reason);
    counts.add('d', 5);
    expect(Object.entries(counts.sorted)).toEqual([
      ['d', 5],
      ['c', 2],
      ['a', 1],
      ['b', 1],
    ]);
    for (let at = 0; at < 197; at += 1) counts.add(`r${at}`);
    counts.add('r0');
    expect(counts.pairs).toHaveLength(201);
    expect(counts.sorted).toMatchObject({ 'other reasons': 1, r0: 2 });
  });
});

describe('options', () => {
  const least = { contracts: ['0x1'], invariants: { holds: () => true } };
  const refused = (changes: object, message: RegExp) =>
    expect(() => checkOptions({ ...least, ...changes })).toThrow(message);

  test('are refused where they cannot be meant', () => {
    checkOptions(least);
    checkOptions({ ...least, contracts: [], actions: { poke: { run: () => undefined } } });
    checkOptions({
      ...least,
      workers: 0,
      seed: -5,
      seconds: 0.1,
      failures: 'reject',
      strategy: 'random',
    });
    refused({ contracts: '0x1' }, /^contracts must be a list/);
    refused({ contracts: [] }, /^contracts is empty/);
    refused({ actors: [] }, /^actors must be/);
    refused({ actors: '0x1' }, /^actors must be/);
    refused({ invariants: {} }, /^invariants is empty/);
    refused({ invariants: { holds: 5 } }, /^invariants.holds must be a function, not number/);
    refused({ actions: { poke: {} } }, /^actions.poke must be a function, not undefined/);
    refused({ failures: 'maybe' }, /^failures must be/);
    refused({ run: 5 }, /^'run' is no option/);
    for (const name of ['runs', 'depth', 'calls']) {
      refused({ [name]: 0 }, new RegExp(`^${name} must be a whole number of at least 1, not 0`));
      checkSearchOptions({ [name]: 1 });
    }
    refused({ workers: -1 }, /^workers must be a whole number of at least 0/);
    refused({ seed: 1.5 }, /^seed must be a whole number, not 1.5/);
    for (const seconds of [0, -1, Number.NaN])
      refused({ seconds }, /^seconds must be a number above 0/);
    refused({ strategy: 'wild' }, /^strategy must be/);
    checkOverrides({ runs: 5 });
    expect(() => checkOverrides({ runs: 5, ...{ contracts: [] } })).toThrow(
      /'contracts' is no option/,
    );
  });

  test('plan a search with an end', () => {
    expect(planOf({})).toMatchObject({
      ...{ seed: 0, runs: DEFAULT_RUNS, coverage: true },
      ...{ calls: Number.POSITIVE_INFINITY, seconds: Number.POSITIVE_INFINITY },
    });
    expect(DEFAULT_RUNS).toBe(256);
    expect(planOf({ calls: 5 })).toMatchObject({ runs: Number.POSITIVE_INFINITY, calls: 5 });
    expect(planOf({ seconds: 5 }).runs).toBe(Number.POSITIVE_INFINITY);
    expect(planOf({ seconds: 5, runs: 7, seed: 3 })).toMatchObject({
      runs: 7,
      seconds: 5,
      seed: 3,
    });
    expect(planOf({ strategy: 'random' }).coverage).toBe(false);
    expect(planOf({ strategy: 'random', coverage: true }).coverage).toBe(true);
    expect([workersOf({ workers: 3 }), workersOf({}) >= 1]).toEqual([3, true]);
  });
});

describe('progress', () => {
  const reverts = new RevertCounts();
  for (const [reason, count] of [
    ['a', 5],
    ['b', 3],
    ['c', 1],
    ['d', 1],
  ] as const)
    reverts.add(reason, count);
  const state = {
    ...{ plan: planOf({ runs: 100 }), runs: 25, calls: 50, views: 100, offsets: 1_234, kept: 2 },
    ...{ reverts, milliseconds: 3_000, digest: '' },
  };

  test('is one line of what was done and what is left', () => {
    expect(progressLine(state)).toBe(
      '25 runs · 50 calls, 50 calls/s with invariants · 1,234 code offsets in 2 histories · 20 % reverts (a 10 %, b 6 %, c 2 %) · 9 s left',
    );
    const begun = {
      ...state,
      runs: 0,
      calls: 0,
      views: 0,
      milliseconds: 0,
      reverts: new RevertCounts(),
    };
    expect(progressLine(begun)).toBe(
      '0 runs · 0 calls, 0 calls/s with invariants · 1,234 code offsets in 2 histories · 0 % reverts',
    );
    const bySeconds = { ...state, plan: planOf({ seconds: 4 }) };
    expect(progressLine(bySeconds)).toMatch(/ · 1 s left$/);
    expect(progressLine({ ...state, runs: 120 })).toMatch(/ · 0 s left$/);
  });

  test('is drawn again on a terminal, and written now and then elsewhere', () => {
    const linesAt = (
      isTerminal: boolean,
      columns: number | undefined,
      ...times: readonly number[]
    ) => {
      const written: string[] = [];
      const output = {
        write: (text: string) => written.push(text),
        ...(columns ? { columns } : {}),
      };
      const progress = new Progress(output, isTerminal);
      for (const milliseconds of times) progress.show({ ...state, milliseconds });
      progress.clear();
      progress.clear();
      return written;
    };
    expect(
      linesAt(false, 80, 4_999, 5_000, 9_999, 10_000).map((line) => line.endsWith('left\n')),
    ).toEqual([...[true, true]]);
    const drawn = linesAt(true, 60, 199, 200, 399, 400);
    expect(drawn).toHaveLength(3);
    expect(drawn[0]).toBe(
      `\r${progressLine({ ...state, milliseconds: 200 }).slice(0, 59)}\u001b[K`,
    );
    expect(drawn[2]).toBe('\r\u001b[K');
    expect(linesAt(true, 10, 200)[0]).toHaveLength(1 + 39 + 3);
    expect(linesAt(true, undefined, 200)[0]).toHaveLength(1 + 79 + 3);
    expect(linesAt(true, 80)).toEqual([]);
  });
});

test('a digest tells texts, their order and their ends apart', () => {
  const of = (...texts: readonly string[]) => {
    const digest = new RunDigest();
    for (const text of texts) digest.add(text);
    return digest.hex;
  };
  expect(of('a', 'b')).toBe(of('a', 'b'));
  expect(new Set([of(), of(''), of('a'), of('b'), of('ab'), of('a', 'b'), of('b', 'a')]).size).toBe(
    7,
  );
  expect([of(), of('abc'), of('a', 'b')]).toEqual([
    '811c9dc59747b28c',
    '7333ea7c91f51204',
    '36e65dead57a093e',
  ]);
  const ends = (hash: string) => {
    const digest = new RunDigest();
    digest.addEnd(hash);
    return digest.hex;
  };
  expect(ends('0x1111222233334444')).toBe(ends('0x9911222233334444'));
  expect(ends('0x1111222233334444')).not.toBe(ends('0x1111922233334444'));
  expect(ends('short')).toBe(of('short'));
});
