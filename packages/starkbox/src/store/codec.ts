// Codec of the records of a world on disk.
import { Class } from '@starkbox/engine';
import { History } from '../chain/history/history.js';
import { restoredMempool, settledMempool } from '../chain/mempool/mempool.js';
import { applied, declaredIn } from '../chain/steps/apply-state-diff.js';
import { withOldHash } from '../chain/steps/close-block.js';
import type { SnapshotNote, WorldAndSnapshots } from '../chain/world/chain-store.js';
import { labelsFromJson, NO_LABELS } from '../chain/world/labels.js';
import { droppedFromJson, waitingFromJson } from '../chain/world/mempool-json.js';
import { messagesFromJson, NO_MESSAGES } from '../chain/world/messages.js';
import { NOTHING_PENDING, type World, withIncluded } from '../chain/world/world.js';
import {
  includedFromJson,
  readWorldJson,
  type WorldParts,
  worldJson,
} from '../chain/world/world-json.js';
import type { Fork } from '../fork/fork.js';
import { List, PersistentMap } from '../immutable.js';
import { parse, stringify } from '../json/json.js';
import {
  count,
  integer,
  list,
  type Members,
  object,
  optional,
  pair,
  string,
} from '../json/reader.js';
import type { Branches, Place } from './branches.js';
import type { Database, Entry } from './database.js';
import { afterAll, classKey, numberedKey, numberIn, singleKey } from './keys.js';
import type { Lineage, Segment } from './lineage.js';
import { readStateDiff } from './state-diff.js';

/** Record of a world, without the parts that have entries of their own. */
export interface PlaceRecord {
  readonly first: number;
  readonly next: number;
  readonly segments: readonly Segment[];
  readonly moment: string;
}

export interface HeadRecord extends PlaceRecord {
  readonly lastSnapshot: string;
  readonly nextBranch: number;
  readonly ends: readonly (readonly [branch: number, end: number])[];
}

export interface SnapshotRecord extends PlaceRecord {
  readonly pendingDiffs: readonly string[];
  readonly note?: SnapshotNote | undefined;
}

export function placeRecord(
  { history }: World,
  { lineage }: Place,
  parts: WorldParts,
): PlaceRecord {
  const { first, next } = history;
  return { first, next, segments: lineage.segments, moment: worldJson(parts) };
}

export function headEntry(head: HeadRecord): Entry {
  return [singleKey('standing'), Buffer.from(stringify(head))];
}

export interface StoredChain {
  readonly content: WorldAndSnapshots;
  readonly branches: Branches;
  readonly head: HeadRecord;
}

/** The chain in a database; `undefined` if it holds none. */
export async function readChain(
  database: Database,
  fork: Fork | undefined,
  lineageOf: (segments: readonly Segment[]) => Lineage,
): Promise<StoredChain | undefined> {
  const text = database.get(singleKey('standing'));
  if (!text) return undefined;
  const head = database.decode('the head of the chain', () => readHead(text));
  const placeOf = ({ segments, next }: PlaceRecord, diffs: readonly string[]): Place => ({
    lineage: lineageOf(segments),
    next,
    pendingDiffs: List(diffs),
  });
  const place = placeOf(head, textsOf(database, 'pendingDiff'));
  const parts = database.decode('the pending block', () => headParts(database, head));
  const world = await worldAt(database, fork, head, place, parts);
  let snapshots = PersistentMap<bigint, World>();
  let notes = PersistentMap<bigint, SnapshotNote>();
  let places = PersistentMap<bigint, Place>();
  for (const { key, value } of rangeOf(database, 'snapshot')) {
    const id = BigInt(numberIn(key));
    const [kept, keptParts] = database.decode(
      `snapshot ${id}`,
      (): [SnapshotRecord, WorldParts] => {
        const record = readSnapshot(value);
        return [record, readWorldJson(record.moment)];
      },
    );
    const keptPlace = placeOf(kept, kept.pendingDiffs);
    places = places.set(id, keptPlace);
    if (kept.note) notes = notes.set(id, kept.note);
    snapshots = snapshots.set(id, await worldAt(database, fork, kept, keptPlace, keptParts));
  }
  const lastSnapshot = BigInt(head.lastSnapshot);
  return {
    head,
    content: Object.freeze({ world, snapshots, notes, lastSnapshot }),
    branches: { head: place, snapshots: places, ends: PersistentMap(head.ends) },
  };
}

