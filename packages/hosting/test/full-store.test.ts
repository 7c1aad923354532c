// Instances in a folder that cannot be written for a while: nothing that was answered is lost, and reads go on.

import { silentLog } from 'starkbox';
import { expect, test, vi } from 'vitest';
import { FolderNode, StoreFolder } from './support/folder-node.js';

/** A node with an instance of one block, whose store then fails; `errors` are the messages of its log. */
async function startFailing(options: Parameters<typeof FolderNode.start>[1] = {}) {
  const errors: string[] = [];
  const error = (...said: readonly unknown[]): void => void errors.push(String(said.at(-1)));
  const store = new StoreFolder();
  const node = await FolderNode.start(store, options, { log: { ...silentLog, error } });
  const id = await node.create();
  await node.mint(id);
  store.failWrites();
  return { store, node, id, errors };
}

test('what an instance could not write stays in memory until it is written', async () => {
  const { store, node, id, errors } = await startFailing();
  const isTried = async (): Promise<boolean> => {
    expect(await node.release(id)).toBe(409);
    return errors.some((line) => line.includes(`instance ${id} cannot be written`));
  };
  await expect.poll(isTried, { timeout: 10_000 }).toBe(true);
  expect(await node.blockNumber(id)).toBe(1);
  await node.mint(id);
  store.allowWrites();
  await expect.poll(() => node.release(id)).toBe(204);
  expect(await node.blockNumber(id)).toBe(2);
});

test('one that hibernates without a request is written when the store can be', async () => {
  const { store, node, id, errors } = await startFailing({ hibernateAfter: 1 });
  await vi.waitUntil(() => errors.some((line) => line.includes('the node retries later')), 10_000);
  store.allowWrites();
  const stored = async (): Promise<number> => (await node.row(id)).block_number;
  await expect.poll(stored, { timeout: 20_000 }).toBe(1);
  expect(await node.blockNumber(id)).toBe(1);
});

test('an orderly stop waits for a store that can be written again', async () => {
  const { store, node, id, errors } = await startFailing();
  const closed = node.close();
  await vi.waitUntil(() => errors.some((line) => line.includes(id)), 10_000);
  store.allowWrites();
  await closed;
  const next = await FolderNode.start(store);
  expect(await next.blockNumber(id)).toBe(1);
});

test('a stop that cannot write an instance in time names it, the store and the reason', async () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  try {
    const { store, node, id, errors } = await startFailing();
    const failed = expect(node.close()).rejects.toThrow(
      new RegExp(`An instance .*${store.path} could not be written: ENOENT.*are lost: ${id}`, 's'),
    );
    await vi.waitUntil(() => errors.some((line) => line.includes(id)), 10_000);
    vi.advanceTimersByTime(60_000);
    await failed;
  } finally {
    vi.useRealTimers();
  }
});

test('with durable changes, each that cannot be written is refused with the reason, and reads go on', async () => {
  const store = new StoreFolder();
  const node = await FolderNode.start(store, { durable: true });
  const id = await node.create();
  const hibernating = await node.create();
  await node.mint(id);
  store.failWrites();
  for (let round = 0; round < 2; round += 1) {
    const { error, ...refused } = await node.mint(id);
    expect(refused).toMatchObject({ status: 200, id: 7 });
    expect(error?.message).toMatch(/^Nothing changed: The folder .* could not be written/);
    expect(await node.send(id, 'starknet_blockNumber')).toMatchObject({ id: 7, result: 1 });
  }
  const unopened = await node.send(hibernating, 'starknet_blockNumber');
  expect(unopened).toMatchObject({ status: 500, id: 7, error: { code: -32603 } });
  expect(unopened.error?.message).toContain('could not be written');
  const { error } = await node.send('root', 'devnet_createInstance');
  expect(error?.message).toContain('could not be written');
  store.allowWrites();
  expect((await node.mint(id)).error).toBeUndefined();
  expect(await node.blockNumber(id)).toBe(2);
});

test('an instance that could not be deleted is as it was', async () => {
  const { store, node, id } = await startFailing();
  const { error } = await node.send('root', 'devnet_deleteInstance', { instance_id: id });
  expect(error?.message).toContain('could not be written');
  expect((await node.mint(id)).error).toBeUndefined();
  store.allowWrites();
  expect(await node.blockNumber(id)).toBe(2);
  expect((await node.send('root', 'devnet_deleteInstance', { instance_id: id })).result).toEqual(
    {},
  );
  expect((await node.send(id, 'starknet_blockNumber')).status).toBe(404);
});
