// Connections to a running node: URLs, tokens, instances, and nodes that do not respond.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { storageAddress } from '@starkbox/engine';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { listen } from '@starkbox/test-support/listen';
import { createChain } from 'starkbox';
import { ConnectionError, connect, type RemoteChain } from 'starkbox/client';
import { describe, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';

const OPTIONS = { seed: 0, accounts: 1, port: 0 } as const;

async function startNode(options: Parameters<typeof createChain>[0] = {}): Promise<string> {
  const node = await createChain({ ...OPTIONS, ...options });
  closeAfterTest(() => node.close());
  return (await node.listen()).url;
}

/** A server that responds to every request with the same text. */
async function startServer(text: string, status = 200): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  closeAfterTest(() => server.close());
  return { url: `http://127.0.0.1:${await listen(server)}`, server };
}

async function refusal(url: string, options?: Parameters<typeof connect>[1]): Promise<string> {
  const error: unknown = await connect(url, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectionError);
  return error instanceof ConnectionError ? error.message : '';
}

async function opened(url: string, options?: Parameters<typeof connect>[1]): Promise<RemoteChain> {
  const chain = await connect(url, options);
  closeAfterTest(() => chain.close());
  return chain;
}

describe('URLs', () => {
  test.each(['', '/', '/rpc', '/rpc/'])('%s after the port reaches the node', async (path) => {
    const url = await startNode();
    const chain = await opened(`${url.replace(/\/$/, '')}${path}`);
    expect(chain.rpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rpc$/);
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.mine();
    expect(Object(await heads.next()).value.result.block_number).toBe(1);
  });

  test.each(['ws://127.0.0.1:5050', '127.0.0.1:5050', ''])('%s is rejected', async (url) => {
    await expect(connect(url)).rejects.toThrow(
      `connect takes an HTTP URL, for example http://127.0.0.1:5050; it got ${url}`,
    );
  });
});

describe('what is no Starkbox node', () => {
  test('a port without a server is named with a way out', async () => {
    const { url, server } = await startServer('');
    server.close();
    await once(server, 'close');
    expect(await refusal(url)).toBe(
      `No node responds at ${url}/rpc (ECONNREFUSED). Start a node with \`npx starkbox\`, or correct the URL.`,
    );
  });

  test('another Starknet node is named as such', async () => {
    const { url } = await startServer(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
    );
    expect(await refusal(url)).toContain(`${url}/rpc is not a Starkbox node`);
  });

  test.each([
    ['a web server', '<html></html>', 404],
    ['a server of other JSON', '{"ok":true}', 200],
  ])('%s is named as such', async (_name, text, status) => {
    const { url } = await startServer(text, status);
    expect(await refusal(url)).toBe(
      `${url}/rpc responded to devnet_getStatus with status ${status} and without a JSON-RPC result. Start a node with \`npx starkbox\`, or correct the URL.`,
    );
  });

  test('a node that takes too long is given up', async () => {
    const { url, server } = await startServer('');
    server.removeAllListeners('request');
    server.on('request', () => {});
    closeAfterTest(() => server.closeAllConnections());
    expect(await refusal(url, { timeout: 50 })).toContain('did not respond to devnet_getStatus');
  });
});

describe('a token', () => {
  test('opens the node, its WebSocket and its instances', async () => {
    const token = 'a-token-of-24-characters+/=';
    const url = await startNode({ authToken: token });
    expect(await refusal(url)).toContain(
      'requires a token: pass { token } to connect, or set STARKBOX_AUTH_TOKEN',
    );
    closeAfterTest(() => void vi.unstubAllEnvs());
    vi.stubEnv('STARKBOX_AUTH_TOKEN', token);
    const byVariable = await opened(url);
    expect(await byVariable.request('starknet_blockNumber')).toBe(0);
    const headers = { Authorization: 'Bearer another' };
    expect(await refusal(url, { headers })).toContain('requires a token');
    expect(await refusal(url, { token: 'another' })).toContain('rejects the token');
    expect(await refusal(url, { token: 'another' })).toContain('rejects the token');
    const chain = await opened(url, { token });
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.mine();
    expect(Object(await heads.next()).value.result.block_number).toBe(1);
    const instance = await chain.branch();
    closeAfterTest(() => instance.close());
    expect(await instance.request('starknet_blockNumber')).toBe(1);
  });

  test('is sent to the node alone by fetch', async () => {
    const url = await startNode({ authToken: 'a-token-of-24-characters' });
    const chain = await opened(url, { token: 'a-token-of-24-characters' });
    const { url: other, server } = await startServer('{}');
    const arrival = once(server, 'request');
    await chain.fetch(other);
    const [request] = await arrival;
    expect(Object(request).headers.authorization).toBeUndefined();
    const config = await chain.fetch(new URL('/config', url));
    expect(config.status).toBe(200);
  });
});

