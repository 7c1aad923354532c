import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { callUrl } from '@starkbox/test-support/call-url';
import { countEntries } from '@starkbox/test-support/count-entries';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import WebSocket from 'ws';

let directory: string;
let node: LocalChain;
let base: string;

beforeEach(async () => {
  directory = temporaryFolder();
  await start({ seed: 0 });
});
afterEach(() => node.close());

async function start(config: Parameters<typeof createChain>[0] = {}): Promise<void> {
  node = await createChain({ dataDir: directory, recentBlocks: 2, ...config });
  base = (await node.listen({ port: 0 })).url;
}

async function restart(config: Parameters<typeof createChain>[0] = {}): Promise<void> {
  await node.close();
  await start(config);
}

/** @param id of an instance; `root` for the chain of the node */
const ask = (id: string, method: string, params: object = {}): Promise<unknown> =>
  callUrl(id === 'root' ? base : `${base}/instances/${id}/rpc`, method, params);

const create = async (params: object = {}, of = 'root'): Promise<string> =>
  Object(await ask(of, 'devnet_createInstance', params)).instance_id;
const mint = (id: string, amount = 1) => ask(id, 'devnet_mint', { address: '0x77', amount });
const number = (id: string) => ask(id, 'starknet_blockNumber');
const list = async (): Promise<readonly { readonly instance_id: string }[]> =>
  Object(await ask('root', 'devnet_listInstances', { limit: 100 })).instances;

/** What a chain answers about its newest block, an old one, its balance and its pending block. */
const chainAnswers = async (id: string, old = 0): Promise<unknown> => {
  const balance = { address: '0x77', block_id: 'pre_confirmed' };
  const pending = await ask(id, 'starknet_getBlockWithTxs', { block_id: 'pre_confirmed' });
  return {
    latest: await ask(id, 'starknet_getBlockWithReceipts', { block_id: 'latest' }),
    old: await ask(id, 'starknet_getBlockWithTxHashes', { block_id: { block_number: old } }),
    balance: await ask(id, 'devnet_getAccountBalance', balance),
    pending: Object(pending).transactions,
    snapshots: await ask(id, 'devnet_listSnapshots'),
    labels: await ask(id, 'devnet_getLabels'),
  };
};

/** Counts of the entries in the database by kind, without classes, which stay. */
async function census(): Promise<ReadonlyMap<number, number>> {
  await node.close();
  const counts = await countEntries(directory);
  await start();
  return counts;
}

/** Waits until unused blocks are deleted. */
async function swept(counts: ReadonlyMap<number, number>): Promise<void> {
  await expect
    .poll(
      async () => {
        await ask('root', 'devnet_impersonateAccount', { account_address: '0x1' });
        return census();
      },
      { timeout: 20_000, interval: 200 },
    )
    .toEqual(counts);
}

/** Rows as they are after another start, on another port. */
const again = (rows: readonly object[]): readonly object[] =>
  rows.map((row) => ({
    ...row,
    http_url: expect.any(String),
    ws_url: expect.any(String),
    age: expect.any(Number),
    idle: expect.any(Number),
  }));

