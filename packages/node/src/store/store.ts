// Knows how a chain is written into a data directory, move by move, and how it comes back.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Class, type State, type StateDiff } from '@starkbox/engine';
import { stateDiffText, withOldHash } from '../chain/block.js';
import { heldFrom, marksOf } from '../chain/held.js';
import { History } from '../chain/history.js';
import type { Keeper, Move, Prepared, Standing } from '../chain/keeper.js';
import { messagesFromJson, messagesToJson, NO_MESSAGES } from '../chain/messages.js';
import {
  includedFromJson,
  includedToJson,
  type Moment,
  momentText,
  readMoment,
} from '../chain/moment.js';
import { List, PersistentMap } from '../chain/persistent.js';
import { applied } from '../chain/state-diff.js';
import { commonBlock } from '../chain/transition.js';
import { NOTHING_PENDING, type World, withIncluded } from '../chain/world.js';
import { parse, stringify } from '../json.js';
import {
  type Branches,
  backAt,
  begunAnew,
  cutAt,
  garbageIn,
  type Leaving,
  type Place,
  startingAt,
  type Turn,
  withoutGarbage,
} from './branches.js';
import { type Database, unwritten } from './directory.js';
import { blockEntries, declaredIn, type Entry, withoutValues } from './entries.js';
import { afterAll, blockKey, classKey, numberedKey, numberIn, singleKey } from './keys.js';
import { Lineage, type Segment } from './lineage.js';

/** Memory is cleared when it holds so many times what is to stay in it. */
const SLACK = 4;
/** Of what stays in memory, this part is deleted at once where it is undone. */
const AT_ONCE = 32;
/** Blocks that are written or swept away in one go. */
const CHUNK = 256;

/** A world as it is written down, without what has entries of its own. */
interface WrittenPlace {
  readonly first: number;
  readonly next: number;
  readonly segments: readonly Segment[];
  readonly moment: string;
}

interface WrittenHead extends WrittenPlace {
  readonly lastSnapshot: string;
  readonly nextBranch: number;
  readonly ends: readonly (readonly [branch: number, end: number])[];
}

interface WrittenSnapshot extends WrittenPlace {
  readonly pendingDiffs: readonly string[];
}

