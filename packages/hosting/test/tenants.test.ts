// Tenants of a node with instances in a folder: tokens, separation and quotas, over HTTP and WebSocket.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@starkbox/test-support/scrape';
import { type ConfigInput, createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

const [A, B, OPERATOR] = ['token-of-a', 'token-of-b', 'token-of-the-operator'];
const NOWHERE = 'ffffffffffffffff';

let folder: string;
let file: string;
let node: LocalChain | undefined;
let base: string;
let metrics: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-tenants-'));
  file = join(folder, 'tenants.json');
});
afterEach(async () => {
  await node?.close();
  rmSync(folder, { recursive: true });
});

async function start(quotas: object = {}, config: ConfigInput = {}): Promise<void> {
  const digest = createHash('sha256').update(B).digest('hex');
  const tenants = [
    { name: 'team-a', token: A, ...quotas },
    { name: 'team-b', token_sha256: digest },
  ];
  writeFileSync(file, JSON.stringify({ tenants }));
  const started = await createChain({
    seed: 0,
    accounts: 1,
    instanceStore: join(folder, 'store'),
    tenants: file,
    authToken: OPERATOR,
    metricsHost: '127.0.0.1',
    metricsPort: 0,
    ...config,
  });
  node = started;
  const { url, metricsUrl = '' } = await started.listen({ port: 0 });
  [base, metrics] = [url, metricsUrl];
}

interface Answer {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function send(
  token: string | undefined,
  id: string,
  method: string,
  params: object = {},
): Promise<Answer> {
  const response = await fetch(id === 'root' ? base : `${base}/instances/${id}/rpc`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = Object(await response.json());
  return { status: response.status, ...(error ? { error } : { result }) };
}

const create = async (token: string, params: object = {}, from = 'root'): Promise<string> => {
  const { result, error } = await send(token, from, 'devnet_createInstance', params);
  if (error) throw new Error(error.message);
  return Object(result).instance_id;
};
const mint = (token: string, id: string) =>
  send(token, id, 'devnet_mint', { address: '0x77', amount: 1 });
const call = (token: string, id: string) =>
  send(token, id, 'starknet_estimateFee', {
    request: [],
    simulation_flags: [],
    block_id: 'latest',
  });

async function listed(token: string): Promise<readonly string[]> {
  const { result } = await send(token, 'root', 'devnet_listInstances');
  return Object(result).instances.map((row: unknown) => Object(row).instance_id);
}

async function figure(name: string): Promise<number | undefined> {
  const response = await fetch(metrics);
  return parse(await response.text()).values.get(name);
}
const loaded = () => figure('starkbox_hosting_loaded_instances');

async function ageOf(id: string): Promise<number> {
  const { result } = await send(OPERATOR, 'root', 'devnet_listInstances');
  const rows: readonly unknown[] = Object(result).instances;
  return Object(rows.find((row) => Object(row).instance_id === id)).age;
}

/** The status of a refused connection, or the answer to a call. */
async function overSocket(token: string | undefined, id: string): Promise<unknown> {
  const encoded = token === undefined ? [] : [Buffer.from(token).toString('base64url')];
  const protocols = ['starkbox', ...encoded.map((text) => `starkbox.bearer.${text}`)];
  const socket = new WebSocket(`${base.replace('http', 'ws')}/instances/${id}/ws`, protocols);
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode);
  const answered = once(socket, 'open').then(async () => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_blockNumber' }));
    const [data] = await once(socket, 'message');
    return JSON.parse(String(data)).result;
  });
  try {
    return await Promise.race([refused, answered.catch(() => refused)]);
  } finally {
    socket.terminate();
  }
}

