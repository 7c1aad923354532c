// Collection of tables that no instance uses, in a folder and in a real MinIO, while instances are changed.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callUrl } from '@starkbox/test-support/call-url';
import { createChain } from 'starkbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../starkbox/src/cli/cli.js';
import { collectTables } from '../src/collect.js';
import { LAYERS, LayerStore } from '../src/layers/layer-store.js';
import { MemoryRun } from '../src/layers/run.js';
import { Table } from '../src/layers/table.js';
import { manifestKey, readManifest } from '../src/manifest.js';
import { FolderStore } from '../src/objects/folder-store.js';
import type { ObjectStore } from '../src/objects/object-store.js';
import { OwnedManifest } from '../src/owned-manifest.js';
import { MinioServer } from './support/minio-server.js';
import { minioBinary, storeAt } from './support/minio-store.js';

const binary = minioBinary('the collection of tables in MinIO');
const directory = mkdtempSync(join(tmpdir(), 'starkbox-collect-'));
/** Every age is greater; times of MinIO have whole seconds. */
const ANY_AGE = -3600;
const ALL = { olderThan: ANY_AGE, isDryRun: false };

let minio: MinioServer | undefined;
beforeAll(async () => {
  if (binary !== undefined) minio = await MinioServer.start(binary);
});
afterAll(async () => {
  await minio?.close();
  rmSync(directory, { recursive: true });
});

const tableOf = (text: string): Table => Table.of([[Buffer.from('key'), Buffer.from(text)]]);

async function create(objects: ObjectStore, id: string, layers: readonly string[]): Promise<void> {
  const record = { id, name: undefined, from: undefined, options: [], created: 0, ttl: undefined };
  await OwnedManifest.create(objects, {
    record: { ...record, tenant: undefined },
    ...{ settings: {}, writer: 'maker', layers, shared: 0, blockNumber: 0, transactionCount: 0 },
    newest: MemoryRun.EMPTY,
  });
}

/** Reads the tables of all instances as a node does that has none in memory. */
async function texts(objects: ObjectStore): Promise<Readonly<Record<string, readonly string[]>>> {
  const layers = new LayerStore(objects);
  const layersByManifest: Record<string, readonly string[]> = {};
  for (const key of await objects.list('instances/', undefined, 1000)) {
    const stored = await objects.get(key);
    const names = stored ? readManifest(stored.bytes).layers : [];
    const tables = await Promise.all(names.map((name) => layers.read(name)));
    layersByManifest[key] = tables.map((table) => table.valueAt(0)?.toString() ?? '');
  }
  return layersByManifest;
}

/** The store, with work that is done before each request of one kind. */
function before(
  kind: 'list' | 'get' | 'delete',
  objects: ObjectStore,
  work: () => Promise<void>,
): ObjectStore {
  return {
    ...{ displayName: objects.displayName, requests: 0, isExclusive: objects.isExclusive },
    put: (...args) => objects.put(...args),
    close: () => objects.close(),
    async get(key) {
      if (kind === 'get') await work();
      return objects.get(key);
    },
    async delete(key) {
      if (kind === 'delete') await work();
      return objects.delete(key);
    },
    async list(...args) {
      if (kind === 'list') await work();
      return objects.list(...args);
    },
  };
}

describe.each([
  { place: 'a folder', open: (name: string) => FolderStore.open(join(directory, name)) },
  { place: 'MinIO', open: async (name: string) => minio && storeAt(minio.url, `collect-${name}`) },
])('In $place', ({ open }) => {
  test('tables that no instance uses are deleted', async ({ skip }) => {
    const objects = (await open('unused')) ?? skip();
    const layers = new LayerStore(objects);
    const [shared, unshared, recent] = await Promise.all(
      ['shared', 'own', 'kept'].map((text) => layers.write(tableOf(text))),
    );
    await create(objects, 'deleted', [shared ?? '', unshared ?? '']);
    await create(objects, 'stays', [shared ?? '', recent ?? '']);
    await objects.delete(manifestKey('deleted'));
    const young = await collectTables(objects, { ...ALL, olderThan: 60 });
    expect(young).toMatchObject({ instances: 1, tables: 3, kept: 1, deleted: [] });
    const tried = await collectTables(objects, { ...ALL, isDryRun: true });
    const collection = await collectTables(objects, ALL);
    expect(collection).toMatchObject({ kept: 0, deleted: [`layers/${unshared}`] });
    expect(tried).toEqual(collection);
    expect(await objects.list(LAYERS, undefined, 9)).toHaveLength(2);
    expect(await texts(objects)).toEqual({ 'instances/stays': ['shared', 'kept'] });
    await objects.close();
  });

  test.for(['list', 'get', 'delete'] as const)(
    'an instance that refers to a table before each %s of the collection has it',
    async (kind, { skip }) => {
      const objects = (await open(`live-${kind}`)) ?? skip();
      // As a node that has had the tables in memory for longer than a day: none is fresh.
      const layers = new LayerStore(objects, 0);
      const tables = ['one', 'two'].map(tableOf);
      for (const table of tables) await layers.write(table);
      let count = 0;
      const change = async (): Promise<void> => {
        count += 1;
        const names = await Promise.all(tables.map((table) => layers.write(table)));
        await create(objects, `instance-${count}`, names);
        // The one before it gives up the same tables.
        await objects.delete(manifestKey(`instance-${count - 1}`));
      };
      let last = Promise.resolve();
      const changed = before(kind, objects, () => {
        last = last.then(change);
        return last;
      });
      const { deleted } = await collectTables(changed, ALL);
      expect(deleted.length).toBeGreaterThanOrEqual(2);
      expect(count).toBeGreaterThan(1);
      expect(await texts(objects)).toEqual({ [`instances/instance-${count}`]: ['one', 'two'] });
      await objects.close();
    },
  );
});

