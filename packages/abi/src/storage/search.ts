// Search for the names of slots: variables and, for maps, the keys that were used.
import { ADDRESS_BOUND, toFelt } from '../felt.js';
import type { SlotKey, SlotName, SlotStep } from './slot-name.js';
import { type Cell, type KeyUnit, keyCount, type StorageType } from './storage-type.js';
import {
  cellsLayout,
  isPlain,
  type StoragePath,
  type ValueLayout,
  vectorLayout,
} from './value-layout.js';
import type { ClassVariables, StorageHashes } from './variables.js';

/** What may be keys of maps, the likeliest first. */
export interface KeyWords {
  readonly felts: readonly string[];
  /** Two that stood beside each other, as the halves of a u256 do. */
  readonly pairs: readonly (readonly [low: string, high: string])[];
}

/** Hashes of pairs that were computed before; the same variables and words are tried again and again. */
export interface HashCache {
  get(pair: string): string | undefined;
  set(pair: string, hash: string): void;
}

export interface SearchTools {
  readonly hashes: StorageHashes;
  readonly cache: HashCache;
  /** The value of a slot, for the length of a vector. */
  readonly read: (slot: string) => Promise<string>;
  /** Counts the hashes that may still be computed, by several searches together; cached ones count little. */
  readonly budget: { left: number };
  /** Lets other work go on; called after each hash. */
  readonly pause: () => Promise<void> | undefined;
}

/** Hashes of one search, and of those the ones for variables of unknown type. */
const MAX_HASHES = 4_000;
const MAX_EXPLORED = 2_500;
/** What a hash from the cache takes of the budget, so that searches stay bounded. */
const CACHED_COST = 1 / 50;
/** How many words are tried for each key of a map, by the number of its keys. */
const WORDS_BY_KEYS = [2_000, 64, 16, 8];
/** The same for a variable of unknown type. */
const WORDS_BY_DEPTH = [400, 24, 8];
/** Slots of a value whose type is not known. */
const UNKNOWN_CELLS = 8;
/** Elements of a vector that are tried at its start and at its end. */
const MAX_ELEMENTS = 128;
const BYTE_ARRAY = '0x427974654172726179';
const CHUNK_WORDS = 256n;
const TWO_128 = 2n ** 128n;

/** A name with the value that the slot is a part of, where it has several slots. */
export interface FoundSlot extends SlotName {
  readonly layout?: ValueLayout;
}

/** Finds names of the slots of one contract. What is found is not searched again. */
export class SlotSearch {
  readonly names: Map<string, FoundSlot> = new Map();
  readonly #variables: ClassVariables;
  readonly #tools: SearchTools;
  /** Slots without a name, by number. */
  readonly #unnamed: Map<bigint, string>;
  #hashesLeft = MAX_HASHES;
  #exploredLeft = 0;

  constructor(variables: ClassVariables, slots: Iterable<string>, tools: SearchTools) {
    this.#variables = variables;
    this.#tools = tools;
    this.#unnamed = new Map([...slots].map((slot) => [BigInt(slot), slot]));
  }

  get isDone(): boolean {
    return this.#unnamed.size === 0 || this.#hashesLeft <= 0 || this.#tools.budget.left <= 0;
  }

