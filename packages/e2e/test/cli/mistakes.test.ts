// Error texts for common mistakes of callers.

import { ERRORS } from '@starkbox/spec';
import { connectSocket, startNode } from '@starkbox/test-support';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

const { node, client, url, close } = await startNode({ listen: true });
afterAll(close);

/** The error of a call over HTTP, as it comes. */
async function errorOf(method: string, params?: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await answer.json()).error;
}

const notFound = (reason: string): object => ({
  code: ERRORS.METHOD_NOT_FOUND.code,
  message: 'Method not found',
  data: { reason },
});

describe('a method that does not exist', () => {
  test.each([
    ['starknet_mint', 'devnet_mint'],
    ['dev_generateBlock', 'devnet_createBlock'],
    ['katana_predeployedAccounts', 'devnet_getPredeployedAccounts'],
    ['anvil_mine', 'devnet_createBlock'],
    ['hardhat_impersonateAccount', 'devnet_impersonateAccount'],
    ['anvil_setBalance', 'devnet_deal'],
    ['setBalance', 'devnet_deal'],
    ['hardhat_setStorageAt', 'devnet_applyStateDiff'],
    ['devnet_setStorage', 'devnet_applyStateDiff'],
    ['hardhat_setCode', 'devnet_replaceClass'],
    ['evm_setAutomine', 'devnet_setBlockSettings'],
    ['evm_mine', 'devnet_createBlock'],
    ['dev_setNextBlockTimestamp', 'devnet_setTime'],
    ['anvil_dropTransaction', 'devnet_mempoolRemove'],
    ['txpool_status', 'devnet_mempoolList'],
    ['txpool_inspect', 'devnet_mempoolList'],
    ['eth_getLogs', 'starknet_getEvents'],
    ['evm_snapshot', 'devnet_snapshot'],
    ['evm_revert', 'devnet_revert'],
    ['evm_increaseTime', 'devnet_increaseTime'],
    ['eth_blockNumber', 'starknet_blockNumber'],
    ['devnet_abort', 'devnet_abortBlocks'],
    ['starknet_getNounce', 'starknet_getNonce'],
    ['starknet_getEvent', 'starknet_getEvents'],
  ])('%s is suggested as %s', async (method, suggestion) => {
    const reason = `Unknown method ${method}; did you mean ${suggestion}?`;
    expect(await errorOf(method)).toEqual(notFound(reason));
  });

  test.each(['starknet_getBlockWithTransactions', 'frobnicate'])(
    '%s is like no other',
    async (method) => {
      expect(await errorOf(method)).toEqual({
        code: ERRORS.METHOD_NOT_FOUND.code,
        message: 'Method not found',
      });
    },
  );
});

describe('a subscription', () => {
  test('over HTTP is refused with the address of the WebSocket', async () => {
    const reason = `Subscriptions need a WebSocket: ${url.replace('http', 'ws')}/ws`;
    for (const method of ['starknet_subscribeNewHeads', 'devnet_subscribeSandbox']) {
      expect(await errorOf(method)).toEqual(notFound(reason));
    }
  });

  test('in a batch is refused with the advice to send it alone', async () => {
    const socket = await connectSocket(url);
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'starknet_subscribeNewHeads' }];
    expect(JSON.parse(await socket.exchange(JSON.stringify(batch)))[0].error).toEqual(
      notFound('A subscription cannot be part of a batch: send it separately'),
    );
    await socket.close();
  });

  test('works at the paths of calls as well', async () => {
    for (const path of ['/', '/rpc']) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
      const answer = new Promise((resolve, reject) => {
        socket.addEventListener('message', ({ data }) => resolve(data));
        socket.addEventListener('error', reject);
      });
      socket.addEventListener('open', () =>
        socket.send('{"jsonrpc":"2.0","id":1,"method":"starknet_subscribeNewHeads"}'),
      );
      expect(JSON.parse(String(await answer)).result).toMatch(/^\d+$/);
      socket.close();
    }
  });
});

describe('a filter of events', () => {
  test('with a misspelled member is refused instead of giving all events', async () => {
    const filter = { chunk_size: 10, adress: node.tokens.strk.address };
    expect((await client.failure('starknet_getEvents', { filter })).message).toBe(
      'params.filter: unknown member adress; expected from_block, to_block, address, keys, continuation_token, chunk_size; did you mean address?',
    );
    const socket = await connectSocket(url);
    const refused = await socket.failure('starknet_subscribeEvents', { from_adress: '0x1' });
    expect(refused.message).toContain('did you mean from_address?');
    await socket.close();
  });

  test('with every member there is, or none but the size, is taken', async () => {
    await client.call('devnet_mint', { address: '0x2', amount: 1 });
    const all = await client.call('starknet_getEvents', { filter: { chunk_size: 10 } });
    expect(all.events).not.toHaveLength(0);
    const none = await client.call('starknet_getEvents', {
      filter: {
        from_block: { block_number: 0 },
        to_block: 'latest',
        address: '0x1',
        keys: [],
        continuation_token: '0',
        chunk_size: 10,
      },
    });
    expect(none).toEqual({ events: [] });
  });
});

test('the block tag of older clients is translated', async () => {
  const { message } = await client.failure('starknet_getNonce', {
    block_id: 'pending',
    contract_address: '0x1',
  });
  expect(message).toContain('got "pending"; RPC 0.10 calls it pre_confirmed');
  expect(message).toContain('use starknet.js 8 or later');
  const other = await client.failure('starknet_getNonce', ['earliest', '0x1']);
  expect(other.message).not.toContain('starknet.js');
});

test('a number too large is shown with its bound', async () => {
  const refusal = async (number: string): Promise<string> => {
    const answer = await node.handle(
      `{"jsonrpc":"2.0","id":1,"method":"starknet_getBlockWithTxHashes","params":[{"block_number":${number}}]}`,
    );
    return JSON.parse(answer ?? '').error.message;
  };
  const expected = 'params.block_id.block_number: expected an integer from 0 to 9007199254740991';
  expect(await refusal('1180591620717411303424')).toBe(`${expected}; got 1180591620717411303424`);
  expect(await refusal('1e400')).toBe(`${expected}; got a number above 1.7976931348623157e+308`);
});
