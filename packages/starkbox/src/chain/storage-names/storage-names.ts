// Names of the slots of contracts: by the variables of their classes, and keys that the transactions which wrote them mention.
import { createHash } from 'node:crypto';
import {
  type ClassVariables,
  type FoundSlot,
  type HashCache,
  type KeyWords,
  SlotSearch,
} from '@starkbox/abi/internal';
import type { State } from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { HASH_CONTRACT } from '../../fork/block-hashes.js';
import { parse } from '../../json/json.js';
import { endSharedSlice } from '../../scheduling/slices.js';
import { findTransaction, transactionsOf, type World } from '../world/world.js';
import { HASHES, type NamedClass, NamedClasses } from './class-variables.js';
import { commonWords, mentionedIn } from './key-words.js';

/** Slots of one contract. */
export interface SlotRequest {
  readonly contract: string;
  readonly slots: readonly string[];
  /** A transaction that wrote them, perhaps among others. */
  readonly transaction?: string | undefined;
  /** Felts that may be keys of maps. */
  readonly felts?: readonly string[];
}

/** Where keys of maps come from besides transactions. */
export interface NamingContext {
  readonly world: World;
  /** Accounts and others with a name. */
  readonly addresses: readonly string[];
  /** Hashes that may still be computed; cached ones count little. */
  readonly budget: { left: number };
}

/** Hashes for one request: about a second, in slices. */
export const MAX_HASHES = 25_000;
/** Transactions that are read for the slots of one contract. */
const MAX_WRITERS = 100;
/** One for all chains of the process, in some 10 MB: hashes do not depend on a chain. */
const SHARED_HASHES: HashCache = new BoundedMap<string, string>(30_000);
const NO_WORDS: KeyWords = { felts: [], pairs: [] };

/** A transaction that wrote slots, and which. */
interface Writer {
  readonly trace: string;
  readonly slots: readonly string[];
}

export class StorageNames {
  readonly #classes: NamedClasses;
  readonly #cache: HashCache;

  constructor(infos: DebugInfos | undefined, cache: HashCache = SHARED_HASHES) {
    this.#classes = new NamedClasses(infos);
    this.#cache = cache;
  }