  /** Tries all variables with these words as keys. */
  async run(words: KeyWords): Promise<void> {
    const byKeys = this.#variables.variables
      .map((variable) => ({ variable, keys: keyCount(variable.type) }))
      .toSorted((a, b) => a.keys - b.keys);
    for (const { variable, keys } of byKeys) {
      if (this.isDone) return;
      const start: StoragePath = { variable, state: variable.base, path: [] };
      await this.#visit(variable.type, start, new FittingWords(words, keys));
    }
    // The hash of an event's name is in the program too.
    const open = this.#variables.variables.filter(
      ({ origin, name }) => origin === 'abi' && !/^[A-Z]/.test(name),
    );
    const places = open.map((variable) => ({ variable, state: variable.base, path: [] }));
    this.#exploredLeft = MAX_EXPLORED;
    await this.#explore(places, words, 0);
  }

  async #visit(type: StorageType, from: StoragePath, words: FittingWords): Promise<void> {
    if (this.isDone) return;
    switch (type.kind) {
      case 'cells':
        return this.#cellsAt(from, type.cells, type.type);
      case 'unknown':
        return this.#cellsAt(from, undefined);
      case 'map':
        return this.#entries(type.keys, [], type.of, from, words);
      case 'vector':
        return this.#elements(type, from, words);
      case 'node':
        for (const { name, hashed, of } of type.members) {
          const state = await this.#hash(from.state, this.#tools.hashes.keccak(hashed));
          const path = [...from.path, { member: name }];
          await this.#visit(of, { ...from, state, path }, words);
        }
    }
  }

  async #entries(
    units: readonly KeyUnit[],
    keys: readonly SlotKey[],
    of: StorageType,
    from: StoragePath,
    words: FittingWords,
  ): Promise<void> {
    const [unit, ...rest] = units;
    if (!unit) return this.#visit(of, { ...from, path: [...from.path, { keys }] }, words);
    for (const felts of words.of(unit)) {
      if (this.isDone) return;
      const state = await this.#chain(from.state, felts);
      await this.#entries(
        rest,
        [...keys, { type: unit.type, felts }],
        of,
        { ...from, state },
        words,
      );
    }
  }

  async #elements(
    { of, type }: Extract<StorageType, { kind: 'vector' }>,
    from: StoragePath,
    words: FittingWords,
  ): Promise<void> {
    const cells: readonly Cell[] = [{ members: [], type: 'u64', part: 'length' }];
    const vector = isPlain(of) ? vectorLayout(from, type, of.cells) : undefined;
    this.#take(from, cells, vector);
    const slot = BigInt(from.state) % ADDRESS_BOUND;
    const length = Number(BigInt(await this.#tools.read(toFelt(slot))));
    if (!Number.isSafeInteger(length)) return;
    for (let at = length - 1; at >= 0; at -= 1) {
      if (this.isDone) return;
      // A long vector is tried at both ends.
      if (at === length - MAX_ELEMENTS && at > MAX_ELEMENTS) at = MAX_ELEMENTS;
      const felts = [toFelt(BigInt(at))];
      const state = await this.#chain(from.state, felts);
      const path = [...from.path, { keys: [{ type: 'u64', felts }] }];
      const item = { ...from, state, path, ...(vector ? { vector } : {}) };
      await this.#visit(of, item, words);
    }
  }

  /** A map of any keys, or a storage node: one key deeper in each turn, so that what is likely is tried first. */
  async #explore(places: readonly StoragePath[], words: KeyWords, depth: number): Promise<void> {
    const most = WORDS_BY_DEPTH[depth];
    if (most === undefined || places.length === 0) return;
    const felts = words.felts.slice(0, most);
    const next: StoragePath[] = [];
    for (const from of places) {
      if (this.isDone || this.#exploredLeft <= 0) return;
      for (const felt of felts) {
        const keys = [{ type: 'felt252', felts: [felt] }];
        next.push(await this.#step(from, felt, { keys }));
      }
      for (const [hash, member] of depth === 0 ? [] : this.#variables.members) {
        next.push(await this.#step(from, hash, { member }));
      }
    }
    await this.#explore(next, words, depth + 1);
  }

  async #step(from: StoragePath, felt: string, step: SlotStep): Promise<StoragePath> {
    this.#exploredLeft -= 1;
    const state = await this.#hash(from.state, felt);
    const reached = { ...from, state, path: [...from.path, step] };
    this.#take(reached, undefined, undefined);
    return reached;
  }

  async #cellsAt(
    from: StoragePath,
    cells: readonly Cell[] | undefined,
    type?: string,
  ): Promise<void> {
    const texts = (cells ?? []).map((cell, offset) =>
      cell.type === 'ByteArray' ? this.#textKey(from, offset) : undefined,
    );
    const layout = from.vector ?? (cells && cellsLayout(from, type, cells, texts));
    this.#take(from, cells, layout);
    for (const [offset, cell] of (cells ?? []).entries()) {
      const textKey = texts[offset];
      if (textKey === undefined || this.isDone) continue;
      this.#textAt(from, cell, textKey, layout);
      await this.#tools.pause();
    }
  }

  /** The words of a text lie at a hash of the address of its length. */
  #textKey(from: StoragePath, offset: number): string {
    const slot = toFelt((BigInt(from.state) % ADDRESS_BOUND) + BigInt(offset));
    this.#count();
    const [first = '0x0'] = this.#tools.hashes.hades([slot, '0x0', BYTE_ARRAY]);
    return toFelt(BigInt(first) % ADDRESS_BOUND);
  }

  #textAt(from: StoragePath, cell: Cell, textKey: string, layout: ValueLayout | undefined): void {
    const begin = BigInt(textKey);
    for (const [slotNumber] of this.#unnamed) {
      const index = slotNumber - begin;
      if (index < 0n || index >= CHUNK_WORDS) continue;
      this.#name(slotNumber, from, { ...cell, part: 'text' }, Number(index), layout);
    }
  }

  /** Names the wanted slots among those of a value; without its type, as many as a value may have. */
  #take(
    from: StoragePath,
    cells: readonly Cell[] | undefined,
    layout: ValueLayout | undefined,
  ): void {
    const begin = BigInt(from.state) % ADDRESS_BOUND;
    const count = cells?.length ?? UNKNOWN_CELLS;
    for (let offset = 0; offset < count; offset += 1) {
      const slot = begin + BigInt(offset);
      if (!this.#unnamed.has(slot)) continue;
      const cell = cells?.[offset] ?? { members: [], type: undefined };
      this.#name(slot, from, cell, cells === undefined && offset > 0 ? offset : undefined, layout);
    }
  }

  #name(
    slot: bigint,
    { variable, path }: StoragePath,
    cell: Cell,
    offset: number | undefined,
    layout: ValueLayout | undefined,
  ): void {
    const key = this.#unnamed.get(slot);
    if (key === undefined) return;
    this.#unnamed.delete(slot);
    const { members, type, part, fields } = cell;
    this.names.set(key, {
      variable: variable.name,
      path: [...path, ...members.map((member) => ({ member }))],
      ...(type === undefined ? {} : { type }),
      ...(part === undefined ? {} : { part }),
      ...(offset === undefined ? {} : { offset }),
      ...(fields === undefined ? {} : { fields }),
      origin: variable.origin,
      ...(layout === undefined ? {} : { layout }),
    });
  }

  async #chain(state: string, felts: readonly string[]): Promise<string> {
    let reached = state;
    for (const felt of felts) reached = await this.#hash(reached, felt);
    return reached;
  }

  #count(cost = 1): void {
    this.#hashesLeft -= 1;
    this.#tools.budget.left -= cost;
  }

  async #hash(left: string, right: string): Promise<string> {
    const { hashes, cache, pause } = this.#tools;
    const pair = `${left} ${right}`;
    const cached = cache.get(pair);
    this.#count(cached === undefined ? 1 : CACHED_COST);
    const hash = cached ?? hashes.pedersen(left, right);
    if (cached === undefined) cache.set(pair, hash);
    const pausing = pause();
    if (pausing) await pausing;
    return hash;
  }
}

