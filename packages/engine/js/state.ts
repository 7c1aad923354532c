// The state of a chain as an immutable value: reading, writing, history, execution, images.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { type BatchOptions, runBatch } from './batch.js';
import { type BlockRoom, BlockWeights } from './block-weights.js';
import { callNow, callWorker } from './call.js';
import { Class } from './class.js';
import type { Coverage } from './coverage.js';
import { type DebugLimits, DebugTrace } from './debug-trace.js';
import { EngineError, parseReport } from './error.js';
import {
  type CallOutcome,
  type Executed,
  type ExecutionFlags,
  executedWithin,
  type FlagsOfEach,
  type Full,
  type FunctionCall,
  flagsOfEach,
  REPORTS,
  type Receipt,
  type Rejected,
  type Reports,
  type Retrace,
  type RetraceOptions,
  runExecution,
} from './execution.js';
import { Invocation } from './invocation.js';
import type { StateSource } from './state-source.js';
import type {
  ClosingOptions,
  Slot,
  SlotWrite,
  StateDiff,
  StateFigures,
  StateOptions,
} from './state-values.js';
import type { StorageList } from './storage-list.js';
import type { Block, Seal, Transaction } from './transaction.js';

/** As `Executed`, with the state after it. */
export interface Applied extends Executed {
  readonly next: State;
}

/** As `Applied`, with the weights of the block after it. */
export interface AppliedWithin extends Applied {
  readonly weights: BlockWeights;
}

/** As `Executed`, with the block that it is the only transaction of. */
export interface ExecutedAndClosed extends Executed {
  readonly closed: Closed;
}

/** A closed version as a block of a chain. */
export interface Closed {
  readonly seal: Seal;
  /** What it changed, as JSON text. */
  readonly diff: string;
  /** The state at its end. */
  readonly latest: State;
  /** The state at the start of the next version. */
  readonly next: State;
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
  readonly #source: StateSource | undefined;
  // A call into the addon takes longer than most of a read.
  #version: number | undefined;
  #firstVersion: number | undefined;

  /** @internal */
  constructor(make: symbol, native: binding.State, source: StateSource | undefined) {
    if (make !== MAKE) throw new EngineError('input', 'use State.create');
    this.native = native;
    this.#source = source;
  }

  /** @internal */
  static of(native: binding.State, source?: StateSource): State {
    return new State(MAKE, native, source);
  }

  /** An empty state. */
  static create(options: StateOptions = {}): State {
    const { version = 0, keepHistory = true, source } = options;
    const native = callNow(() => new addon.State(version, keepHistory, source?.native));
    return State.of(native, source);
  }

  /** The version being written, or the one that a view shows. */
  get version(): number {
    this.#version ??= this.native.version;
    return this.#version;
  }

  /** Whether a source answers for what it does not hold. */
  get hasSource(): boolean {
    return this.#source !== undefined;
  }

  /** The oldest version whose difference is kept. */
  get firstVersion(): number {
    this.#firstVersion ??= this.native.firstVersion;
    return this.#firstVersion;
  }

  // Reading. What this state holds, or its source looks up in this process, is answered without another
  // thread. What the source must ask for is read on a worker thread, which waits for the answer.

  async storageAt(address: string, key: string): Promise<string> {
    return (
      callNow(() => this.native.storageKnown(address, key)) ??
      this.#source?.lookUp({ kind: 'storage', address, key }) ??
      callWorker(() => this.native.storage(address, key))
    );
  }

  async nonceAt(address: string): Promise<string> {
    return (
      callNow(() => this.native.nonceKnown(address)) ??
      this.#source?.lookUp({ kind: 'nonce', address }) ??
      callWorker(() => this.native.nonce(address))
    );
  }

  /** `0x0` where nothing is deployed. */
  async classHashAt(address: string): Promise<string> {
    return (
      callNow(() => this.native.classHashKnown(address)) ??
      this.#source?.lookUp({ kind: 'class_hash', address }) ??
      callWorker(() => this.native.classHash(address))
    );
  }

  async class(classHash: string): Promise<Class | undefined> {
    const native = await callWorker(() => this.native.class(classHash));
    return native ? Class.of(native) : undefined;
  }

