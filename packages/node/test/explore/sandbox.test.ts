// Shows what those hear who follow the sandbox, and what is kept of the calls to it.
import { connectSocket, type Socket, startNode } from '@starkbox/testing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

const { client, url, node, close } = await startNode({ listen: true, ui: true });
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.close();
});
afterAll(close);

async function connect(): Promise<Socket> {
  const socket = await connectSocket(url);
  sockets.push(socket);
  return socket;
}

/** What came, without the signs of life. */
async function news(socket: Socket): Promise<readonly unknown[]> {
  const heard = (await socket.heard()).map(({ result }) => Object(result));
  return heard
    .filter(({ event }) => event !== 'beat')
    .map(({ event, detail }) => (detail === undefined ? event : [event, detail]));
}

describe('who follows the sandbox', () => {
  test('hears at once that it is alive, and again', async () => {
    const socket = await connect();
    const subscription = await socket.subscribe('devnet_subscribeSandbox');
    const [number, hash] = [
      await client.call('starknet_blockNumber'),
      await client.call('starknet_blockHashAndNumber'),
    ];
    for (let count = 0; count < 2; count += 1) {
      expect(await socket.next()).toEqual({
        method: 'devnet_subscriptionSandbox',
        subscription,
        result: {
          event: 'beat',
          head: { block_number: number, block_hash: hash.block_hash },
          pending: 0,
          chain_time: expect.any(Number),
        },
      });
    }
    await socket.unsubscribe(subscription);
    await client.call('devnet_snapshot');
    await socket.quiet();
  });

  test('hears what happens beside blocks', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    const snapshot_id = await client.call('devnet_snapshot', { name: 'here' });
    expect(await news(socket)).toEqual([['snapshot', { snapshot_id, name: 'here' }]]);
    await client.call('devnet_mint', { address: '0x1', amount: 1 });
    await client.call('devnet_createBlock');
    expect(await news(socket)).toEqual([]);
    await client.call('devnet_setGasPrice', { gas_price_wei: 7 });
    expect(await news(socket)).toMatchObject([['gas', { gas_price_wei: 7 }]]);
    await client.call('devnet_increaseTime', { time: 100 });
    expect(await news(socket)).toEqual([['time', { offset: 100 }]]);
    await client.call('devnet_setTime', { time: 9_000_000_000, generate_block: false });
    expect(await news(socket)).toMatchObject([['time', {}]]);
    await client.call('devnet_createBlock');
    expect(await news(socket)).toEqual([]);
    await client.call('devnet_impersonateAccount', { account_address: '0x5' });
    expect(await news(socket)).toEqual([['impersonation', { accounts: ['0x5'], auto: false }]]);
    await client.call('devnet_setLabel', { value: '0x5', label: 'five' });
    expect(await news(socket)).toEqual(['label']);
    await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 0 } });
    expect(await news(socket)).toEqual([['accepted_on_l1', { block_number: 0 }]]);
    await client.call('devnet_applyStateDiff', {
      state_diff: {
        storage_diffs: [
          { address: node.tokens.strk.address, storage_entries: [{ key: '0x1', value: '0x1' }] },
        ],
      },
    });
    expect(await news(socket)).toEqual(['state']);
    await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 2 } });
    expect(await news(socket)).toEqual([['abort', { from_block: 2 }]]);
    await client.call('devnet_revert', { snapshot_id });
    expect(await news(socket)).toEqual([['revert', { snapshot_id }]]);
  });

  test('still does after a restart and a load, unlike who follows the chain', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    const heads = await socket.subscribe('starknet_subscribeNewHeads');
    const dump = await client.call('devnet_dump', { format: 'image', inline: true });
    await client.call('devnet_restart');
    expect(await news(socket)).toEqual(['restart']);
    if (!dump || !('image' in dump)) throw new Error('there is no image');
    await client.call('devnet_load', { image: dump.image });
    await client.call('devnet_createBlock');
    expect(await news(socket)).toEqual(['load']);
    const gone = await socket.failure('starknet_unsubscribe', { subscription_id: heads });
    expect(gone.code).toBe(66);
  });

  test('is told under the name that was used, and over a socket only', async () => {
    const socket = await connect();
    await socket.exchange('{"jsonrpc":"2.0","id":1,"method":"sandbox_subscribeSandbox"}');
    expect((await socket.next()).method).toBe('sandbox_subscriptionSandbox');
    expect((await client.failure('devnet_subscribeSandbox')).code).toBe(-32601);
  });
});