/** The words that fit each kind of key. */
class FittingWords {
  readonly #words: KeyWords;
  readonly #most: number;
  readonly #fitting = new Map<string, readonly (readonly string[])[]>();

  constructor(words: KeyWords, keys: number) {
    this.#words = words;
    this.#most = WORDS_BY_KEYS[Math.max(0, keys - 1)] ?? 4;
  }

  of(unit: KeyUnit): readonly (readonly string[])[] {
    const cached = this.#fitting.get(unit.type);
    if (cached) return cached;
    const fitting = this.#find(unit).slice(0, this.#most);
    this.#fitting.set(unit.type, fitting);
    return fitting;
  }

  #find(unit: KeyUnit): readonly (readonly string[])[] {
    const { felts, pairs } = this.#words;
    const below = (bound: bigint) => felts.filter((felt) => BigInt(felt) < bound);
    switch (unit.kind) {
      case 'felt':
        return felts.map((felt) => [felt]);
      case 'address': {
        // Small numbers are rarely addresses.
        const isLikely = (felt: string): boolean => felt.length > 18;
        return [...felts.filter(isLikely), ...felts.filter((felt) => !isLikely(felt))].map(
          (felt) => [felt],
        );
      }
      case 'integer':
        return below(2n ** BigInt(unit.bits)).map((felt) => [felt]);
      case 'variants':
        return Array.from({ length: unit.count }, (_, at) => [toFelt(BigInt(at))]);
      case 'u256': {
        const halves = pairs.filter(
          ([low, high]) => high !== '0x0' && BigInt(low) < TWO_128 && BigInt(high) < TWO_128,
        );
        return [...below(TWO_128).map((felt) => [felt, '0x0']), ...halves];
      }
    }
  }
}
