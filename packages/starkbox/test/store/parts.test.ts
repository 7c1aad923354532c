// Parts of a data directory on a real database: keys, lines of blocks, branches, the sweep, fixed options and the identity.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/options.js';
import { feltBytes, feltOf } from '../../src/felt.js';
import { List, PersistentMap } from '../../src/immutable.js';
import {
  type Branches,
  type ChainPosition,
  extentOf,
  headBlocks,
  lastBlocks,
  neededBy,
  restartedWith,
  revertedTo,
  startingAt,
  useOf,
  withoutBlocksFrom,
  withUse,
} from '../../src/store/blocks/branches.js';
import { Lineage } from '../../src/store/blocks/lineage.js';
import { LineageValues } from '../../src/store/blocks/lineage-values.js';
import { changedReferences, findReleased, References } from '../../src/store/blocks/references.js';
import { CommitQueue } from '../../src/store/database/commit-queue.js';
import type { Entry } from '../../src/store/database/database.js';
import {
  ABANDONED_BRANCHES,
  abandonedKey,
  branchInAbandoned,
  ChainKeys,
  dateKey,
  endInReference,
  feltIn,
  instanceKey,
  keysOfInstance,
  markPrefix,
  numberIn,
  numberValue,
  prefix,
  referenceKey,
  singleKey,
} from '../../src/store/database/keys.js';
import { LmdbDatabase } from '../../src/store/database/lmdb-database.js';
import { isFull, lockPath, reserveSpace } from '../../src/store/database/reserve-space.js';
import {
  checkSameFork,
  fixedOptionsOf,
  withFixedOptions,
} from '../../src/store/directory/fixed-options.js';
import {
  draftOf,
  IdentityError,
  identityFrom,
  identityText,
  OtherFormatError,
  readIdentity,
  writeIdentity,
} from '../../src/store/directory/identity.js';
import {
  readInstanceRecord,
  readInstanceRecords,
  recordEntry,
} from '../../src/store/instance-records.js';

const folder = temporaryFolderOfFile();
const opened: LmdbDatabase[] = [];
afterAll(async () => {
  for (const database of opened) await database.close();
});

async function databaseOf(name: string, entries: readonly Entry[] = []): Promise<LmdbDatabase> {
  const database = new LmdbDatabase(join(folder, `${name}.mdb`));
  opened.push(database);
  await database.write(entries);
  return database;
}

const EMPTY = Buffer.alloc(0);
const LARGEST = 2 ** 48 - 1;

describe('keys', () => {
  test('have kind and numbers at fixed places, and are sorted by them', () => {
    expect(referenceKey(2, LARGEST, 3).toString('hex')).toBe('1300000002ffffffffffff000000000003');
    expect(endInReference(referenceKey(2, LARGEST, 3))).toBe(LARGEST);
    expect(dateKey(markPrefix(5), 2 ** 32 - 1, 7).toString('hex')).toBe(
      '0700000005ffffffff000000000007',
    );
    expect(numberIn(dateKey(markPrefix(5), 1, LARGEST))).toBe(LARGEST);
    expect(numberIn(numberValue(77))).toBe(77);
    expect(abandonedKey(9).toString('hex')).toBe('1400000009');
    expect(branchInAbandoned(abandonedKey(9))).toBe(9);
    expect(instanceKey('0aff').toString('hex')).toBe('120aff');
    expect(singleKey('nextBranch').toString('hex')).toBe('15');
    const key = prefix('storage', ['0x1', '0xff']);
    expect([key.length, feltIn(key, 1), feltIn(key, 33)]).toEqual([65, '0x1', '0xff']);
  });

  test('of an instance are in its range alone', () => {
    const { start, end } = keysOfInstance(4);
    const within = (key: Buffer) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
    const keysOf = (instance: number) => {
      const keys = new ChainKeys(instance);
      return [keys.single('head'), keys.numbered('snapshot', LARGEST), keys.afterAll('dropped')];
    };
    expect([3, 4, 5, 0].map((instance) => keysOf(instance).map(within))).toEqual([
      [false, false, false],
      [true, true, true],
      [false, false, false],
      [false, false, false],
    ]);
    const node = new ChainKeys(0);
    expect(node.single('head').toString('hex')).toBe('01');
    expect(node.numbered('snapshot', 1).toString('hex')).toBe('03000000000001');
    expect(node.afterAll('snapshot').toString('hex')).toBe('04');
  });
});