describe('Tokens', () => {
  test('requests without a valid one are refused, and load nothing', async () => {
    await start();
    const id = await create(A);
    for (const token of [undefined, 'wrong', `${A}x`]) {
      for (const target of ['root', id, NOWHERE]) {
        expect(await send(token, target, 'starknet_blockNumber')).toMatchObject({
          status: 401,
          error: { code: -32001 },
        });
      }
      expect(await overSocket(token, id)).toBe(401);
    }
    for (const path of ['is_alive', 'config', 'ws']) {
      expect((await fetch(`${base}/instances/${id}/${path}`)).status).toBe(401);
    }
    const preflight = await fetch(`${base}/instances/${id}/rpc`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(await send(B, id, 'starknet_blockNumber')).toMatchObject({ status: 404 });
    expect(await loaded()).toBe(0);
    expect(await send(A, id, 'starknet_blockNumber')).toEqual({ status: 200, result: 0 });
    expect(await loaded()).toBe(1);
  });

  test('without tenants the token of the node comes before an instance, too', async () => {
    await start({}, { tenants: undefined });
    const id = await create(OPERATOR);
    expect((await send(A, id, 'starknet_blockNumber')).status).toBe(401);
    expect((await send(undefined, NOWHERE, 'starknet_blockNumber')).status).toBe(401);
    expect(await overSocket(undefined, id)).toBe(401);
    expect(await loaded()).toBe(0);
    expect(await overSocket(OPERATOR, id)).toBe(0);
  });
});

describe('Separation', () => {
  test("another tenant's instance is like one that does not exist", async () => {
    await start();
    const [ownInstance, other] = [await create(A), await create(B)];
    await mint(A, ownInstance);
    const missing = await send(B, NOWHERE, 'starknet_blockNumber');
    expect(missing).toMatchObject({ status: 404, error: { code: -32600 } });
    expect(await send(B, ownInstance, 'starknet_blockNumber')).toEqual(missing);
    expect(await overSocket(B, ownInstance)).toBe(await overSocket(B, NOWHERE));
    expect(await overSocket(A, ownInstance)).toBe(1);
    for (const [method, member] of [
      ['devnet_createInstance', 'from'],
      ['devnet_deleteInstance', 'instance_id'],
    ] as const) {
      const { error } = await send(B, 'root', method, { [member]: ownInstance });
      const { error: expected } = await send(B, 'root', method, { [member]: NOWHERE });
      expect(error?.message.replace(ownInstance, NOWHERE)).toBe(expected?.message);
      expect(error?.code).toBe(expected?.code);
    }
    expect(await listed(A)).toEqual([ownInstance]);
    expect(await listed(B)).toEqual([other]);
    expect([...(await listed(OPERATOR))].sort()).toEqual([ownInstance, other].sort());
    expect((await send(OPERATOR, ownInstance, 'starknet_blockNumber')).result).toBe(1);
    const branch = await create(A, { from: ownInstance });
    expect((await send(A, branch, 'starknet_blockNumber')).result).toBe(1);
    expect((await send(B, branch, 'starknet_blockNumber')).status).toBe(404);
    const deleted = await send(A, 'root', 'devnet_deleteInstance', { instance_id: ownInstance });
    expect(deleted.result).toEqual({});
    expect(await listed(A)).toEqual([branch]);
  });

  test('a tenant cannot make instances leave memory, its own ones either', async () => {
    await start();
    const id = await create(A);
    await mint(A, id);
    const release = (token: string) =>
      fetch(`${base}/instances/${id}/release`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
    for (const token of [A, B]) expect((await release(token)).status).toBe(404);
    expect(await loaded()).toBe(1);
    await expect.poll(async () => (await release(OPERATOR)).status).toBe(204);
    expect(await loaded()).toBe(0);
  });

  test('the owner stays the same after a restart', async () => {
    await start();
    const id = await create(A);
    await mint(A, id);
    await node?.close();
    await start();
    expect((await send(B, id, 'starknet_blockNumber')).status).toBe(404);
    expect((await send(A, id, 'starknet_blockNumber')).result).toBe(1);
  });

  test('tenants read the chain of the node, and the operator changes it', async () => {
    await start();
    const id = await create(A);
    const forbidden = (reason: string): object => ({
      error: { code: -32604, data: { reason: expect.stringContaining(reason) } },
    });
    expect(await mint(A, 'root')).toMatchObject(forbidden('create an instance'));
    const requests = await send(A, 'root', 'devnet_getRequests');
    expect(requests).toMatchObject(forbidden('create an instance'));
    const dump = { path: join(folder, 'dump') };
    for (const target of ['root', id]) {
      const { error } = await send(A, target, 'devnet_dump', dump);
      expect({ error }).toMatchObject(forbidden('operator'));
    }
    const l1 = { network_url: base };
    expect(await send(A, id, 'devnet_postmanLoad', l1)).toMatchObject(forbidden('operator'));
    for (const method of ['starknet_blockNumber', 'devnet_getStatus', 'devnet_getConfig']) {
      expect((await send(A, 'root', method)).error).toBeUndefined();
    }
    expect((await mint(OPERATOR, 'root')).error).toBeUndefined();
    expect((await send(A, 'root', 'starknet_blockNumber')).result).toBe(1);
    expect((await send(A, id, 'devnet_getRequests')).error).toBeUndefined();
  });
});

describe('Quotas', () => {
  test('of instances: one that is deleted makes room', async () => {
    await start({ maximum_instances: 2 });
    const results = await Promise.allSettled([create(A), create(A), create(A)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(create(A)).rejects.toThrow('2 instances, its limit (maximum_instances)');
    const [first = ''] = await listed(A);
    await expect(create(A, {}, first)).rejects.toThrow('maximum_instances');
    await send(A, 'root', 'devnet_deleteInstance', { instance_id: first });
    await create(A);
    await Promise.all([create(B), create(B), create(B)]);
    expect(readdirSync(join(folder, 'store', 'objects', 'tenants', 'team-a'))).toHaveLength(2);
  });

  test('of instances: one beyond it writes no table', async () => {
    await start({ maximum_instances: 1 });
    await create(A);
    const layers = join(folder, 'store', 'objects', 'layers');
    const before = readdirSync(layers);
    for (const seed of [1, 2]) {
      await expect(create(A, { options: { seed } })).rejects.toThrow('maximum_instances');
    }
    expect(readdirSync(layers)).toEqual(before);
  });

  test('of instances: a creation that fails does not count', async () => {
    await start({ maximum_instances: 1 });
    await expect(create(A, { from: NOWHERE })).rejects.toThrow('There is no instance');
    await expect(create(A, { options: { accounts: -1 } })).rejects.toThrow('accounts');
    await create(A);
    expect(await listed(A)).toHaveLength(1);
  });

  test('of instances: those that have expired or were never written do not count for long', async () => {
    await start({ maximum_instances: 2 });
    const expired = await create(A, { ttl: 1 });
    const markers = join(folder, 'store', 'objects', 'tenants', 'team-a');
    // As a node leaves it that was killed while it created an instance.
    copyFileSync(join(markers, expired), join(markers, NOWHERE));
    utimesSync(join(markers, NOWHERE), 1, 1);
    await expect.poll(() => ageOf(expired)).toBeGreaterThan(1);
    await create(A);
    await create(A);
    await expect(create(A)).rejects.toThrow('maximum_instances');
    expect(readdirSync(markers)).toHaveLength(2);
    expect(readdirSync(markers)).not.toContain(expired);
  });

  test('of instances in memory: the one that was used longest ago hibernates', async () => {
    await start({ maximum_loaded_instances: 1 });
    const [first, second, other] = [await create(A), await create(A), await create(B)];
    await mint(A, first);
    await mint(B, other);
    await mint(A, second);
    expect(await loaded()).toBe(2);
    expect(await figure('starkbox_hosting_loads_total')).toBe(3);
    expect(await figure('starkbox_hosting_store_requests_total')).toBeGreaterThan(10);
    expect((await send(A, first, 'starknet_blockNumber')).result).toBe(1);
    expect(await loaded()).toBe(2);
  });

  test('of executions per minute: creations count, reads do not', async () => {
    await start({ executions_per_minute: 3 });
    const id = await create(A);
    expect((await mint(A, id)).error).toBeUndefined();
    expect((await call(A, 'root')).error).toBeUndefined();
    await expect(create(A)).rejects.toThrow('executions_per_minute');
    expect((await call(A, id)).error).toEqual({
      code: -32005,
      message: expect.stringMatching(/^The tenant team-a .*executions_per_minute.* in \d+ s$/),
    });
    expect((await send(A, id, 'starknet_blockNumber')).result).toBe(1);
    expect(await figure('starkbox_hosting_tenant_executions_total{tenant="team-a"}')).toBe(3);
    const other = await create(B);
    for (let round = 0; round < 3; round += 1) {
      expect((await mint(B, other)).error).toBeUndefined();
    }
  });

  test('of executions at a time: others wait, and are refused if too many do', async () => {
    await start({ maximum_executions: 1 }, { maximumWaitingExecutions: 1 });
    const id = await create(A);
    const answers = await Promise.all(Array.from({ length: 12 }, () => mint(A, id)));
    const messages = answers.flatMap(({ error }) => error?.message ?? []);
    expect(messages.length).toBeGreaterThan(0);
    expect(messages[0]).toContain('maximum_executions: 1');
    expect((await send(A, id, 'starknet_blockNumber')).result).toBe(12 - messages.length);
  });
});

describe('The file', () => {
  const refusal = async (content: string): Promise<string> => {
    writeFileSync(file, content);
    const store = join(folder, 'store');
    const started = createChain({ instanceStore: store, tenants: file, authToken: OPERATOR });
    return started.then(
      () => 'started',
      (error: unknown) => String(error).replace(file, 'FILE'),
    );
  };
  const tenant = { name: 'one', token: 'x' };

  test.for<[unknown, string]>([
    [[], 'the file: expected an object'],
    [{}, 'tenants: expected a list'],
    [{ tenants: [] }, 'tenants: expected at least one tenant'],
    [{ tenants: [tenant], more: 1 }, 'the file: expected no member "more"'],
    [{ tenants: [{ ...tenant, name: 'A b' }] }, 'tenants[0].name: expected up to 63 lower-case'],
    [{ tenants: [{ name: 'one' }] }, 'tenants[0]: expected one of token and token_sha256'],
    [{ tenants: [{ ...tenant, token: 'a b' }] }, 'tenants[0].token: expected a token'],
    [
      { tenants: [{ ...tenant, token: undefined, token_sha256: '12' }] },
      'tenants[0].token_sha256:',
    ],
    [{ tenants: [{ ...tenant, token: OPERATOR }] }, 'tenants[0]: expected a unique token'],
    [{ tenants: [tenant, { ...tenant, name: 'two' }] }, 'tenants[1]: expected a unique token'],
    [{ tenants: [tenant, { ...tenant, token: 'y' }] }, 'tenants[1].name: expected another name'],
    [
      { tenants: [{ ...tenant, maximum_instances: 0 }] },
      'tenants[0].maximum_instances: expected an integer from 1',
    ],
    [{ tenants: [{ ...tenant, maximum: 1 }] }, 'tenants[0]: expected no member "maximum"'],
  ])('%j is refused', async ([content, expected]) => {
    expect(await refusal(JSON.stringify(content))).toContain(`--tenants FILE: ${expected}`);
  });

  test('needs a store, and must be JSON', async () => {
    expect(await refusal('{')).toContain('--tenants FILE: ');
    await expect(createChain({ tenants: file })).rejects.toThrow('instanceStore');
  });
});