test('a table is written again under another name, unless the manifest has it already', async () => {
  const objects = await FolderStore.open(join(directory, 'names'));
  const table = tableOf('one');
  const name = await new LayerStore(objects).write(table);
  const later = new LayerStore(objects, 0);
  const read = await later.read(name);
  expect(await later.write(read, [name])).toBe(name);
  const requests = objects.requests;
  expect(await later.write(read)).not.toBe(name);
  expect(objects.requests).toBe(requests + 1);
  await objects.close();
});

test('a manifest that cannot be read stops the collection', async () => {
  const objects = await FolderStore.open(join(directory, 'damaged'));
  await new LayerStore(objects).write(tableOf('one'));
  await objects.put(manifestKey('broken'), Buffer.from('nothing'));
  await expect(collectTables(objects, ALL)).rejects.toThrow(
    /instances\/broken in .* is damaged\. Its list of used tables is unknown/,
  );
  expect(await objects.list(LAYERS, undefined, 9)).toHaveLength(1);
  await objects.close();
});

test('the command deletes what a deleted instance alone had, and branches live on', async () => {
  const instanceStore = join(directory, 'command');
  const config = { seed: 0, accounts: 1, instanceStore, durable: true };
  let node = await createChain(config);
  let { url } = await node.listen({ port: 0 });
  const at = (id: string): string => `${url}/instances/${id}/rpc`;
  const createFrom = async (from: string): Promise<string> =>
    Object(await callUrl(url, 'devnet_createInstance', { from })).instance_id;
  /** More than a manifest has room for, so that the instance gets a table of its own. */
  const fill = async (id: string): Promise<void> => {
    const storage_entries = Array.from({ length: 1000 }, (_, index) => ({
      key: `0x${(index + 1).toString(16)}`,
      value: '0x7',
    }));
    const address = '0x77';
    const strk = { block_id: 'latest', contract_address: STRK };
    const class_hash = await callUrl(url, 'starknet_getClassHashAt', strk);
    const state_diff = {
      deployed_contracts: [{ address, class_hash }],
      storage_diffs: [{ address, storage_entries }],
    };
    await callUrl(at(id), 'devnet_applyStateDiff', { state_diff });
    await callUrl(at(id), 'devnet_createBlock', {});
  };
  const parent = await createFrom('root');
  await fill(parent);
  const branch = await createFrom(parent);
  const other = await createFrom('root');
  await fill(other);
  for (const id of [parent, other]) {
    await callUrl(url, 'devnet_deleteInstance', { instance_id: id });
  }
  await node.close();
  const collected = async (...words: readonly string[]): Promise<string> => {
    let text = '';
    const write = (piece: string): boolean => {
      text += piece;
      return true;
    };
    const output = { write };
    const argv = ['gc', '--instance-store', instanceStore, ...words];
    await run({ argv, env: {}, directory, stdout: output, stderr: output });
    return text;
  };
  expect(await collected()).toContain('0 tables (0 bytes) deleted');
  const deleted = JSON.parse(await collected('--older-than', '0', '--json'));
  expect(deleted).toMatchObject({ instances: 1, deleted: [expect.stringMatching(/^layers\//)] });
  expect(await collected('--older-than', 'x')).toContain("invalid value 'x' for '--older-than'");
  node = await createChain(config);
  ({ url } = await node.listen({ port: 0 }));
  const slot = { block_id: 'latest', contract_address: '0x77', key: '0x10' };
  expect(await callUrl(at(branch), 'starknet_getStorageAt', slot)).toBe('0x7');
  await node.close();
});

test('the command rejects a folder that is not a store, and leaves it as it is', async () => {
  for (const [name, files] of [
    ['foreign', ['lock', 'notes.txt']],
    ['empty', []],
  ] as const) {
    const folder = join(directory, name);
    mkdirSync(folder);
    for (const file of files) writeFileSync(join(folder, file), '');
    let text = '';
    const write = (piece: string): boolean => {
      text += piece;
      return true;
    };
    const argv = ['gc', '--instance-store', folder];
    const outcome = await run({ argv, env: {}, directory, stdout: { write }, stderr: { write } });
    expect(outcome).toEqual({ exitCode: 1 });
    expect(text).toContain(`The folder ${folder} is not an instance store`);
    expect(readdirSync(folder)).toEqual(files);
  }
  const argv = ['gc', '--instance-store', join(directory, 'missing')];
  const silent = { write: () => true };
  await run({ argv, env: {}, directory, stdout: silent, stderr: silent });
  expect(readdirSync(directory)).not.toContain('missing');
});

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
