// The compiler's cache on disk: what it serves, damaged files, and its limit.

import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Class, configure, versions } from '@starkbox/engine';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compileElsewhere } from '../fixtures/other-process.js';
import { contract, fresh, refused } from '../fixtures/sierra.js';

const BOUND = { compileMillis: 2000 };
const MISSING = '/nonexistent/compiler';
const counter = await contract('counter');

/** A compilation of a good class that nothing has compiled before. */
const compiles = (): Promise<Class> => Class.compile(fresh(counter), BOUND);

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starkbox-'));
});

afterEach(async () => {
  configure();
  await rm(folder, { recursive: true, force: true });
});

describe('the cache on disk', () => {
  const fileOf = (hash: string): string => join(folder, versions().compiler, `${hash}.json.gz`);

  async function files(): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  async function holds(compiled: Class): Promise<boolean> {
    return gunzipSync(await readFile(fileOf(compiled.hash))).toString() === (await compiled.casm());
  }

  beforeEach(() => configure({ cacheDir: folder }));

  test('gets exactly one file from a compilation', async () => {
    const compiled = await compiles();
    expect(await files()).toEqual([fileOf(compiled.hash)]);
    expect(await holds(compiled)).toBe(true);
  });

  test('is where the system keeps caches, by default', async () => {
    vi.stubEnv('XDG_CACHE_HOME', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    configure();
    const compiled = await compiles();
    const [file, ...others] = await files();
    expect(others).toEqual([]);
    expect(file?.startsWith(join(folder, 'starkbox', 'casm'))).toBe(true);
    expect(gunzipSync(await readFile(file ?? '')).toString()).toBe(await compiled.casm());
  });

  test('is not the default one if other users can write to it', async () => {
    vi.stubEnv('XDG_CACHE_HOME', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await mkdir(join(folder, 'starkbox'));
    await chmod(join(folder, 'starkbox'), 0o777);
    configure();
    await compiles();
    expect(await files()).toEqual([]);
  });

  test('gets nothing from a class that does not compile', async () => {
    const cut = { sierra_program: counter.sierra_program.slice(0, 50) };
    await refused(fresh(counter, cut), BOUND);
    expect(await files()).toEqual([]);
  });

  test('serves another process, which then needs no compiler', async () => {
    const text = fresh(counter);
    const options = { cacheDir: folder, compiler: MISSING };
    expect(await compileElsewhere(text, options).answer).toContain(MISSING);
    const compiled = await Class.compile(text);
    expect(await compileElsewhere(text, options).answer).toBe(compiled.compiledClassHash);
  });

  /** Compiles classes one after another, each a second after the one before by the clock of the files. */
  async function compileAged(count: number): Promise<readonly Class[]> {
    const classes: Class[] = [];
    for (let index = 0; index < count; index += 1) {
      const compiled = await compiles();
      const time = 1_700_000_000 + index;
      await utimes(fileOf(compiled.hash), time, time);
      classes.push(compiled);
    }
    return classes;
  }

  const sizes = async (): Promise<number> => {
    const all = await Promise.all((await files()).map((file) => stat(file)));
    return all.reduce((sum, { size }) => sum + size, 0);
  };

  test('stays below its limit, without the files that were not used for longest', async () => {
    const [first, second, third] = await compileAged(3);
    if (!first || !second || !third) throw new Error('nothing was compiled');
    const foreign = join(folder, 'notes.txt');
    await writeFile(foreign, 'x'.repeat(100_000));
    const fileSize = (await stat(fileOf(first.hash))).size;
    const cacheBytes = Math.ceil(fileSize * 3.5);
    configure({ cacheDir: folder, cacheBytes });
    // A use of the oldest one makes the second the oldest.
    const otherProcess = compileElsewhere(await first.json(), {
      cacheDir: folder,
      compiler: MISSING,
    });
    expect(await otherProcess.answer).toBe(first.compiledClassHash);
    const fourth = await compiles();
    const remaining = await files();
    expect(remaining).toContain(foreign);
    expect(remaining).toContain(fileOf(first.hash));
    expect(remaining).toContain(fileOf(fourth.hash));
    expect(remaining).not.toContain(fileOf(second.hash));
    expect((await sizes()) - 100_000).toBeLessThanOrEqual(cacheBytes);
  });

  test('never grows beyond its limit, whatever is compiled', async () => {
    const [first] = await compileAged(1);
    const fileSize = (await stat(fileOf(first?.hash ?? ''))).size;
    const cacheBytes = fileSize * 4;
    configure({ cacheDir: folder, cacheBytes });
    for (let index = 0; index < 12; index += 1) {
      await compiles();
      expect(await sizes()).toBeLessThanOrEqual(cacheBytes);
    }
  });

  test('with a limit of nothing keeps nothing', async () => {
    configure({ cacheDir: folder, cacheBytes: 0 });
    await compiles();
    expect(await files()).toEqual([]);
    expect(() => configure({ cacheBytes: -1 })).toThrow('cacheBytes');
  });

  test('is trimmed by several processes at once, and all of them compile', async () => {
    const [first] = await compileAged(1);
    const cacheBytes = (await stat(fileOf(first?.hash ?? ''))).size * 2;
    const texts = Array.from({ length: 6 }, () => fresh(counter));
    const options = { cacheDir: folder, cacheBytes };
    const answers = await Promise.all(texts.map((text) => compileElsewhere(text, options).answer));
    expect(new Set(answers)).toEqual(new Set([first?.compiledClassHash]));
  });

  test('keeps limits on what it serves', async () => {
    const text = fresh(counter);
    await Class.compile(text);
    const options = { cacheDir: folder, compiler: MISSING };
    expect(await compileElsewhere(text, options, { bytecodeFelts: 597 }).answer).toContain('597');
  });

  test('is shared by processes that compile the same class at once', async () => {
    const text = fresh(await contract('reverter'));
    const options = { cacheDir: folder };
    const answers = await Promise.all([1, 2, 3].map(() => compileElsewhere(text, options).answer));
    const compiled = await Class.compile(text);
    expect(new Set(answers)).toEqual(new Set([compiled.compiledClassHash]));
    expect(await files()).toEqual([fileOf(compiled.hash)]);
    expect(await holds(compiled)).toBe(true);
  });

  test.each([
    ['is empty', () => Buffer.alloc(0)],
    ['is no archive', () => Buffer.from('not what it says')],
    ['was cut in half', (good: Buffer) => good.subarray(0, good.length / 2)],
    ['lacks its last byte', (good: Buffer) => good.subarray(0, -1)],
    ['was overwritten in places', (good: Buffer) => Buffer.from(good).fill(0, 100, 110)],
    ['is a good archive of nothing', () => gzipSync('')],
    ['is a good archive of something else', () => gzipSync('{"bytecode":[]}')],
  ])('a file that %s is ignored and written anew', async (_, damaged) => {
    const good = await readFile(fileOf((await compiles()).hash));
    const text = fresh(counter);
    const file = fileOf(await Class.hashOf(text));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, damaged(good));
    const compiled = await Class.compile(text, BOUND);
    expect(await holds(compiled)).toBe(true);
    expect(await files()).toHaveLength(2);
  });

  test('that cannot be written fails no compilation', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    configure({ cacheDir: join(file, 'cache') });
    expect((await compiles()).figures.bytecodeFelts).toBe(598);
    expect(await files()).toEqual([file]);
  });
});
