// Subscriptions to new transactions and receipts.

import { ERRORS } from '@starkbox/spec';
import type { Socket, SubscribeMethod } from '@starkbox/test-support';
import {
  contract,
  deployAccountRequest,
  MINTER,
  newAccount,
  Sender,
  STRK,
  selector,
} from '@starkbox/test-support/signing';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;

/** Both kinds follow the same rules. */
const KINDS: readonly (readonly [string, SubscribeMethod])[] = [
  ['transaction', 'starknet_subscribeNewTransactions'],
  ['receipt', 'starknet_subscribeNewTransactionReceipts'],
];

/** The transaction as a read gives it, with its finality. */
async function expectedTransaction({ client }: Audience, hash: string, finality_status: string) {
  return { ...(await client.call('starknet_getTransactionByHash', [hash])), finality_status };
}

const receipt = ({ client }: Audience, hash: string) =>
  client.call('starknet_getTransactionReceipt', [hash]);

describe.each(KINDS)('a new %s', (word, method) => {
  const subscribe = (socket: Socket, params?: unknown) => socket.subscribe(method, params);

  test('subscriptions.4a is notified when its block is made, and not before', async () => {
    const { connect, transfer, mint, block } = await gather(DEMAND);
    const socket = await connect();
    await subscribe(socket);
    const [transferred, minted] = [await transfer(), await mint()];
    await socket.quiet();
    await block();
    expect(digest(await socket.heard(), { transferred, minted })).toEqual([
      `${word} transferred ACCEPTED_ON_L2`,
      `${word} minted ACCEPTED_ON_L2`,
    ]);
  });

  test('subscriptions.4b is notified when it is pre-confirmed, on request', async () => {
    const { connect, transfer, mint, block } = await gather(DEMAND);
    const socket = await connect();
    await subscribe(socket, { finality_status: ['PRE_CONFIRMED'] });
    const transferred = await transfer();
    expect(digest(await socket.heard(), { transferred })).toEqual([
      `${word} transferred PRE_CONFIRMED`,
    ]);
    const minted = await mint();
    expect(digest(await socket.heard(), { minted })).toEqual([`${word} minted PRE_CONFIRMED`]);
    await block();
    await socket.quiet();
  });

  test.each([
    ['no parameters', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty list', []],
    ['a list of statuses', { finality_status: ['ACCEPTED_ON_L2'] }],
    ['an empty list of statuses', { finality_status: [] }],
  ])('subscriptions.4c is notified with its block, with %s', async (_, params) => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    await subscribe(socket, params);
    const hash = await transfer();
    expect(digest(await socket.heard(), { hash })).toEqual([`${word} hash ACCEPTED_ON_L2`]);
  });

  test('subscriptions.4c with a block per transaction, none is pre-confirmed', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    await subscribe(socket, { finality_status: ['PRE_CONFIRMED'] });
    await transfer();
    await socket.quiet();
  });

  test('subscriptions.4d is notified to all subscribers', async () => {
    const { connect, transfer } = await gather();
    const sockets = await Promise.all(Array.from({ length: 3 }, connect));
    const ids = await Promise.all(sockets.map((socket) => subscribe(socket)));
    expect(new Set(ids).size).toBe(3);
    const transaction_hash = await transfer();
    for (const [index, socket] of sockets.entries()) {
      expect(await socket.heard()).toMatchObject([
        { subscription: ids[index], result: { transaction_hash } },
      ]);
    }
  });

  test('subscriptions.4e is not notified after unsubscribing', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    const id = await subscribe(socket);
    const other = await subscribe(socket);
    await transfer();
    expect(await socket.heard()).toHaveLength(2);
    await socket.unsubscribe(id);
    await transfer();
    expect(await socket.heard()).toMatchObject([{ subscription: other }]);
    await socket.unsubscribe(other);
    await transfer();
    await socket.quiet();
  });

  test('subscriptions.4f can be filtered by its sender', async () => {
    const { connect, node, transfer, mint } = await gather();
    const [first, second] = node.accounts;
    const socket = await connect();
    const ids = {
      own: await subscribe(socket, { sender_address: [first?.address] }),
      padded: await subscribe(socket, {
        sender_address: [`0x${first?.address.slice(2).padStart(64, '0')}`],
      }),
      both: await subscribe(socket, { sender_address: [second?.address, first?.address] }),
      other: await subscribe(socket, { sender_address: [second?.address] }),
      minter: await subscribe(socket, { sender_address: [MINTER] }),
      all: await subscribe(socket, { sender_address: [] }),
    };
    const notified = async (): Promise<readonly string[]> => {
      const heard = new Set((await socket.heard()).map(({ subscription }) => subscription));
      return Object.entries(ids).flatMap(([name, id]) => (heard.has(id) ? [name] : []));
    };
    await transfer();
    expect(await notified()).toEqual(['own', 'padded', 'both', 'all']);
    await mint();
    expect(await notified()).toEqual(['minter', 'all']);
  });

  test('subscriptions.4f on demand as well, in both statuses', async () => {
    const { connect, node, transfer, mint, block } = await gather(DEMAND);
    const socket = await connect();
    await subscribe(socket, {
      sender_address: [node.accounts[0]?.address],
      finality_status: ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'],
    });
    await mint();
    const hash = await transfer();
    await block();
    expect(digest(await socket.heard(), { hash })).toEqual([
      `${word} hash PRE_CONFIRMED`,
      `${word} hash ACCEPTED_ON_L2`,
    ]);
  });

  test.each([
    ['with a block per transaction', {}],
    ['on demand', DEMAND],
  ])('subscriptions.4g earlier ones are not notified, %s', async (_, mode) => {
    const { connect, mint, transfer, block } = await gather(mode);
    await mint();
    await block();
    await transfer();
    const socket = await connect();
    await subscribe(socket, { finality_status: ['PRE_CONFIRMED'] });
    await subscribe(socket);
    await socket.quiet();
  });

  test('subscriptions.4h reads cause no notification', async () => {
    const { connect, client, mint } = await gather();
    const hash = await mint();
    const socket = await connect();
    await subscribe(socket);
    await client.call('starknet_getTransactionByHash', [hash]);
    await client.call('starknet_getTransactionReceipt', [hash]);
    await client.call('starknet_getBlockWithReceipts', ['latest']);
    await socket.quiet();
  });

  test.each([
    ['both', ['PRE_CONFIRMED', 'ACCEPTED_ON_L2']],
    ['any', []],
  ])('subscriptions.4i is notified twice with %s', async (_, finality_status) => {
    const { connect, transfer, block } = await gather(DEMAND);
    const socket = await connect();
    await subscribe(socket, { finality_status });
    const hash = await transfer();
    expect(digest(await socket.heard(), { hash })).toEqual([`${word} hash PRE_CONFIRMED`]);
    await block();
    expect(digest(await socket.heard(), { hash })).toEqual([`${word} hash ACCEPTED_ON_L2`]);
  });

  test('notifications.8 the sender of an account is itself, that of a message the contract', async () => {
    const { connect, client, node, sender } = await gather();
    const account = newAccount('0x123');
    await client.call('devnet_mint', { address: account.address, amount: 1e20 });
    const messenger = await sender.deploy(await contract('messenger'));
    const socket = await connect();
    await subscribe(socket, { sender_address: [account.address, messenger] });
    const deployment = await client.call('starknet_addDeployAccountTransaction', [
      deployAccountRequest(account),
    ]);
    const messageResponse = await client.call('devnet_postmanSendMessageToL2', message(messenger));
    expect(
      digest(await socket.heard(), {
        deployment: deployment.transaction_hash,
        message: messageResponse.transaction_hash,
      }),
    ).toEqual([`${word} deployment ACCEPTED_ON_L2`, `${word} message ACCEPTED_ON_L2`]);
    const silent = await connect();
    await subscribe(silent, { sender_address: [node.accounts[1]?.address] });
    await client.call('devnet_postmanSendMessageToL2', { ...message(messenger), nonce: '0x2' });
    await silent.quiet();
  });

  test('notifications.7 invalid parameters are refused', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    for (const params of [
      { finality_status: ['NONSENSE'] },
      { finality_status: 'ACCEPTED_ON_L2' },
      { finality_status: ['ACCEPTED_ON_L1'] },
      { sender_address: '0x1' },
      { sender_address: ['x'] },
      { unknown: 1 },
    ]) {
      const { code } = await socket.failure(method, params);
      expect(code, JSON.stringify(params)).toBe(ERRORS.INVALID_PARAMS.code);
    }
    await transfer();
    await socket.quiet();
  });
});

