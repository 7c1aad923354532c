// Leases in a real MinIO while requests and answers are lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { LeaseReader, NodeLease, removeOld } from '../src/lease.js';
import { MinioServer } from './support/minio-server.js';
import { minioBinary, storeAt } from './support/minio-store.js';
import { type Fault, StoreProxy } from './support/store-proxy.js';

const binary = minioBinary('the lease of a node');
const URL = 'http://127.0.0.1:1';

let minio: MinioServer;

/** A holder of leases that reaches the store by a proxy of its own. */
class Holder {
  readonly proxy: StoreProxy;
  readonly #context: TestContext;
  lost = 0;

  constructor(proxy: StoreProxy, context: TestContext) {
    this.proxy = proxy;
    this.#context = context;
  }

  static async start(context: TestContext): Promise<Holder> {
    const proxy = await StoreProxy.start(minio.url);
    context.onTestFinished(() => proxy.close());
    return new Holder(proxy, context);
  }

  async open(seconds: number): Promise<NodeLease> {
    const lease = await NodeLease.open(storeAt(this.proxy.url, 'leases'), {
      url: URL,
      seconds,
      onLost: () => {
        this.lost += 1;
      },
    });
    this.#context.onTestFinished(() => lease.close());
    return lease;
  }
}

const stateOf = ({ nodeId }: NodeLease) =>
  new LeaseReader(storeAt(minio.url, 'leases')).stateOf(nodeId);

/** The number of the last write that was done. */
async function sequenceOf({ nodeId }: NodeLease): Promise<number> {
  const stored = await storeAt(minio.url, 'leases').get(`nodes/${nodeId}`);
  return JSON.parse(String(stored?.bytes)).sequence;
}

// At the same time, because they wait for leases.
describe.skipIf(binary === undefined).concurrent('in MinIO', () => {
  beforeAll(async () => {
    minio = await MinioServer.start(binary ?? '');
  });
  afterAll(() => minio?.close());

  test('a lease is taken although the answer is lost', async (context) => {
    const { expect } = context;
    const holder = await Holder.start(context);
    holder.proxy.once('PUT', 'lose-answer');
    const lease = await holder.open(10);
    expect(lease.isHeld).toBe(true);
    await removeOld(storeAt(minio.url, 'leases'));
    expect(await stateOf(lease)).toEqual({ kind: 'live', url: URL });
    await lease.close();
    expect(await stateOf(lease)).toEqual({ kind: 'free' });
  });

  test.for<Fault>(['lose-answer', 'hold-answer', 'lose-request', { late: 20 }, { late: 1000 }])(
    'a lease is renewed after the fault %o',
    async (fault, context) => {
      const { expect } = context;
      const holder = await Holder.start(context);
      const lease = await holder.open(3);
      holder.proxy.once('PUT', fault);
      // The second was hit by the fault.
      await expect.poll(() => sequenceOf(lease)).toBeGreaterThan(2);
      await expect.poll(() => lease.isHeld).toBe(true);
      await holder.proxy.settled();
      expect(holder.lost).toBe(0);
    },
  );

  test('a lease without renewals expires, and is held again if it was not broken', async (context) => {
    const { expect } = context;
    const holder = await Holder.start(context);
    const lease = await holder.open(1);
    holder.proxy.fault = () => 'lose-request';
    await expect.poll(() => lease.isHeld).toBe(false);
    holder.proxy.fault = () => undefined;
    await expect.poll(() => lease.isHeld).toBe(true);
    expect(holder.lost).toBe(0);
  });

  test('an expired lease is broken although the answer is lost, and never held again', async (context) => {
    const { expect } = context;
    const holder = await Holder.start(context);
    const lease = await holder.open(1);
    const others = await StoreProxy.start(minio.url);
    context.onTestFinished(() => others.close());
    others.once('PUT', 'lose-answer');
    const reader = new LeaseReader(storeAt(others.url, 'leases'));
    expect((await reader.stateOf(lease.nodeId)).kind).toBe('live');
    holder.proxy.fault = () => 'lose-request';
    let isFree = false;
    while (!isFree) {
      const wasHeld = lease.isHeld;
      isFree = (await reader.stateOf(lease.nodeId)).kind === 'free';
      expect(isFree && wasHeld).toBe(false);
      await sleep(100);
    }
    expect(lease.isHeld).toBe(false);
    holder.proxy.fault = () => undefined;
    await expect.poll(() => holder.lost).toBe(1);
    expect(lease.isHeld).toBe(false);
    expect((await stateOf(lease)).kind).toBe('free');
  });
});