interface Waiting {
  readonly entries: readonly Entry[];
  /** What is true when they are written. */
  readonly branches: Branches;
  readonly head: WrittenHead;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class Store implements Keeper {
  readonly #database: Database;
  readonly #keepHistory: boolean;
  readonly #recent: number;
  readonly #leaving: Leaving;
  #nextBranch = 1;
  /** What the next move starts from, and what is on disk. */
  #branches: Branches;
  #durable: Branches;
  #durableHead: WrittenHead | undefined;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    database: Database,
    options: {
      readonly keepHistory: boolean;
      /** Blocks and transactions that stay in memory. */
      readonly recent: number;
    },
  ) {
    this.#database = database;
    this.#keepHistory = options.keepHistory;
    this.#recent = options.recent;
    this.#leaving = {
      atOnce: Math.ceil(options.recent / AT_ONCE),
      newBranch: () => this.#nextBranch++,
    };
    this.#branches = startingAt(this.#lineage([]), 0);
    this.#durable = this.#branches;
  }

  /** Lets everything end that was asked for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flushing;
    await this.#sweeping;
  }

  // A move becomes entries.

  async prepare(move: Move): Promise<Prepared> {
    const { before, after } = move;
    const entries: Entry[] = [];
    let branches = await this.#follow(move, entries);
    branches = this.#followSnapshots(before, after, branches, entries);
    const world = await this.#settled(after.world, branches.head.lineage);
    const head = this.#putHead(move, branches, entries);
    return {
      after: world === after.world ? after : { ...after, world },
      commit: () => this.#commit(entries, branches, head),
    };
  }

  async #follow(move: Move, entries: Entry[]): Promise<Branches> {
    const [before, after] = [move.before.world, move.after.world];
    if (move.kind === 'restart') return this.#begin(before, after, entries);
    if (move.snapshot !== undefined) {
      const turn = backAt(this.#branches, move.snapshot, this.#leaving);
      return this.#takeUp(before, after, turn, entries);
    }
    const common = commonBlock(before, after);
    let branches = this.#branches;
    if (common + 1 < before.history.next) {
      const turn = cutAt(branches, common + 1, this.#leaving);
      branches = await this.#takeUp(before, after, turn, entries);
      if (after.history.next === common + 1) return branches;
    }
    if (after.history.next > common + 1) {
      this.#forgetPending(before, branches, entries);
      const { lineage } = branches.head;
      for (let number = common + 1; number < after.history.next; number += 1) {
        entries.push(...(await this.#blockEntries(after, number, lineage.tip)));
      }
      const head = { lineage, next: after.history.next, pendingDiffs: List<string>() };
      return this.#putPending(after, { ...branches, head }, entries, 0);
    }
    if (before.state === after.state) return branches;
    if (before.latest !== after.latest) {
      // The block under construction was begun anew.
      this.#forgetPending(before, branches, entries);
      const head = { ...branches.head, pendingDiffs: List<string>() };
      return this.#putPending(after, { ...branches, head }, entries, 0);
    }
    const diff = await before.state.diffTo(after.state);
    return this.#putPending(after, branches, entries, before.pending.transactions.size, diff);
  }

  /** Blocks are gone; others may be there again. */
  async #takeUp(
    before: World,
    after: World,
    { branches, deleted }: Turn,
    entries: Entry[],
  ): Promise<Branches> {
    this.#forgetPending(before, this.#branches, entries);
    if (deleted) {
      for (let number = deleted.from; number < deleted.to; number += 1) {
        const content = contentOf(before, number);
        entries.push(...withoutValues(blockEntries(deleted.branch, number, content)));
      }
    }
    const { pendingDiffs } = branches.head;
    pendingDiffs.forEach((diff, index) => {
      entries.push([numberedKey('pendingDiff', index), Buffer.from(diff)]);
    });
    return this.#putPending(after, branches, entries, 0);
  }

  /** A chain from its first block on, under a branch of its own. Most of a long one is written at once. */
  async #begin(before: World, world: World, entries: Entry[]): Promise<Branches> {
    const { history } = world;
    await this.#flushing;
    this.#forgetPending(before, this.#branches, entries);
    const lineage = this.#lineage([{ branch: this.#nextBranch++, from: history.first }]);
    if (this.#durableHead && history.next - history.first > CHUNK) {
      // What is written before it is complete must be found and swept away if it never is.
      const ends = [...this.#durable.ends.set(lineage.tip, history.next)];
      await this.#write([headEntry({ ...this.#durableHead, nextBranch: this.#nextBranch, ends })]);
    }
    let chunk: Entry[] = [];
    for (let number = history.first; number < history.next; number += 1) {
      chunk.push(...(await this.#blockEntries(world, number, lineage.tip)));
      if ((number + 1) % CHUNK !== 0) continue;
      await this.#write(chunk);
      chunk = [];
    }
    entries.push(...chunk);
    const branches = begunAnew(this.#branches, lineage, history.next);
    const diff = await world.latest.diffTo(world.state);
    return this.#putPending(world, branches, entries, 0, diff);
  }

  async #blockEntries(world: World, number: number, branch: number): Promise<readonly Entry[]> {
    const content = contentOf(world, number);
    const classes = await this.#classEntries(world.state, content.diff);
    return [...blockEntries(branch, number, content), ...classes];
  }

  async #classEntries(state: State, diff: StateDiff): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const hash of declaredIn(diff)) {
      const declared = await state.class(hash);
      if (declared) entries.push([classKey(hash), Buffer.from(await declared.pack())]);
    }
    return entries;
  }

  /** What the block under construction holds from some transaction on, and what it changed since. */
  async #putPending(
    world: World,
    branches: Branches,
    entries: Entry[],
    from: number,
    diff?: StateDiff,
  ): Promise<Branches> {
    world.pending.transactions.slice(from).forEach((included, index) => {
      const value = Buffer.from(stringify(includedToJson(included)));
      entries.push([numberedKey('pendingTransaction', from + index), value]);
    });
    if (!diff) return branches;
    entries.push(...(await this.#classEntries(world.state, diff)));
    const { head } = branches;
    const text = JSON.stringify(diff);
    entries.push([numberedKey('pendingDiff', head.pendingDiffs.size), Buffer.from(text)]);
    return { ...branches, head: { ...head, pendingDiffs: head.pendingDiffs.push(text) } };
  }

  #forgetPending({ pending }: World, { head }: Branches, entries: Entry[]): void {
    for (let index = 0; index < pending.transactions.size; index += 1) {
      entries.push([numberedKey('pendingTransaction', index), undefined]);
    }
    for (let index = 0; index < head.pendingDiffs.size; index += 1) {
      entries.push([numberedKey('pendingDiff', index), undefined]);
    }
  }

  #followSnapshots(
    before: Standing,
    after: Standing,
    branches: Branches,
    entries: Entry[],
  ): Branches {
    if (before.snapshots === after.snapshots) return branches;
    let { snapshots } = branches;
    for (const id of before.snapshots.keys()) {
      if (after.snapshots.has(id)) continue;
      entries.push([numberedKey('snapshot', Number(id)), undefined]);
      snapshots = snapshots.delete(id);
    }
    for (const [id, world] of after.snapshots) {
      if (before.snapshots.get(id) === world) continue;
      const place = snapshots.get(id) ?? branches.head;
      const text = stringify({
        ...writtenPlace(world, place, world),
        pendingDiffs: place.pendingDiffs.toArray(),
      } satisfies WrittenSnapshot);
      entries.push([numberedKey('snapshot', Number(id)), Buffer.from(text)]);
      snapshots = snapshots.set(id, place);
    }
    return { ...branches, snapshots };
  }

  #putHead({ kind, before, after }: Move, branches: Branches, entries: Entry[]): WrittenHead {
    const { world, lastSnapshot } = after;
    if (kind !== 'step' || before.world.messages !== world.messages) {
      const text = stringify(messagesToJson(world.messages));
      entries.push([singleKey('messages'), Buffer.from(text)]);
    }
    const moment = { ...world, pending: NOTHING_PENDING, messages: NO_MESSAGES };
    const head: WrittenHead = {
      ...writtenPlace(world, branches.head, moment),
      lastSnapshot: String(lastSnapshot),
      nextBranch: this.#nextBranch,
      ends: [...branches.ends],
    };
    entries.push(headEntry(head));
    return head;
  }

  /** The same world with only its newest blocks in memory, if it is time for that. */
  async #settled(world: World, lineage: Lineage): Promise<World> {
    const { history } = world;
    const held = (from: number): number => {
      const before = history.totals(from - 1)?.transactions ?? 0;
      return history.next - from + history.transactionCount - before;
    };
    if (held(history.base) <= SLACK * this.#recent) return world;
    let base = history.next;
    while (base > history.base && held(base - 1) <= this.#recent) base -= 1;
    base = Math.min(base, this.#durable.head.next);
    const isWritten = this.#durable.head.lineage.equals(lineage);
    if (!isWritten || base <= history.base) return world;
    const origin = lineage.originAfter(base - 1);
    const [state, latest] = await Promise.all([
      world.state.settle(base - 1, origin),
      world.latest.settle(base - 1, origin),
    ]);
    const settled = history.settled(lineage, base);
    return Object.freeze({ ...world, state, latest, history: settled, past: lineage });
  }

  // Entries reach the disk. Whatever waits is written together.

  #commit(entries: readonly Entry[], branches: Branches, head: WrittenHead): Promise<void> {
    this.#branches = branches;
    return new Promise((done, failed) => {
      this.#waiting.push({ entries, branches, head, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.#write(group.flatMap(({ entries }) => entries));
        const last = group.at(-1);
        if (last) [this.#durable, this.#durableHead] = [last.branches, last.head];
        for (const { done } of group) done();
      } catch (error) {
        // What came after was built upon it.
        const lost = [...group, ...this.#waiting.splice(0)];
        this.#branches = this.#durable;
        for (const { failed } of lost) failed(error);
      }
    }
    this.#flushing = undefined;
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    try {
      await this.#database.batch(() => {
        for (const [key, value] of entries) {
          if (value) this.#database.put(key, value);
          else this.#database.remove(key);
        }
      });
    } catch (error) {
      throw unwritten(error);
    }
  }

  /** Deletes what nobody needs, a little at a time. */
  async #sweep(): Promise<void> {
    while (!this.#isClosed) {
      const [garbage] = garbageIn(this.#durable);
      if (!garbage) return;
      const { branch, from, to } = garbage;
      const found = [
        ...this.#database.getRange({
          start: blockKey(branch, from),
          end: blockKey(branch, to),
          limit: CHUNK,
        }),
      ];
      if (found.length === 0) {
        this.#durable = withoutGarbage(this.#durable, garbage);
        this.#branches = withoutGarbage(this.#branches, garbage);
      }
      const entries = found.flatMap(({ key, value }) => {
        const block = heldFrom(value);
        const diff: StateDiff = JSON.parse(block.stateDiff?.part(0) ?? NO_DIFF);
        const content = { record: value, marks: marksOf(block), diff };
        return [...withoutValues(blockEntries(branch, numberIn(key), content))];
      });
      try {
        await this.#write(entries);
      } catch {
        return; // tried again after the next write that succeeds
      }
      await nextTurn();
    }
  }

  // What is on disk becomes a chain again.

  /** The chain that was left here; `undefined` if there is none. */
  async read(): Promise<Standing | undefined> {
    const text = this.#database.get(singleKey('standing'));
    if (!text) {
      // Somebody may have been stopped in the middle of writing the first block.
      await this.#database.clearAsync();
      return undefined;
    }
    const head: WrittenHead = JSON.parse(text.toString());
    const pendingDiffs = this.#texts('pendingDiff');
    const moment = readMoment(head.moment);
    const messages = this.#database.get(singleKey('messages'));
    const pending = this.#texts('pendingTransaction').reduce(
      (grown, included) => withIncluded(grown, includedFromJson(parse(included))),
      NOTHING_PENDING,
    );
    const place = this.#placeOf(head, pendingDiffs);
    let snapshots = PersistentMap<bigint, World>();
    let places = PersistentMap<bigint, Place>();
    for (const { key, value } of this.#range('snapshot')) {
      const id = BigInt(numberIn(key));
      const kept: WrittenSnapshot = JSON.parse(value.toString());
      const keptPlace = this.#placeOf(kept, kept.pendingDiffs);
      places = places.set(id, keptPlace);
      snapshots = snapshots.set(id, await this.#world(kept, keptPlace, readMoment(kept.moment)));
    }
    this.#nextBranch = head.nextBranch;
    this.#branches = { head: place, snapshots: places, ends: PersistentMap(head.ends) };
    this.#durable = this.#branches;
    this.#durableHead = head;
    const world = await this.#world(head, place, {
      ...moment,
      pending,
      messages: messages ? messagesFromJson(JSON.parse(messages.toString())) : NO_MESSAGES,
    });
    return Object.freeze({ world, snapshots, lastSnapshot: BigInt(head.lastSnapshot) });
  }

  #placeOf({ segments, next }: WrittenPlace, pendingDiffs: readonly string[]): Place {
    return { lineage: this.#lineage(segments), next, pendingDiffs: List(pendingDiffs) };
  }

  async #world({ first, next }: WrittenPlace, place: Place, moment: Moment): Promise<World> {
    const { lineage, pendingDiffs } = place;
    const history = History.archived(lineage, first, next);
    const latest = lineage.stateAfter(next - 1);
    let state = await withOldHash(latest, history);
    for (const text of pendingDiffs) {
      const diff: StateDiff = JSON.parse(text);
      const classes = declaredIn(diff).map((hash) => this.#class(hash));
      state = await applied(state, diff, classes);
    }
    return Object.freeze({ ...moment, state, latest, history, past: lineage, journal: List<string>() });
  }

  #class(hash: string): Class {
    const packed = this.#database.getBinary(classKey(hash));
    if (!packed) throw new Error(`class ${hash} is missing in the data directory`);
    return Class.unpack(packed);
  }

  #lineage(segments: readonly Segment[]): Lineage {
    return new Lineage(this.#database, segments, this.#keepHistory);
  }

  #range(kind: 'snapshot' | 'pendingTransaction' | 'pendingDiff') {
    return this.#database.getRange({ start: numberedKey(kind, 0), end: afterAll(kind) });
  }

  #texts(kind: 'pendingTransaction' | 'pendingDiff'): readonly string[] {
    return [...this.#range(kind)].map(({ value }) => value.toString());
  }
}

const NO_DIFF = JSON.stringify({
  storage_diffs: [],
  nonces: [],
  deployed_contracts: [],
  replaced_classes: [],
  declared_classes: [],
  deprecated_declared_classes: [],
} satisfies StateDiff);

function contentOf(world: World, number: number) {
  const text = stateDiffText(world, number);
  const diff: StateDiff = JSON.parse(text);
  return { record: world.history.record(number, text), marks: world.history.marks(number), diff };
}

function writtenPlace({ history }: World, { lineage }: Place, moment: Moment): WrittenPlace {
  const { first, next } = history;
  return { first, next, segments: lineage.segments, moment: momentText(moment) };
}

function headEntry(head: WrittenHead): Entry {
  return [singleKey('standing'), Buffer.from(stringify(head))];
}