describe('after a start', () => {
  test('instances are listed, served and continued as they were', async () => {
    for (let count = 0; count < 6; count += 1) await mint('root');
    const instance = await create({ name: 'first', ttl: 0 });
    for (let count = 0; count < 12; count += 1) await mint(instance, 2);
    const inner = await create({ name: 'inner' }, instance);
    await mint('root', 1000);
    const snapshot_id = await ask(instance, 'devnet_snapshot');
    await mint(instance, 10_000);
    const rows = await list();
    expect(rows).toMatchObject([{ from: 'root' }, { from: instance }]);
    const chains = [
      await chainAnswers(instance, 3),
      await chainAnswers(inner, 3),
      await chainAnswers('root', 3),
    ];
    await restart();
    expect(await list()).toEqual(again(rows));
    expect([
      await chainAnswers(instance, 3),
      await chainAnswers(inner, 3),
      await chainAnswers('root', 3),
    ]).toEqual(chains);
    expect(await ask(instance, 'devnet_revert', { snapshot_id })).toBe(true);
    expect(await number(instance)).toBe(18);
    await mint(instance);
    await mint(inner);
    await restart();
    expect([await number(instance), await number(inner), await number('root')]).toEqual([
      19, 19, 7,
    ]);
  });

  test('they have the pending block, labels and settings that they began with and made', async () => {
    await ask('root', 'devnet_setBlockSettings', { block_generation_on: 'demand' });
    await mint('root', 5);
    await ask('root', 'devnet_setLabel', { value: '0x77', label: 'receiver' });
    const [instance, other] = [await create(), await create()];
    await ask('root', 'devnet_createBlock');
    await mint(instance, 2);
    await ask(instance, 'devnet_increaseTime', { time: 1000 });
    await ask(other, 'devnet_setBlockSettings', { block_generation_on: 'mempool' });
    const chains = [
      await chainAnswers(instance),
      await chainAnswers(other),
      await chainAnswers('root'),
    ];
    await restart();
    expect([
      await chainAnswers(instance),
      await chainAnswers(other),
      await chainAnswers('root'),
    ]).toEqual(chains);
    await ask(instance, 'devnet_createBlock');
    const { latest, balance } = Object(await chainAnswers(instance));
    expect(balance).toMatchObject({ amount: '7' });
    expect(latest.timestamp).toBeGreaterThanOrEqual(Object(chains[2]).latest.timestamp + 1000);
    expect(await ask(other, 'devnet_getBlockSettings')).toMatchObject({
      block_generation_on: 'mempool',
    });
  });

  test('those with options of their own have them, and so do their branches', async () => {
    const instance = await create({ options: { accounts: 3, initial_balance: '7' } });
    const inner = await create({}, instance);
    await mint(inner);
    const accounts = await ask(instance, 'devnet_getPredeployedAccounts');
    await restart();
    expect(accounts).toHaveLength(3);
    expect(await ask(inner, 'devnet_getPredeployedAccounts')).toEqual(accounts);
    expect(await ask(instance, 'devnet_getPredeployedAccounts')).toEqual(accounts);
    expect([await number(instance), await number(inner)]).toEqual([0, 1]);
    expect(await ask('root', 'devnet_getPredeployedAccounts')).toHaveLength(10);
  });

  test('a first request may be for anything that is served', async () => {
    const ids = [await create(), await create(), await create()];
    await mint(ids[0] ?? '');
    await restart();
    const socket = new WebSocket(`${base.replace('http', 'ws')}/instances/${ids[0]}/ws`);
    const answer = new Promise((resolve) => {
      socket.on('message', (data) => resolve(JSON.parse(String(data))));
    });
    await new Promise((resolve) => socket.on('open', resolve));
    socket.send('{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber","params":[]}');
    expect(await answer).toMatchObject({ result: 1 });
    socket.close();
    expect((await fetch(`${base}/instances/${ids[1]}/config`)).status).toBe(200);
    expect(await number(await create({ from: ids[2] }))).toBe(0);
    // Requests that come together open it once.
    await restart();
    const calls = Array.from({ length: 8 }, () => mint(ids[0] ?? ''));
    await Promise.all(calls);
    expect(await number(ids[0] ?? '')).toBe(9);
  });
});

