// Reader of a chain on disk: its world and its snapshots.

import { Class } from '@starkbox/engine';
import { applyDiff } from '../chain/execution/apply-state-diff.js';
import { History } from '../chain/history/history.js';
import { restoreMempool, settleMempool } from '../chain/mempool/restore.js';
import { withOldHash } from '../chain/steps/close-block.js';
import type { SnapshotNote, WorldAndSnapshots } from '../chain/world/chain-store.js';
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
import { type Branches, type ChainPosition, withUse } from './blocks/branches.js';
import type { Lineage } from './blocks/lineage.js';
import type { Segment } from './blocks/lineage-values.js';
import type { Database } from './database/database.js';
import { type ChainKeys, classKey, type DeclaredClass, numberIn } from './database/keys.js';
import { type HeadRecord, type PositionRecord, rangeOf, readRecords, textsOf } from './records.js';

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
  const { database, keys, lineageOf } = source;
  const records = readRecords(database, keys);
  if (!records) return undefined;
  const positionOf = (
    { segments, next }: PositionRecord,
    diffs: readonly string[],
  ): ChainPosition => ({
    lineage: lineageOf(segments),
    next,
    pendingDiffs: List(diffs),
  });
  const { head } = records;
  const position = positionOf(head, textsOf(database, keys, 'pendingDiff'));
  const parts = database.decode('the pending block', () => headParts(source, head));
  const world = await worldAt(source, head, position, parts);
  let snapshots = PersistentMap<bigint, World>();
  let notes = PersistentMap<bigint, SnapshotNote>();
  let positions = PersistentMap<bigint, ChainPosition>();
  for (const { id, record } of records.snapshots) {
    const snapshotParts = database.decode(`snapshot ${id}`, () => readWorldJson(record.moment));
    const snapshotPosition = positionOf(record, record.pendingDiffs);
    positions = positions.set(id, snapshotPosition);
    if (record.note) notes = notes.set(id, record.note);
    snapshots = snapshots.set(id, await worldAt(source, record, snapshotPosition, snapshotParts));
  }
  const lastSnapshot = BigInt(head.lastSnapshot);
  return {
    content: Object.freeze({ world, snapshots, notes, lastSnapshot }),
    branches: withUse({ head: position, snapshots: positions, use: new Map() }),
  };
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
