// Instances of a data directory: opened by their first request, closed when they are idle or too many are open.
import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { callUrl } from '@starkbox/test-support/call-url';
import { parse } from '@starkbox/test-support/scrape';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import WebSocket from 'ws';

/** As many chains as stay open. */
const MAX_OPEN = 1_000;
const IDLE_MILLISECONDS = 10 * 60_000;
const WORKERS = 8;

let directory: string;
let node: LocalChain;
let base: string;
let metricsUrl: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });
  directory = temporaryFolder();
  await start();
});
afterEach(async () => {
  await node.close();
  vi.useRealTimers();
});

async function start(): Promise<void> {
  const metrics = { metricsHost: '127.0.0.1', metricsPort: 0 };
  node = await createChain({ dataDir: directory, seed: 0, instanceIdleSeconds: 0, ...metrics });
  const address = await node.listen({ port: 0 });
  base = address.url;
  metricsUrl = address.metricsUrl ?? '';
}

async function restart(): Promise<void> {
  await node.close();
  await start();
}

const call = (id: string, method: string, params: object = {}): Promise<unknown> =>
  callUrl(`${base}/instances/${id}/rpc`, method, params);
const mint = (id: string) => call(id, 'devnet_mint', { address: '0x77', amount: 1 });
const blockNumber = (id: string) => call(id, 'starknet_blockNumber');

async function create(params: object = {}): Promise<string> {
  const { instance_id } = await node.request('devnet_createInstance', params);
  return instance_id;
}

async function createMany(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    ids.push(...(await Promise.all(Array.from({ length: WORKERS }, () => create()))));
  }
  return ids;
}

async function gauge(name: string): Promise<number | undefined> {
  return parse(await (await fetch(metricsUrl)).text()).values.get(name);
}
const openInstances = () => gauge('starkbox_open_instances');

/** Lets the time of the idle chains pass. */
const waitIdle = () => vi.advanceTimersByTimeAsync(IDLE_MILLISECONDS + 5_000);

/** A request whose body is not sent yet. */
async function beginMint(id: string): Promise<() => Promise<string>> {
  const params = { address: '0x77', amount: 1 };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_mint', params });
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const begun: ClientRequest = request(`${base}/instances/${id}/rpc`, { method: 'POST', headers });
  const isAccepted = new Promise((resolve) => begun.on('continue', resolve));
  const answer = new Promise<string>((resolve, reject) => {
    begun.on('error', reject).on('response', (response) => resolve(text(response)));
  });
  begun.flushHeaders();
  await isAccepted;
  return () => {
    begun.end(body);
    return answer;
  };
}

test('a start opens none, and a first request opens one', async () => {
  const ids = await createMany(16);
  await Promise.all(ids.map(mint));
  expect(await openInstances()).toBe(16);
  await restart();
  // Before their records are read for a list.
  expect(await blockNumber(ids[7] ?? '')).toBe(1);
  expect(await openInstances()).toBe(1);
  expect(await gauge('starkbox_instances')).toBe(16);
  const { instances } = await node.request('devnet_listInstances', { limit: 100 });
  expect(instances.map(({ instance_id }) => instance_id).toSorted()).toEqual(ids.toSorted());
  const ages = instances.map(({ age }) => age);
  expect(ages).toEqual(ages.toSorted((a, b) => b - a));
  expect(await openInstances()).toBe(1);
});

test('an idle one is closed, and its next request continues it', async () => {
  const [idle, used] = [await create(), await create()];
  await mint(idle);
  const snapshot_id = await call(idle, 'devnet_snapshot');
  await mint(idle);
  await vi.advanceTimersByTimeAsync(IDLE_MILLISECONDS - 60_000);
  await mint(used);
  await vi.advanceTimersByTimeAsync(65_000);
  expect(await openInstances()).toBe(1);
  const answers = await Promise.all(Array.from({ length: 4 }, () => mint(idle)));
  expect(answers).toHaveLength(4);
  expect(await openInstances()).toBe(2);
  expect(await blockNumber(idle)).toBe(6);
  expect(await call(idle, 'devnet_revert', { snapshot_id })).toBe(true);
  expect(await blockNumber(idle)).toBe(1);
  await waitIdle();
  expect(await openInstances()).toBe(0);
  await node.request('devnet_deleteInstance', { instance_id: idle });
  await expect(blockNumber(idle)).rejects.toThrow('No such instance');
  expect(await blockNumber(await create({ from: used }))).toBe(1);
});

test('one that is deleted is open no more, whether it was open or not', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await mint(first);
  await node.request('devnet_deleteInstance', { instance_id: first });
  expect([await openInstances(), await gauge('starkbox_instances')]).toEqual([2, 2]);
  await restart();
  expect(await blockNumber(second)).toBe(0);
  for (const instance_id of [second, third]) {
    await node.request('devnet_deleteInstance', { instance_id });
  }
  expect([await openInstances(), await gauge('starkbox_instances')]).toEqual([0, 0]);
  await expect(blockNumber(third)).rejects.toThrow('No such instance');
  await restart();
  expect(await gauge('starkbox_instances')).toBe(0);
});

test('an open socket keeps one open, with its subscriptions', async () => {
  const id = await create();
  const socket = new WebSocket(`${base.replace('http', 'ws')}/instances/${id}/ws`);
  const blocks: unknown[] = [];
  const subscribed = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const { id: answered, params } = Object(JSON.parse(String(data)));
      if (answered === 1) resolve();
      else blocks.push(params.result.block_number);
    });
  });
  socket.on('open', () =>
    socket.send('{"jsonrpc":"2.0","id":1,"method":"starknet_subscribeNewHeads","params":{}}'),
  );
  await subscribed;
  await waitIdle();
  await waitIdle();
  expect(await openInstances()).toBe(1);
  await mint(id);
  await expect.poll(() => blocks.at(-1)).toBe(1);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.close();
  await closed;
  await expect
    .poll(async () => {
      await waitIdle();
      return openInstances();
    })
    .toBe(0);
});

test('one that closes blocks at an interval stays open', async () => {
  const id = await create({ options: { block_generation_on: 3600 } });
  await vi.advanceTimersByTimeAsync(3_601_000);
  expect(await openInstances()).toBe(1);
  await expect.poll(() => blockNumber(id)).toBe(1);
});

test('if too many are open, those that were not used for longest are closed, and lose no change', async () => {
  const slow = await create();
  const finish = await beginMint(slow);
  const ids = await createMany(MAX_OPEN + 5 * WORKERS);
  expect(await openInstances()).toBe(MAX_OPEN);
  // The oldest are closed, and each that is opened closes the next.
  const oldest = ids.slice(0, 80);
  const turns = [...oldest, ...oldest].values();
  const work = async (): Promise<void> => {
    for (const id of turns) await mint(id);
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  expect(await openInstances()).toBe(MAX_OPEN);
  expect(await finish()).toContain('tx_hash');
  await restart();
  expect(await blockNumber(slow)).toBe(1);
  const numbers = await Promise.all(oldest.map(blockNumber));
  expect(numbers).toEqual(oldest.map(() => 2));
});
