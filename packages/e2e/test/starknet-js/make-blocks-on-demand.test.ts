// Blocks on demand; until then transactions are in the pre-confirmed block.

import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { afterAll, expect, test } from 'vitest';

const { node, provider, connect, account, client, close } = await startRecordedNode({
  blockGenerationOn: 'demand',
});
afterAll(close);

const preConfirmed = connect({ blockIdentifier: 'pre_confirmed' });
const transfer = (to: string) => ({
  contractAddress: node.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: [to, 1, 0],
});
const balanceOf = (holder: string, block: 'latest' | 'pre_confirmed') =>
  provider.callContract(
    { contractAddress: node.tokens.strk.address, entrypoint: 'balanceOf', calldata: [holder] },
    block,
  );

test('transactions wait for their block, and can already be read', async () => {
  const sender = account(0, preConfirmed);
  const first = await sender.execute(transfer('0xa'));
  const second = await sender.execute(transfer('0xa'));

  expect(await provider.getBlockNumber()).toBe(0);
  expect(await provider.getTransactionStatus(first.transaction_hash)).toMatchObject({
    finality_status: 'PRE_CONFIRMED',
    execution_status: 'SUCCEEDED',
  });
  expect(await balanceOf('0xa', 'latest')).toEqual(['0x0', '0x0']);
  expect(await balanceOf('0xa', 'pre_confirmed')).toEqual(['0x2', '0x0']);
  expect(await provider.getBlockWithTxHashes('pre_confirmed')).toMatchObject({
    block_number: 1,
    transactions: [first.transaction_hash, second.transaction_hash],
  });

  const { block_hash } = await client.call('devnet_createBlock');
  const block = await provider.getBlockWithTxHashes('latest');
  expect(block).toMatchObject({
    block_number: 1,
    block_hash,
    transactions: [first.transaction_hash, second.transaction_hash],
  });
  expect(await balanceOf('0xa', 'latest')).toEqual(['0x2', '0x0']);
});

test('waitForTransaction resolves when the block is made', async () => {
  const { transaction_hash } = await account(1).execute(transfer('0xb'));
  const waiting = provider.waitForTransaction(transaction_hash);
  await client.call('devnet_createBlock');
  const receipt = await waiting;
  expect(receipt).toMatchObject({ finality_status: 'ACCEPTED_ON_L2', block_number: 2 });
});

test('a receipt is there before the block is', async () => {
  const { transaction_hash } = await account(2).execute(transfer('0xc'));
  const receipt = await provider.waitForTransaction(transaction_hash, {
    successStates: ['PRE_CONFIRMED'],
  });
  expect(receipt).toMatchObject({ finality_status: 'PRE_CONFIRMED', block_number: 3 });
  expect(receipt).not.toHaveProperty('block_hash');
});

test('an empty block can be made too', async () => {
  await client.call('devnet_createBlock');
  const height = await provider.getBlockNumber();
  await client.call('devnet_createBlock');
  expect(await provider.getBlock('latest')).toMatchObject({
    block_number: height + 1,
    transactions: [],
  });
});
