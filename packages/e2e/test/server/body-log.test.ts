// Bodies of requests and responses in the log.

import { createChain, createLog } from 'starkbox';
import { expect, test } from 'vitest';

type LogLevel = 'info' | 'warn';
type Which = 'none' | 'request' | 'response' | 'both';

/** What is logged about bodies while calls are sent over HTTP. */
async function logged(
  which: Which,
  bodies: readonly string[],
  level: LogLevel = 'info',
): Promise<readonly string[]> {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  const log = createLog({ level, format: 'pretty' }, { write });
  const node = await createChain({ port: 0, seed: 0, accounts: 1, logBodies: which }, { log });
  const { url } = await node.listen();
  for (const body of bodies) {
    const headers = { 'content-type': 'application/json' };
    await (await fetch(url, { method: 'POST', headers, body })).text();
  }
  await node.close();
  return text.split('\n').flatMap((line) => /(?:request|response) .*/.exec(line)?.[0] ?? []);
}

const CALL = '{"jsonrpc":"2.0","id":7,"method":"starknet_specVersion"}';
const ANSWER = /^response \{"jsonrpc":"2\.0","id":7,"result":"0\.\d+\.\d+"\}$/;

test('additions.8b requests, answers or both are logged', async () => {
  expect(await logged('none', [CALL])).toEqual([]);
  expect(await logged('request', [CALL])).toEqual([`request ${CALL}`]);
  expect(await logged('response', [CALL])).toEqual([expect.stringMatching(ANSWER)]);
  expect(await logged('both', [CALL])).toEqual([`request ${CALL}`, expect.stringMatching(ANSWER)]);
});

test('additions.8b not below the level info', async () => {
  expect(await logged('both', [CALL], 'warn')).toEqual([]);
});

test('each is one line, without keys', async () => {
  const key = `0x${'ab'.repeat(32)}`;
  const load = { network_url: 'http://127.0.0.1:1', deployer_account_private_key: key };
  const lines = await logged('both', [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_postmanLoad', params: load }, null, 2),
    `{ "no": "JSON",\n "private_key": "${key}"`,
    '{"jsonrpc":"2.0","id":1,"method":"devnet_getPredeployedAccounts"}',
  ]);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(
    Array.from({ length: 3 }, () => ['request', 'response']).flat(),
  );
  const text = lines.join('\n');
  expect(text).toContain('devnet_postmanLoad');
  expect(text).not.toContain('abab');
  // The key of the first account of seed 0.
  expect(text).not.toContain('71d7bb07b9a64f6f78ac4c816aff4da9');
});

test('a long one is cut', async () => {
  const many = { jsonrpc: '2.0', id: 1, method: 'nothing', params: ['x'.repeat(100_000)] };
  const [line = ''] = await logged('request', [JSON.stringify({ ...many, params: { many } })]);
  expect(line.length).toBeLessThan(66_000);
  expect(line).toMatch(/… \(100\d\d\d characters\)$/);
});