/** Branch 1 has the blocks 0 to 4, of which this line has those up to 2; branch 2 those from 3 on. */
const SEGMENTS = [
  { branch: 1, from: 0 },
  { branch: 2, from: 3 },
];

describe('a line of blocks', async () => {
  const slot = prefix('storage', ['0xa', '0x1']);
  const other = prefix('storage', ['0xa', '0x2']);
  const at = (branch: number, number: number, value: string): Entry => [
    dateKey(slot, branch, number),
    feltBytes(value),
  ];
  const mark = (branch: number, number: number): Entry => [
    dateKey(markPrefix(7), branch, number),
    EMPTY,
  ];
  const database = await databaseOf('line', [
    ...[at(1, 0, '0x10'), at(1, 2, '0x12'), at(1, 3, '0x99'), at(2, 5, '0x25')],
    ...[mark(1, 0), mark(1, 2), mark(1, 4), mark(2, 3), mark(2, 6)],
    [dateKey(other, 1, 4), feltBytes('0x77')],
    [dateKey(prefix('nonce', ['0xa']), 1, 1), feltBytes('0x5')],
    [dateKey(prefix('classHash', ['0xa']), 1, 1), feltBytes('0xc')],
  ]);
  const lineage = new Lineage(database, SEGMENTS, { keepHistory: true, fallback: undefined });
  const values = new LineageValues(database, SEGMENTS, undefined);

  test('has the newest value up to a block, and none of a branch that it left', () => {
    const read = [0, 1, 2, 3, 4, 5, 9].map((number) => lineage.storageAt('0xa', '0x1', number));
    expect(read).toEqual(['0x10', '0x10', '0x12', '0x12', '0x12', '0x25', '0x25']);
    expect([2, 4, 5].map((number) => lineage.storageSince('0xa', '0x1', number))).toEqual([
      2, 2, 5,
    ]);
    expect(lineage.storageAt('0xa', '0x2', 9)).toBeUndefined();
    const answers = (['nonce', 'class_hash'] as const).map((kind) =>
      [0, 1].map((number) => values.answer({ kind, address: '0xa' }, number)),
    );
    expect(answers).toEqual([
      [null, '0x5'],
      [null, '0xc'],
    ]);
    expect(values.answer({ kind: 'class', class_hash: '0xc' }, 9)).toBeNull();
    expect(values.parts(9)).toEqual([
      { branch: 2, first: 3, last: 9 },
      { branch: 1, first: 0, last: 2 },
    ]);
    expect(values.parts(3)[0]).toEqual({ branch: 2, first: 3, last: 3 });
    expect(values.parts(2)).toEqual([{ branch: 1, first: 0, last: 2 }]);
    expect(values.parts(Number.MAX_SAFE_INTEGER)[0]?.last).toBe(LARGEST - 1);
  });

  test('has its marks, from either end', () => {
    const passed: number[] = [];
    expect(
      lineage.find(7, (number) => {
        passed.push(number);
        return number < 3;
      }),
    ).toBe(2);
    expect(passed).toEqual([6, 3, 2]);
    expect(lineage.find(8, () => true)).toBeUndefined();
    expect([1, 2, 3, 5, 6].map((upTo) => lineage.newest(7, upTo))).toEqual([0, 2, 3, 3, 6]);
    const { seek } = lineage.cursor(7);
    expect([0, 1, 2, 3, 4, 6, 7].map(seek)).toEqual([0, 2, 2, 3, 6, 6, Number.POSITIVE_INFINITY]);
  });

  test('lists the slots of a contract by pages', () => {
    expect(lineage.slots('0xa', undefined, 9, 10)).toEqual({
      slots: [{ key: '0x1', value: '0x25', since: 5 }],
      upTo: undefined,
    });
    expect(lineage.slots('0xa', undefined, 9, 1)).toMatchObject({
      slots: [{ key: '0x1' }],
      upTo: '0x1',
    });
    expect(lineage.slots('0xa', '0x1', 9, 1)).toEqual({ slots: [], upTo: undefined });
    expect(lineage.slots('0xb', undefined, 9, 1)).toEqual({ slots: [], upTo: undefined });
  });

  test('branches off before a block', () => {
    expect(lineage.tip).toBe(2);
    expect(lineage.branchedOff(9, 5).segments).toEqual([...SEGMENTS, { branch: 9, from: 5 }]);
    expect(lineage.branchedOff(9, 3).segments).toEqual([SEGMENTS[0], { branch: 9, from: 3 }]);
    const same = new Lineage(database, SEGMENTS, { keepHistory: true, fallback: undefined });
    expect(lineage.equals(same)).toBe(true);
    expect(lineage.equals(lineage.branchedOff(9, 5))).toBe(false);
    expect(lineage.equals(lineage.branchedOff(2, 3))).toBe(true);
    expect(lineage.equals(lineage.branchedOff(2, 2))).toBe(false);
  });
});

