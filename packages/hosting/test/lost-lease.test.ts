// Long answers of an instance whose node loses its lease while they are sent.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderNode, StoreFolder } from './support/folder-node.js';

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
/** More than the system keeps for a connection. */
const CALLS = 150;

/** Sends a batch of calls with long answers. */
async function sendBatch(url: string): Promise<IncomingMessage> {
  const method = 'starknet_getClassAt';
  const params = { block_id: 'latest', contract_address: STRK };
  const calls = Array.from({ length: CALLS }, (_, id) => ({ jsonrpc: '2.0', id, method, params }));
  const outgoing = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  outgoing.end(JSON.stringify(calls));
  const [response] = await once(outgoing, 'response');
  return response;
}

test('no piece of an answer follows after the lease was lost', async () => {
  const store = new StoreFolder();
  const node = await FolderNode.start(store, { leaseSeconds: 1, maximumBatchLength: CALLS });
  const id = await node.create();
  const response = await sendBatch(`${node.url}/instances/${id}/rpc`);
  await once(response, 'readable');
  const [lease = ''] = store.keys('nodes');
  // As a node does with a lease that has run out.
  const broken = `${'0'.repeat(32)}\n${JSON.stringify({ broken: true })}`;
  // Again until it counts: a renewal that has begun replaces it.
  const leasesAfterBreak = (): number => {
    writeFileSync(join(store.path, 'objects', 'nodes', lease), broken);
    return store.keys('nodes').length;
  };
  await expect.poll(leasesAfterBreak, { timeout: 20_000, interval: 200 }).toBe(2);
  const pieces: Buffer[] = [];
  const reading = (async () => {
    for await (const piece of response) pieces.push(piece);
  })();
  await expect(reading).rejects.toThrow('aborted');
  const answers = Buffer.concat(pieces).toString().split('"jsonrpc"').length - 1;
  expect(answers).toBeLessThan(CALLS);
});
