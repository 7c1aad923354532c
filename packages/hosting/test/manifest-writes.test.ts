// Manifests in a folder, with requests that are lost on the way.

import { closeAfterTest } from '@starkbox/test-support/closing';
import { expect, test } from 'vitest';
import { MemoryRun } from '../src/layers/run.js';
import { manifestKey, readManifest } from '../src/manifest.js';
import { FolderStore } from '../src/objects/folder-store.js';
import { type ObjectStore, UncertainError } from '../src/objects/object-store.js';
import { OwnedManifest } from '../src/owned-manifest.js';
import { StoreFolder } from './support/folder-node.js';

const ID = 'one';

async function newInstance(): Promise<FolderStore> {
  const objects = await FolderStore.open(new StoreFolder().path);
  closeAfterTest(() => objects.close());
  await OwnedManifest.create(objects, {
    record: {
      ...{ id: ID, name: undefined, from: undefined, options: [] },
      ...{ created: 0, ttl: undefined, tenant: undefined },
    },
    ...{ settings: {}, writer: 'maker', layers: [], shared: 0 },
    ...{ blockNumber: 0, transactionCount: 0, newest: MemoryRun.EMPTY },
  });
  return objects;
}

/** The store by a connection that loses the first write, and lets others write meanwhile. */
function losingFirstWrite(objects: ObjectStore, meanwhile: () => Promise<unknown>): ObjectStore {
  let isLost = false;
  return {
    ...{ displayName: objects.displayName, requests: 0, isExclusive: false },
    get: (key) => objects.get(key),
    delete: (key) => objects.delete(key),
    list: (...page) => objects.list(...page),
    close: () => objects.close(),
    async put(key, bytes, condition) {
      if (isLost) return objects.put(key, bytes, condition);
      isLost = true;
      await meanwhile();
      throw new UncertainError('the connection was lost');
    },
  };
}

test('of two writes of one node that take an instance, one owns it', async () => {
  const objects = await newInstance();
  const stored = await objects.get(manifestKey(ID));
  if (!stored) throw new Error('there is no manifest');
  const manifest = readManifest(stored.bytes);
  let other: OwnedManifest | undefined;
  const lossy = losingFirstWrite(objects, async () => {
    other = await OwnedManifest.take(objects, manifest, stored.tag, 'node');
  });
  const owned = await OwnedManifest.take(lossy, manifest, stored.tag, 'node');
  expect(other?.current.owner).toBe('node');
  expect(owned).toBeUndefined();
});
