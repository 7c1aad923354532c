// The checking fetch passes valid answers and refuses invalid ones.
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../conformance/checked-fetch.js';
import { listen } from '../listen.js';

/** The next answer of the server. */
let answer: unknown;
const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => void server.close());

const request = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method });
const result = (value: unknown, id = 1) => ({ jsonrpc: '2.0', id, result: value });
const error = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'no' } });

/** What was found wrong with an answer. */
async function violations(requests: unknown, answered: unknown): Promise<string[]> {
  answer = answered;
  const faults: string[] = [];
  const asking = checkedFetch(faults)(url, { method: 'POST', body: JSON.stringify(requests) });
  const outcome = await asking.then(
    () => 'passed',
    () => 'thrown',
  );
  expect(outcome).toBe(faults.length === 0 ? 'passed' : 'thrown');
  return faults;
}

test.each([
  ['a result of another type', request('starknet_blockNumber'), result('0x5')],
  ['an error that the method does not have', request('starknet_getNonce'), error(61)],
  ['an answer to another request', request('starknet_blockNumber'), result(5, 2)],
  ['a result for a method that does not exist', request('starknet_nothing'), result(5)],
  ['another version of JSON-RPC', request('starknet_blockNumber'), { id: 1, result: 5 }],
])('%s is a violation', async (_name, requests, answered) => {
  expect(await violations(requests, answered)).toHaveLength(1);
});

test('every answer of a batch is looked at', async () => {
  const batch = [request('starknet_blockNumber', 1), request('starknet_chainId', 2)];
  expect(await violations(batch, [result('0x5a', 2), result(5, 1)])).toEqual([]);
  expect(await violations(batch, [result(6, 2), result(5, 1)])).toHaveLength(1);
  expect(await violations(batch, [result(5, 1)])).toHaveLength(1);
});
