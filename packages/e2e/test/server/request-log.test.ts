// Log lines of requests: one for each at debug, without secrets.

import { createChain, createLog } from 'starkbox';
import { afterAll, expect, test } from 'vitest';

const TOKEN = 'a-token-that-is-not-logged';
const lines: string[] = [];
const output = {
  write: (text: string) => {
    lines.push(...text.trimEnd().split('\n'));
    return true;
  },
};
const log = createLog({ level: 'debug', format: 'json' }, output);
const config = { seed: 0, port: 0, authToken: TOKEN } as const;
const node = await createChain({ ...config, logLevel: 'debug' }, { log });
const { url } = await node.listen();
afterAll(() => node.close());

const post = (body: unknown, token = TOKEN) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

/** The lines that something made, as far as they are about calls. */
async function said(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const before = lines.length;
  await work();
  return lines
    .slice(before)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'call');
}

test('each call is a line with method, duration, outcome and id', async () => {
  const [first, ...more] = await said(() =>
    post({ jsonrpc: '2.0', id: 'abc', method: 'chain_blockNumber' }),
  );
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    level: 'debug',
    method: 'starknet_blockNumber',
    outcome: 'success',
    transport: 'http',
    id: 'abc',
    request: expect.any(Number),
    milliseconds: expect.any(Number),
  });
  const [failed] = await said(() => post({ jsonrpc: '2.0', id: 7, method: 'no\nline' }));
  expect(failed).toMatchObject({ method: 'unknown', outcome: 'error -32601', id: '7' });
  expect(Number(failed?.['request'])).toBe(Number(first?.['request']) + 1);
  const call = { jsonrpc: '2.0', id: 1, method: 'starknet_chainId' };
  expect(await said(() => post([call, call]))).toHaveLength(2);
});

test('long ids are cut', async () => {
  const [line] = await said(() =>
    post({ jsonrpc: '2.0', id: 'x'.repeat(10_000), method: 'starknet_chainId' }),
  );
  expect(line?.['id']).toBe('x'.repeat(64));
});

test('neither keys nor tokens are logged, whatever happens', async () => {
  await post({ jsonrpc: '2.0', id: 1, method: 'devnet_getPredeployedAccounts' });
  await post({ jsonrpc: '2.0', id: 1, method: 'devnet_getConfig' });
  await post({ jsonrpc: '2.0', id: 1, method: 'devnet_mint', params: { secret: TOKEN } });
  await post({ jsonrpc: '2.0', id: 1, method: TOKEN }, 'wrong-token');
  await fetch(`${url}/ws`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = lines.join('\n');
  expect(text).not.toContain(TOKEN);
  expect(text).not.toContain('wrong-token');
  for (const { privateKey } of node.accounts) expect(text).not.toContain(privateKey.slice(2));
});

test('at other levels there are no such lines', async () => {
  const quiet = await createChain({ seed: 0 }, { log });
  expect(await said(() => quiet.request('starknet_chainId'))).toEqual([]);
  await quiet.close();
});
