// Two nodes on one bucket: an instance moves to the node that its requests reach.

import { createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CREDENTIALS, MinioServer } from './support/minio-server.js';
import { minioBinary } from './support/minio-store.js';

const binary = minioBinary('the handover of instances between nodes');
const authorization = 'Bearer operator';

describe.skipIf(binary === undefined)('Handover', () => {
  let minio: MinioServer;
  const nodes: LocalChain[] = [];
  let first: string;
  let other: string;

  beforeAll(async () => {
    minio = await MinioServer.start(binary ?? '');
    process.env['AWS_ACCESS_KEY_ID'] = CREDENTIALS.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = CREDENTIALS.secretAccessKey;
    [first, other] = [await start(), await start()];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await minio.close();
  });

  async function start(): Promise<string> {
    const options = { instanceStore: minio.place('fleet'), authToken: 'operator' };
    const node = await createChain({ seed: 0, accounts: 1, ...options });
    nodes.push(node);
    return (await node.listen({ port: 0 })).url;
  }

  async function ask(url: string, method: string, params: object = {}): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = Object(await response.json());
    return result ?? error;
  }
  const create = async (): Promise<string> =>
    Object(await ask(first, 'devnet_createInstance')).instance_id;
  const mint = (base: string, id: string) =>
    ask(`${base}/instances/${id}/rpc`, 'devnet_mint', { address: '0x77', amount: 1 });
  const release = async (id: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(`${first}/instances/${id}/release`, { method: 'POST', headers })).status;

  test('an instance moves with its changes to the node that needs it', async () => {
    const id = await create();
    const balances = [];
    for (const base of [first, other, first]) balances.push(await mint(base, id));
    expect(balances).toMatchObject(['1', '2', '3'].map((new_balance) => ({ new_balance })));
  });

  test('an instance in use is not released', async () => {
    const id = await create();
    expect(await release(id, { authorization })).toBe(204);
    await mint(first, id);
    expect(await release(id, { authorization })).toBe(409);
    await expect.poll(() => release(id, { authorization })).toBe(204);
  });

  test('a request without the token of the fleet, or from a page of another site, is refused', async () => {
    const id = await create();
    expect(await release(id, {})).toBe(401);
    expect(await release(id, { authorization, origin: 'https://example.org' })).toBe(403);
  });
});
