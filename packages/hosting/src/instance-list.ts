// Pages of the instances in an object store, in the order of their ids.
import {
  type INSTANCE_ROW,
  type InstanceControls,
  instanceRow,
  invalidParams,
  readCursor,
} from 'starkbox/registry';
import { type Manifest, manifestKey, readManifest } from './manifest.js';
import { type ObjectStore, pagesOfKeys } from './objects/object-store.js';
import { prefixOf } from './tenants/tenant-instances.js';

/** Instances are counted up to this number. */
const MOST_COUNTED = 10_000;
/** Of the 16 digits of an id: a cursor is two numbers that are exact in JSON. */
const HIGH_DIGITS = 12;
const ALL_DIGITS = 16;

type List = InstanceControls['list'];

/** @param url where clients reach the instances; undefined before the node listens */
export async function listed(
  objects: ObjectStore,
  [{ cursor, limit }, tenant]: Parameters<List>,
  url: string | undefined,
): Promise<Awaited<ReturnType<List>>> {
  const prefix = tenant === undefined ? manifestKey('') : prefixOf(tenant);
  const after = cursor === undefined ? undefined : prefix + idIn(cursor);
  const keys = await objects.list(prefix, after, limit + 1);
  const page = keys.slice(0, limit).map((key) => key.slice(prefix.length));
  const rows = await Promise.all(page.map((id) => rowOf(objects, id, url)));
  const last = keys.length > limit ? page.at(-1) : undefined;
  return {
    rows: rows.filter((row) => row !== undefined),
    total: await counted(objects, prefix),
    next: last === undefined ? undefined : cursorOf(last),
  };
}

/** Undefined if it was deleted meanwhile, or cannot be read. */
async function rowOf(
  objects: ObjectStore,
  id: string,
  url: string | undefined,
): Promise<INSTANCE_ROW | undefined> {
  const stored = await objects.get(manifestKey(id));
  const manifest = stored && readable(stored.bytes);
  if (!manifest || manifest.isDeleted) return undefined;
  return instanceRow(url, manifest.record, manifest, manifest.idle + stored.age);
}

function readable(bytes: Buffer): Manifest | undefined {
  try {
    return readManifest(bytes);
  } catch {
    return undefined;
  }
}

async function counted(objects: ObjectStore, prefix: string): Promise<number> {
  let count = 0;
  for await (const keys of pagesOfKeys(objects, prefix)) {
    count += keys.length;
    if (count >= MOST_COUNTED) break;
  }
  return count;
}

function cursorOf(id: string): string {
  const [high, low] = [id.slice(0, HIGH_DIGITS), id.slice(HIGH_DIGITS)];
  return `${Number.parseInt(high, 16)}.${Number.parseInt(low, 16)}`;
}

function idIn(cursor: string): string {
  const [high, low] = readCursor(cursor);
  const id =
    high.toString(16).padStart(HIGH_DIGITS, '0') +
    low.toString(16).padStart(ALL_DIGITS - HIGH_DIGITS, '0');
  if (id.length !== ALL_DIGITS) invalidParams('params.cursor: not a cursor');
  return id;
}
