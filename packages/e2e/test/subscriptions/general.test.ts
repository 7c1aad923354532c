// The whole API over a WebSocket: calls, batches, both kinds of frames, and what is refused.
import { readFile } from 'node:fs/promises';
import { ERRORS } from '@starkbox/spec';
import { contract, declareRequest } from '@starkbox/test-support/signing';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const audience = await gather();
const { client, connect, node } = audience;

/** A call as it is written. */
const call = (id: number | string, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const notFound = { code: ERRORS.METHOD_NOT_FOUND.code, message: 'Method not found' };

describe('calls', () => {
  test('websocket.1a a transaction is sent and found', async () => {
    const socket = await connect();
    const { tx_hash } = await socket.call('devnet_mint', { address: '0x1', amount: 1 });
    expect(await socket.call('starknet_getTransactionByHash', [tx_hash])).toMatchObject({
      transaction_hash: tx_hash,
      type: 'INVOKE',
    });
    expect(await client.call('starknet_getTransactionStatus', [tx_hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
  });

  test('websocket.1b binary frames are equivalent to text frames', async () => {
    const socket = await connect();
    const height = await client.call('starknet_blockNumber');
    const answer = JSON.parse(await socket.exchange(call(7, 'devnet_createBlock'), 'binary'));
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, result: { block_hash } });
    expect(await client.call('starknet_blockNumber')).toBe(height + 1);
  });

  test('websocket.1d ten sockets at once', async () => {
    const sockets = await Promise.all(Array.from({ length: 10 }, connect));
    const holder = { address: '0xdad' };
    const minted = await Promise.all(
      sockets.map((socket) => socket.call('devnet_mint', { ...holder, amount: 5 })),
    );
    expect(new Set(minted.map(({ tx_hash }) => tx_hash)).size).toBe(10);
    const amounts = minted.map(({ new_balance }) => Number(new_balance)).sort((a, b) => a - b);
    expect(amounts).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50]);
    expect((await client.call('devnet_getAccountBalance', holder)).amount).toBe('50');
  });

  test('websocket.1k a dump has the call as it came, and can be loaded', async () => {
    const { connect, client, block } = await gather({ dumpOn: 'request' });
    const socket = await connect();
    const params = { address: '0x1', amount: 7 };
    await socket.exchange(call(4711, 'devnet_mint', params));
    const events = await socket.call('devnet_dump');
    expect(events).toEqual([{ jsonrpc: '2.0', method: 'devnet_mint', params, id: 4711 }]);
    await block();
    expect(await socket.call('devnet_load', { events })).toEqual({});
    expect(await client.call('starknet_blockNumber')).toBe(1);
    const { amount } = await socket.call('devnet_getAccountBalance', { address: '0x1' });
    expect(amount).toBe('7');
  });

  test('websocket.1l restarting the node', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    await block();
    expect(await socket.call('devnet_restart')).toEqual({});
    expect(await socket.call('starknet_blockNumber')).toBe(0);
    expect(await client.call('starknet_blockNumber')).toBe(0);
  });

  test('websocket.1m declaring a class', async () => {
    const socket = await connect();
    const counter = await contract('counter');
    const [, account] = node.accounts;
    if (!account) throw new Error('there is no second account');
    const declared = await socket.call('starknet_addDeclareTransaction', [
      declareRequest(account, counter, 0),
    ]);
    expect(declared.class_hash).toBe(counter.hash);
    expect(await socket.call('starknet_getClass', ['latest', counter.hash])).toEqual(counter.body);
  });

  test('answers keep the order of the calls, however long each takes', async () => {
    const socket = await connect();
    const file = new URL('../../../../contracts/cairo/emitter.sierra.json', import.meta.url);
    const order: string[] = [];
    const ask = async (method: string, params: unknown = []): Promise<void> => {
      await socket.exchange(call(1, method, params));
      order.push(method);
    };
    await Promise.all([
      ask('starknet_getClassAt', ['latest', node.accounts[0]?.address]),
      ask('devnet_mint', { address: '0x1', amount: 1 }),
      ask('starknet_estimateFee', [JSON.parse(await readFile(file, 'utf8')), [], 'latest']),
      ask('starknet_chainId'),
      ask('nonsense'),
      ask('starknet_blockNumber'),
    ]);
    expect(order).toEqual([
      'starknet_getClassAt',
      'devnet_mint',
      'starknet_estimateFee',
      'starknet_chainId',
      'nonsense',
      'starknet_blockNumber',
    ]);
  });

  test('ids come back as they were given', async () => {
    const socket = await connect();
    for (const id of ['"a"', '-3', '9007199254740993', 'null']) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"starknet_specVersion"}`;
      expect(await socket.exchange(text)).toContain(`"id":${id},`);
    }
  });

  test('a call without an id is carried out and not answered', async () => {
    const socket = await connect();
    const height = await client.call('starknet_blockNumber');
    socket.send('{"jsonrpc":"2.0","method":"devnet_createBlock"}');
    socket.send('{"jsonrpc":"2.0","method":"starknet_subscribeNewHeads"}');
    // The next answer belongs to the next call, and only that one block was made before it.
    expect(await socket.call('starknet_blockNumber')).toBe(height + 1);
  });
});

describe('batches', () => {
  const mixed = [
    { jsonrpc: '2.0', id: 1, method: 'starknet_chainId' },
    { jsonrpc: '2.0', id: 2, method: 'nonsense' },
    { jsonrpc: '2.0', id: 3, method: 'starknet_subscribeNewHeads' },
    { jsonrpc: '2.0', id: 4, method: 'chain_subscribeEvents', params: {} },
    { jsonrpc: '2.0', id: 5, method: 'starknet_unsubscribe', params: ['1'] },
    { jsonrpc: '2.0', id: 6, method: 'starknet_specVersion' },
  ];

  test.each(['text', 'binary'] as const)(
    'websocket.1c calls in a frame of %s; subscribing is not possible there',
    async (frame) => {
      const socket = await connect();
      const answers: unknown = JSON.parse(await socket.exchange(JSON.stringify(mixed), frame));
      expect(answers).toMatchObject([
        { id: 1, result: '0x534e5f5345504f4c4941' },
        { id: 2, error: notFound },
        { id: 3, error: notFound },
        { id: 4, error: notFound },
        { id: 5, error: notFound },
        { id: 6, result: '0.10.2' },
      ]);
      await audience.block();
      await socket.quiet();
    },
  );

  test('websocket.1c each call sees what those before it did', async () => {
    const socket = await connect();
    const height = await client.call('starknet_blockNumber');
    const methods = ['devnet_createBlock', 'starknet_blockNumber', 'devnet_createBlock'];
    const batch = methods.map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const answers: unknown = JSON.parse(await socket.exchange(JSON.stringify(batch)));
    expect(answers).toMatchObject([{ id: 0 }, { id: 1, result: height + 1 }, { id: 2 }]);
  });

  test('subscribers are notified of the changes of a batch', async () => {
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    const height = await client.call('starknet_blockNumber');
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'devnet_createBlock' }));
    await socket.exchange(JSON.stringify(batch));
    expect(socket.unread()).toMatchObject([
      { result: { block_number: height + 1 } },
      { result: { block_number: height + 2 } },
    ]);
  });
});

describe('refusals', () => {
  test('websocket.1e missing parameters', async () => {
    const socket = await connect();
    expect((await socket.failure('devnet_mint', { amount: 1 })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
    expect((await socket.failure('starknet_unsubscribe', {})).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
    expect((await socket.failure('starknet_unsubscribe', { subscription_id: 123 })).code).toBe(
      -32602,
    );
    expect((await socket.failure('starknet_subscribeTransactionStatus')).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });

  test.each([
    ['garbage', -32700],
    ['{"jsonrpc"', -32700],
    ['{}', -32600],
    ['[]', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"starknet_chainId"}', -32600],
    ['{"jsonrpc":"2.0","id":null}', -32600],
    ['5', -32600],
  ])('websocket.1h %s', async (text, code) => {
    const socket = await connect();
    for (const frame of ['text', 'binary'] as const) {
      const answer: unknown = JSON.parse(await socket.exchange(text, frame));
      expect(answer).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: expect.objectContaining({ code }),
      });
    }
    // The connection stays open.
    expect(await socket.call('starknet_specVersion')).toBe('0.10.2');
  });

  test('websocket.1h a parse error gives its reason', async () => {
    const socket = await connect();
    const answer: unknown = JSON.parse(await socket.exchange('garbage'));
    expect(answer).toMatchObject({
      error: { message: 'Parse error', data: { reason: expect.any(String) } },
    });
  });

  test.each([
    'nonsense',
    'starknet_subscribeInvalid',
    'starknet_unsubscribeInvalid',
    'starknet_subscriptionNewHeads',
    'devnet_subscribeNewHeads',
    'starknet_subscribePendingTransactions',
  ])('websocket.1i there is no %s', async (method) => {
    const socket = await connect();
    expect((await socket.failure(method)).code).toBe(ERRORS.METHOD_NOT_FOUND.code);
  });

  test('websocket.1j restricted methods, also under their other names', async () => {
    const restricted = await gather({ restrictedMethods: ['devnet_mint'] });
    const socket = await restricted.connect();
    for (const method of ['devnet_mint', 'sandbox_mint']) {
      const refused = await socket.failure(method, { address: '0x1', amount: 1 });
      expect(refused.code, method).toBe(ERRORS.METHOD_FORBIDDEN.code);
    }
    await socket.subscribe('starknet_subscribeNewHeads');
    await restricted.block();
    expect(await socket.heard()).toHaveLength(1);
  });

  test('subscribing needs a socket', async () => {
    const post = async (method: string, params: unknown): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const body = call(1, method, params);
      const response = await fetch(audience.url, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
      return response.json();
    };
    for (const method of [
      'subscribeNewHeads',
      'subscribeEvents',
      'subscribeTransactionStatus',
      'subscribeNewTransactions',
      'subscribeNewTransactionReceipts',
      'unsubscribe',
    ]) {
      for (const prefix of ['starknet', 'chain']) {
        const answer = { jsonrpc: '2.0', id: 1, error: notFound };
        expect(await post(`${prefix}_${method}`, []), method).toMatchObject(answer);
        expect((await client.failure(`${prefix}_${method}`, [])).code, method).toBe(
          ERRORS.METHOD_NOT_FOUND.code,
        );
      }
    }
  });

  test('a request that is no handshake', async () => {
    expect((await fetch(new URL('/ws', audience.url))).status).toBe(400);
  });
});
