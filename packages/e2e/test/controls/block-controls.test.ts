// Several blocks at once, and settings of blocks that change while the chain runs.

import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { Sender, STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test, vi } from 'vitest';

const height = (client: Client) => client.call('starknet_blockNumber');
const latest = (client: Client) => client.call('starknet_getBlockWithTxHashes', ['latest']);
const mint = (client: Client) => client.call('devnet_mint', { address: '0x1', amount: 1 });

async function times(client: Client, first: number, last: number): Promise<number[]> {
  const timestamps: number[] = [];
  for (let block_number = first; block_number <= last; block_number += 1) {
    const block = await client.call('starknet_getBlockWithTxHashes', [{ block_number }]);
    timestamps.push(block.timestamp);
  }
  return timestamps;
}

test('several blocks are created at once, with times at an interval', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand', startTime: 1000 });
  const { tx_hash } = await mint(client);
  await client.call('devnet_setTime', { time: 5000, generate_block: false });
  const created = await client.call('devnet_createBlock', { count: 3, interval: 60 });

  expect(await height(client)).toBe(3);
  expect(await times(client, 1, 3)).toEqual([5000, 5060, 5120]);
  expect(created.block_hashes).toHaveLength(3);
  expect(created.block_hash).toBe(created.block_hashes?.[2]);
  expect(await latest(client)).toMatchObject({ block_hash: created.block_hash, transactions: [] });
  const first = await client.call('starknet_getBlockWithTxHashes', [{ block_number: 1 }]);
  expect(first.transactions).toEqual([tx_hash]);
  // Time continues from the last one.
  expect((await latest(client)).timestamp).toBe(5120);
  const next = await client.call('devnet_increaseTime', { time: 100 });
  expect(next.timestamp_increased_by).toBe(100);
  expect((await latest(client)).timestamp).toBeGreaterThanOrEqual(5220);

  expect(await client.call('devnet_createBlock')).toEqual({ block_hash: expect.any(String) });
});

test.each([
  [{ count: 0 }, -32602],
  [{ count: 10_001 }, -32602],
  [{ count: 2, interval: -1 }, -32602],
  [{ count: 3, interval: Number.MAX_SAFE_INTEGER }, -1],
])('%o creates no block', async (params, code) => {
  const { client } = await startFixture();
  expect(await client.failure('devnet_createBlock', params)).toMatchObject({ code });
  expect(await height(client)).toBe(0);
});

test('the time of each block is that of its parent plus a step', async () => {
  const { client } = await startFixture({ startTime: 1000 });
  const settings = await client.call('devnet_setBlockSettings', { time_step: 30 });
  expect(settings).toMatchObject({ time_step: 30, next_block_timestamp: 1030 });
  await mint(client);
  await client.call('devnet_createBlock', { count: 2 });
  expect(await times(client, 0, 3)).toEqual([1000, 1030, 1060, 1090]);

  await client.call('devnet_setTime', { time: 9000 });
  await client.call('devnet_increaseTime', { time: 500 });
  await client.call('devnet_createBlock');
  expect(await times(client, 4, 6)).toEqual([9000, 9530, 9560]);

  await client.call('devnet_setBlockSettings', { time_step: 'none' });
  await client.call('devnet_createBlock');
  const [time = 0] = await times(client, 7, 7);
  // Each step would be 30 seconds.
  expect(time).toBeGreaterThanOrEqual(9560);
  expect(time).not.toBe(9590);
});

test('blocks change from one per transaction to on demand and back', async () => {
  const { client } = await startFixture();
  const demand = { block_generation_on: 'demand' };
  expect(await client.call('devnet_setBlockSettings', demand)).toMatchObject(demand);
  await mint(client);
  await mint(client);
  expect(await height(client)).toBe(0);
  await client.call('devnet_createBlock');
  expect((await latest(client)).transactions).toHaveLength(2);

  const start = await client.call('devnet_setBlockSettings', {
    block_generation_on: 'transaction',
  });
  expect(start).toMatchObject({ block_generation_on: 'transaction' });
  await mint(client);
  expect(await height(client)).toBe(2);
  expect(await client.call('devnet_getBlockSettings')).toEqual({
    ...start,
    next_block_timestamp: expect.any(Number),
  });
  for (const block_generation_on of ['9ms', 'never', '', 10 ** 9]) {
    const error = await client.failure('devnet_setBlockSettings', { block_generation_on });
    expect(error).toMatchObject({ code: ERRORS.INVALID_PARAMS.code });
  }
});