describe('branches', async () => {
  const database = await databaseOf('branches');
  const lineageOf = (...segments: readonly { branch: number; from: number }[]) =>
    new Lineage(database, segments, { keepHistory: true, fallback: undefined });
  const position = (next: number, ...segments: typeof SEGMENTS): ChainPosition => ({
    ...{ lineage: lineageOf(...segments), next, pendingDiffs: List<string>() },
  });
  const policy = (changes: { atOnce?: number; needed?: number } = {}) => ({
    atOnce: changes.atOnce ?? 3,
    newBranch: () => 9,
    needed: () => changes.needed ?? 0,
  });
  const branches = (snapshots: readonly (readonly [bigint, ChainPosition])[] = []): Branches =>
    withUse({
      ...startingAt(lineageOf(), 0),
      head: position(6, ...SEGMENTS),
      snapshots: PersistentMap(snapshots.map(([id, at]) => [id, extentOf(at)])),
    });

  test('keep in use what the head and the snapshots have of others', () => {
    expect([...branches().use]).toEqual([[1, 3]]);
    const before = branches([[1n, position(5, { branch: 1, from: 0 })]]);
    expect([...before.use]).toEqual([[1, 5]]);
    expect(
      useOf({ segments: SEGMENTS, next: 6 }, [{ segments: [{ branch: 7, from: 0 }], next: 2 }]),
    ).toEqual(
      new Map([
        [1, 3],
        [7, 2],
      ]),
    );
    expect(headBlocks(before.head)).toEqual({ branch: 2, from: 3, to: 6 });
    expect(lastBlocks({ segments: SEGMENTS, next: 3 })).toBeUndefined();
    expect(lastBlocks({ segments: [], next: 3 })).toBeUndefined();
    const extents = [{ segments: SEGMENTS, next: 6 }];
    expect([1, 2, 3].map((branch) => neededBy(extents, branch))).toEqual([3, 6, 0]);
  });

  test('lose few undone blocks at once, and are left with many', () => {
    const at = (from: number, changes = {}, of = branches()) =>
      withoutBlocksFrom(of, from, policy(changes));
    expect(at(5)).toMatchObject({ deleted: { branch: 2, from: 5, to: 6 }, abandoned: undefined });
    expect(at(3).deleted).toEqual({ branch: 2, from: 3, to: 6 });
    const left = at(3, { atOnce: 2 });
    expect(left).toMatchObject({ deleted: undefined, abandoned: { branch: 2, from: 3, to: 6 } });
    expect(left.branches.head.lineage.segments).toEqual([SEGMENTS[0], { branch: 9, from: 3 }]);
    // Below the begin of the branch, blocks of another are undone.
    expect(at(2).deleted).toBeUndefined();
    expect(at(5, { needed: 5 }).deleted).toBeDefined();
    expect(at(5, { needed: 6 }).deleted).toBeUndefined();
    const used = branches([[1n, position(6, ...SEGMENTS)]]);
    expect(at(5, {}, used).deleted).toBeUndefined();
    expect(at(5, {}, branches([[1n, position(5, ...SEGMENTS)]])).deleted).toBeDefined();
    expect(restartedWith(branches(), lineageOf(), 1)).toMatchObject({
      ...{ branches: { head: { next: 1 } }, abandoned: { branch: 2, from: 3, to: 6 } },
    });
  });

  test('go back to a snapshot without it and later ones', () => {
    const atFirst = position(2, { branch: 1, from: 0 });
    const atSecond = position(5, ...SEGMENTS);
    const before = branches([
      [1n, atFirst],
      [2n, atSecond],
      [3n, position(6, ...SEGMENTS)],
    ]);
    const second = revertedTo(before, 2n, atSecond, policy());
    expect([...second.branches.snapshots.keys()]).toEqual([1n]);
    expect(second).toMatchObject({ deleted: { branch: 2, from: 5, to: 6 } });
    const first = revertedTo(before, 1n, atFirst, policy());
    expect([...first.branches.snapshots.keys()]).toEqual([]);
    expect(first).toMatchObject({ deleted: undefined, abandoned: { branch: 2, from: 3, to: 6 } });
    expect(first.branches.head.lineage.segments).toEqual([
      { branch: 1, from: 0 },
      { branch: 9, from: 2 },
    ]);
  });

  test('are referred to by entries, or in memory', async () => {
    const references = new References(database);
    expect(references.neededHeight(4)).toBe(0);
    await database.write([
      [referenceKey(4, 7, 1), EMPTY],
      [referenceKey(4, LARGEST - 1, LARGEST), EMPTY],
      [referenceKey(3, 9, 1), EMPTY],
      [referenceKey(5, 2, 0), EMPTY],
    ]);
    expect([3, 4, 5].map((branch) => references.neededHeight(branch))).toEqual([9, LARGEST - 1, 2]);
    await database.write([[referenceKey(4, LARGEST, LARGEST), EMPTY]]);
    expect(references.neededHeight(4)).toBe(LARGEST);
    const release = references.hold({ segments: [{ branch: 5, from: 0 }], next: 8 });
    expect(references.neededHeight(5)).toBe(8);
    release();
    expect(references.neededHeight(5)).toBe(2);
    const [before, after] = [
      new Map([
        [1, 3],
        [2, 5],
        [3, 4],
      ]),
      new Map([
        [1, 3],
        [2, 4],
        [4, 1],
        [3, 6],
      ]),
    ];
    const changes = [...changedReferences(6, before, after)].map(([key, value]) => [
      ...[key.readUInt32BE(1), endInReference(key), value !== undefined],
    ]);
    expect(changes).toEqual([
      [2, 5, false],
      [3, 4, false],
      [2, 4, true],
      [4, 1, true],
      [3, 6, true],
    ]);
    expect([...findReleased(before, after)]).toEqual([2]);
    expect([...findReleased(before, new Map())]).toEqual([1, 2, 3]);
    const keys = [...database.getKeys(ABANDONED_BRANCHES)];
    expect(keys).toEqual([]);
  });
});

