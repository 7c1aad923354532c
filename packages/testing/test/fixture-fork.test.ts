// Fixtures on a fork: what is kept of them, and what the network is still asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyProxy } from '@starkbox/test-support/fork/proxy';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fixture, type FixtureOptions, fixture } from '../src/index.js';

const COUNTER = new URL('../../../contracts/cairo/counter.sierra.json', import.meta.url);

let folder: string;
let origin: LocalChain;
let network: FaultyProxy;
let opened: Fixture<unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-fixture-fork-'));
  opened = [];
  origin = await createChain({ seed: 0, port: 0 });
  await origin.mint('0x77', 5n);
  network = await FaultyProxy.before((await origin.listen()).url);
});
afterEach(async () => {
  await closeAll();
  await network.close();
  await origin.close();
  rmSync(folder, { recursive: true });
});

/** Each call stands for a run of its own. */
async function run(config: FixtureOptions['chain'] = {}) {
  const counters = fixture(
    'counters on a fork',
    async (chain) => {
      const { address } = await chain.deployContract(COUNTER, [5]);
      return { address };
    },
    {
      artifacts: [COUNTER],
      cacheDir: folder,
      chain: {
        seed: 1,
        forkNetwork: network.url,
        forkCacheDir: join(folder, 'answers'),
        ...config,
      },
    },
  );
  opened.push(counters);
  const { chain, data } = await counters.branch();
  return { chain, data, executions: counters.executions };
}

const closeAll = () => Promise.all(opened.splice(0).map((chain) => chain.close()));

test('the second run asks the network for its block alone', async () => {
  expect((await run()).executions).toBe(1);
  await closeAll();
  network.forget();
  const { chain, data, executions } = await run();
  expect(executions).toBe(0);
  expect(network.reads).toBe(0);
  expect(network.count('starknet_getBlockWithTxHashes')).toBe(1);

  // What the image holds needs no network.
  network.mishap = () => ({ kind: 'status', status: 404 });
  const counter = await chain.contractAt(data.address);
  await counter.invoke('increase', [2]);
  expect(await counter.call('get')).toBe(7n);
  // What is read for the first time does.
  const balance = chain.request('devnet_getAccountBalance', { address: '0x77' });
  await expect(balance).rejects.toThrow(/origin/);
});

test('it is prepared again on another block, and not through another address of the network', async () => {
  const { block_number: forkBlock } = await origin.request('starknet_blockHashAndNumber');
  expect((await run()).executions).toBe(1);
  const { url: other } = await origin.branch().listen({ port: 0 });
  expect((await run({ forkNetwork: other, forkTimeout: 20 })).executions).toBe(0);

  await origin.mint('0x77', 1n);
  const next = await run();
  expect(next.executions).toBe(1);
  const { amount } = await next.chain.request('devnet_getAccountBalance', { address: '0x77' });
  expect(amount).toBe('6');
  // Both are kept.
  expect((await run()).executions).toBe(0);
  expect((await run({ forkBlock })).executions).toBe(0);
});

test('with a lock file, later runs need no network', async () => {
  const forkLock = join(folder, 'fork.lock.json');
  const first = await run({ forkLock });
  expect(first.executions).toBe(1);
  await closeAll();
  await origin.mint('0x77', 1n);
  expect((await run({ forkLock })).executions).toBe(0);

  network.mishap = () => ({ kind: 'status', status: 404 });
  const { chain, data, executions } = await run({ forkLock, offline: true });
  expect(executions).toBe(0);
  expect(await (await chain.contractAt(data.address)).call('get')).toBe(5n);
});
