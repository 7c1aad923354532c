// Reader of a chain on disk: its world and its snapshots.

import { Class } from '@starkbox/engine';
import { applyDiff } from '../chain/execution/apply-state-diff.js';
import { History } from '../chain/history/history.js';
import { restoreMempool, settleMempool } from '../chain/mempool/restore.js';
import { withOldHash } from '../chain/steps/close-block.js';
import { type Snapshot, snapshotOf, type WorldAndSnapshots } from '../chain/world/chain-store.js';
import { labelsFromJson, NO_LABELS } from '../chain/world/labels.js';
import { droppedFromJson, waitingFromJson } from '../chain/world/mempool-json.js';
import { messagesFromJson, NO_MESSAGES } from '../chain/world/messages.js';
import { NOTHING_PENDING, type World, withIncluded } from '../chain/world/world.js';
import { includedFromJson, readWorldJson, type WorldParts } from '../chain/world/world-json.js';
import type { Fork } from '../fork/fork.js';
import { List, PersistentMap } from '../immutable.js';
import { parse } from '../json/json.js';
import { checkedStateDiff } from '../json/state-diff.js';
import { declaredClasses } from './blocks/block-entries.js';
import { type Branches, type ChainPosition, type Extent, withUse } from './blocks/branches.js';
import type { Lineage } from './blocks/lineage.js';
import type { Segment } from './blocks/lineage-values.js';
import type { Database } from './database/database.js';
import { type ChainKeys, classKey, type DeclaredClass, numberIn } from './database/keys.js';
import {
  type HeadRecord,
  type PositionRecord,
  rangeOf,
  readRecords,
  readSnapshot,
  type SnapshotRecord,
  textsOf,
} from './records.js';

export interface ReadChain {
  readonly content: WorldAndSnapshots;
  readonly branches: Branches;
}

export interface ChainSource {
  readonly database: Database;
  readonly keys: ChainKeys;
  readonly fork: Fork | undefined;
  readonly lineageOf: (segments: readonly Segment[]) => Lineage;
}

/** The chain in a database; `undefined` if it holds none. */
export async function readChain(source: ChainSource): Promise<ReadChain | undefined> {
  const { database, keys } = source;
  const records = readRecords(database, keys);
  if (!records) return undefined;
  const { head } = records;
  const position = positionOf(source, head, textsOf(database, keys, 'pendingDiff'));
  const parts = database.decode('the pending block', () => headParts(source, head));
  const world = await worldAt(source, head, position, parts);
  let snapshots = PersistentMap<bigint, Snapshot>();
  let extents = PersistentMap<bigint, Extent>();
  for (const { id, record } of records.snapshots) {
    const { segments, next, note } = record;
    extents = extents.set(id, { segments, next });
    // Read now, so that no chain opens whose snapshot is damaged.
    const snapshotWorld = await snapshotWorldOf(source, id, record);
    const read = (): Promise<World> => readSnapshotWorld(source, id);
    snapshots = snapshots.set(id, snapshotOf(snapshotWorld, note, read));
  }
  const lastSnapshot = BigInt(head.lastSnapshot);
  return {
    content: Object.freeze({ world, snapshots, lastSnapshot }),
    branches: withUse({ head: position, snapshots: extents, use: new Map() }),
  };
}

/** The world of a snapshot in a database. */
export async function readSnapshotWorld(source: ChainSource, id: bigint): Promise<World> {
  return snapshotWorldOf(source, id, readSnapshot(source.database, source.keys, id));
}

/** The position of a snapshot in a database. */
export function readSnapshotPosition(source: ChainSource, id: bigint): ChainPosition {
  const record = readSnapshot(source.database, source.keys, id);
  return positionOf(source, record, record.pendingDiffs);
}

function snapshotWorldOf(source: ChainSource, id: bigint, record: SnapshotRecord): Promise<World> {
  const parts = source.database.decode(`snapshot ${id}`, () => readWorldJson(record.moment));
  return worldAt(source, record, positionOf(source, record, record.pendingDiffs), parts);
}

function positionOf(
  { lineageOf }: ChainSource,
  { segments, next }: PositionRecord,
  diffs: readonly string[],
): ChainPosition {
  return { lineage: lineageOf(segments), next, pendingDiffs: List(diffs) };
}

function headParts({ database, keys }: ChainSource, head: HeadRecord): WorldParts {
  const messages = database.get(keys.single('messages'));
  const labels = database.get(keys.single('labels'));
  const dropped = [...rangeOf(database, keys, 'dropped')];
  const last = dropped.at(-1);
  return {
    ...readWorldJson(head.moment),
    messages: messages ? messagesFromJson(JSON.parse(messages.toString())) : NO_MESSAGES,
    labels: labels ? labelsFromJson(JSON.parse(labels.toString())) : NO_LABELS,
    mempool: restoreMempool(
      textsOf(database, keys, 'waiting').map((text) => waitingFromJson(JSON.parse(text))),
      dropped.map(({ value }) => droppedFromJson(JSON.parse(value.toString()))),
      last ? numberIn(last.key) + 1 : 0,
    ),
    pending: textsOf(database, keys, 'pendingTransaction').reduce(
      (grown, included) => withIncluded(grown, includedFromJson(parse(included))),
      NOTHING_PENDING,
    ),
  };
}

async function worldAt(
  { database, fork }: ChainSource,
  { first, next }: PositionRecord,
  { lineage, pendingDiffs }: ChainPosition,
  parts: WorldParts,
): Promise<World> {
  database.decode(`block ${next - 1}`, () => {
    if (next > first && !lineage.at(next - 1)) throw new Error('it is missing');
  });
  const history = History.archive(lineage, first, next);
  const latest = lineage.stateAfter(next - 1);
  let state = await withOldHash(latest, history, fork);
  for (const text of pendingDiffs) {
    const diff = database.decode('the pending block', () => checkedStateDiff(text));
    const classes = declaredClasses(diff).map((declared) => classIn(database, declared));
    state = await applyDiff(state, diff, classes);
  }
  const journal = List<string>();
  return Object.freeze({
    ...parts,
    mempool: await settleMempool(parts.mempool, (address) => state.nonceAt(address)),
    pendingState: state,
    latestState: latest,
    history,
    archived: lineage,
    directWrites: [],
    journal,
  });
}

function classIn(database: Database, declared: DeclaredClass): Class {
  return database.decode(`class ${declared.classHash}`, () => {
    const packed = database.get(classKey(declared));
    if (!packed) throw new Error('it is missing');
    return Class.unpack(packed);
  });
}
