// A fork that is undone, restarted, or put on another block or network.
import { ERRORS } from '@starkbox/spec';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { STRK } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterAll, expect, test, vi } from 'vitest';

const pair = await startPair(async (origin) => {
  await mint(origin, '0x1234', 100);
  await mint(origin, '0x1234', 200);
  for (let block = 0; block < 3; block += 1) await origin.client.call('devnet_createBlock');
});
afterAll(() => pair.close());

const at = (block_number: number) => ({ block_number });

test('it is undone down to its own first block, and restarted at the same point', async () => {
  const young = await pair.fork({ forkBlock: 2 });
  const first = await young.client.call('starknet_blockHashAndNumber');
  await mint(young, '0x5', 5);
  const abort = { starting_block_id: 'latest' };
  expect((await young.client.call('devnet_abortBlocks', abort)).aborted).toHaveLength(1);
  expect(await young.client.failure('devnet_abortBlocks', abort)).toMatchObject({
    message: "Genesis block can't be aborted",
  });
  expect(
    await young.client.failure('devnet_abortBlocks', { starting_block_id: at(1) }),
  ).toMatchObject({ message: 'No block found' });
  await mint(young, '0x5', 5);
  await young.client.call('devnet_restart');
  expect(await young.client.call('starknet_blockHashAndNumber')).toEqual(first);
});

test('a restart can put it on another block, or another network', async () => {
  const young = await pair.fork({ forkBlock: 2 });
  await mint(young, '0x5', 5);
  const restart = (fork: object) => young.client.call('devnet_restart', { fork });
  await restart({ url: pair.proxy.url, block: 1 });
  expect(await young.client.call('starknet_blockNumber')).toBe(2);
  expect((await young.client.call('devnet_getConfig')).fork_config.block_number).toBe(1);
  expect(await young.client.failure('starknet_getBlockWithTxs', { block_id: at(3) })).toMatchObject(
    { code: ERRORS.BLOCK_NOT_FOUND.code },
  );
  await using other = await startPair();
  await restart({ url: other.origin.url, block: -5 });
  expect(await young.client.call('starknet_blockNumber')).toBe(1);
  expect(
    await young.client.call('devnet_getAccountBalance', { address: '0x1234', unit: 'FRI' }),
  ).toMatchObject({ amount: '0' });
  await mint(young, '0x5', 5);
  for (const [fork, code] of [
    [{ url: 'nonsense' }, -32602],
    [{ url: pair.proxy.url, block: 9999 }, 24],
  ] as const) {
    expect(await young.client.failure('devnet_restart', { fork })).toMatchObject({ code });
  }
  expect(await young.client.call('starknet_blockNumber')).toBe(2);
});

test('on another block, what was read before is asked for in one go', async () => {
  const forkCacheDir = temporaryFolder();
  const young = await pair.fork({ forkUpstreamCaching: true, forkCacheDir });
  const slots = Array.from({ length: 30 }, (_, at) => `0x${(0x4000 + at).toString(16)}`);
  const read = () =>
    Promise.all(
      slots.map((key) => young.node.requestRaw('starknet_getStorageAt', [STRK, key, 'latest'])),
    );
  await read();
  pair.proxy.forget();
  await young.client.call('devnet_restart', { fork: { url: pair.proxy.url, block: 1 } });
  // Those, and 12 that every fork begins with; what is under way is not asked for again.
  const isAsked = () => expect(pair.proxy.count('starknet_getStorageAt')).toBe(42);
  await vi.waitFor(isAsked, { timeout: 30_000 });
  pair.proxy.forget();
  await read();
  expect(pair.proxy.requests).toBe(0);
  await young.node.close();
});
