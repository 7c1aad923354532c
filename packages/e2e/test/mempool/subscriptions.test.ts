// Notifications of transactions in the mempool.
import { Transaction } from '@starkbox/engine';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { expect, test } from 'vitest';

const MEMPOOL = { blockGenerationOn: 'mempool' } as const;
const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };

test('a status subscriber hears of every step', async () => {
  const { client, sender, connect, block } = await gather(MEMPOOL);
  const request = invokeRequest(sender.account, [CALL], 0);
  const transaction_hash = new Transaction(request, 'SN_SEPOLIA').hash;
  const socket = await connect();
  const hears = async (...statuses: readonly string[]) =>
    expect(results(await socket.heard())).toMatchObject(
      statuses.map((finality_status) => ({ transaction_hash, status: { finality_status } })),
    );
  await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
  await client.call('starknet_addInvokeTransaction', [request]);
  await hears('RECEIVED');
  await client.call('devnet_mempoolPreConfirm');
  await hears('CANDIDATE', 'PRE_CONFIRMED');
  await block();
  await hears('ACCEPTED_ON_L2');
  await client.call('devnet_abortBlocks', {
    starting_block_id: 'latest',
    return_transactions: true,
  });
  const [reorg, again] = results(await socket.heard());
  expect(reorg).toHaveProperty('starting_block_number', 1);
  expect(again).toEqual({ transaction_hash, status: { finality_status: 'RECEIVED' } });
  await client.call('devnet_mempoolSelect');
  await hears('CANDIDATE');
  await client.call('devnet_mempoolSeal');
  await hears('PRE_CONFIRMED', 'ACCEPTED_ON_L2');
});

test('a subscriber to transactions gets those of the finalities that it names', async () => {
  const { client, sender, connect } = await gather(MEMPOOL);
  const early = await connect();
  await early.subscribe('starknet_subscribeNewTransactions', {
    finality_status: ['RECEIVED', 'CANDIDATE'],
    sender_address: [sender.account.address],
  });
  const usual = await connect();
  await usual.subscribe('starknet_subscribeNewTransactions');
  const transaction_hash = await sender.invoke([CALL]);
  expect(results(await early.heard())).toMatchObject([
    { transaction_hash, finality_status: 'RECEIVED', type: 'INVOKE' },
  ]);
  await usual.quiet();
  await client.call('devnet_mempoolSeal');
  expect(results(await early.heard())).toMatchObject([
    { transaction_hash, finality_status: 'CANDIDATE' },
  ]);
  expect(results(await usual.heard())).toMatchObject([
    { transaction_hash, finality_status: 'ACCEPTED_ON_L2' },
  ]);
});

test('a late subscriber begins with the status in the mempool', async () => {
  const { client, sender, connect } = await gather(MEMPOOL);
  const transaction_hash = await sender.invoke([CALL]);
  await client.call('devnet_mempoolSelect');
  const socket = await connect();
  await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
  expect(results(await socket.heard())).toEqual([
    { transaction_hash, status: { finality_status: 'CANDIDATE' } },
  ]);
});

test('the explorer hears of the size and of what was dropped', async () => {
  const { client, sender, connect } = await gather(MEMPOOL);
  const socket = await connect();
  await socket.subscribe('devnet_subscribeSandbox');
  await socket.heard();
  const hash = await sender.invoke([CALL], { signature: ['0x1', '0x2'] });
  expect(results(await socket.heard())).toMatchObject([{ event: 'mempool', detail: { size: 1 } }]);
  await client.call('devnet_mempoolPreConfirm');
  expect(results(await socket.heard())).toMatchObject([
    { event: 'mempool', detail: { size: 0, dropped: [{ transaction_hash: hash }] } },
  ]);
});
