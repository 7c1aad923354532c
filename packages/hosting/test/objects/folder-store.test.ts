// Objects in a folder: conditions, order of keys, durability of tags, and one process at a time.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { beforeEach, expect, test } from 'vitest';
import { checkConditionalWrites } from '../../src/objects/check-store.js';
import { FolderStore } from '../../src/objects/folder-store.js';

let folder: string;
let store: FolderStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-objects-'));
  store = await FolderStore.open(folder);
  closeAfterTest(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

const bytes = (text: string): Buffer => Buffer.from(text);

test('an object is read as it was written, and its tag changes with equal content too', async () => {
  const first = await store.put('a/b', bytes('one'));
  const second = await store.put('a/b', bytes('one'));
  expect(second).not.toBe(first);
  expect(await store.get('a/b')).toEqual({
    bytes: bytes('one'),
    tag: second,
    age: expect.any(Number),
  });
  expect(await store.get('a')).toBeUndefined();
  expect(await store.get('a/b/c')).toBeUndefined();
});

test('the age of an object is counted from its write', async () => {
  await store.put('a', bytes('one'));
  expect((await store.get('a'))?.age).toBeLessThan(60);
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(folder, 'objects', 'a'), anHourAgo, anHourAgo);
  expect((await store.get('a'))?.age).toBeGreaterThan(3599);
});

test('of writers with one condition exactly one wins', async () => {
  await checkConditionalWrites(store);
  expect(await store.list('', undefined, 10)).toEqual([]);
});

test('a write with a condition that does not hold changes nothing', async () => {
  expect(await store.put('a', bytes('one'), { tag: '0'.repeat(32) })).toBeUndefined();
  const tag = await store.put('a', bytes('one'), 'absent');
  expect(await store.put('a', bytes('two'), 'absent')).toBeUndefined();
  await store.put('a', bytes('three'), { tag: tag ?? '' });
  expect(await store.put('a', bytes('four'), { tag: tag ?? '' })).toBeUndefined();
  expect((await store.get('a'))?.bytes.toString()).toBe('three');
});

test('keys are listed in their order, by prefix, page by page', async () => {
  const keys = ['a', 'b-c', 'b.d', 'b/c/d', 'b/c-e', 'b/f', 'b0', 'c/a'];
  await Promise.all(keys.map((key) => store.put(key, bytes(key))));
  const sorted = keys.toSorted();
  expect(await store.list('', undefined, 100)).toEqual(sorted);
  expect(await store.list('b/c', undefined, 100)).toEqual(['b/c-e', 'b/c/d']);
  expect(await store.list('none/', undefined, 100)).toEqual([]);
  const pages: string[] = [];
  for (let after: string | undefined; ; after = pages.at(-1)) {
    const page = await store.list('b', after, 2);
    pages.push(...page);
    if (page.length < 2) break;
  }
  expect(pages).toEqual(sorted.filter((key) => key.startsWith('b')));
});

test('a delete removes empty folders, beside writes into them', async () => {
  await store.delete('a/b/none');
  const work = Array.from({ length: 40 }, async (_, index) => {
    await store.put(`a/b/${index}`, bytes('one'));
    await store.delete(`a/b/${index}`);
  });
  await Promise.all(work);
  expect(readdirSync(join(folder, 'objects'))).toEqual([]);
  expect(readdirSync(join(folder, 'drafts'))).toEqual([]);
});

test.each([
  '',
  '/a',
  'a/',
  'a//b',
  '../a',
  'a/./b',
  '.hidden',
  'a b',
  'a\\b',
  'ä',
  'a'.repeat(201),
])('the key "%s" is refused', async (key) => {
  await expect(store.put(key, bytes('one'))).rejects.toThrow('is not an object key');
  await expect(store.get(key)).rejects.toThrow('is not an object key');
});

test('objects and tags are there after a restart, drafts are not', async () => {
  const tag = await store.put('a/b', bytes('one'));
  writeFileSync(join(folder, 'drafts', '1'), 'half');
  await store.close();
  store = await FolderStore.open(folder);
  expect((await store.get('a/b'))?.tag).toBe(tag);
  expect(readdirSync(join(folder, 'drafts'))).toEqual([]);
});

test('a second process is refused until the first has ended', async () => {
  await expect(FolderStore.open(folder)).rejects.toThrow(
    `The folder ${folder} is in use by another process: stop that process`,
  );
  const lock = JSON.stringify(join(folder, 'lock'));
  const engine = JSON.stringify(new URL('../../../engine/dist/index.js', import.meta.url).href);
  const script = `const { FileLock } = await import(${engine}); console.log(FileLock.take(${lock}) !== undefined)`;
  const attempt = (): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect((await attempt()).stdout).toBe('false\n');
  await store.close();
  expect((await attempt()).stdout).toBe('true\n');
  store = await FolderStore.open(folder);
});

test('a folder that the system does not create is named', async () => {
  await expect(FolderStore.open('/proc/starkbox')).rejects.toThrow(
    /^The folder \/proc\/starkbox cannot hold objects: E[A-Z]+: .*'\/proc.*'$/,
  );
});

test('a folder that is a file is named', async () => {
  const file = join(folder, 'objects', 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')]) {
    await expect(FolderStore.open(path)).rejects.toThrow(`The folder ${path} cannot hold objects`);
  }
});

test('folders above a store are created', async () => {
  const deep = join(folder, 'one', 'two');
  const other = await FolderStore.open(deep);
  await other.put('a', bytes('one'));
  await other.close();
  expect(readdirSync(deep).sort()).toEqual(['drafts', 'lock', 'objects']);
});

test('what others have in a folder stays', async () => {
  const path = join(folder, 'foreign');
  mkdirSync(join(path, 'drafts'), { recursive: true });
  writeFileSync(join(path, 'drafts', 'letter.txt'), 'Dear reader');
  await (await FolderStore.open(path)).close();
  expect(readdirSync(join(path, 'drafts'))).toEqual(['letter.txt']);
});

test('a file that the store did not write is named', async () => {
  writeFileSync(join(folder, 'objects', 'a'), 'something else');
  await expect(store.get('a')).rejects.toThrow(/objects\/a is not an object of this store/);
  await expect(store.put('a', bytes('one'), 'absent')).rejects.toThrow(
    'is not an object of this store',
  );
});
