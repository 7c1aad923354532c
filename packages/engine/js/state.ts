// Knows the state of a chain as an immutable value: reading, writing, history, execution, images.

import * as binding from '../binding.js';
import { Class } from './class.js';
import { EngineError, later, now, told } from './error.js';
import {
  type CallOutcome,
  type Executed,
  type ExecutionFlags,
  outcomeOf,
  type Receipt,
  type Rejected,
} from './execution.js';
import type { Origin } from './origin.js';
import type { Block, Seal, Transaction } from './transaction.js';

/** As `Executed`, with the state after it. */
export interface Applied extends Executed {
  readonly next: State;
}

/** A state difference as the RPC writes it. Every list may be left out when writing. */
export interface StateDiff {
  readonly storage_diffs: readonly {
    readonly address: string;
    readonly storage_entries: readonly { readonly key: string; readonly value: string }[];
  }[];
  readonly nonces: readonly { readonly contract_address: string; readonly nonce: string }[];
  readonly deployed_contracts: readonly { readonly address: string; readonly class_hash: string }[];
  readonly replaced_classes: readonly {
    readonly contract_address: string;
    readonly class_hash: string;
  }[];
  readonly declared_classes: readonly {
    readonly class_hash: string;
    readonly compiled_class_hash: string;
  }[];
  readonly deprecated_declared_classes: readonly string[];
}

export interface StateOptions {
  /** Number of the block that is written first. Default 0. */
  readonly version?: number;
  /** Keep what older blocks held. Default true. */
  readonly keepHistory?: boolean;
  readonly origin?: Origin;
}

/** What a slot holds, and the version that wrote it. */
export interface Slot {
  readonly key: string;
  readonly value: string;
  readonly since: number;
}

export interface StateFigures {
  readonly slots: number;
  readonly contracts: number;
  readonly classes: number;
  /** Closed versions and the one being written. */
  readonly versions: number;
  /** Values kept only for history. */
  readonly olderValues: number;
  readonly approximateBytes: number;
}

const MAKE = Symbol('only the engine makes states');

/**
 * An immutable handle on one state and all its history. Writing gives another handle; both share
 * what did not change. A version is a block number: `advance` closes one and begins the next.
 *
 * @example
 * const genesis = (await State.create().apply(diff, classes)).advance();
 * const done = await genesis.execute(block, transaction);
 * if (done.outcome !== 'rejected') console.log(done.receipt, done.next.advance());
 */
export class State {
  /** @internal */
  readonly native: binding.State;

  /** @internal */
  constructor(make: symbol, native: binding.State) {
    if (make !== MAKE) throw new EngineError('input', 'use State.create');
    this.native = native;
  }

  /** @internal */
  static of(native: binding.State): State {
    return new State(MAKE, native);
  }

  /** An empty state. */
  static create(options: StateOptions = {}): State {
    const { version = 0, keepHistory = true, origin } = options;
    return State.of(now(() => new binding.State(version, keepHistory, origin?.native)));
  }

  /** The version being written, or the one that a view shows. */
  get version(): number {
    return this.native.version;
  }

  /** The oldest version whose difference is kept. */
  get firstVersion(): number {
    return this.native.firstVersion;
  }

  // Reading. Answers from memory without leaving the thread; asks the origin of a fork otherwise.

  async storageAt(address: string, key: string): Promise<string> {
    const known = now(() => this.native.storageKnown(address, key));
    return known ?? later(() => this.native.storage(address, key));
  }

  async nonceAt(address: string): Promise<string> {
    const known = now(() => this.native.nonceKnown(address));
    return known ?? later(() => this.native.nonce(address));
  }

  /** `0x0` where nothing is deployed. */
  async classHashAt(address: string): Promise<string> {
    const known = now(() => this.native.classHashKnown(address));
    return known ?? later(() => this.native.classHash(address));
  }

  async class(classHash: string): Promise<Class | undefined> {
    const found = await later(() => this.native.class(classHash));
    return found ? Class.of(found) : undefined;
  }

  /** The version that last wrote a slot, if this chain ever did. */
  storageSince(address: string, key: string): number | undefined {
    return now(() => this.native.storageSince(address, key)) ?? undefined;
  }

  /**
   * The next `limit` slots of a contract behind `after`, in the order of their keys. Those of an origin
   * are not among them, but zeros are: they hide what it holds.
   */
  slots(address: string, after: string | undefined, limit: number): readonly Slot[] {
    return now(() => this.native.slots(address, after, limit));
  }

  /** The version that declared a class, if this chain did. */
  classSince(classHash: string): number | undefined {
    return now(() => this.native.classSince(classHash)) ?? undefined;
  }

  figures(): StateFigures {
    return now(() => this.native.figures());
  }

  // Writing.

