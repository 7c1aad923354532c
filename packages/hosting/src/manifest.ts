// Manifest of an instance: its record, its owner, its tables and its newest entries, as one object.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  boolean,
  count,
  type FixedOptions,
  type InstanceRecord,
  inflateLimit,
  list,
  membersOf,
  object,
  optional,
  parse,
  string,
  stringify,
} from 'starkbox/registry';
import { MemoryRun, merged } from './layers/run.js';
import { Table } from './layers/table.js';

export type HostedRecord = Omit<InstanceRecord, 'number'> & {
  /** The tenant that it belongs to; undefined without tenants. */
  readonly tenant: string | undefined;
};

export interface Manifest {
  readonly record: HostedRecord;
  /** Options of the node that the chain depends on. */
  readonly settings: FixedOptions;
  /** The node that has it in memory; undefined while it hibernates. */
  readonly owner: string | undefined;
  /** The node that wrote this manifest. */
  readonly writer: string;
  /** Raised with each change of the owner. */
  readonly fence: number;
  /** Random for each write, so that two writes of one node are told apart. */
  readonly nonce: string;
  /** Hashes of its tables, the oldest first. */
  readonly layers: readonly string[];
  /** How many of them, from the oldest on, belong to other chains too. */
  readonly shared: number;
  readonly blockNumber: number;
  readonly transactionCount: number;
  /** Seconds without a request before this was written; the store tells how long ago that was. */
  readonly idle: number;
  /** Set before the object is deleted, so that no node takes it over meanwhile. */
  readonly isDeleted: boolean;
  readonly newest: MemoryRun;
}

/** Incremented by changes that older versions cannot read. */
const FORMAT = 2;
/** Length of the head, before the head as JSON and the compressed table of the newest entries. */
const PREFIX = 4;

export const MANIFESTS = 'instances/';

export const manifestKey = (id: string): string => MANIFESTS + id;

/** It compresses on this thread: the newest entries are few, and a turn of another thread takes longer. */
export function manifestBytes({ newest, ...head }: Manifest): Buffer {
  const { record, ...rest } = head;
  const text = Buffer.from(
    JSON.stringify({
      format: FORMAT,
      ...rest,
      // As a text: integers of options can be large.
      record: { ...record, options: stringify(record.options) },
    }),
  );
  const length = Buffer.allocUnsafe(PREFIX);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, deflateRawSync(Table.of(merged([newest])).data)]);
}

/** @throws Error if the bytes are no manifest */
export function readManifest(bytes: Buffer): Manifest {
  const end = PREFIX + (bytes.length < PREFIX ? 0 : bytes.readUInt32LE(0));
  if (end > bytes.length || end === PREFIX) throw new Error('it is cut');
  const head = object(JSON.parse(bytes.subarray(PREFIX, end).toString()), 'manifest');
  if (head['format'] !== FORMAT) {
    throw new Error(`it has format ${head['format']}; this version of Starkbox reads ${FORMAT}`);
  }
  const maxOutputLength = inflateLimit(bytes.length);
  const table = new Table(inflateRawSync(bytes.subarray(end), { maxOutputLength }));
  return {
    record: readRecord(head['record'], 'record'),
    settings: readSettings(head['settings']),
    owner: optional(head['owner'], 'owner', string),
    writer: string(head['writer'], 'writer'),
    fence: count(head['fence'], 'fence'),
    nonce: string(head['nonce'], 'nonce'),
    layers: list(head['layers'], 'layers', string),
    shared: count(head['shared'], 'shared'),
    blockNumber: count(head['blockNumber'], 'blockNumber'),
    transactionCount: count(head['transactionCount'], 'transactionCount'),
    idle: count(head['idle'], 'idle'),
    isDeleted: boolean(head['isDeleted'], 'isDeleted'),
    newest: MemoryRun.EMPTY.with([...merged([table])]),
  };
}

function readRecord(value: unknown, where: string): HostedRecord {
  const { id, name, from, options, created, ttl, tenant } = object(value, where);
  return {
    id: string(id, 'id'),
    name: optional(name, 'name', string),
    from: optional(from, 'from', string),
    options: list(parse(string(options, 'options')), 'options', object),
    created: count(created, 'created'),
    ttl: optional(ttl, 'ttl', count),
    tenant: optional(tenant, 'tenant', string),
  };
}

function readSettings(value: unknown): FixedOptions {
  const settings: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(membersOf(value))) {
    settings[name] = text === null ? null : string(text, name);
  }
  return settings;
}