const message = (l2_contract_address: string): object => ({
  l2_contract_address,
  l1_contract_address: '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0',
  entry_point_selector: selector('deposit'),
  payload: ['0x1', '0x2'],
  paid_fee_on_l1: '0x1',
  nonce: '0x1',
});

describe('the contents of notifications', () => {
  test('subscriptions.4j every kind of transaction, as reads give them', async () => {
    const audience = await gather();
    const { client, sender, connect } = audience;
    const account = newAccount('0x123');
    await client.call('devnet_mint', { address: account.address, amount: 1e20 });
    const socket = await connect();
    const transactions = await socket.subscribe('starknet_subscribeNewTransactions');
    const receipts = await socket.subscribe('starknet_subscribeNewTransactionReceipts');

    const deployment = await client.call('starknet_addDeployAccountTransaction', [
      deployAccountRequest(account),
    ]);
    const messenger = await sender.deploy(await contract('messenger'));
    const messageResponse = await client.call('devnet_postmanSendMessageToL2', message(messenger));
    const heard = await socket.heard();
    expect(results(heard)).toMatchObject([
      { type: 'DEPLOY_ACCOUNT', transaction_hash: deployment.transaction_hash },
      { type: 'DEPLOY_ACCOUNT', transaction_hash: deployment.transaction_hash },
      { type: 'DECLARE' },
      { type: 'DECLARE' },
      { type: 'INVOKE' },
      { type: 'INVOKE' },
      { type: 'L1_HANDLER', transaction_hash: messageResponse.transaction_hash },
      { type: 'L1_HANDLER', transaction_hash: messageResponse.transaction_hash },
    ]);
    for (const { subscription, result } of heard) {
      const hash = String(Reflect.get(Object(result), 'transaction_hash'));
      if (subscription === receipts) expect(result).toEqual(await receipt(audience, hash));
      else expect(result).toEqual(await expectedTransaction(audience, hash, 'ACCEPTED_ON_L2'));
    }
    // On one socket they take turns.
    expect(heard.map(({ subscription }) => subscription)).toEqual(
      [1, 2, 3, 4].flatMap(() => [transactions, receipts]),
    );
  });

  test('subscriptions.4k receipts name their block once it is made', async () => {
    const audience = await gather(DEMAND);
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewTransactionReceipts', {
      finality_status: ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'],
    });
    const hash = await audience.transfer();
    const [before] = results(await socket.heard());
    expect(before).toEqual(await receipt(audience, hash));
    expect(before).toMatchObject({ finality_status: 'PRE_CONFIRMED', block_number: 1 });
    expect(before).not.toHaveProperty('block_hash');
    const block_hash = await audience.block();
    const [after] = results(await socket.heard());
    expect(after).toEqual(await receipt(audience, hash));
    expect(after).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
      block_number: 1,
      block_hash,
    });
  });

  test('subscriptions.4l both kinds on one socket', async () => {
    const audience = await gather(DEMAND);
    const socket = await audience.connect();
    const both = { finality_status: ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'] };
    await socket.subscribe('starknet_subscribeNewTransactionReceipts', both);
    await socket.subscribe('starknet_subscribeNewTransactions', both);
    const hash = await audience.transfer();
    expect(results(await socket.heard())).toEqual([
      await expectedTransaction(audience, hash, 'PRE_CONFIRMED'),
      await receipt(audience, hash),
    ]);
    await audience.block();
    expect(results(await socket.heard())).toEqual([
      await expectedTransaction(audience, hash, 'ACCEPTED_ON_L2'),
      await receipt(audience, hash),
    ]);
  });

  test('subscriptions.4j a receipt of a reverted transaction', async () => {
    const audience = await gather();
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewTransactionReceipts');
    const call = { to: STRK, name: 'transfer', calldata: ['0x2', '0x0', '0x1000'] };
    const hash = await audience.sender.invoke([call]);
    const [notification] = results(await socket.heard());
    expect(notification).toEqual(await receipt(audience, hash));
    expect(notification).toMatchObject({ execution_status: 'REVERTED' });
  });

  test('notifications.7 nothing is ever received or a candidate', async () => {
    const { connect, transfer, block } = await gather(DEMAND);
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewTransactions', {
      finality_status: ['RECEIVED', 'CANDIDATE'],
    });
    const refused = await socket.failure('starknet_subscribeNewTransactionReceipts', {
      finality_status: ['RECEIVED'],
    });
    expect(refused.code).toBe(ERRORS.INVALID_PARAMS.code);
    await transfer();
    await block();
    await socket.quiet();
  });

  test('notifications.9 proof facts are sent on request', async () => {
    const audience = await gather({ proofMode: 'devnet' });
    const { client, node, connect, sender, transfer, block } = audience;
    const calls = [{ to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }];
    const other = new Sender(client, node.accounts[1]);
    for (let number = 1; number <= 12; number += 1) await block();
    const proven = await client.call('starknet_proveTransaction', {
      block_id: { block_number: 1 },
      transaction: await other.invokeRequest(calls),
    });
    const socket = await connect();
    const plain = await socket.subscribe('starknet_subscribeNewTransactions');
    const full = await socket.subscribe('starknet_subscribeNewTransactions', {
      tags: ['INCLUDE_PROOF_FACTS'],
    });
    const { proof, proof_facts } = proven;
    await sender.invoke(calls, { proof, proof_facts });
    const heard = await socket.heard();
    const notificationsOf = (id: string) =>
      results(heard.filter(({ subscription }) => subscription === id));
    expect(notificationsOf(full)).toMatchObject([{ proof_facts }]);
    expect(notificationsOf(plain)).toHaveLength(1);
    expect(notificationsOf(plain)[0]).not.toHaveProperty('proof_facts');

    await transfer();
    for (const result of results(await socket.heard())) {
      expect(result).not.toHaveProperty('proof_facts');
    }
    const nonsense = { tags: ['NONSENSE'] };
    const refused = await socket.failure('starknet_subscribeNewTransactions', nonsense);
    expect(refused.code).toBe(ERRORS.INVALID_PARAMS.code);
  });
});