  /** The state after a difference, at the same version; `classes` are declared by it. */
  async apply(diff: Partial<StateDiff>, classes: readonly Class[] = []): Promise<State> {
    const natives = classes.map((declared) => declared.native);
    return State.of(await later(() => this.native.apply(JSON.stringify(diff), natives)));
  }

  /** Closes the version being written and begins the next. */
  advance(): State {
    return State.of(now(() => this.native.advance()));
  }

  /** A second handle on the same value. */
  copy(): State {
    return State.of(now(() => this.native.copy()));
  }

  // History.

  /** A read-only view of an older version. */
  at(version: number): State {
    return State.of(now(() => this.native.at(version)));
  }

  /** A writable state as it stood when `version` was closed. Costs what was written since. */
  async rewind(version: number): Promise<State> {
    return State.of(await later(() => this.native.rewind(version)));
  }

  /**
   * The same state without what is older than `version`: memory for a chain whose old history is
   * kept elsewhere. Costs what the forgotten versions wrote.
   */
  async forget(version: number): Promise<State> {
    return State.of(await later(() => this.native.forget(version)));
  }

  /**
   * The same state above an origin that answers for everything up to `version`: memory for a chain
   * whose old states are kept elsewhere. Costs what those versions wrote.
   */
  async settle(version: number, origin: Origin): Promise<State> {
    return State.of(await later(() => this.native.settle(version, origin.native)));
  }

  /** What a version changed; of the one being written, so far. As JSON text. */
  diffTextOf(version: number): string {
    return now(() => this.native.diffOf(version));
  }

  diffOf(version: number): StateDiff {
    return told<StateDiff>(this.diffTextOf(version));
  }

  /** What must change to get from this state to another, whatever their kinship. */
  async diffTo(other: State): Promise<StateDiff> {
    return told<StateDiff>(await later(() => this.native.diffTo(other.native)));
  }

  // Execution.

  /** Executes a transaction; the result carries the state after it. */
  async execute(
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags = {},
  ): Promise<Applied | Rejected> {
    const native = await later(() =>
      this.native.execute(block.native, transaction.native, { ...flags }),
    );
    const report = outcomeOf(native);
    if (report.outcome === 'rejected') return report;
    const { next } = native;
    if (!next) throw new EngineError('internal', 'an executed transaction left no state');
    return { ...report, next: State.of(next) };
  }

  /**
   * Executes transactions one after another and keeps nothing: for estimates and simulations. Ends
   * early at the first that is rejected. Initial reads, if asked for, stand in the last report.
   *
   * @param flags for all, or one for each
   * @param options.patience milliseconds: a transaction whose turn comes later fails the whole
   */
  async executeMany(
    block: Block,
    transactions: readonly Transaction[],
    flags: ExecutionFlags | readonly ExecutionFlags[] = {},
    options: { readonly initialReads?: boolean; readonly patience?: number } = {},
  ): Promise<readonly (Executed | Rejected)[]> {
    const { initialReads = false, patience } = options;
    const natives = transactions.map((transaction) => transaction.native);
    const each =
      'map' in flags ? flags.map((one) => ({ ...one })) : natives.map(() => ({ ...flags }));
    const reports = await later(() =>
      this.native.executeMany(block.native, natives, each, initialReads, patience),
    );
    return reports.map(outcomeOf);
  }

  /** Calls a function and drops its changes. */
  async call(
    block: Block,
    call: {
      readonly contract_address: string;
      readonly entry_point_selector: string;
      readonly calldata: readonly string[];
    },
  ): Promise<CallOutcome> {
    const { contract_address, entry_point_selector, calldata } = call;
    return told<CallOutcome>(
      await later(() =>
        this.native.call(block.native, contract_address, entry_point_selector, [...calldata]),
      ),
    );
  }

  /**
   * Commitments and hash of the block that `version` of this state is.
   *
   * @param transactions signature and receipt of each, in order
   */
  async seal(
    block: Block,
    version: number,
    transactions: readonly { readonly signature: readonly string[]; readonly receipt: Receipt }[],
    parentHash: string,
  ): Promise<Seal> {
    const text = JSON.stringify(transactions);
    return told<Seal>(await later(() => block.native.seal(this.native, version, text, parentHash)));
  }

  // Images.

  /** The whole state with its history as a compact binary stream. */
  async *export(): AsyncGenerator<Uint8Array, void, undefined> {
    const stream = now(() => new binding.StateExport(this.native));
    for (;;) {
      const piece = await later(() => stream.next());
      if (!piece) return;
      yield piece;
    }
  }

  /** Reads what `export` wrote, in pieces of any size. Executes and compiles nothing. */
  static async import(
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    origin?: Origin,
  ): Promise<State> {
    const stream = now(() => new binding.StateImport(origin?.native));
    for await (const piece of pieces) {
      const { buffer, byteOffset, byteLength } = piece;
      await later(() => stream.push(Buffer.from(buffer, byteOffset, byteLength)));
    }
    return State.of(await later(() => stream.finish()));
  }
}