  /** The version that last wrote a slot, if this chain ever did. */
  storageSince(address: string, key: string): number | undefined {
    return callNow(() => this.native.storageSince(address, key)) ?? undefined;
  }

  /**
   * The next `limit` slots of a contract behind `after`, in the order of their keys. Those of a source
   * are not among them, but zeros are: they hide what it holds.
   */
  slots(address: string, after: string | undefined, limit: number): readonly Slot[] {
    return callNow(() => this.native.slots(address, after, limit));
  }

  /** The version that declared a class, if this chain did. */
  classSince(classHash: string): number | undefined {
    return callNow(() => this.native.classSince(classHash)) ?? undefined;
  }

  figures(): StateFigures {
    return callNow(() => this.native.figures());
  }

  // Writing.

  /**
   * Caches the source's value of everything that a difference replaces. Without it, `diffOf` lists a value
   * that the difference writes as changed even if the source holds the same.
   */
  async prefetch(diff: Partial<StateDiff>, storage?: StorageList): Promise<void> {
    if (!this.#source) return;
    const { storage_diffs = [], nonces = [] } = diff;
    const contracts = [...storage_diffs, ...(storage?.parse() ?? [])];
    const { deployed_contracts = [], replaced_classes = [] } = diff;
    const { native } = this;
    await Promise.all([
      ...contracts.flatMap(({ address, storage_entries }) =>
        storage_entries.map(({ key }) => callWorker(() => native.storage(address, key))),
      ),
      ...nonces.map(({ contract_address }) => callWorker(() => native.nonce(contract_address))),
      ...deployed_contracts.map(({ address }) => callWorker(() => native.classHash(address))),
      ...replaced_classes.map(({ contract_address }) =>
        callWorker(() => native.classHash(contract_address)),
      ),
    ]);
  }

  /**
   * The state after a difference, at the same version.
   *
   * @param classes declared by it
   * @param storage written after the other values
   */
  async apply(
    diff: Partial<StateDiff>,
    classes: readonly Class[] = [],
    storage?: StorageList,
  ): Promise<State> {
    const natives = classes.map((declared) => declared.native);
    const text = JSON.stringify(diff);
    return this.#next(await callWorker(() => this.native.apply(text, natives, storage?.native)));
  }

  /**
   * Closes the version being written and begins the next.
   *
   * @param firstWrite written to the next version
   */
  advance(firstWrite?: SlotWrite): State {
    return this.#next(callNow(() => this.native.advance(firstWrite)));
  }

  /** A second handle on the same value. */
  copy(): State {
    return this.#next(callNow(() => this.native.copy()));
  }

  // History.

  /** A read-only view of an older version. */
  at(version: number): State {
    return this.#next(callNow(() => this.native.at(version)));
  }

  /** A writable state as it stood when `version` was closed. Costs what was written since. */
  async rewind(version: number): Promise<State> {
    return this.#next(await callWorker(() => this.native.rewind(version)));
  }

  /**
   * The same state above a source that answers for everything up to `version`: memory for a chain
   * whose old states are kept elsewhere. Costs what those versions wrote.
   */
  async settle(version: number, source: StateSource): Promise<State> {
    return State.of(await callWorker(() => this.native.settle(version, source.native)), source);
  }

  /** What a version changed; of the one being written, so far. As JSON text. */
  diffTextOf(version: number): string {
    return callNow(() => this.native.diffOf(version));
  }

  diffOf(version: number): StateDiff {
    return parseReport<StateDiff>(this.diffTextOf(version));
  }

  /** What must change to get from this state to another, related or not. */
  async diffTo(other: State): Promise<StateDiff> {
    return parseReport<StateDiff>(await callWorker(() => this.native.diffTo(other.native)));
  }

  // Execution.

  /** Executes a transaction; the result carries the state after it. */
  async execute(
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags = {},
  ): Promise<Applied | Rejected> {
    return runExecution(
      () => this.native.execute(block.native, transaction.native, { ...flags }),
      ({ next }) => next && { next: this.#next(next) },
    );
  }

  /**
   * As `execute`, for a block of limited capacity. The result carries the weights of the block with the transaction,
   * or names the weights that would be above the capacity.
   */
  async executeWithin(
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags,
    { weights, capacity }: BlockRoom,
  ): Promise<AppliedWithin | Rejected | Full> {
    const [context, tx, each] = [block.native, transaction.native, { ...flags }];
    return executedWithin(
      () => this.native.executeWithin(context, tx, each, weights.native, capacity),
      ({ next, weights }) =>
        next && weights && { next: this.#next(next), weights: new BlockWeights(weights) },
    );
  }

  /**
   * Executes transactions one after another and keeps nothing: for estimates and simulations. Ends
   * early at the first that is rejected. Initial reads, if asked for, are in the last report.
   *
   * @param flags for all, or one for each
   * @param options.report what the reports contain: the resources, the trace too, or all
   */
  async executeMany<Kind extends keyof Reports>(
    block: Block,
    transactions: readonly Transaction[],
    flags: FlagsOfEach,
    options: BatchOptions & { readonly report: Kind; readonly initialReads?: boolean },
  ): Promise<readonly (Reports[Kind] | Rejected)[]> {
    const { report, initialReads = false } = options;
    const { content, read } = REPORTS[report];
    const batch = this.#batch(block, transactions, flags);
    const work = {
      count: transactions.length,
      runSlice: (millis: number) => batch.simulate(millis, content, initialReads),
      convert: read,
      sizeOf: (native: binding.Execution) => native.bytes,
    };
    return runBatch(batch, work, options);
  }

  /** Calls a function and drops its changes. */
  async call(block: Block, call: FunctionCall): Promise<CallOutcome> {
    const text = await callWorker(() => this.native.call(block.native, nativeCall(call)));
    return parseReport<CallOutcome>(text);
  }

  /**
   * Calls a function and keeps its changes, without a transaction. Runs on this thread, unless a source may
   * have to answer.
   *
   * @param coverage gets the offsets that the call reaches, at the price of the machine's trace
   */
  invoke(
    block: Block,
    call: FunctionCall,
    coverage?: Coverage,
  ): Invocation<State> | Promise<Invocation<State>> {
    if (this.#source) return this.invokeOffThread(block, call, coverage);
    const native = callNow(() =>
      this.native.invokeSync(block.native, nativeCall(call), coverage?.native),
    );
    return new Invocation(native, this, (next) => this.#next(next));
  }

  /** As `invoke`, always on a worker thread. */
  async invokeOffThread(
    block: Block,
    call: FunctionCall,
    coverage?: Coverage,
  ): Promise<Invocation<State>> {
    const native = await callWorker(() =>
      this.native.invoke(block.native, nativeCall(call), coverage?.native),
    );
    return new Invocation(native, this, (next) => this.#next(next));
  }

  /**
   * Executes transactions as `executeMany` does, those from `first` on with the machine's trace, and tells
   * where they failed and, if asked, which Sierra statements they visited. One answer for each traced one.
   * A step takes about 60 bytes until its frame ends.
   */
  async retrace(
    block: Block,
    transactions: readonly Transaction[],
    flags: FlagsOfEach = {},
    options: RetraceOptions & BatchOptions = {},
  ): Promise<readonly Retrace[]> {
    const count = transactions.length;
    const { first = Math.max(0, count - 1), visited = false, firstWrite } = options;
    const batch = this.#batch(block, transactions, flags, firstWrite);
    const work = {
      count,
      firstTraced: first,
      runSlice: (millis: number) => batch.retrace(millis, first, visited),
      convert: (text: string) => parseReport<Retrace>(text),
    };
    return runBatch(batch, work, options);
  }

  /** As `call`, with the machine's trace. */
  async retraceCall(
    block: Block,
    call: FunctionCall,
    options: { readonly visited?: boolean } = {},
  ): Promise<Retrace> {
    const { visited = false } = options;
    const text = await callWorker(() =>
      this.native.retraceCall(block.native, nativeCall(call), visited),
    );
    return parseReport<Retrace>(text);
  }

  /** Executes transactions one after another, records the last one, and drops the changes. */
  async record(
    block: Block,
    transactions: readonly Transaction[],
    flags: FlagsOfEach,
    options: DebugLimits & BatchOptions & { readonly firstWrite?: SlotWrite | undefined },
  ): Promise<DebugTrace> {
    const count = transactions.length;
    const { maxSteps: steps, maxBytes: bytes, firstWrite } = options;
    const batch = this.#batch(block, transactions, flags, firstWrite);
    const work = {
      count,
      firstTraced: count - 1,
      runSlice: (millis: number) => batch.record(millis, count - 1, { steps, bytes }),
      convert: (native: binding.DebugTrace) => new DebugTrace(native),
    };
    const [trace] = await runBatch(batch, work, options);
    if (!trace) throw new EngineError('input', 'transactions: expected at least one');
    return trace;
  }

  /** As `call`, and records it. */
  async recordCall(
    block: Block,
    call: FunctionCall,
    { maxSteps: steps, maxBytes: bytes }: DebugLimits,
  ): Promise<DebugTrace> {
    const native = await callWorker(() =>
      this.native.recordCall(block.native, nativeCall(call), { steps, bytes }),
    );
    return new DebugTrace(native);
  }

  /**
   * Closes the version being written as a block, with its commitments and hash.
   *
   * @param transactions signature and receipt of each, in order
   */
  async close(
    block: Block,
    transactions: readonly { readonly signature: readonly string[]; readonly receipt: Receipt }[],
    { parentHash, firstWrite }: ClosingOptions,
  ): Promise<Closed> {
    if (transactions.length === 0) {
      const closed = callNow(() => this.native.closeEmpty(block.native, parentHash, firstWrite));
      if (closed) return this.#toClosed(closed);
    }
    const text = JSON.stringify(transactions);
    return this.#toClosed(
      await callWorker(() => this.native.close(block.native, text, parentHash, firstWrite)),
    );
  }

  /** Executes a transaction and closes its block with it, unless it is rejected. */
  async executeAndClose(
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags,
    { parentHash, firstWrite }: ClosingOptions,
  ): Promise<ExecutedAndClosed | Rejected> {
    const [context, tx, each] = [block.native, transaction.native, { ...flags }];
    return runExecution(
      () => this.native.executeAndClose(context, tx, each, parentHash, firstWrite),
      (native) => {
        const closed = native.takeClosed();
        return closed && { closed: this.#toClosed(closed) };
      },
    );
  }

  #toClosed({ seal, diff, latest, next }: binding.Closed): Closed {
    return {
      seal: parseReport<Seal>(seal),
      diff,
      latest: this.#next(latest),
      next: this.#next(next),
    };
  }

  #batch(
    block: Block,
    transactions: readonly Transaction[],
    flags: FlagsOfEach,
    firstWrite?: SlotWrite | undefined,
  ): binding.Batch {
    const natives = transactions.map((transaction) => transaction.native);
    const each = flagsOfEach(flags, natives.length);
    return callNow(() => new addon.Batch(this.native, block.native, natives, each, firstWrite));
  }

  /** A handle on another version of this chain, above the same source. */
  #next(native: binding.State): State {
    return State.of(native, this.#source);
  }

  // Images.

  /** The whole state with its history as a compact binary stream. */
  async *export(): AsyncGenerator<Uint8Array, void, undefined> {
    const stream = callNow(() => new addon.StateExport(this.native));
    for (;;) {
      const piece = await callWorker(() => stream.next());
      if (!piece) return;
      yield piece;
    }
  }

  /** Reads what `export` wrote, in pieces of any size. Executes and compiles nothing. */
  static async import(
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    source?: StateSource,
  ): Promise<State> {
    const stream = callNow(() => new addon.StateImport(source?.native));
    for await (const piece of pieces) {
      const { buffer, byteOffset, byteLength } = piece;
      await callWorker(() => stream.push(Buffer.from(buffer, byteOffset, byteLength)));
    }
    return State.of(await callWorker(() => stream.finish()), source);
  }
}

/** The binding takes an array that may change, and no member that is undefined. */
function nativeCall(call: FunctionCall): binding.FunctionCall {
  const { contract_address, entry_point_selector, caller } = call;
  const calldata = call.calldata.slice();
  return caller === undefined
    ? { contract_address, entry_point_selector, calldata }
    : { contract_address, entry_point_selector, calldata, caller };
}
