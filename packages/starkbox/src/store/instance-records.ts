// Records of instances in a data directory.
import { parse, stringify } from '../json/json.js';
import { count, list, object, optional, string } from '../json/reader.js';
import type { Database, Entry } from './database/database.js';
import { INSTANCE_RECORDS, instanceKey } from './database/keys.js';

export interface InstanceRecord {
  /** From 1, ascending in the order of creation. */
  readonly number: number;
  readonly id: string;
  readonly name: string | undefined;
  /** The chain that it was branched from; undefined if it began at a genesis of its own. */
  readonly from: string | undefined;
  /** Options over those of the node, each over the ones before. */
  readonly options: readonly object[];
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Seconds without a request after which it is deleted; undefined keeps it. */
  readonly ttl: number | undefined;
}

/** Records that are read at a time. */
const PAGE = 500;
const ID = /^(?:[0-9a-f]{2}){1,32}$/;

export function recordEntry({ id, options, ...record }: InstanceRecord): Entry {
  // As a text: integers of options can be large, and a start reads all records.
  const members = { ...record, options: stringify(options) };
  return [instanceKey(id), Buffer.from(JSON.stringify(members))];
}

/** The record of an instance; undefined if there is none. */
export function readInstanceRecord(database: Database, id: string): InstanceRecord | undefined {
  const value = ID.test(id) ? database.get(instanceKey(id)) : undefined;
  return value && decodeRecord(database, id, value);
}

/** All records, in pages and in no order. */
export function* readInstanceRecords(database: Database): Iterable<readonly InstanceRecord[]> {
  let { start } = INSTANCE_RECORDS;
  for (;;) {
    const page = [...database.getRange({ start, end: INSTANCE_RECORDS.end, limit: PAGE })];
    const last = page.at(-1);
    if (!last) return;
    yield page.map(({ key, value }) => decodeRecord(database, key.toString('hex', 1), value));
    start = Buffer.concat([last.key, Buffer.of(0)]);
  }
}

function decodeRecord(database: Database, id: string, value: Buffer): InstanceRecord {
  return database.decode(`instance ${id}`, () => readRecord(id, value.toString()));
}

function readRecord(id: string, text: string): InstanceRecord {
  const { number, name, from, options, created, ttl } = object(JSON.parse(text), 'instance');
  return {
    number: count(number, 'number'),
    id,
    name: optional(name, 'name', string),
    from: optional(from, 'from', string),
    options: optionsOf(string(options, 'options')),
    created: count(created, 'created'),
    ttl: optional(ttl, 'ttl', count),
  };
}

function optionsOf(text: string): readonly object[] {
  return text === '[]' ? [] : list(parse(text), 'options', object);
}