describe('blocks that chains share', () => {
  test('stay for a branch whose parent aborts them, restarts or is deleted', async () => {
    for (let count = 0; count < 20; count += 1) await mint('root');
    const instance = await create();
    const inner = await create({}, instance);
    await mint(inner);
    await ask('root', 'devnet_abortBlocks', { starting_block_id: { block_number: 5 } });
    await mint('root', 50);
    await ask(instance, 'devnet_abortBlocks', { starting_block_id: { block_number: 19 } });
    const chains = [
      await chainAnswers(instance, 18),
      await chainAnswers(inner, 19),
      await chainAnswers('root', 5),
    ];
    await restart();
    expect([
      await chainAnswers(instance, 18),
      await chainAnswers(inner, 19),
      await chainAnswers('root', 5),
    ]).toEqual(chains);
    await ask('root', 'devnet_restart');
    await ask('root', 'devnet_deleteInstance', { instance_id: instance });
    await mint('root', 3);
    await restart();
    expect(await chainAnswers(inner, 19)).toEqual(chains[1]);
    expect([await number('root'), await number(inner)]).toEqual([1, 21]);
    expect((await list()).map((row) => row.instance_id)).toEqual([inner]);
  });

  test('stay for branches that are made while their parent adds and aborts blocks', async () => {
    let isOver = false;
    const churn = async (): Promise<void> => {
      while (!isOver) {
        for (let count = 0; count < 3; count += 1) await mint('root');
        await ask('root', 'devnet_abortBlocks', { starting_block_id: 'latest' });
      }
    };
    const churning = churn();
    const ids: string[] = [];
    while (ids.length < 20) ids.push(await create());
    isOver = true;
    await churning;
    const chains = await Promise.all(ids.map((id) => chainAnswers(id, 1)));
    await restart();
    expect(await Promise.all(ids.map((id) => chainAnswers(id, 1)))).toEqual(chains);
    for (const [index, id] of ids.entries()) {
      const { latest, balance } = Object(chains[index]);
      expect(balance).toMatchObject({ amount: String(latest.block_number) });
      expect(await number(id)).toBe(latest.block_number);
    }
  });

  test('are deleted with the last chain that uses them', async () => {
    for (let count = 0; count < 3; count += 1) await mint('root');
    await ask('root', 'devnet_impersonateAccount', { account_address: '0x1' });
    const before = await census();
    const instance = await create();
    for (let count = 0; count < 12; count += 1) await mint(instance);
    await ask(instance, 'devnet_snapshot');
    await ask(instance, 'devnet_abortBlocks', { starting_block_id: { block_number: 6 } });
    await mint(instance);
    const inner = await create({}, instance);
    await ask(inner, 'devnet_setBlockSettings', { block_generation_on: 'demand' });
    await mint(inner);
    const instanceWithOptions = await create({ options: { accounts: 1 } });
    await mint(instanceWithOptions);
    for (const instance_id of [instance, instanceWithOptions]) {
      await ask('root', 'devnet_deleteInstance', { instance_id });
    }
    await restart();
    expect(await chainAnswers(inner, 6)).toMatchObject({ balance: { amount: '7' } });
    await ask('root', 'devnet_deleteInstance', { instance_id: inner });
    await swept(before);
  });

  test('are not added by a request that reaches an instance after its deletion', async () => {
    await ask('root', 'devnet_impersonateAccount', { account_address: '0x1' });
    const before = await census();
    const instance = await create();
    await mint(instance);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'devnet_mint',
      params: { address: '0x77', amount: 1 },
    });
    const late = request(`${base}/instances/${instance}/rpc`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    const begun = new Promise((resolve) => late.on('continue', resolve));
    const answer = new Promise<string>((resolve, reject) => {
      late.on('error', reject).on('response', (response) => resolve(text(response)));
    });
    late.flushHeaders();
    await begun;
    await ask('root', 'devnet_deleteInstance', { instance_id: instance });
    late.end(body);
    expect(await answer).toContain('This instance was deleted');
    await swept(before);
  });

  test('of a loaded image are deleted too', async () => {
    await ask('root', 'devnet_impersonateAccount', { account_address: '0x1' });
    const before = await census();
    const source = await create();
    await ask(source, 'devnet_createBlock', { count: 300 });
    await mint(source, 9);
    const { image } = Object(await ask(source, 'devnet_dump', { format: 'image' }));
    const instance = await create();
    await ask(instance, 'devnet_load', { image });
    await mint(instance);
    const chain = await chainAnswers(instance, 299);
    await restart();
    expect(await chainAnswers(instance, 299)).toEqual(chain);
    for (const instance_id of [source, instance]) {
      await ask('root', 'devnet_deleteInstance', { instance_id });
    }
    await swept(before);
  });

  test('are deleted when an instance expires that was not used since the start', async () => {
    await ask('root', 'devnet_impersonateAccount', { account_address: '0x1' });
    const before = await census();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
    onTestFinished(() => void vi.useRealTimers());
    const instance = await create({ ttl: 60 });
    for (let count = 0; count < 3; count += 1) await mint(instance);
    await restart();
    expect(await list()).toMatchObject([{ block_number: 3, transaction_count: 3 }]);
    await vi.advanceTimersByTimeAsync(61_000);
    // A poll would make more time pass.
    while ((await list()).length > 0) await new Promise(setImmediate);
    vi.useRealTimers();
    await swept(before);
  });
});