test('writes are made in order and together, and a failure drops those behind it', async () => {
  const written: number[] = [];
  let error: Error | undefined;
  const queue = new CommitQueue(async (entries) => {
    await delay(0);
    if (error) throw error;
    written.push(entries.length);
  });
  const events: string[] = [];
  const push = (name: string, count = 1) =>
    queue
      .push(Array<Entry>(count).fill([EMPTY, EMPTY]), {
        onCommitted: () => void events.push(`${name} committed`),
        onFailed: () => void events.push(`${name} failed`),
      })
      .then(
        () => events.push(`${name} resolved`),
        () => events.push(`${name} rejected`),
      );
  await Promise.all([push('a'), push('b', 2), push('c', 3)]);
  expect(written).toEqual([1, 5]);
  expect(events).toEqual([
    ...['a committed', 'a resolved', 'b committed', 'c committed', 'b resolved', 'c resolved'],
  ]);
  events.length = 0;
  error = new Error('full');
  const all = Promise.all([push('d'), push('e')]);
  await queue.idle();
  await all;
  expect(events).toEqual(['d failed', 'e failed', 'd rejected', 'e rejected']);
  error = undefined;
  await push('f');
  expect(written).toEqual([1, 5, 1]);
});

test('records of instances are read one by one and in pages', async () => {
  const recordOf = (number: number) => ({
    number,
    id: number.toString(16).padStart(4, '0'),
    name: number === 1 ? 'first' : undefined,
    from: undefined,
    options: number === 2 ? [{ seed: 2n ** 70n }] : [],
    created: 5,
    ttl: number === 1 ? 60 : undefined,
  });
  const records = Array.from({ length: 501 }, (_, at) => recordOf(at + 1));
  const database = await databaseOf('records', records.map(recordEntry));
  expect(readInstanceRecord(database, '0001')).toEqual(recordOf(1));
  expect(readInstanceRecord(database, '0002')).toEqual(recordOf(2));
  for (const id of ['9999', 'zz', '', '001', 'ab'.repeat(33)]) {
    expect(readInstanceRecord(database, id)).toBeUndefined();
  }
  const pages = [...readInstanceRecords(database)];
  expect(pages.map(({ length }) => length)).toEqual([500, 1]);
  expect(pages.flat().map(({ number }) => number)).toEqual(records.map(({ number }) => number));
});

