// Blocks at a fixed interval.

import { optionsOf } from '@starkbox/test-support/command-line';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { expect, test, vi } from 'vitest';

async function balanceAt({ client }: Fixture, block_id: string): Promise<string> {
  return (await client.call('devnet_getAccountBalance', { address: '0x1', block_id })).amount;
}

test('blocks.6a a block comes by itself', async () => {
  const fixture = await startFixture({ blockGenerationOn: 1 });
  expect(await fixture.client.call('starknet_blockNumber')).toBe(0);
  await vi.waitUntil(async () => (await fixture.client.call('starknet_blockNumber')) > 0, {
    timeout: 10_000,
    interval: 50,
  });
  const block = await fixture.client.call('starknet_getBlockWithTxs', [{ block_number: 1 }]);
  expect(block).toMatchObject({ status: 'ACCEPTED_ON_L2', transactions: [] });
  await fixture.node.close();
});

test('blocks.6b it holds what waited', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const fixture = await startFixture({ blockGenerationOn: 6 });
    const hashes: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const minted = await fixture.client.call('devnet_mint', { address: '0x1', amount: 10 });
      hashes.push(minted.tx_hash);
    }
    expect(await fixture.client.call('starknet_blockNumber')).toBe(0);
    expect(await balanceAt(fixture, 'latest')).toBe('0');
    expect(await balanceAt(fixture, 'pre_confirmed')).toBe('30');
    vi.advanceTimersByTime(5_999);
    await fixture.client.call('devnet_setGasPrice', {});
    expect(await fixture.client.call('starknet_blockNumber')).toBe(0);
    vi.advanceTimersByTime(1);
    // Changes happen one after the other: after this one the block is closed.
    await fixture.client.call('devnet_setGasPrice', {});
    expect(await fixture.client.call('starknet_getBlockWithTxHashes', ['latest'])).toMatchObject({
      block_number: 1,
      transactions: hashes,
      transaction_count: 3,
      event_count: 6,
    });
    expect(await balanceAt(fixture, 'latest')).toBe('30');
  } finally {
    vi.useRealTimers();
  }
});

test('the interval begins when the server listens', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client, node } = await startFixture({ blockGenerationOn: 6, port: 0 });
    vi.advanceTimersByTime(4_000);
    await node.listen();
    vi.advanceTimersByTime(5_999);
    await client.call('devnet_setGasPrice', {});
    expect(await client.call('starknet_blockNumber')).toBe(0);
    // A second call opens nothing, and does not move the clock.
    await node.listen();
    vi.advanceTimersByTime(1);
    await client.call('devnet_setGasPrice', {});
    expect(await client.call('starknet_blockNumber')).toBe(1);
    await node.close();
  } finally {
    vi.useRealTimers();
  }
});

test('an interval of milliseconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client } = await startFixture(await optionsOf('--block-generation-on', '250ms'));
    expect(await client.call('devnet_getConfig')).toMatchObject({ block_generation_on: '250ms' });
    for (const [passed, blocks] of [
      [249, 0],
      [1, 1],
      [250, 2],
    ] as const) {
      vi.advanceTimersByTime(passed);
      await client.call('devnet_setGasPrice', {});
      expect(await client.call('starknet_blockNumber')).toBe(blocks);
    }
  } finally {
    vi.useRealTimers();
  }
});

test('where a block is still being closed, the clock asks for no other', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client } = await startFixture({ blockGenerationOn: 0.01 });
    vi.advanceTimersByTime(1_000);
    await client.call('devnet_setGasPrice', {});
    expect(await client.call('starknet_blockNumber')).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('blocks.6b a block that was asked for does not move the clock', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client } = await startFixture({ blockGenerationOn: 6 });
    vi.advanceTimersByTime(4_000);
    await client.call('devnet_createBlock');
    expect(await client.call('starknet_blockNumber')).toBe(1);
    vi.advanceTimersByTime(2_000);
    await client.call('devnet_setGasPrice', {});
    expect(await client.call('starknet_blockNumber')).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test('blocks.7 a dump has the blocks that came by themselves', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { client } = await startFixture({ blockGenerationOn: 6, dumpOn: 'request' });
    for (const amount of [10, 20]) {
      await client.call('devnet_mint', { address: '0x1', amount });
      vi.advanceTimersByTime(6_000);
      await client.call('devnet_setGasPrice', {});
    }
    const events = await client.call('devnet_dump');
    if (!Array.isArray(events)) throw new Error('this is no journal');
    const { client: other } = await startFixture({ blockGenerationOn: 'demand' });
    await other.call('devnet_load', { events });
    for (const block_number of [1, 2]) {
      const block = ['starknet_getBlockWithTxHashes', [{ block_number }]] as const;
      const { transactions } = await client.call(...block);
      expect(transactions).toHaveLength(1);
      expect(await other.call(...block)).toMatchObject({ transactions });
    }
    expect(await other.call('starknet_blockNumber')).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
