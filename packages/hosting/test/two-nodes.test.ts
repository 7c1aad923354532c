// Two nodes on one real MinIO: a wrong one names the owner of an instance in use, and takes over once the lease has run out.
import { setTimeout as sleep } from 'node:timers/promises';
import { createChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest';
import { manifestKey, readManifest } from '../src/manifest.js';
import { OwnedManifest } from '../src/owned-manifest.js';
import { Gate } from './support/gate.js';
import { CREDENTIALS, MinioServer } from './support/minio-server.js';
import { minioBinary, storeAt } from './support/minio-store.js';
import { StoreProxy } from './support/store-proxy.js';

const binary = minioBinary('the takeover of instances');
const PREFIX = 'two-nodes';
const [ELSEWHERE, NOT_HELD] = [-32010, -32011];

let minio: MinioServer;

interface Answer {
  readonly status: number;
  readonly result: unknown;
  /** Undefined for a result. */
  readonly code: number | undefined;
  readonly message: string | undefined;
  readonly owner: unknown;
}

/** A node that reaches the store by a proxy of its own. */
class Member {
  readonly proxy: StoreProxy;
  readonly url: string;

  constructor(proxy: StoreProxy, url: string) {
    this.proxy = proxy;
    this.url = url;
  }

  static async start(context: TestContext, leaseSeconds = 1, durable = true): Promise<Member> {
    const proxy = await StoreProxy.start(minio.url);
    const node = await createChain({
      seed: 0,
      accounts: 1,
      durable,
      leaseSeconds,
      instanceStore: minio.place(PREFIX, proxy.url),
    });
    context.onTestFinished(async () => {
      proxy.fault = () => undefined;
      await node.close().catch(() => undefined);
      await proxy.close();
    });
    return new Member(proxy, (await node.listen({ port: 0 })).url);
  }

  async ask(path: string, method: string, params: object = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = Object(await response.json());
    const { code, message, data } = Object(error);
    return { status: response.status, result, code, message, owner: Object(data).owner_url };
  }

  async create(params: object = {}): Promise<string> {
    return Object((await this.ask('/', 'devnet_createInstance', params)).result).instance_id;
  }

  /** The status of a request to write an instance back. */
  async release(id: string): Promise<number> {
    return (await fetch(`${this.url}/instances/${id}/release`, { method: 'POST' })).status;
  }

  /** Seconds since an instance was created. */
  async age(id: string): Promise<number> {
    const { result } = await this.ask('/', 'devnet_listInstances');
    const rows: readonly unknown[] = Object(result).instances;
    return Object(rows.find((row) => Object(row).instance_id === id)).age;
  }

  mint(id: string, address: string): Promise<Answer> {
    return this.ask(`/instances/${id}/rpc`, 'devnet_mint', { address, amount: 7 });
  }

  number(id: string): Promise<Answer> {
    return this.ask(`/instances/${id}/rpc`, 'starknet_blockNumber');
  }

  async balance(id: string, address: string): Promise<unknown> {
    const path = `/instances/${id}/rpc`;
    return Object((await this.ask(path, 'devnet_getAccountBalance', { address })).result).amount;
  }

  /** Uses an instance until others have their answers. */
  async using<T extends readonly unknown[]>(id: string, answers: readonly [...T]) {
    let isAnswered = false;
    const all = Promise.all(answers).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await this.number(id);
      await sleep(20);
    }
    return all;
  }

  /** Asks until there is a result. */
  async takenOver(id: string): Promise<unknown> {
    while (true) {
      const { result } = await this.number(id);
      if (result !== undefined) return result;
      await sleep(50);
    }
  }
}

/** Keys of the leases of a node that are not broken. */
async function leasesOf(url: string): Promise<readonly string[]> {
  const store = storeAt(minio.url, PREFIX);
  const keys = await store.list('nodes/', undefined, 100);
  const stored = await Promise.all(keys.map((key) => store.get(key)));
  return keys.filter((_, index) => stored[index]?.bytes.includes(url));
}