  /** The variables of a class; undefined for a class that cannot be read. */
  async variablesOf(hash: string, state: State): Promise<ClassVariables | undefined> {
    return (await this.#classes.of(hash, state))?.variables;
  }

  /** The names by slot; those that were not found are left out. */
  async of(context: NamingContext, request: SlotRequest): Promise<ReadonlyMap<string, FoundSlot>> {
    if (request.contract === HASH_CONTRACT) return new Map(request.slots.map(blockHashSlot));
    const { pendingState: state } = context.world;
    const hash = await state.classHashAt(request.contract).catch(() => '0x0');
    const namedClass = await this.#classes.of(hash, state);
    const names = new Map<string, FoundSlot>();
    if (!namedClass) return names;
    const naming = new Naming(context, request, namedClass, names, this.#cache);
    await naming.withoutKeys();
    const classes = await naming.byTransactions();
    await naming.byCommonWords();
    // Code of other classes ran as the contract: that of the implementation behind a proxy, or of a library.
    for (const other of classes) {
      const library = other === namedClass.hash ? undefined : await this.#classes.of(other, state);
      if (!library || naming.missing.length === 0) continue;
      const unnamed = { ...request, slots: naming.missing };
      const more = new Naming(context, unnamed, library, names, this.#cache);
      await more.withoutKeys();
      await more.byTransactions();
      await more.byCommonWords();
      for (const slot of request.slots) {
        const name = names.get(slot);
        if (name) namedClass.names.set(slot, name);
      }
    }
    return names;
  }
}

/**
 * What must change before another search for a slot is of use. It is a hash, because it is kept for each slot, and a
 * request may have hundreds of felts.
 */
export function searchMark({
  contract,
  transaction = '',
  felts = [],
}: Omit<SlotRequest, 'slots'>): (slot: string, since: number | undefined) => string {
  const ofRequest = hashOf([contract, transaction, ...felts].join(' '));
  return (slot, since = -1) => hashOf(`${ofRequest} ${slot} ${since}`);
}

/** 132 bits, so that no two texts have the same by chance. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}

/** The contract of block hashes has no class; its slots are the numbers of blocks. */
function blockHashSlot(slot: string): readonly [string, FoundSlot] {
  const keys = [{ type: 'u64', felts: [slot] }];
  return [slot, { variable: 'block_hashes', path: [{ keys }], type: 'felt252', origin: 'known' }];
}

/** The search for the slots of one contract by the variables of one class. */
class Naming {
  readonly #context: NamingContext;
  readonly #request: SlotRequest;
  readonly #class: NamedClass;
  readonly #found: Map<string, FoundSlot>;
  readonly #cache: HashCache;
  readonly #mark: ReturnType<typeof searchMark>;
  #words: KeyWords;

  constructor(
    context: NamingContext,
    request: SlotRequest,
    namedClass: NamedClass,
    names: Map<string, FoundSlot>,
    cache: HashCache,
  ) {
    this.#cache = cache;
    this.#context = context;
    this.#request = request;
    this.#mark = searchMark(request);
    this.#class = namedClass;
    this.#found = names;
    const felts = request.felts ?? [];
    const pairs = felts.slice(1).map((felt, at) => [felts[at] ?? '0x0', felt] as const);
    this.#words = { felts, pairs };
    for (const slot of request.slots) {
      const name = namedClass.names.get(slot);
      if (name) names.set(slot, name);
    }
  }

  get missing(): readonly string[] {
    return this.#request.slots.filter((slot) => !this.#found.has(slot));
  }

  /** Plain variables need no words. */
  withoutKeys(): Promise<void> {
    return this.#search(this.missing, NO_WORDS);
  }

  /** Tries what the writers of the slots mention. Returns the classes whose code ran as the contract. */
  async byTransactions(): Promise<ReadonlySet<string>> {
    const { contract } = this.#request;
    const classes = new Set<string>();
    for (const { trace, slots } of this.#writers()) {
      const { words, classes: ran } = mentionedIn(parse(trace), contract);
      for (const hash of ran) classes.add(hash);
      this.#words = { felts: [...this.#words.felts, ...words.felts], pairs: words.pairs };
      await this.#search(this.#searchable(slots), words);
    }
    return classes;
  }

  async byCommonWords(): Promise<void> {
    const missing = this.#searchable(this.missing);
    const { addresses } = this.#context;
    const words = commonWords(addresses, this.#class.variables.constants, this.#words);
    await this.#search(missing, words);
    for (const slot of this.missing) this.#class.unnamed.set(this.#markOf(slot), true);
  }

  /** Those that are missing and were not searched in vain before. */
  #searchable(slots: readonly string[]): readonly string[] {
    const isOpen = (slot: string): boolean =>
      !this.#found.has(slot) && !this.#class.unnamed.get(this.#markOf(slot));
    return slots.filter(isOpen);
  }

  #markOf(slot: string): string {
    return this.#mark(slot, this.#since(slot));
  }

  #since(slot: string): number | undefined {
    const { pendingState, archived } = this.#context.world;
    const { contract } = this.#request;
    return (
      pendingState.storageSince(contract, slot) ??
      archived?.storageSince(contract, slot, pendingState.version)
    );
  }

  /** The transactions that wrote the missing slots last: their traces have the keys of the slots. */
  *#writers(): Generator<Writer, void, undefined> {
    const { world } = this.#context;
    const { transaction } = this.#request;
    const located = transaction === undefined ? undefined : findTransaction(world, transaction);
    if (located) yield { trace: located.record.trace, slots: this.missing };
    const byBlock = new Map<number, string[]>();
    for (const slot of this.#searchable(this.missing)) {
      const block = this.#since(slot);
      if (block === undefined) continue;
      const slots = byBlock.get(block) ?? [];
      slots.push(slot);
      byBlock.set(block, slots);
    }
    let remaining = MAX_WRITERS;
    for (const [block, keys] of byBlock) {
      if (keys.every((slot) => this.#found.has(slot))) continue;
      for (const { trace } of transactionsOf(world, block)) {
        const slots = keys.filter((slot) => !this.#found.has(slot) && trace.includes(`"${slot}"`));
        if (slots.length === 0) continue;
        if (remaining-- <= 0) return;
        yield { trace, slots };
      }
    }
  }

  async #search(slots: readonly string[], words: KeyWords): Promise<void> {
    if (slots.length === 0) return;
    const { world, budget } = this.#context;
    const search = new SlotSearch(this.#class.variables, slots, {
      hashes: HASHES,
      cache: this.#cache,
      read: (slot) => readSlot(world.pendingState, this.#request.contract, slot),
      budget,
      pause: endSharedSlice,
    });
    await search.run(words);
    for (const [slot, name] of search.names) {
      this.#found.set(slot, name);
      this.#class.names.set(slot, name);
    }
  }
}

/** Zero where an origin does not answer. */
function readSlot(state: State, contract: string, slot: string): Promise<string> {
  return state.storageAt(contract, slot).catch(() => '0x0');
}
