// Instances in a folder: they hibernate, are loaded as they were, and are there after a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { callUrl } from '@starkbox/test-support/call-url';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HostedChain } from '../src/hosted-chain.js';

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

let directory: string;
let node: LocalChain;
let base: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'starkbox-hosting-'));
  await start();
});
afterEach(async () => {
  await node.close();
  rmSync(directory, { recursive: true });
});

async function start(config: Parameters<typeof createChain>[0] = {}): Promise<void> {
  node = await createChain({
    seed: 0,
    accounts: 2,
    instanceStore: directory,
    maximumLoadedInstances: 2,
    ...config,
  });
  base = (await node.listen({ port: 0 })).url;
}

const ask = (id: string, method: string, params: object = {}): Promise<unknown> =>
  callUrl(id === 'root' ? base : `${base}/instances/${id}/rpc`, method, params);
const create = async (params: object = {}, of = 'root'): Promise<string> =>
  Object(await ask(of, 'devnet_createInstance', params)).instance_id;
const mint = (id: string, amount = 1) => ask(id, 'devnet_mint', { address: '0x77', amount });
const number = (id: string) => ask(id, 'starknet_blockNumber');

const contentsOf = async (id: string): Promise<unknown> => ({
  latest: await ask(id, 'starknet_getBlockWithReceipts', { block_id: 'latest' }),
  old: await ask(id, 'starknet_getBlockWithTxHashes', { block_id: { block_number: 0 } }),
  balance: await ask(id, 'devnet_getAccountBalance', { address: '0x77' }),
  snapshots: await ask(id, 'devnet_listSnapshots'),
  labels: await ask(id, 'devnet_getLabels'),
});

describe('Hibernation', () => {
  test('an instance that makes room for others is loaded as it was', async () => {
    await mint('root', 5);
    const ids = await Promise.all([create(), create(), create(), create()]);
    const before: unknown[] = [];
    for (const [index, id] of ids.entries()) {
      await mint(id, index + 1);
      await ask(id, 'devnet_snapshot', { name: 'one' });
      await mint(id);
      before.push(await contentsOf(id));
    }
    for (const [index, id] of ids.entries()) expect(await contentsOf(id)).toEqual(before[index]);
    expect(await number('root')).toBe(1);
    await ask(ids[0] ?? '', 'devnet_revert', { snapshot_id: '0x1' });
    expect(await number(ids[0] ?? '')).toBe(2);
  });

  test('only those that are loaded are in memory', async () => {
    const ids = await Promise.all([create(), create(), create(), create()]);
    // A read of an old block has a state of its own.
    for (const id of ids) {
      await mint(id);
      await ask(id, 'starknet_getNonce', { block_id: { block_number: 0 }, contract_address: STRK });
    }
    // Each collection counts; what the engine held is given back after it.
    const inMemory = (): number => queryObjects(HostedChain, { format: 'count' });
    await expect.poll(inMemory, { timeout: 60_000 }).toBe(2);
  });

  test('those that were loaded beyond the limit at once leave memory without another request', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => create()));
    await Promise.all(ids.map((id) => mint(id)));
    const inMemory = (): number => queryObjects(HostedChain, { format: 'count' });
    await expect.poll(inMemory, { timeout: 60_000 }).toBe(2);
    expect(await Promise.all(ids.map(number))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('an instance without a request leaves memory, and those in use stay', async () => {
    await node.close();
    await start({ hibernateAfter: 1, maximumLoadedInstances: 10 });
    const [idle, ...inUse] = await Promise.all([create(), create(), create()]);
    await mint(idle ?? '');
    const inMemory = (): number => queryObjects(HostedChain, { format: 'count' });
    await expect
      .poll(
        async () => {
          for (const id of inUse) await number(id);
          return inMemory();
        },
        { timeout: 60_000 },
      )
      .toBe(2);
  });

  test('two deletions at once delete an instance', async () => {
    const id = await create();
    await mint(id);
    const remove = () => ask('root', 'devnet_deleteInstance', { instance_id: id });
    expect(await Promise.all([remove(), remove()])).toEqual([{}, {}]);
    await expect(number(id)).rejects.toThrow('No such instance');
  });

  test('a restart finds all instances', async () => {
    const id = await create({ name: 'kept' });
    for (let amount = 1; amount < 4; amount += 1) await mint(id, amount);
    const before = await contentsOf(id);
    const branch = await create({}, id);
    expect(await number(branch)).toBe(3);
    expect(await ask(branch, 'devnet_listSnapshots')).toEqual({ snapshots: [] });
    await node.close();
    await start();
    expect(await contentsOf(id)).toEqual(before);
    await mint(id);
    expect(await number(id)).toBe(4);
    expect(await number(branch)).toBe(3);
    const { instances, total } = Object(await ask('root', 'devnet_listInstances'));
    expect(total).toBe(2);
    expect(instances).toContainEqual(
      expect.objectContaining({ instance_id: id, name: 'kept', from: 'root' }),
    );
  });

  test('the addresses of instances begin with --public-url', async () => {
    await node.close();
    await start({ publicUrl: 'https://chains.example.org/' });
    const { instance_id: id, http_url } = Object(await ask('root', 'devnet_createInstance'));
    expect(http_url).toBe(`https://chains.example.org/instances/${id}/rpc`);
  });
});
