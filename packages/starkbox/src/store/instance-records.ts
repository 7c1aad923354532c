// Records of instances in a data directory.
import { parse, stringify } from '../json/json.js';
import { count, list, object, optional, string } from '../json/reader.js';
import type { Database, Entry } from './database/database.js';
import { INSTANCE_RECORDS, instanceKey, numberIn } from './database/keys.js';

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

export function recordEntry({ number, options, ...record }: InstanceRecord): Entry {
  // As a text: integers of options can be large, and a start reads all records.
  const members = { ...record, options: stringify(options) };
  return [instanceKey(number), Buffer.from(JSON.stringify(members))];
}

/** All records, the oldest first. */
export function readInstanceRecords(database: Database): readonly InstanceRecord[] {
  return [...database.getRange(INSTANCE_RECORDS)].map(({ key, value }) => {
    const number = numberIn(key);
    return database.decode(`instance ${number}`, () => readRecord(number, value.toString()));
  });
}

function readRecord(number: number, text: string): InstanceRecord {
  const { id, name, from, options, created, ttl } = object(JSON.parse(text), 'instance');
  return {
    number,
    id: string(id, 'id'),
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
