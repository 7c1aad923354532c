// HTTP headers for the network below a fork, which are secrets.
import { createServer } from 'node:http';
import { optionsOf } from '@starkbox/test-support/command-line';
import { openNode } from '@starkbox/test-support/fixture';
import { listen } from '@starkbox/test-support/listen';
import { afterAll, expect, test } from 'vitest';

const KEY = 'secret of the key';
const origin = await openNode({ seed: 0, accounts: 1 });
const apiKeys: (string | undefined)[] = [];
const server = createServer((request, response) => {
  apiKeys.push(request.headers['x-api-key']?.toString());
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', async () => {
    const answer = await origin.handle(Buffer.concat(pieces).toString());
    response.setHeader('content-type', 'application/json').end(answer);
  });
});
const port = await listen(server);
const urlOf = (host: string): string => `http://${host}:${port}/`;
afterAll(async () => {
  server.close();
});

const options = {
  accounts: 1,
  forkUpstreamCaching: false,
  forkHeader: [`X-Api-Key: ${KEY}`, 'X-Team: a, b'],
};

test('every request has them, and no answer shows them', async () => {
  const node = await openNode({ ...options, forkNetwork: urlOf('127.0.0.1') });
  expect(new Set(apiKeys)).toEqual(new Set([KEY]));
  const config = await node.request('devnet_getConfig');
  expect(JSON.stringify(config)).not.toContain(KEY);
});

test('a site that a caller names does not get them', async () => {
  const node = await openNode({ ...options, forkNetwork: urlOf('127.0.0.1') });
  apiKeys.length = 0;
  await node.request('devnet_restart', { fork: { url: urlOf('localhost') } });
  expect(new Set(apiKeys)).toEqual(new Set([undefined]));
  apiKeys.length = 0;
  await node.request('devnet_restart', { fork: { url: urlOf('127.0.0.1') } });
  expect(new Set(apiKeys)).toEqual(new Set([KEY]));
});

test('they can be repeated on the command line, and an error does not show them', async () => {
  const read = (...words: readonly string[]) =>
    optionsOf('--fork-network', 'http://127.0.0.1:9', ...words);
  expect(await read('--fork-header', 'A: 1, 2', '--fork-header', 'B: x y')).toMatchObject({
    forkHeader: ['A: 1, 2', 'B: x y'],
  });
  const wrong = await read('--fork-header', KEY).catch((error: Error) => error.message);
  expect(wrong).toContain('--fork-header');
  expect(wrong).not.toContain(KEY);
  await expect(optionsOf('--fork-header', 'A: 1')).rejects.toThrow('--fork-network');
});
