// Notifications without subscribers are never serialized, whatever happens on the chain.
import { connectSocket, type Socket } from '@starkbox/test-support';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChain } from '../../src/index.js';
import { figures } from '../../src/rpc/subscriptions/chain-notifications.js';

const sockets: Socket[] = [];
let before = 0;

const node = await createChain({ seed: 0, port: 0 });
const { url } = await node.listen();
afterAll(() => node.close());
beforeEach(() => {
  before = figures.textsWritten;
});
afterEach(() => Promise.all(sockets.splice(0).map((socket) => socket.close())));

/** The number of texts that an action serialized. */
async function written(work: () => Promise<unknown>): Promise<number> {
  const begin = figures.textsWritten;
  await work();
  // Notifications are sent after the calls of the turn.
  await new Promise(setImmediate);
  return figures.textsWritten - begin;
}

async function connect(): Promise<Socket> {
  const socket = await connectSocket(url);
  sockets.push(socket);
  return socket;
}

const mint = (address = '0x1'): Promise<unknown> =>
  node.request('devnet_mint', { address, amount: 1 });
const block = (): Promise<unknown> => node.request('devnet_createBlock');

/** Every change that subscribers are notified of. */
async function live(): Promise<void> {
  await mint();
  await block();
  await node.request('devnet_setTime', { time: 4_000_000_000, generate_block: true });
  await node.request('devnet_increaseTime', { time: 100 });
  await node.request('devnet_setGasPrice', { gas_price_wei: 2_000_000_000, generate_block: true });
  await node.request('devnet_acceptOnL1', { starting_block_id: 'latest' });
  const snapshot = await node.request('devnet_snapshot');
  await mint();
  await node.request('devnet_acceptOnL1', { starting_block_id: 'latest' });
  await node.request('devnet_revert', { snapshot_id: snapshot });
  await mint();
  await node.request('devnet_abortBlocks', { starting_block_id: 'latest' });
}

describe('without subscribers nothing is written', () => {
  test('and no connection', async () => {
    expect(await written(live)).toBe(0);
    expect(await written(() => node.request('devnet_restart'))).toBe(0);
  });

  test('and sockets that only call', async () => {
    const idle = await Promise.all([connect(), connect(), connect()]);
    expect(await written(live)).toBe(0);
    for (const socket of idle) await socket.call('devnet_createBlock');
    expect(figures.textsWritten).toBe(before);
    expect(await Promise.all(idle.map((socket) => socket.heard()))).toEqual([[], [], []]);
  });

  test('on a node in this process, nor in other modes', async () => {
    const demand = await createChain({ seed: 0, blockGenerationOn: 'demand' });
    await demand.request('devnet_mint', { address: '0x1', amount: 1 });
    await demand.request('devnet_createBlock');
    await demand.close();
    expect(figures.textsWritten).toBe(before);
  });
});

describe('after subscribers are gone nothing is written', () => {
  const subscribed = async (): Promise<[Socket, string]> => {
    const socket = await connect();
    return [socket, await socket.subscribe('starknet_subscribeNewHeads')];
  };

  test('because they unsubscribed', async () => {
    const [socket, id] = await subscribed();
    expect(await written(block)).toBe(1);
    await socket.unsubscribe(id);
    expect(await written(live)).toBe(0);
  });

  test('because their sockets were closed', async () => {
    const [socket] = await subscribed();
    expect(await written(block)).toBe(1);
    await socket.close();
    expect(await written(live)).toBe(0);
  });

  test('because the chain began anew', async () => {
    const [socket] = await subscribed();
    await node.request('devnet_restart');
    expect(await written(live)).toBe(0);
    expect(await socket.heard()).toEqual([]);
  });
});

describe('with subscribers', () => {
  test('only what they want is written', async () => {
    const socket = await connect();
    await block();
    const receipts = await socket.subscribe('starknet_subscribeNewTransactionReceipts');
    expect(await written(block)).toBe(0);
    expect(await written(mint)).toBe(1);
    await socket.unsubscribe(receipts);

    await socket.subscribe('starknet_subscribeNewHeads');
    expect(await written(block)).toBe(1);
    expect(await written(mint)).toBe(1);
    const reorg = () => node.request('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(await written(reorg)).toBe(1);
    const accept = () => node.request('devnet_acceptOnL1', { starting_block_id: 'latest' });
    expect(await written(accept)).toBe(0);
    expect((await socket.heard()).map(({ method }) => method)).toEqual([
      'starknet_subscriptionNewTransactionReceipts',
      'starknet_subscriptionNewHeads',
      'starknet_subscriptionNewHeads',
      'starknet_subscriptionReorg',
    ]);
  });

  test('what passes no filter is not written', async () => {
    const socket = await connect();
    await block();
    await socket.subscribe('starknet_subscribeNewTransactions', { sender_address: ['0x123'] });
    await socket.subscribe('starknet_subscribeNewTransactionReceipts', {
      sender_address: ['0x123'],
    });
    await socket.subscribe('starknet_subscribeNewTransactions', {
      finality_status: ['PRE_CONFIRMED'],
    });
    await socket.subscribe('starknet_subscribeEvents', { from_address: '0x123' });
    await socket.subscribe('starknet_subscribeEvents', { keys: [['0x123']] });
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash: '0x123' });
    expect(await written(mint)).toBe(0);
    expect(await written(block)).toBe(0);
    expect(await socket.heard()).toEqual([]);
  });

  test('each notification is written once for any number of subscribers', async () => {
    await block();
    const crowd = await Promise.all(Array.from({ length: 10 }, connect));
    for (const socket of crowd) {
      await socket.subscribe('starknet_subscribeNewHeads');
      await socket.subscribe('starknet_subscribeNewHeads', {}, 'chain');
      await socket.subscribe('starknet_subscribeEvents');
      await socket.subscribe('starknet_subscribeNewTransactionReceipts');
      await socket.subscribe('starknet_subscribeNewTransactions');
    }
    expect(await written(block)).toBe(1);
    await Promise.all(crowd.map((socket) => socket.heard()));
    // Its head, the transaction, the receipt; and two events, one of them about the fee.
    expect(await written(mint)).toBe(5);
    for (const socket of crowd) expect(await socket.heard()).toHaveLength(6);
    const abort = () => node.request('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(await written(abort)).toBe(1);
    for (const socket of crowd) expect(await socket.heard()).toHaveLength(5);
  });
});