test('headers are sent with every call', async () => {
  const { url, server } = await startServer('{"jsonrpc":"2.0","id":1,"result":{}}');
  const arrival = once(server, 'request');
  await connect(url, { headers: { 'x-tenant': 'blue' } }).catch(() => undefined);
  const [request] = await arrival;
  expect(Object(request).headers['x-tenant']).toBe('blue');
});

describe('instances', () => {
  test('are created, listed, selected and deleted', async () => {
    const chain = await opened(await startNode());
    await chain.mine();
    const instance = await chain.instances.create({ name: 'worker 1' });
    await instance.mine(2);
    const [row] = await chain.instances.list();
    expect(row).toMatchObject({ name: 'worker 1', block_number: 3 });
    const id = row?.instance_id ?? '';
    const again = await chain.instances.connect(id);
    expect(again.rpcUrl).toBe(instance.rpcUrl);
    expect(await again.request('starknet_blockNumber')).toBe(3);
    expect(await chain.request('starknet_blockNumber')).toBe(1);
    const inner = await instance.instances.create();
    expect(await inner.request('starknet_blockNumber')).toBe(3);
    await chain.instances.delete(id);
    expect((await chain.instances.list()).map(({ instance_id }) => instance_id)).not.toContain(id);
    await expect(chain.instances.delete(id)).rejects.toThrow(`There is no instance ${id}`);
    await expect(chain.instances.connect(id)).rejects.toThrow(/instance/i);
  });

  test('have options of their own', async () => {
    const chain = await opened(await startNode());
    const instance = await chain.instances.create({ options: { accounts: 3, seed: 5 }, ttl: 0 });
    expect(instance.accounts).toHaveLength(3);
    expect(chain.accounts).toHaveLength(1);
  });

  test('are listed over all pages', async () => {
    const chain = await opened(await startNode());
    for (let count = 0; count < 60; count += 1) await chain.request('devnet_createInstance');
    expect(await chain.instances.list()).toHaveLength(60);
  });

  test('of branches end with them', async () => {
    const chain = await opened(await startNode());
    {
      await using branch = await chain.branch();
      await branch.mine();
      expect(await chain.instances.list()).toHaveLength(1);
    }
    expect(await chain.instances.list()).toEqual([]);
    expect(await chain.request('starknet_blockNumber')).toBe(0);
  });
});

describe('subscriptions', () => {
  test('fail when their reader is too slow', async () => {
    const chain = await opened(await startNode(), { maximumQueuedMessages: 5 });
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.mine(20);
    // It waits for the notifications of what happened before.
    await chain.close();
    const read = async () => {
      for await (const _ of heads);
    };
    await expect(read()).rejects.toThrow(/More than 5 notifications waited to be read/);
  });

  test('fail when the connection is lost', async () => {
    const url = await startNode();
    const { url: proxy, server } = await startServer('');
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks);
        const headers = { 'content-type': 'application/json' };
        const passed = await fetch(new URL('/rpc', url), { method: 'POST', headers, body });
        response.end(await passed.text());
      });
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      socket.once('message', () => {
        socket.send('{"jsonrpc":"2.0","id":1,"result":"7"}', () => socket.terminate());
      });
    });
    closeAfterTest(() => sockets.close());
    const chain = await opened(proxy);
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await expect(heads.next()).rejects.toThrow(ConnectionError);
  });
});

const RESTRICTED = ['devnet_getPredeployedAccounts', 'devnet_createBlock'];

test('a restricted node shows no accounts', async () => {
  const chain = await opened(await startNode({ restrictedMethods: RESTRICTED }));
  expect(chain.accounts).toEqual([]);
  await expect(chain.mine()).rejects.toThrow('Method forbidden');
});

test('slots equal those of the engine', async () => {
  const storage = (await opened(await startNode())).storage('0x1');
  const keys = [
    '0x0',
    '0x1',
    '0x7',
    `0x${'7'.repeat(62)}`,
    '0x800000000000011000000000000000000000000000000000000000000000000',
  ];
  for (const [index, key] of keys.entries()) {
    for (const rest of [[], [key], [key, keys[index - 1] ?? '0x5']]) {
      for (const name of [
        'x',
        'ERC20_balances',
        'x'.repeat(135),
        'x'.repeat(136),
        'x'.repeat(300),
      ]) {
        expect(storage.slot(name, rest)).toBe(storageAddress(name, rest));
      }
    }
  }
});
