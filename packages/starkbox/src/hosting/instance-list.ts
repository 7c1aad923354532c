// Pages of the instances in an object store, in the order of their ids.
import { readCursor } from '../chain/queries/page.js';
import { realMilliseconds } from '../chain/world/clock.js';
import { invalidParams } from '../errors.js';
import type { InstanceControls } from '../rpc/methods/sandbox.js';
import type { INSTANCE, INSTANCE_ROW } from '../spec.js';
import { type Manifest, manifestKey, readManifest } from './manifest.js';
import type { ObjectStore } from './objects/object-store.js';

/** Instances are counted up to this number. */
const MOST_COUNTED = 10_000;
const PAGE = 1_000;
const PREFIX = manifestKey('');
/** Of the 16 digits of an id: a cursor is two numbers that are exact in JSON. */
const HIGH_DIGITS = 12;
const ALL_DIGITS = 16;

type List = InstanceControls['list'];

export async function listed(
  objects: ObjectStore,
  { cursor, limit }: Parameters<List>[0],
  shown: (manifest: Manifest) => INSTANCE,
): Promise<Awaited<ReturnType<List>>> {
  const after = cursor === undefined ? undefined : PREFIX + idIn(cursor);
  const keys = await objects.list(PREFIX, after, limit + 1);
  const page = keys.slice(0, limit);
  const rows = await Promise.all(page.map((key) => rowAt(objects, key, shown)));
  const last = keys.length > limit ? page.at(-1) : undefined;
  return {
    rows: rows.filter((row) => row !== undefined),
    total: await counted(objects),
    next: last === undefined ? undefined : cursorOf(last.slice(PREFIX.length)),
  };
}

/** Undefined if it was deleted meanwhile, or cannot be read. */
async function rowAt(
  objects: ObjectStore,
  key: string,
  shown: (manifest: Manifest) => INSTANCE,
): Promise<INSTANCE_ROW | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const manifest = await readManifest(found.bytes);
  if (manifest.isDeleted) return undefined;
  const { record, blockNumber, transactionCount, lastUsed } = manifest;
  const { name, from, created, ttl } = record;
  const secondsSince = (time: number): number =>
    Math.max(0, Math.floor((realMilliseconds() - time) / 1000));
  return {
    ...shown(manifest),
    ...(name === undefined ? {} : { name }),
    ...(from === undefined ? {} : { from }),
    block_number: blockNumber,
    transaction_count: transactionCount,
    age: secondsSince(created),
    idle: secondsSince(lastUsed),
    ttl: ttl ?? null,
  };
}

async function counted(objects: ObjectStore): Promise<number> {
  let count = 0;
  let after: string | undefined;
  while (count < MOST_COUNTED) {
    const keys = await objects.list(PREFIX, after, PAGE);
    count += keys.length;
    if (keys.length < PAGE) break;
    after = keys.at(-1);
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
