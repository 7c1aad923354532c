// Manifests in a real MinIO while requests and answers are lost, and others take over.
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { MemoryRun } from '../src/layers/run.js';
import { type Manifest, manifestKey, readManifest } from '../src/manifest.js';
import { UncertainError } from '../src/objects/object-store.js';
import { OwnedManifest, OwnershipLost } from '../src/owned-manifest.js';
import { MinioServer } from './support/minio-server.js';
import { minioBinary, storeAt } from './support/minio-store.js';
import { type Fault, StoreProxy } from './support/store-proxy.js';

const binary = minioBinary('the manifest of an instance');
const PREFIX = 'manifests';

let minio: MinioServer;
let count = 0;

async function stored(id: string): Promise<{ readonly manifest: Manifest; readonly tag: string }> {
  const stored = await storeAt(minio.url, PREFIX).get(manifestKey(id));
  if (!stored) throw new Error('there is no manifest');
  return { manifest: readManifest(stored.bytes), tag: stored.tag };
}

async function take(id: string, owner: string, url: string): Promise<OwnedManifest> {
  const { manifest, tag } = await stored(id);
  const owned = await OwnedManifest.take(storeAt(url, PREFIX), manifest, tag, owner);
  if (!owned) throw new Error('another was faster');
  return owned;
}

/** A new instance of a node behind a proxy. */
async function owned(context: TestContext) {
  count += 1;
  const id = `instance-${count}`;
  const record = { id, name: undefined, from: undefined, options: [], created: 0, ttl: undefined };
  await OwnedManifest.create(storeAt(minio.url, PREFIX), {
    record: { ...record, tenant: undefined },
    settings: {},
    writer: 'maker',
    ...{ layers: [], shared: 0, blockNumber: 0, transactionCount: 0 },
    newest: MemoryRun.EMPTY,
  });
  const proxy = await StoreProxy.start(minio.url);
  context.onTestFinished(() => proxy.close());
  return { id, proxy, manifest: await take(id, 'one', proxy.url) };
}

/** Gives each write the next of some faults. */
function faultWrites(proxy: StoreProxy, faults: readonly Fault[]): void {
  const remaining = [...faults];
  proxy.fault = (method) => (method === 'PUT' ? remaining.shift() : undefined);
}

describe.skipIf(binary === undefined)('Manifests', () => {
  beforeAll(async () => {
    minio = await MinioServer.start(binary ?? '');
  });
  afterAll(() => minio.close());

  test('a write is done once although its answers are lost', async (context) => {
    const { id, proxy, manifest } = await owned(context);
    faultWrites(proxy, ['lose-answer', { status: 503 }, 'lose-answer']);
    await manifest.replace({ blockNumber: 1 });
    await manifest.replace({ blockNumber: 2 });
    expect((await stored(id)).manifest).toMatchObject({ blockNumber: 2 });
  });

  test('a late write is not taken for the next one', async (context) => {
    const { id, proxy, manifest } = await owned(context);
    faultWrites(proxy, [{ late: 300 }]);
    await expect(manifest.replace({ blockNumber: 1 }, () => false)).rejects.toThrow(UncertainError);
    let isDone = false;
    proxy.fault = (method) => (method === 'PUT' && !isDone ? 'lose-request' : undefined);
    const next = manifest.replace({ blockNumber: 2 });
    next.catch(() => undefined);
    await proxy.settled();
    isDone = true;
    await expect(next).rejects.toThrow(UncertainError);
    expect((await stored(id)).manifest.blockNumber).toBe(1);
  });

  test('after a takeover nothing is written', async (context) => {
    const { id, proxy, manifest } = await owned(context);
    const other = await take(id, 'other', minio.url);
    await expect(manifest.replace({ blockNumber: 1 })).rejects.toThrow(OwnershipLost);
    await other.replace({ blockNumber: 2 });
    expect((await stored(id)).manifest).toMatchObject({ owner: 'other', blockNumber: 2 });
    await proxy.settled();
  });

  test('of a write that another may have replaced, the outcome is unknown', async (context) => {
    const { id, proxy, manifest } = await owned(context);
    let isTaken = false;
    proxy.fault = (method) => (method === 'PUT' && !isTaken ? 'lose-request' : undefined);
    const written = manifest.replace({ blockNumber: 1 });
    written.catch(() => undefined);
    const other = await take(id, 'other', minio.url);
    isTaken = true;
    await expect(written).rejects.toThrow(UncertainError);
    expect(other.current.owner).toBe('other');
  });
});
