// Expiry of instances: by the time without a request, and never by the clock of a machine.
import { join } from 'node:path';
import { callUrl } from '@starkbox/test-support/call-url';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Age } from '../src/layers/age.js';
import { FolderNode, StoreFolder } from './support/folder-node.js';

const HOURS = 3_600_000;
const CHECK_MILLISECONDS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function stepClock(): void {
  vi.setSystemTime(Date.now() + 2 * HOURS);
  vi.advanceTimersByTime(2 * CHECK_MILLISECONDS);
}

test('an instance that is used for longer than its ttl is there after a crash', async () => {
  const store = new StoreFolder();
  const node = await FolderNode.start(store, { durable: true });
  const id = await node.create({ ttl: 1 });
  await node.mint(id);
  vi.useRealTimers();
  await expect.poll(async () => (await node.row(id)).age).toBeGreaterThan(1);
  await node.mint(id);
  const other = await FolderNode.start(store.copy(), { durable: true });
  expect(await other.blockNumber(id)).toBe(2);
});

test('an instance that hibernates expires after its ttl, by the time since it was written', async () => {
  const store = new StoreFolder();
  const node = await FolderNode.start(store);
  const id = await node.create({ ttl: 1 });
  await node.mint(id);
  await expect.poll(() => node.release(id)).toBe(204);
  vi.useRealTimers();
  await expect.poll(async () => (await node.row(id)).idle, { timeout: 5_000 }).toBeGreaterThan(1);
  expect((await node.send(id, 'starknet_blockNumber')).status).toBe(404);
  expect(store.keys('instances')).toEqual([]);
});

test('a step of the clock neither deletes nor ages what hibernates in a folder', async () => {
  const node = await FolderNode.start(new StoreFolder());
  const id = await node.create({ ttl: 60 });
  await node.mint(id);
  await expect.poll(() => node.release(id)).toBe(204);
  stepClock();
  expect((await node.row(id)).idle).toBeLessThan(60);
  expect(await node.blockNumber(id)).toBe(1);
});

test('what is written after a step of the clock is not older than what was written before', async () => {
  const node = await FolderNode.start(new StoreFolder());
  vi.setSystemTime(Date.now() - 2 * HOURS);
  const id = await node.create({ ttl: 60 });
  vi.setSystemTime(Date.now() + 2 * HOURS);
  expect((await node.row(id)).idle).toBeLessThan(60);
  expect(await node.blockNumber(id)).toBe(0);
});

test('a step of the clock deletes no instance of a data directory', async () => {
  const node = await createChain({
    seed: 0,
    accounts: 1,
    dataDir: join(temporaryFolder(), 'data'),
  });
  closeAfterTest(() => node.close());
  const { url } = await node.listen({ port: 0 });
  const { instance_id: id } = Object(await callUrl(url, 'devnet_createInstance', { ttl: 60 }));
  stepClock();
  expect(await callUrl(`${url}/instances/${id}/rpc`, 'starknet_blockNumber')).toBe(0);
  const { instances } = Object(await callUrl(url, 'devnet_listInstances'));
  expect(instances).toEqual([expect.objectContaining({ instance_id: id })]);
  expect(instances[0].idle).toBeLessThan(60);
});

test('the age of a table is told by the clock that has gone further', () => {
  const before = new Age(5);
  vi.setSystemTime(Date.now() + 2 * HOURS);
  expect(before.seconds).toBeGreaterThanOrEqual(7_205);
  const after = new Age(5);
  vi.setSystemTime(Date.now() - 2 * HOURS);
  expect(after.seconds).toBeGreaterThanOrEqual(5);
});
