// Leases on a store whose times a test can set.
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { beforeEach, expect, test } from 'vitest';
import { LeaseReader, NodeLease, removeOld } from '../src/lease.js';
import { FolderStore } from '../src/objects/folder-store.js';
import type { ObjectStore } from '../src/objects/object-store.js';

const URL = 'http://127.0.0.1:1';
let folder: string;
let store: FolderStore;
let lost: number;

beforeEach(async () => {
  lost = 0;
  folder = mkdtempSync(join(tmpdir(), 'starkbox-lease-'));
  store = await FolderStore.open(folder);
  closeAfterTest(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

async function opened(seconds: number): Promise<NodeLease> {
  const lease = await NodeLease.open(store, {
    url: URL,
    seconds,
    onLost: () => {
      lost += 1;
    },
  });
  closeAfterTest(() => lease.close());
  return lease;
}

const stateOf = (nodeId: string) => new LeaseReader(store).stateOf(nodeId);

function setAge(nodeId: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  utimesSync(join(folder, 'objects', 'nodes', nodeId), time, time);
}

test('a lease is live with its URL until it is closed', async () => {
  const lease = await opened(60);
  expect(lease.nodeId).toMatch(/^[0-9a-f]{16}$/);
  expect(lease.isHeld).toBe(true);
  expect(await stateOf(lease.nodeId)).toEqual({ kind: 'live', url: URL });
  await lease.close();
  expect(lease.isHeld).toBe(false);
  expect(await stateOf(lease.nodeId)).toEqual({ kind: 'free' });
  expect(lost).toBe(0);
});

test('renewals change the tag', async () => {
  const lease = await opened(1);
  const key = `nodes/${lease.nodeId}`;
  const first = await store.get(key);
  await expect.poll(async () => (await store.get(key))?.tag).not.toBe(first?.tag);
  await expect.poll(() => lease.isHeld).toBe(true);
});

test('a lease that has expired is broken, and lost to its holder', async () => {
  const lease = await opened(1);
  const key = `nodes/${lease.nodeId}`;
  // Between two renewals.
  await expect
    .poll(async () => {
      setAge(lease.nodeId, 10);
      return (await stateOf(lease.nodeId)).kind;
    })
    .toBe('free');
  expect(JSON.parse(String((await store.get(key))?.bytes))).toEqual({ broken: true });
  await expect.poll(() => lost).toBe(1);
  expect(lease.isHeld).toBe(false);
  expect(await stateOf(lease.nodeId)).toEqual({ kind: 'free' });
});

test('a lease is live until its margin is over', async () => {
  const lease = await opened(60);
  setAge(lease.nodeId, 61);
  expect((await stateOf(lease.nodeId)).kind).toBe('live');
  setAge(lease.nodeId, 63);
  expect((await stateOf(lease.nodeId)).kind).toBe('free');
});

test('a lease whose object is gone is lost', async () => {
  const lease = await opened(1);
  await store.delete(`nodes/${lease.nodeId}`);
  await expect.poll(() => lost).toBe(1);
  expect(lease.isHeld).toBe(false);
});

test('of a break and a renewal at the same time one is done', async () => {
  const kinds = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const lease = await opened(60);
      const key = `nodes/${lease.nodeId}`;
      const stored = await store.get(key);
      setAge(lease.nodeId, 100);
      // What a renewal writes.
      const renewed = JSON.stringify({ url: URL, seconds: 60, sequence: 2 });
      const [tag, state] = await Promise.all([
        store.put(key, Buffer.from(renewed), { tag: stored?.tag ?? '' }),
        stateOf(lease.nodeId),
      ]);
      expect(state.kind).toBe(tag === undefined ? 'free' : 'live');
      return state.kind;
    }),
  );
  expect(kinds).toHaveLength(20);
});

test('a live answer is kept for a second at most, a free one for good', async () => {
  const reader = new LeaseReader(store);
  const lease = await opened(60);
  const { requests } = store;
  await Promise.all([reader.stateOf(lease.nodeId), reader.stateOf(lease.nodeId)]);
  expect(store.requests - requests).toBe(1);
  await lease.close();
  await expect.poll(async () => (await reader.stateOf(lease.nodeId)).kind).toBe('free');
  const later = store.requests;
  await reader.stateOf(lease.nodeId);
  expect(store.requests).toBe(later);
});

test('a folder has no leases of other processes, so that all are removed', async () => {
  const lease = await opened(60);
  await removeOld(store);
  expect(await stateOf(lease.nodeId)).toEqual({ kind: 'free' });
});

test('of a shared store only leases are removed that ended a day ago', async () => {
  const shared: ObjectStore = {
    ...{ displayName: 'shared', requests: 0, isExclusive: false },
    get: (key) => store.get(key),
    put: (key, bytes, condition) => store.put(key, bytes, condition),
    delete: (key) => store.delete(key),
    list: (prefix, after, limit) => store.list(prefix, after, limit),
    close: () => store.close(),
  };
  const ages = { live: 0, expired: 100, old: 90_000, broken: 100, 'old-broken': 90_000 };
  for (const [name, age] of Object.entries(ages)) {
    const body = name.includes('broken')
      ? { broken: true }
      : { url: URL, seconds: 10, sequence: 1 };
    await store.put(`nodes/${name}`, Buffer.from(JSON.stringify(body)));
    setAge(name, age);
  }
  await removeOld(shared);
  expect(await store.list('nodes/', undefined, 10)).toEqual([
    'nodes/broken',
    'nodes/expired',
    'nodes/live',
  ]);
});