describe('options that are fixed', () => {
  const config = defaultConfig({ seed: 7, accounts: 2 });
  const fixed = fixedOptionsOf(config, undefined);
  const forked = fixedOptionsOf({ ...config, forkNetwork: 'http://a/' }, '0xb');

  test('complete those that are given, and contradict others', () => {
    expect(fixed).toMatchObject({ seed: '7', accounts: '2', forkBlock: null, forkNetwork: null });
    expect(withFixedOptions(fixed, { port: 0 }, 'here')).toMatchObject({
      ...{ seed: 7, accounts: 2, chainId: 'SN_SEPOLIA', port: 0, forkNetwork: undefined },
    });
    expect(withFixedOptions(fixed, { seed: 7 }, 'here')).toMatchObject({ seed: 7 });
    expect(() => withFixedOptions(fixed, { seed: 8 }, 'here')).toThrow(
      /^the chain in here was started with --seed 7 and cannot continue with --seed 8/,
    );
    expect(() => withFixedOptions(fixed, { moreAccounts: 'a.json' }, 'here')).toThrow(
      /was started without --more-accounts and cannot continue with --more-accounts a.json/,
    );
    expect(() => withFixedOptions(fixed, { chainId: 'OTHER' }, 'here')).toThrow(/--chain-id/);
  });

  test('of a fork are its block, and not its chain id', () => {
    const again = withFixedOptions(forked, {}, 'here');
    expect(again).toMatchObject({ forkNetwork: 'http://a/', forkBlock: '0xb' });
    expect(again).not.toHaveProperty('chainId');
    expect(
      withFixedOptions(forked, { chainId: 'X', forkNetwork: 'http://b/', forkBlock: 5 }, 'here'),
    ).toMatchObject({ chainId: 'X', forkNetwork: 'http://b/', forkBlock: 5 });
    const after = { ...forked, forkTransaction: '0x1' };
    expect(withFixedOptions(after, {}, 'here')).toMatchObject({ forkTransaction: '0x1' });
    expect(() => withFixedOptions(after, { forkBlock: 5 }, 'here')).toThrow(
      /was started with --fork-transaction 0x1 and cannot continue with --fork-block 5/,
    );
    expect(() => withFixedOptions(after, { forkLock: 'a' }, 'here')).toThrow(/--fork-lock a/);
    checkSameFork(forked, '0xb', 'here');
    checkSameFork(fixed, undefined, 'here');
    expect(() => checkSameFork(forked, '0xc', 'here')).toThrow(/fork of block 0xb, not of 0xc/);
    expect(() => checkSameFork(fixed, '0xc', 'here')).toThrow(/is not a fork/);
  });
});

test('an identity is what was written', () => {
  const identity = { id: 'abc', fixedOptions: { seed: '7', forkBlock: null } };
  const path = join(folder, 'chain.json');
  expect(readIdentity(path)).toBeUndefined();
  writeIdentity(path, identity);
  expect(readIdentity(path)).toEqual(identity);
  expect(existsSync(draftOf(path))).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe(identityText(identity));
  const changed = (changes: object) =>
    identityFrom(JSON.stringify({ format: 2, id: 'abc', options: { seed: '7' }, ...changes }));
  expect(changed({})).toEqual({ id: 'abc', fixedOptions: { seed: '7' } });
  for (const changes of [{ format: '1' }, { id: 5 }, { options: { seed: 7 } }, { options: {} }]) {
    expect(() => changed(changes)).toThrow(IdentityError);
  }
  expect(() => changed({ format: 1, id: 5 })).toThrow(OtherFormatError);
  expect(() => identityFrom(' ')).toThrow(/^is empty/);
  expect(() => identityFrom('{')).toThrow(/not JSON/);
});

test('a new database leaves nothing behind that reserved its space', () => {
  const path = join(folder, 'new.mdb');
  reserveSpace(path);
  expect([existsSync(path), existsSync(`${path}.draft`)]).toEqual([false, false]);
  expect(readFileSync(lockPath(path))).toHaveLength(8272);
  writeFileSync(lockPath(path), Buffer.alloc(8272, 1));
  writeFileSync(path, 'x');
  writeFileSync(`${path}.draft`, 'x');
  reserveSpace(path);
  // With a lock file and a database, nothing is written.
  expect(existsSync(`${path}.draft`)).toBe(true);
  expect(readFileSync(lockPath(path))[0]).toBe(1);
  writeFileSync(lockPath(path), Buffer.alloc(8271, 1));
  reserveSpace(path);
  expect(readFileSync(lockPath(path))[0]).toBe(0);
  expect([isFull(folder), isFull(join(folder, 'missing', 'file'))]).toEqual([false, false]);
  expect(feltOf(feltBytes('0xab'))).toBe('0xab');
});
