// A dapp follows the chain over a WebSocket instead of polling.
import '@starkbox/test-support/global-websocket';
import { startNode } from '@starkbox/test-support';
import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { type Contract, hash, num, type Subscription, WebSocketChannel } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const { node, url, account, client, close } = await startRecordedNode();
const channels: WebSocketChannel[] = [];
afterAll(async () => {
  for (const channel of channels) channel.disconnect();
  await close();
});

/** @param to the HTTP address of the node */
async function connect(to = url): Promise<WebSocketChannel> {
  const nodeUrl = `${to.replace(/^http/, 'ws')}/ws`;
  const channel = new WebSocketChannel({ nodeUrl, autoReconnect: false });
  channels.push(channel);
  await channel.waitForConnection();
  return channel;
}

/** What a subscription delivers, one after the other. */
function inbox<T>(subscription: Subscription<T>): { readonly next: () => Promise<T> } {
  const come: T[] = [];
  const waiting: ((notification: T) => void)[] = [];
  subscription.on((notification) => {
    const waiter = waiting.shift();
    if (waiter) waiter(notification);
    else come.push(notification);
  });
  return {
    next: () =>
      new Promise((resolve) => {
        const notification = come.shift();
        if (notification === undefined) waiting.push(resolve);
        else resolve(notification);
      }),
  };
}

const transfer = (to: string) => ({
  contractAddress: node.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: [to, 1, 0],
});

test('calls can be made over the same connection', async () => {
  const channel = await connect();
  expect(channel.isConnected()).toBe(true);
  expect(await channel.sendReceive('starknet_chainId')).toBe('0x534e5f5345504f4c4941');
  const refused = channel.sendReceive('starknet_getNonce', ['latest', '0x5']);
  await expect(refused).rejects.toThrow('"code":20');
});

describe('blocks', () => {
  test('a new one is notified when it is made', async () => {
    const channel = await connect();
    const heads = inbox(await channel.subscribeNewHeads());
    const { block_hash } = await client.call('devnet_createBlock');
    expect(await heads.next()).toMatchObject({ block_hash });
    const { transaction_hash } = await account(0).execute(transfer('0xa'));
    const { block_number } = await client.call('starknet_getTransactionReceipt', [
      transaction_hash,
    ]);
    expect(await heads.next()).toMatchObject({ block_number, transaction_count: 1 });
  });

  test('old ones are notified first, on request', async () => {
    const channel = await connect();
    const { block_hash } = await client.call('devnet_createBlock');
    const height = await client.call('starknet_blockNumber');
    const byNumber = inbox(await channel.subscribeNewHeads({ blockIdentifier: height - 1 }));
    const byHash = inbox(await channel.subscribeNewHeads({ blockIdentifier: block_hash }));
    await client.call('devnet_createBlock');
    for (const block_number of [height - 1, height, height + 1]) {
      expect(await byNumber.next()).toMatchObject({ block_number });
    }
    for (const block_number of [height, height + 1]) {
      expect(await byHash.next()).toMatchObject({ block_number });
    }
  });

  test('removed ones are notified as well', async () => {
    const channel = await connect();
    const heads = inbox(await channel.subscribeNewHeads());
    const { block_hash } = await client.call('devnet_createBlock');
    const height = await client.call('starknet_blockNumber');
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(await heads.next()).toMatchObject({ block_hash });
    // starknet.js passes it to the listeners of the subscription.
    expect(await heads.next()).toEqual({
      starting_block_hash: block_hash,
      starting_block_number: height,
      ending_block_hash: block_hash,
      ending_block_number: height,
    });
  });

  test('nothing is notified after unsubscribing', async () => {
    const channel = await connect();
    const leaving = await channel.subscribeNewHeads();
    const staying = await channel.subscribeNewHeads();
    const headsAfterLeaving: unknown[] = [];
    leaving.on((head) => headsAfterLeaving.push(head));
    const heads = inbox(staying);
    const unsubscribed = channel.waitForUnsubscription(leaving.id);
    expect(await leaving.unsubscribe()).toBe(true);
    await unsubscribed;
    expect(leaving.isClosed).toBe(true);
    await client.call('devnet_createBlock');
    await heads.next();
    expect(headsAfterLeaving).toEqual([]);
    await expect(channel.unsubscribe(leaving.id)).rejects.toThrow('"code":66');
  });
});

