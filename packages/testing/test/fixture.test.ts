// Fixtures: executed once, kept as images, branched for each test.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { defaultFolder } from '../src/cache-folder.js';
import { type Fixture, type FixtureOptions, fixture } from '../src/index.js';

const COUNTER = new URL('../../../contracts/cairo/counter.sierra.json', import.meta.url);
const folders: string[] = [];
const folder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-fixtures-'));
  folders.push(folder);
  return folder;
};
const opened: Fixture<unknown>[] = [];
afterAll(async () => {
  await Promise.all(opened.map((chain) => chain.close()));
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Each call stands for a process of its own: nothing but the folder is shared. */
function counters(options: FixtureOptions, key = 'counters') {
  const counterFixture = fixture(
    key,
    async (chain) => {
      const { address } = await chain.deployContract(COUNTER, [5]);
      return { address };
    },
    { artifacts: [COUNTER], ...options },
  );
  opened.push(counterFixture);
  return counterFixture;
}

test('the second run executes no deployment', async () => {
  const cacheDir = folder();
  const first = counters({ cacheDir });
  const { chain: original, data } = await first.branch();
  await first.branch();
  expect(first.executions).toBe(1);

  const second = counters({ cacheDir });
  const { chain, data: again } = await second.branch();
  expect(second.executions).toBe(0);
  expect(again).toEqual(data);
  const [block, same] = await Promise.all(
    [original, chain].map((of) => of.request('starknet_blockHashAndNumber')),
  );
  expect(same).toEqual(block);
  const counter = await chain.contractAt(data.address);
  await counter.invoke('increase', [2]);
  expect(await counter.call('get')).toBe(7n);
  // What is deployed on top has an address of its own.
  expect((await chain.deployContract(COUNTER, [5])).address).not.toBe(data.address);
});

test('branches and their data are independent of each other', async () => {
  const counterFixture = counters({ cacheDir: false });
  const branch = await counterFixture.branch();
  await (await branch.chain.contractAt(branch.data.address)).invoke('increase', [2]);
  const address = branch.data.address;
  branch.data.address = 'changed';
  const other = await counterFixture.branch();
  expect(other.data.address).toBe(address);
  expect(await (await other.chain.contractAt(address)).call('get')).toBe(5n);
});

test('of several workers that start at once, one executes it', async () => {
  const cacheDir = folder();
  const workers = Array.from({ length: 4 }, () => counters({ cacheDir }));
  const branches = await Promise.all(workers.map((worker) => worker.branch()));
  expect(workers.map(({ executions }) => executions).sort()).toEqual([0, 0, 0, 1]);
  expect(new Set(branches.map(({ data }) => data.address)).size).toBe(1);
  expect(
    readdirSync(cacheDir)
      .map((name) => name.split('.').at(-1))
      .sort(),
  ).toEqual(['image', 'json', 'lock']);
});

test('it runs again when its key, a file or an option changes', async () => {
  const cacheDir = folder();
  const artifact = join(cacheDir, 'artifact');
  const run = async (text: string, options: FixtureOptions = {}, key?: string) => {
    writeFileSync(artifact, text);
    const counterFixture = counters({ cacheDir, artifacts: [artifact], ...options }, key);
    await counterFixture.branch();
    return counterFixture.executions;
  };
  expect(await run('one')).toBe(1);
  expect(await run('one')).toBe(0);
  expect(await run('other')).toBe(1);
  expect(await run('one', { chain: { seed: 7 } })).toBe(1);
  expect(await run('one', {}, 'another key')).toBe(1);
  expect(await run('one')).toBe(0);
});

test('a damaged image is replaced, and so is a file that was cut off', async () => {
  const cacheDir = folder();
  await counters({ cacheDir }).branch();
  const file = (ending: string): string => {
    const [file = ''] = readdirSync(cacheDir).filter((name) => name.endsWith(ending));
    return join(cacheDir, file);
  };
  const executions = async (): Promise<number> => {
    const next = counters({ cacheDir });
    await next.branch();
    return next.executions;
  };
  truncateSync(file('.image'), 100);
  expect(await executions()).toBe(1);
  expect(await executions()).toBe(0);
  truncateSync(file('.json'), 10);
  expect(await executions()).toBe(1);
  expect(await executions()).toBe(0);
  expect(readdirSync(cacheDir)).toHaveLength(3);
});

test('a result that JSON cannot hold is refused, and the next call tries again', async () => {
  let count = 0;
  const forkFixture = fixture(
    'wrong',
    async () => {
      count += 1;
      return count === 1 ? { amount: 5n } : { amount: '5' };
    },
    { cacheDir: false },
  );
  opened.push(forkFixture);
  await expect(forkFixture.branch()).rejects.toThrow(/'wrong'.*JSON/);
  expect((await forkFixture.branch()).data).toEqual({ amount: '5' });
});

test('the default folder belongs to the nearest package, or to the user', () => {
  const project = folder();
  const inner = join(project, 'test', 'unit');
  mkdirSync(inner, { recursive: true });
  vi.stubEnv('XDG_CACHE_HOME', join(project, 'cache'));
  try {
    expect(defaultFolder(inner)).toBe(join(project, 'cache', 'starkbox', 'fixtures'));
    writeFileSync(join(project, 'package.json'), '{}');
    expect(defaultFolder(inner)).toBe(join(project, 'node_modules', '.cache', 'starkbox'));
  } finally {
    vi.unstubAllEnvs();
  }
});