function readHead(text: Buffer): HeadRecord {
  const members = object(JSON.parse(text.toString()), 'head');
  const { lastSnapshot, nextBranch, ends } = members;
  return {
    ...readPlace(members),
    lastSnapshot: string(lastSnapshot, 'lastSnapshot'),
    nextBranch: count(nextBranch, 'nextBranch'),
    ends: list(ends, 'ends', (end, where) => pair(end, where, count, count)),
  };
}

function readSnapshot(text: Buffer): SnapshotRecord {
  const members = object(JSON.parse(text.toString()), 'snapshot');
  return {
    ...readPlace(members),
    pendingDiffs: list(members['pendingDiffs'], 'pendingDiffs', string),
    note: optional(members['note'], 'note', readNote),
  };
}

function readNote(value: unknown, where: string): SnapshotNote {
  const { name, time } = object(value, where);
  return { name: optional(name, `${where}.name`, string), time: integer(time, `${where}.time`) };
}

function readPlace(members: Members): PlaceRecord {
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

function headParts(database: Database, head: HeadRecord): WorldParts {
  const messages = database.get(singleKey('messages'));
  const labels = database.get(singleKey('labels'));
  const dropped = database.get(singleKey('dropped'));
  return {
    ...readWorldJson(head.moment),
    messages: messages ? messagesFromJson(JSON.parse(messages.toString())) : NO_MESSAGES,
    labels: labels ? labelsFromJson(JSON.parse(labels.toString())) : NO_LABELS,
    mempool: restoredMempool(
      textsOf(database, 'waiting').map((text) => waitingFromJson(JSON.parse(text))),
      dropped ? list(JSON.parse(dropped.toString()), 'dropped', droppedFromJson) : [],
    ),
    pending: textsOf(database, 'pendingTransaction').reduce(
      (grown, included) => withIncluded(grown, includedFromJson(parse(included))),
      NOTHING_PENDING,
    ),
  };
}

async function worldAt(
  database: Database,
  fork: Fork | undefined,
  { first, next }: PlaceRecord,
  { lineage, pendingDiffs }: Place,
  parts: WorldParts,
): Promise<World> {
  database.decode(`block ${next - 1}`, () => {
    if (next > first && !lineage.at(next - 1)) throw new Error('it is missing');
  });
  const history = History.archived(lineage, first, next);
  const latest = lineage.stateAfter(next - 1);
  let state = await withOldHash(latest, history, fork);
  for (const text of pendingDiffs) {
    const diff = database.decode('the pending block', () => readStateDiff(text));
    const classes = declaredIn(diff).map((hash) => classIn(database, hash));
    state = await applied(state, diff, classes);
  }
  const journal = List<string>();
  return Object.freeze({
    ...parts,
    mempool: await settledMempool(parts.mempool, (address) => state.nonceAt(address)),
    pendingState: state,
    latestState: latest,
    history,
    archived: lineage,
    journal,
  });
}

function classIn(database: Database, hash: string): Class {
  return database.decode(`class ${hash}`, () => {
    const packed = database.get(classKey(hash));
    if (!packed) throw new Error('it is missing');
    return Class.unpack(packed);
  });
}

type Numbered = 'snapshot' | 'pendingTransaction' | 'pendingDiff' | 'waiting';

function rangeOf(
  database: Database,
  kind: Numbered,
): Iterable<{ readonly key: Buffer; readonly value: Buffer }> {
  return database.getRange({ start: numberedKey(kind, 0), end: afterAll(kind) });
}

function textsOf(database: Database, kind: Numbered): readonly string[] {
  return [...rangeOf(database, kind)].map(({ value }) => value.toString());
}