describe('calls', () => {
  const last = async () => (await client.call('devnet_getRequests', { limit: 1 })).requests[0];

  test('are recorded, newest first', async () => {
    const before = (await last())?.id ?? 0;
    await client.call('devnet_mint', { address: '0x0001', amount: 1 });
    await client.failure('starknet_getNonce', { block_id: 'latest', contract_address: '0x77' });
    await node.request('starknet_chainId');
    const { requests, recording } = await client.call('devnet_getRequests', { after: before });
    expect(recording).toBe(true);
    expect(requests).toMatchObject([
      {
        id: before + 3,
        method: 'starknet_chainId',
        outcome: 'ok',
        transport: 'in-process',
        bytes: 0,
      },
      {
        id: before + 2,
        method: 'starknet_getNonce',
        outcome: 'error',
        code: 20,
        transport: 'http',
      },
      {
        id: before + 1,
        method: 'devnet_mint',
        outcome: 'ok',
        params_preview: '{"address":"0x0001","amount":1}',
        bytes: 31,
      },
    ]);
    const [{ time, duration_ms } = { time: 0, duration_ms: -1 }] = requests;
    expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
    expect(duration_ms).toBeGreaterThanOrEqual(0);
  });

  test('are recorded without secrets', async () => {
    const secret = `0x${'5ec7e7'.repeat(8)}`;
    const network_url = 'http://127.0.0.1:1/token-of-somebody';
    const deployer_account_private_key = secret;
    const postman = { network_url, deployer_account_private_key };
    await client.failure('devnet_postmanLoad', postman);
    await client.failure('devnet_postmanLoda', postman);
    await client.failure('devnet_restart', { fork: { url: network_url } });
    await client.failure('devnet_load', {
      events: [{ method: 'devnet_postmanLoad', params: postman }],
    });
    const { requests } = await client.call('devnet_getRequests', { limit: 4 });
    expect(requests.map(({ method }) => method)).toEqual([
      'devnet_load',
      'devnet_restart',
      'unknown',
      'devnet_postmanLoad',
    ]);
    expect(JSON.stringify(requests)).not.toMatch(/5ec7e7|token-of-somebody/);
  });

  test('are told to those who follow them, and only the newest are kept', async () => {
    const socket = await connect();
    const subscription = await socket.subscribe('devnet_subscribeRequests');
    await client.call('starknet_chainId');
    expect(await socket.next()).toMatchObject({
      method: 'devnet_subscriptionRequests',
      subscription,
      result: { method: 'starknet_chainId', transport: 'http' },
    });
    await socket.unsubscribe(subscription);
    for (let count = 0; count < 600; count += 1) await node.request('starknet_chainId', []);
    const { requests } = await client.call('devnet_getRequests', { limit: 200 });
    const [newest] = requests;
    const kept = await client.call('devnet_getRequests', { after: (newest?.id ?? 0) - 500 });
    expect(requests).toHaveLength(200);
    expect(kept.requests).toHaveLength(50);
    const long = { query: 'x'.repeat(5000) };
    await client.call('devnet_search', long);
    expect((await last())?.params_preview).toHaveLength(2000);
    expect((await last())?.bytes).toBe(5012);
  });

  test('are not recorded without the explorer', async () => {
    await using plain = await startNode();
    await plain.client.call('starknet_chainId');
    expect(await plain.client.call('devnet_getRequests')).toEqual({
      requests: [],
      recording: false,
    });
  });
});
