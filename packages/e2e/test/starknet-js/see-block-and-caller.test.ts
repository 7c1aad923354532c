// Block, time and caller as a contract reads them.

import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { constants } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, client, close } = await startRecordedNode();
afterAll(close);

const owner = account(0);
const context = await deployed(owner, 'context');

test('a transaction sees its block, its time, its account and itself', async () => {
  await client.call('devnet_setTime', { time: 2_000_000_000 });
  const nonce = await owner.getNonce();
  const receipt = await context.invoke('store', [], { waitForTransaction: true });
  const block = await provider.getBlockWithTxHashes(receipt.block_number);
  expect(block.timestamp).toBeGreaterThanOrEqual(2_000_000_000);
  expect(await context.call('stored')).toEqual({
    block_number: BigInt(receipt.block_number),
    block_timestamp: BigInt(block.timestamp),
    sequencer: BigInt(block.sequencer_address),
    caller: BigInt(owner.address),
    contract: BigInt(context.address),
    tx_version: 3n,
    tx_hash: BigInt(receipt.transaction_hash),
    nonce: BigInt(nonce),
    chain_id: BigInt(constants.StarknetChainId.SN_SEPOLIA),
  });
});

test('a call reads the block that it is made at, and zero as its caller', async () => {
  const height = await provider.getBlockNumber();
  for (const number of [height, height - 1]) {
    const { timestamp } = await provider.getBlock(number);
    expect(await context.call('current', [], { blockIdentifier: number })).toMatchObject({
      block_number: BigInt(number),
      block_timestamp: BigInt(timestamp),
      caller: 0n,
    });
  }
});

test('time moves on request', async () => {
  const before = (await provider.getBlock('latest')).timestamp;
  await client.call('devnet_increaseTime', { time: 86_400 });
  await context.invoke('store', [], { waitForTransaction: true });
  const { block_timestamp } = Object(await context.call('stored'));
  expect(block_timestamp).toBeGreaterThanOrEqual(BigInt(before + 86_400));
});

test('block hashes of the past are known ten blocks later', async () => {
  const height = await provider.getBlockNumber();
  for (let number = height; number < 12; number++) await client.call('devnet_createBlock');
  const { block_hash } = await provider.getBlock(1);
  await context.invoke('store_block_hash', [1], { waitForTransaction: true });
  expect(await context.call('stored_block_hash')).toBe(BigInt(String(block_hash)));
});