test('an interval of blocks starts and ends while the chain runs', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client } = await startFixture();
    const pass = async (milliseconds: number): Promise<number> => {
      vi.advanceTimersByTime(milliseconds);
      // Changes happen one after the other: after this one the block is closed.
      await client.call('devnet_setGasPrice', {});
      return height(client);
    };
    const snapshot_id = await client.call('devnet_snapshot');
    await client.call('devnet_setBlockSettings', { block_generation_on: '500ms' });
    expect(await pass(499)).toBe(0);
    expect(await pass(1)).toBe(1);
    await client.call('devnet_setBlockSettings', { block_generation_on: 2 });
    expect(await pass(1999)).toBe(1);
    expect(await pass(1)).toBe(2);
    await client.call('devnet_revert', { snapshot_id });
    expect(await pass(10_000)).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('another sequencer gets the fees, and blocks keep the one they had', async () => {
  const { client, node } = await startFixture();
  const balance = async (address: string): Promise<bigint> => {
    const { amount } = await client.call('devnet_getAccountBalance', { address });
    return BigInt(amount);
  };
  await client.call('devnet_setBlockSettings', { sequencer_address: '0xabc' });
  const sender = new Sender(client, node.accounts[0]);
  const transfer = { to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] };
  const hash = await sender.invoke([transfer]);
  const { actual_fee } = await client.call('starknet_getTransactionReceipt', [hash]);
  expect(await balance('0xabc')).toBe(BigInt(actual_fee.amount));
  expect(await latest(client)).toMatchObject({ sequencer_address: '0xabc' });

  await client.call('devnet_setBlockSettings', { sequencer_address: '0x1000' });
  await sender.invoke([transfer]);
  expect(await balance('0xabc')).toBe(BigInt(actual_fee.amount));
  expect(await latest(client)).toMatchObject({ sequencer_address: '0x1000' });
  const first = await client.call('starknet_getBlockWithTxHashes', [{ block_number: 1 }]);
  expect(first).toMatchObject({ sequencer_address: '0xabc' });
  const pending = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
  expect(pending).toMatchObject({ sequencer_address: '0x1000' });
});

const SETTINGS = { block_generation_on: '90000ms', time_step: 7, sequencer_address: '0xabc' };
const KEPT = { block_generation_on: '90', time_step: 7, sequencer_address: '0xabc' };

test('settings are kept by a data directory', async () => {
  const dataDir = temporaryFolderOfFile();
  const first = await startFixture({ dataDir, startTime: 1000 });
  await first.client.call('devnet_setBlockSettings', SETTINGS);
  await first.client.call('devnet_createBlock', { count: 2 });
  await first.node.close();
  const { client, node } = await startFixture({ dataDir });
  expect(await client.call('devnet_getBlockSettings')).toMatchObject(KEPT);
  expect(await latest(client)).toMatchObject({ timestamp: 1014, sequencer_address: '0xabc' });
  await node.close();
});

test.each(['journal', 'image'] as const)('settings are part of a dump: %s', async (dumpFormat) => {
  const options = { dumpOn: 'request', dumpFormat, startTime: 1000 } as const;
  const { client } = await startFixture(options);
  await client.call('devnet_setBlockSettings', SETTINGS);
  await client.call('devnet_createBlock', { count: 2 });
  const dumped = await client.call('devnet_dump', {});

  const other = await startFixture(options);
  const load =
    dumped !== null && 'image' in dumped ? { image: dumped.image } : { events: dumped ?? [] };
  await other.client.call('devnet_load', load);
  expect(await other.client.call('devnet_getBlockSettings')).toMatchObject(KEPT);
  expect(await latest(other.client)).toEqual(await latest(client));
  await other.client.call('devnet_restart');
  expect(await other.client.call('devnet_getBlockSettings')).toMatchObject({
    block_generation_on: 'transaction',
    time_step: null,
    sequencer_address: '0x1000',
  });
});
