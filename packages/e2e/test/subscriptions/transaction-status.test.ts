// Subscriptions to the status of a transaction.
import { Transaction } from '@starkbox/engine';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;

const status = (
  transaction_hash: string,
  finality_status: string,
  execution_status = 'SUCCEEDED',
  failure_reason: unknown = null,
): object => ({
  transaction_hash,
  status: { finality_status, execution_status, failure_reason },
});

/** A transfer that is not sent yet, and the hash that it will have. */
function planned({ client, sender }: Audience) {
  const calls = [{ to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }];
  const request = invokeRequest(sender.account, calls, 0);
  return {
    transaction_hash: new Transaction(request, 'SN_SEPOLIA').hash,
    send: () => client.call('starknet_addInvokeTransaction', [request]),
  };
}

describe('a block per transaction', () => {
  test('subscriptions.2a subscribed before it is sent', async () => {
    const audience = await gather();
    const { transaction_hash, send } = planned(audience);
    const socket = await audience.connect();
    const subscription = await socket.subscribe('starknet_subscribeTransactionStatus', {
      transaction_hash,
    });
    await socket.quiet();
    await send();
    expect(await socket.heard()).toEqual([
      {
        method: 'starknet_subscriptionTransactionStatus',
        subscription,
        result: status(transaction_hash, 'ACCEPTED_ON_L2'),
      },
    ]);
  });

  test('subscriptions.2a subscribed after it was sent', async () => {
    const { connect, transfer, block } = await gather();
    const transaction_hash = await transfer();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
    await block();
    await socket.quiet();
  });

  test('subscriptions.2a the hash may have zeros in front and any case', async () => {
    const { connect, transfer } = await gather();
    const hash = await transfer();
    const socket = await connect();
    const transaction_hash = `0x${hash.slice(2).padStart(64, '0').toUpperCase()}`;
    await socket.subscribe('starknet_subscribeTransactionStatus', [transaction_hash]);
    expect(results(await socket.heard())).toEqual([status(hash, 'ACCEPTED_ON_L2')]);
  });

  test('subscriptions.2c another transaction is not notified', async () => {
    const { connect, transfer, mint } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash: '0x123' });
    await transfer();
    await mint();
    await socket.quiet();
  });

  test('subscriptions.2d it is in an older block', async () => {
    const { connect, transfer, mint, block } = await gather();
    const transaction_hash = await transfer();
    await block();
    await mint();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
  });

  test('subscriptions.2e an abort is notified as a reorg, not as a status', async () => {
    const { connect, client, transfer } = await gather();
    const transaction_hash = await transfer();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    await socket.heard();
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    const heard = await socket.heard();
    expect(heard.map(({ method }) => method)).toEqual(['starknet_subscriptionReorg']);
    // The subscription continues.
    expect(await transfer()).toBe(transaction_hash);
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
  });

  test('notifications.4 a reverted transaction has its reason', async () => {
    const { connect, sender } = await gather();
    const call = { to: STRK, name: 'transfer', calldata: ['0x2', '0x0', '0x1000'] };
    const transaction_hash = await sender.invoke([call]);
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    const reason = expect.stringContaining('ERC20: insufficient balance');
    expect(results(await socket.heard())).toEqual([
      status(transaction_hash, 'ACCEPTED_ON_L2', 'REVERTED', reason),
    ]);
  });

  test('notifications.6b acceptance on L1 is notified', async () => {
    const { connect, client, transfer, mint } = await gather();
    const [old, latest] = [await transfer(), await mint()];
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', [old]);
    await socket.subscribe('starknet_subscribeTransactionStatus', [latest]);
    await socket.heard();
    await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
    expect(results(await socket.heard())).toEqual([status(old, 'ACCEPTED_ON_L1')]);
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    expect(results(await socket.heard())).toEqual([status(latest, 'ACCEPTED_ON_L1')]);
    const other = await connect();
    await other.subscribe('starknet_subscribeTransactionStatus', [old]);
    expect(results(await other.heard())).toEqual([status(old, 'ACCEPTED_ON_L1')]);
  });
});

describe('blocks on demand', () => {
  test('subscriptions.2b subscribed before it is sent: one notification a status', async () => {
    const audience = await gather(DEMAND);
    const { transaction_hash, send } = planned(audience);
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    await socket.quiet();
    await send();
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'PRE_CONFIRMED')]);
    await audience.mint();
    await socket.quiet();
    await audience.block();
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
    await audience.block();
    await socket.quiet();
  });

  test('subscriptions.2b subscribed while it is pending', async () => {
    const { connect, transfer, block } = await gather(DEMAND);
    const transaction_hash = await transfer();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'PRE_CONFIRMED')]);
    await block();
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
  });

  test('subscriptions.2d subscribed when its block is old', async () => {
    const { connect, transfer, block } = await gather(DEMAND);
    const transaction_hash = await transfer();
    await block();
    await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    expect(results(await socket.heard())).toEqual([status(transaction_hash, 'ACCEPTED_ON_L2')]);
    await block();
    await socket.quiet();
  });

  test('notifications.6a dropped with the pending block: a reorg, and no status', async () => {
    const { connect, client, transfer, block } = await gather(DEMAND);
    const transaction_hash = await transfer();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    await socket.heard();
    await client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
    await block();
    expect(digest(await socket.heard())).toEqual(['reorg 1-1']);
  });
});