describe.skipIf(binary === undefined)('Two nodes', () => {
  beforeAll(async () => {
    minio = await MinioServer.start(binary ?? '');
    vi.stubEnv('AWS_ACCESS_KEY_ID', CREDENTIALS.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', CREDENTIALS.secretAccessKey);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await minio.close();
  });

  test('a node names the owner of an instance that is in use', async (context) => {
    const start = () => Member.start(context, 30);
    const [first, other] = await Promise.all([start(), start()]);
    const id = await first.create();
    await first.number(id);
    const [called, page] = await first.using(id, [
      other.number(id),
      fetch(`${other.url}/instances/${id}/config`, { redirect: 'manual' }),
    ]);
    expect(called).toMatchObject({ status: 421, code: ELSEWHERE, owner: first.url });
    expect(page.status).toBe(307);
    expect(page.headers.get('location')).toBe(`${first.url}/instances/${id}/config`);
  });

  test('a node takes over when the lease of the owner has run out, and a late change is refused', async (context) => {
    const [first, other] = await Promise.all([Member.start(context), Member.start(context)]);
    const id = await first.create();
    expect(await first.mint(id, '0x1')).toMatchObject({ status: 200, code: undefined });

    first.proxy.fault = () => 'lose-request';
    const late = first.mint(id, '0x2');
    expect(await other.takenOver(id)).toBe(1);
    expect((await first.number(id)).code).toBe(NOT_HELD);
    expect((await other.mint(id, '0x3')).code).toBe(undefined);

    first.proxy.fault = () => undefined;
    expect((await late).message).toContain('may or may not have happened');
    expect(await first.takenOver(id)).toBe(2);
    expect(await other.takenOver(id)).toBe(2);
    const balances = ['0x1', '0x2', '0x3'].map((address) => other.balance(id, address));
    expect(await Promise.all(balances)).toEqual(['7', '0', '7']);
  });

  test('an instance that was used for longer than its ttl is taken over', async (context) => {
    const [first, other] = await Promise.all([Member.start(context), Member.start(context)]);
    const id = await first.create({ ttl: 1 });
    await first.mint(id, '0x1');
    await vi.waitUntil(async () => (await first.age(id)) > 1, 10_000);
    // On a busy machine the lease may have run out.
    await vi.waitUntil(async () => (await first.mint(id, '0x2')).code !== NOT_HELD, 10_000);
    first.proxy.fault = () => 'lose-request';
    expect(await other.takenOver(id)).toBe(2);
  });

  test('changes that are not durable outlast a store that is out of reach', async (context) => {
    const first = await Member.start(context, 1, false);
    const id = await first.create();
    await first.mint(id, '0x1');
    first.proxy.fault = () => 'lose-request';
    const isHeld = async (): Promise<boolean> => (await first.number(id)).code !== NOT_HELD;
    await vi.waitUntil(async () => !(await isHeld()), 10_000);
    for (const key of await leasesOf(first.url)) {
      // As a node does with a lease that has run out.
      await storeAt(minio.url, PREFIX).put(key, Buffer.from('{"broken":true}'));
    }
    first.proxy.fault = () => undefined;
    expect(await first.takenOver(id)).toBe(1);
    expect(await first.balance(id, '0x1')).toBe('7');
  });

  test('a node that releases an instance does not give up what it loads meanwhile', async (context) => {
    const first = await Member.start(context, 30, false);
    const id = await first.create();
    let isReading = false;
    first.proxy.fault = (method, path) => {
      if (isReading || method !== 'GET' || !path.includes(`/instances/${id}`)) return undefined;
      isReading = true;
      return { delay: 1_000 };
    };
    await first.number(id);
    await vi.waitUntil(async () => (await first.release(id)) === 204, 10_000);
    isReading = false;
    const released = first.release(id);
    await vi.waitUntil(() => isReading);
    expect((await first.mint(id, '0x1')).code).toBe(undefined);
    expect(await released).toBe(204);
    expect((await first.mint(id, '0x1')).code).toBe(undefined);
    await vi.waitUntil(async () => (await first.release(id)) === 204, 10_000);
    expect((await first.number(id)).result).toBe(2);
  });

  test('an owner that dropped an instance releases it', async (context) => {
    const start = () => Member.start(context, 30);
    const [first, other] = await Promise.all([start(), start()]);
    const id = await first.create();
    const [lease = ''] = await leasesOf(first.url);
    const store = storeAt(minio.url, PREFIX);
    const stored = await store.get(manifestKey(id));
    if (!stored) throw new Error('there is no manifest');
    const manifest = readManifest(stored.bytes);
    await OwnedManifest.take(store, manifest, stored.tag, lease.replace('nodes/', ''));
    expect((await other.number(id)).result).toBe(0);
  });

  test('a node that deletes an instance answers for it no more once another says that it is gone', async (context) => {
    const start = () => Member.start(context, 30);
    const [first, other] = await Promise.all([start(), start()]);
    const id = await first.create();
    expect((await first.number(id)).result).toBe(0);
    const gate = new Gate();
    first.proxy.fault = (method) => (method === 'DELETE' ? { before: gate.arrive() } : undefined);
    const deletion = first.ask('/', 'devnet_deleteInstance', { instance_id: id });
    await gate.reached;
    expect((await other.number(id)).status).toBe(404);
    const read = first.number(id);
    // Another request of the same client is answered after it, unless it waits.
    await first.ask('/', 'starknet_blockNumber');
    gate.open();
    expect((await deletion).code).toBe(undefined);
    expect((await read).result).toBe(undefined);
    expect((await first.number(id)).status).toBe(404);
  });

  test('an instance that was being loaded when the lease was lost is not served', async (context) => {
    const [first, other] = await Promise.all([Member.start(context), Member.start(context)]);
    const id = await other.create();
    let isReading = false;
    first.proxy.fault = (method, path) => {
      if (method !== 'GET' || !path.includes('/layers/')) return undefined;
      isReading = true;
      return { delay: 2_500 };
    };
    const request = first.number(id);
    await vi.waitUntil(() => isReading);
    for (const key of await leasesOf(first.url)) {
      // As a node does with a lease that has run out.
      await storeAt(minio.url, PREFIX).put(key, Buffer.from('{"broken":true}'));
    }
    expect(await other.takenOver(id)).toBe(0);
    expect((await other.mint(id, '0x1')).code).toBe(undefined);
    await vi.waitUntil(async () => (await leasesOf(first.url)).length > 0, 5_000);
    await request;
    expect(await first.takenOver(id)).toBe(1);
  });
});