describe('transactions', () => {
  test('a dapp waits until its own is accepted on L2, and then on L1', async () => {
    const channel = await connect();
    const { transaction_hash } = await account(0).execute(transfer('0xb'));
    const statuses = inbox(
      await channel.subscribeTransactionStatus({ transactionHash: transaction_hash }),
    );
    expect(await statuses.next()).toMatchObject({
      transaction_hash,
      status: { finality_status: 'ACCEPTED_ON_L2', execution_status: 'SUCCEEDED' },
    });
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    expect(await statuses.next()).toMatchObject({ status: { finality_status: 'ACCEPTED_ON_L1' } });
  });

  test('an indexer waits for acceptance on L1 by itself, and reads the accepted events', async () => {
    // Version 0.8 has no tag of accepted blocks, so a recording would not replay in it.
    await using indexed = await startNode({ listen: true, l1Acceptance: 3 });
    const channel = await connect(indexed.url);
    const { transaction_hash } = await indexed.account(0).execute(transfer('0xf'));
    const statuses = inbox(
      await channel.subscribeTransactionStatus({ transactionHash: transaction_hash }),
    );
    expect(await statuses.next()).toMatchObject({ status: { finality_status: 'ACCEPTED_ON_L2' } });
    await indexed.client.call('devnet_createBlock', { count: 2 });
    const { provider } = indexed;
    expect(await provider.getTransactionStatus(transaction_hash)).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
    await indexed.client.call('devnet_createBlock');
    expect(await statuses.next()).toMatchObject({ status: { finality_status: 'ACCEPTED_ON_L1' } });
    const receipt = await provider.getTransactionReceipt(transaction_hash);
    const { block_number } = await provider.getBlock('l1_accepted');
    expect(receipt).toMatchObject({ finality_status: 'ACCEPTED_ON_L1', block_number });
    const { events } = await provider.getEvents({
      from_block: { block_number: 0 },
      to_block: 'l1_accepted',
      address: indexed.node.tokens.strk.address,
      keys: [[hash.getSelectorFromName('Transfer')]],
      chunk_size: 10,
    });
    expect(events.map((event) => event.transaction_hash)).toContain(transaction_hash);
  });

  test('a wallet receives those of its account, and their receipts', async () => {
    const channel = await connect();
    const mine = [account(1).address];
    const transactions = inbox(await channel.subscribeNewTransactions({ senderAddress: mine }));
    const receipts = inbox(await channel.subscribeNewTransactionReceipts({ senderAddress: mine }));
    await account(0).execute(transfer('0xc'));
    const { transaction_hash } = await account(1).execute(transfer('0xc'));
    expect(await transactions.next()).toMatchObject({
      transaction_hash,
      type: 'INVOKE',
      sender_address: account(1).address,
      finality_status: 'ACCEPTED_ON_L2',
    });
    expect(await receipts.next()).toMatchObject({
      transaction_hash,
      execution_status: 'SUCCEEDED',
      block_hash: (await client.call('starknet_blockHashAndNumber')).block_hash,
    });
  });

  test('with blocks on demand it receives them before their block', async () => {
    await using demand = await startRecordedNode({ blockGenerationOn: 'demand' });
    const channel = await connect(demand.url);
    const receipts = inbox(
      await channel.subscribeNewTransactionReceipts({
        finalityStatus: ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'],
      }),
    );
    const { transaction_hash } = await demand.account(0).execute(transfer('0xd'));
    const statuses = inbox(
      await channel.subscribeTransactionStatus({ transactionHash: transaction_hash }),
    );
    expect(await receipts.next()).toMatchObject({ finality_status: 'PRE_CONFIRMED' });
    expect(await statuses.next()).toMatchObject({ status: { finality_status: 'PRE_CONFIRMED' } });
    const { block_hash } = await demand.client.call('devnet_createBlock');
    expect(await receipts.next()).toMatchObject({ finality_status: 'ACCEPTED_ON_L2', block_hash });
    expect(await statuses.next()).toMatchObject({ status: { finality_status: 'ACCEPTED_ON_L2' } });
  });
});

describe('events', () => {
  let counter: Contract;
  beforeAll(async () => {
    counter = await deployed(account(2), 'counter', [5]);
  });

  test('of a contract, by their name, past and new', async () => {
    const channel = await connect();
    const first = await counter.invoke('increase', [1], { waitForTransaction: true });
    const events = inbox(
      await channel.subscribeEvents({
        fromAddress: counter.address,
        keys: [[hash.getSelectorFromName('CountRaised')]],
        blockIdentifier: first.block_number,
      }),
    );
    const caller = num.toHex(account(2).address);
    expect(await events.next()).toMatchObject({
      transaction_hash: first.transaction_hash,
      keys: [expect.any(String), caller],
      data: ['0x5', '0x6'],
    });
    const second = await counter.invoke('increase', [10], { waitForTransaction: true });
    expect(await events.next()).toMatchObject({
      transaction_hash: second.transaction_hash,
      block_number: second.block_number,
      data: ['0x6', '0x10'],
      finality_status: 'ACCEPTED_ON_L2',
    });
  });

  test('of several contracts', async () => {
    const channel = await connect();
    const { eth } = node.tokens;
    // Those of the latest block come first; this one has none.
    await client.call('devnet_createBlock');
    const events = inbox(
      await channel.subscribeEvents({ fromAddress: [counter.address, eth.address] }),
    );
    await counter.invoke('increase', [1], { waitForTransaction: true });
    await account(2).execute({ ...transfer('0xe'), contractAddress: eth.address });
    expect(await events.next()).toMatchObject({ from_address: counter.address });
    expect(await events.next()).toMatchObject({ from_address: eth.address });
  });
});

test('the channel learns when the node stops', async () => {
  const short = await startRecordedNode();
  const channel = await connect(short.url);
  await channel.subscribeNewHeads();
  const ended = channel.waitForDisconnection();
  await short.close();
  await ended;
  expect(channel.isConnected()).toBe(false);
});
