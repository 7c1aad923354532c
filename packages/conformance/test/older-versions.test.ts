// Reads that are repeated in older versions: which ones, and what is found.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { hasPublishedSpec, olderViolations, repeated, startNode } from '../src/index.js';

const { url, node, close } = await startNode({ listen: true });
afterAll(close);
const [account] = node.accounts;

/** How many reads are made in each version. */
async function made(method: string, params: unknown): Promise<readonly number[]> {
  const before = { ...repeated };
  expect(await olderViolations(url, { method, params })).toEqual([]);
  return [repeated.v0_8 - before.v0_8, repeated.v0_9 - before.v0_9];
}

// Without the published documents nothing is repeated; a line says so.
describe.skipIf(!hasPublishedSpec('v0_8'))('a read', () => {
  test('is repeated in the words of each version that has them', async () => {
    expect(await made('starknet_getNonce', ['pre_confirmed', account?.address])).toEqual([1, 1]);
    expect(await made('starknet_getNonce', ['l1_accepted', account?.address])).toEqual([0, 1]);
    const flags = { block_id: 'latest', response_flags: ['INCLUDE_PROOF_FACTS'] };
    expect(await made('chain_getBlockWithTxs', flags)).toEqual([1, 1]);
    expect(await made('starknet_getEvents', [{ chunk_size: 1, address: ['0x1'] }])).toEqual([0, 0]);
  });

  test('is repeated if it fails', async () => {
    expect(await made('starknet_getNonce', ['latest', '0x5'])).toEqual([1, 1]);
  });

  test('is no change, no subscription and no method of the sandbox', async () => {
    for (const method of ['starknet_addInvokeTransaction', 'devnet_getConfig', 'rpc.discover']) {
      expect(await made(method, [])).toEqual([0, 0]);
    }
    expect(await made('starknet_subscribeNewHeads', [])).toEqual([0, 0]);
  });

  test('with an answer that the version does not allow is a violation', async () => {
    const answer = '{"jsonrpc":"2.0","id":1,"result":7}';
    const server = createServer((_, response) => void response.end(answer)).listen(0);
    await once(server, 'listening');
    const { port } = Object(server.address());
    const call = { method: 'starknet_getNonce', params: ['latest', '0x5'] };
    const found = await olderViolations(`http://127.0.0.1:${port}`, call);
    server.close();
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^v0_8: .*starknet_getNonce breaks/);
  });
});
