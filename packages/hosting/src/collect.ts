// Deletion of tables in an object store that no instance uses any more.
import { type CollectOptions, reasonOf, stopwatch, UsageError } from 'starkbox/registry';
import { FRESH_SECONDS, LAYERS, layerKey } from './layers/layer-store.js';
import { MANIFESTS, readManifest } from './manifest.js';
import { type ObjectStore, pagesOfKeys } from './objects/object-store.js';
import { awsSettings, openObjectStore } from './objects/open.js';

const HOUR = 3600;
/** Objects younger than this may be referred to by a manifest that is written meanwhile. */
const LEAST_HOURS = (2 * FRESH_SECONDS) / HOUR;
const AT_ONCE = 16;

export interface CollectionOptions {
  /** Seconds; younger tables stay. */
  readonly olderThan: number;
  /** Whether nothing is deleted. */
  readonly isDryRun: boolean;
}

export interface Collection {
  readonly instances: number;
  readonly tables: number;
  /** Tables without an instance that are too young. */
  readonly kept: number;
  /** Keys of what was deleted, or would have been. */
  readonly deleted: readonly string[];
  readonly deletedBytes: number;
}

/**
 * Deletes tables that no manifest refers to. Nodes may run meanwhile: a manifest refers newly to objects only that were
 * written within `FRESH_SECONDS`, each object is written once, and the age is read after the manifests.
 *
 * @throws Error if a manifest cannot be read; nothing is deleted then
 */
export async function collectTables(
  objects: ObjectStore,
  { olderThan, isDryRun }: CollectionOptions,
): Promise<Collection> {
  const elapsed = stopwatch();
  const tables = await keysBelow(objects, LAYERS);
  const manifests = await keysBelow(objects, MANIFESTS);
  const referred = new Set<string>();
  await forEach(manifests, async (key) => {
    for (const name of await layersIn(objects, key)) referred.add(layerKey(name));
  });
  const deleted: string[] = [];
  let [tooYoung, deletedBytes] = [0, 0];
  await forEach(
    tables.filter((key) => !referred.has(key)),
    async (key) => {
      const stored = await objects.get(key);
      if (!stored) return;
      // What was fresh when the manifests were listed is older by the time that this takes.
      if (stored.age <= olderThan + elapsed()) {
        tooYoung += 1;
        return;
      }
      if (!isDryRun) await objects.delete(key);
      deleted.push(key);
      deletedBytes += stored.bytes.length;
    },
  );
  return {
    ...{ instances: manifests.length, tables: tables.length, kept: tooYoung },
    ...{ deleted: deleted.sort(), deletedBytes },
  };
}

async function layersIn(objects: ObjectStore, key: string): Promise<readonly string[]> {
  const stored = await objects.get(key);
  // It was deleted meanwhile.
  if (!stored) return [];
  try {
    return readManifest(stored.bytes).layers;
  } catch (error) {
    throw new Error(
      `The object ${key} in ${objects.displayName} is damaged. Its list of used tables is unknown, and nothing was deleted: ${reasonOf(error)}`,
    );
  }
}

async function keysBelow(objects: ObjectStore, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const page of pagesOfKeys(objects, prefix)) keys.push(...page);
  return keys;
}

async function forEach(
  keys: readonly string[],
  work: (key: string) => Promise<void>,
): Promise<void> {
  const remaining = keys.values();
  const worker = async (): Promise<void> => {
    for (const key of remaining) await work(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The command `starkbox gc`: the text to print. */
export async function collect({
  store,
  hours = String(LEAST_HOURS),
  isDryRun,
  json,
}: CollectOptions): Promise<string> {
  if (store === undefined) {
    throw new UsageError("the command collect needs '--instance-store', the store of the nodes");
  }
  const limit = Number(hours);
  const objects = await openObjectStore(store, awsSettings(), true);
  try {
    // No node uses a store that this process has for itself.
    const least = objects.isExclusive ? 0 : LEAST_HOURS;
    if (!(limit >= least)) {
      throw new UsageError(
        `invalid value '${hours}' for '--older-than': must be a number of hours from ${least} on`,
      );
    }
    const collection = await collectTables(objects, { olderThan: limit * HOUR, isDryRun });
    return json
      ? `${JSON.stringify(collection)}\n`
      : shown(collection, objects.displayName, isDryRun);
  } finally {
    await objects.close();
  }
}

function shown(
  { instances, tables, kept, deleted, deletedBytes }: Collection,
  store: string,
  isDryRun: boolean,
): string {
  const did = isDryRun ? 'would be deleted' : 'deleted';
  return [
    `${store}: ${instances} instances, ${tables} tables`,
    ...deleted.map((key) => `  ${did}  ${key}`),
    `${deleted.length} tables (${deletedBytes} bytes) ${did}; ${kept} without an instance are younger and stay`,
    '',
  ].join('\n');
}
