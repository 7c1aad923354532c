// Records of a chain on disk: where its head and its snapshots stand.
import type { Members } from '@starkbox/abi/basics';
import type { SnapshotNote } from '../chain/world/chain-store.js';
import type { World } from '../chain/world/world.js';
import { type WorldParts, worldJson } from '../chain/world/world-json.js';
import { count, integer, list, object, optional, string } from '../json/reader.js';
import type { ChainPosition } from './blocks/branches.js';
import type { Segment } from './blocks/lineage-values.js';
import type { Database } from './database/database.js';
import { type ChainKeys, type NumberedKind, numberIn } from './database/keys.js';

/** Record of a world, without the parts that have entries of their own. */
export interface PositionRecord {
  readonly first: number;
  readonly next: number;
  readonly segments: readonly Segment[];
  readonly moment: string;
}

export interface HeadRecord extends PositionRecord {
  readonly lastSnapshot: string;
}

export interface SnapshotRecord extends PositionRecord {
  readonly pendingDiffs: readonly string[];
  readonly note: SnapshotNote;
}

export function positionRecord(
  { history }: World,
  { lineage }: ChainPosition,
  parts: WorldParts,
): PositionRecord {
  const { first, next } = history;
  return { first, next, segments: lineage.segments, moment: worldJson(parts) };
}

/** The records of one chain. */
export interface ChainRecords {
  readonly head: HeadRecord;
  readonly snapshots: readonly { readonly id: bigint; readonly record: SnapshotRecord }[];
}

/** The records of a chain; `undefined` if there is none. */
export function readRecords(database: Database, keys: ChainKeys): ChainRecords | undefined {
  const head = readHead(database, keys);
  if (!head) return undefined;
  return {
    head,
    snapshots: [...rangeOf(database, keys, 'snapshot')].map(({ key, value }) => {
      const id = BigInt(numberIn(key));
      return { id, record: decodeSnapshot(database, id, value) };
    }),
  };
}

/** The record of a snapshot that exists. */
export function readSnapshot(database: Database, keys: ChainKeys, id: bigint): SnapshotRecord {
  return decodeSnapshot(database, id, database.get(keys.numbered('snapshot', Number(id))));
}

function decodeSnapshot(database: Database, id: bigint, value: Buffer | undefined): SnapshotRecord {
  return database.decode(`snapshot ${id}`, () => {
    if (!value) throw new Error('it is missing');
    return snapshotIn(value);
  });
}

/** The head of a chain; `undefined` if there is none. */
export function readHead(database: Database, keys: ChainKeys): HeadRecord | undefined {
  const text = database.get(keys.single('head'));
  return text && database.decode('the head of the chain', () => headOf(text));
}

function headOf(text: Buffer): HeadRecord {
  const members = object(JSON.parse(text.toString()), 'head');
  return {
    ...readPosition(members),
    lastSnapshot: string(members['lastSnapshot'], 'lastSnapshot'),
  };
}

function snapshotIn(text: Buffer): SnapshotRecord {
  const members = object(JSON.parse(text.toString()), 'snapshot');
  return {
    ...readPosition(members),
    pendingDiffs: list(members['pendingDiffs'], 'pendingDiffs', string),
    note: readNote(members['note'], 'note'),
  };
}

function readNote(value: unknown, where: string): SnapshotNote {
  const { name, time } = object(value, where);
  return { name: optional(name, `${where}.name`, string), time: integer(time, `${where}.time`) };
}

function readPosition(members: Members): PositionRecord {
  const [first, next] = [count(members['first'], 'first'), count(members['next'], 'next')];
  if (first > next) throw new TypeError('next: expected an integer from `first`');
  return {
    first,
    next,
    segments: list(members['segments'], 'segments', readSegment),
    moment: string(members['moment'], 'moment'),
  };
}

function readSegment(value: unknown, where: string): Segment {
  const { branch, from } = object(value, where);
  return { branch: count(branch, `${where}.branch`), from: count(from, `${where}.from`) };
}

/** The entries of a kind, with their keys. */
export function rangeOf(
  database: Database,
  keys: ChainKeys,
  kind: NumberedKind,
): Iterable<{ readonly key: Buffer; readonly value: Buffer }> {
  return database.getRange({ start: keys.numbered(kind, 0), end: keys.afterAll(kind) });
}

/** The entries of a kind, in the order of their numbers. */
export function textsOf(
  database: Database,
  keys: ChainKeys,
  kind: NumberedKind,
): readonly string[] {
  return [...rangeOf(database, keys, kind)].map(({ value }) => value.toString());
}
