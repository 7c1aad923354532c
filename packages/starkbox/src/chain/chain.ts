// Chain: its current world, and the methods that change it through the writer.

import type { Class, StorageList } from '@starkbox/engine';
import type { BLOCK_ID } from '@starkbox/spec';
import {
  effectiveBlockGeneration,
  effectiveL1Acceptance,
  hasMempool,
  intervalOf,
} from '../block-settings.js';
import { refuse } from '../errors.js';
import { onlyOriginFailures } from '../fork/fork.js';
import type { Probe } from '../probe.js';
import {
  applyChange,
  checkShape,
  compileGiven,
  type StateChange,
} from './execution/apply-state-diff.js';
import { type ExecutionLimits, Executions, slotsOf } from './execution/executions.js';
import type { ProofMode } from './execution/mock-proof.js';
import {
  type PreparedTransaction,
  prepareTransaction,
  type Submission,
} from './execution/prepare-transaction.js';
import type { Genesis } from './genesis/genesis.js';
import type { Broadcasted } from './history/stored-texts.js';
import { IntervalTimer, type TimedSteps } from './interval-timer.js';
import type { Network } from './network/network.js';
import { RecordedCalls } from './recorded-calls.js';
import { SenderQueue } from './sender-queue.js';
import {
  addSnapshot,
  deleteSnapshot,
  listSnapshots,
  type NumberedSnapshot,
  replaceWorld,
  revertTo,
  withNoSnapshots,
  withWorld,
} from './snapshots.js';
import { acceptedUpTo, firstToAbort, withoutSince } from './steps/abort-and-accept.js';
import { closeNow, createWorld, type FirstBlock } from './steps/close-block.js';
import { executeTransaction, readAhead } from './steps/include-transaction.js';
import { dueOnL1 } from './steps/l1-acceptance.js';
import { admit, type MempoolRules } from './steps/mempool-steps.js';
import type { NetworkRules } from './steps/network-rules.js';
import { sendersSince, withNoncesOf, withReturned } from './steps/return-transactions.js';
import { type Cause, callCause, journalEntry } from './world/cause.js';
import type { ChainStore, Transition, WorldAndSnapshots } from './world/chain-store.js';
import { withDirectWrite } from './world/direct-writes.js';
import { findBlock } from './world/find-block.js';
import type { Impersonation } from './world/impersonation.js';
import { labelled } from './world/labels.js';
import { type L1Link, readOn, restartMessages, unlinkL1 } from './world/messages.js';
import type { World } from './world/world.js';
import { type Change, type ChangeResult, type ObserverErrorHandler, Writer } from './writer.js';

/** A function from a world to the next one and the result for the caller. */
export type Step<T> = (world: World) => Promise<readonly [World, T]>;

export interface ChainOptions extends FirstBlock, MempoolRules, ExecutionLimits {
  readonly genesis: Genesis;
  readonly proofMode: ProofMode;
  /** The rules of a public network that submissions are held to. */
  readonly rules?: NetworkRules | undefined;
  /** Whether calls that change the chain are kept in its journal. */
  readonly keepsJournal?: boolean;
  /** Whether distinct calls are kept, for the coverage. */
  readonly recordsCalls?: boolean;
  /** How many seconds a change or an execution may wait in its queue. */
  readonly queueTimeout?: number;
  readonly probe?: Probe;
  /** Runs when an observer of a change fails. */
  readonly onObserverError?: ObserverErrorHandler;
}

export class Chain {
  /** Executions whose changes are dropped. */
  readonly executions: Executions;
  /** Undefined unless calls are recorded. */
  readonly calls: RecordedCalls | undefined;
  #options: ChainOptions;
  /** The options that a restart returns to. */
  #restartOptions: ChainOptions;
  readonly #writer: Writer;
  readonly #senderQueue = new SenderQueue();
  readonly #blockTimer = new IntervalTimer();
  readonly #acceptanceTimer = new IntervalTimer();
  /** Undefined until the chain is started. */
  #startTimers: (() => void) | undefined;

  constructor(
    options: ChainOptions,
    start: WorldAndSnapshots,
    store?: ChainStore,
    executions: Executions = new Executions({ ...options, maximumExecutions: slotsOf(options) }),
  ) {
    this.#options = options;
    this.#restartOptions = options;
    this.executions = executions;
    this.calls = options.recordsCalls ? new RecordedCalls() : undefined;
    this.#writer = new Writer(start, store, options);
    this.#writer.watch(({ before, after }) => {
      const [was, is] = [before.blocks, after.blocks];
      const isSame = was.generation === is.generation && was.l1Acceptance === is.l1Acceptance;
      if (!isSame) this.#startTimers?.();
    }, 'the timers of blocks');
  }

  /** @param executions of the node, for a further chain */
  static async create(options: ChainOptions, executions?: Executions): Promise<Chain> {
    const start = withNoSnapshots(await createWorld(options));
    return new Chain(options, start, undefined, executions);
  }

  /** A chain with a store: the stored one, or a new one. */
  static async openStored(
    options: ChainOptions,
    store: ChainStore,
    stored: WorldAndSnapshots | undefined,
    executions?: Executions,
  ): Promise<Chain> {
    if (stored) return new Chain(options, stored, store, executions);
    const before = withNoSnapshots(await createWorld(options));
    const { after, commit } = await store.prepare({ kind: 'restart', before, after: before });
    await commit();
    return new Chain(options, after, store, executions);
  }

  /** Replaced by a restart on another network, and by the load of a chain with other accounts. */
  get options(): ChainOptions {
    return this.#options;
  }

  /** The current world: an immutable value. */
  get world(): World {
    return this.#writer.published.world;
  }

  /** The numbers of waiting changes and of snapshots. */
  get figures(): { readonly waiting: number; readonly snapshots: number } {
    const { waiting, published } = this.#writer;
    return { waiting, snapshots: published.snapshots.size };
  }

  /** Whether it changes by itself, as time passes. */
  get isTimed(): boolean {
    return this.#blockTimer.isRunning || this.#acceptanceTimer.isRunning;
  }

  /** A copy in memory that changes independently, without a link to L1; both share the limits of executions. */
  branch(world: World = this.world): Chain {
    const { options, executions } = this;
    const branch = new Chain(
      options,
      withNoSnapshots(unlinkL1(world)),
      undefined,
      executions.ofChain(),
    );
    branch.#restartOptions = this.#restartOptions;
    return branch;
  }

  /** What a function makes of the newest world, on disk or not, after all changes requested before. */
  withNewest<T>(look: (now: WorldAndSnapshots) => T): Promise<T> {
    return this.#writer.look(look);
  }

  /** Observes every change of the world, in order, before its caller gets the result. */
  watch(observe: (change: Change) => void, name?: string): void {
    this.#writer.watch(observe, name);
  }

  /** Observes every change, also one of the snapshots alone. */
  watchAll(observe: (transition: Transition) => void, name?: string): void {
    this.#writer.watchAll(observe, name);
  }

  /**
   * Starts, or restarts, the timers of blocks and of acceptance on L1, if any; they follow later settings.
   *
   * @param stream gives the steps of a builder that takes transactions from the mempool
   */
  start(
    onError: (error: unknown) => void,
    stream: (chain: Chain, interval: number) => TimedSteps,
  ): void {
    this.#startTimers = () => {
      const generation = effectiveBlockGeneration(this.world, this.options);
      const close = () => this.createBlock(callCause('devnet_createBlock', null));
      const interval = intervalOf(generation);
      if (interval === undefined) this.#blockTimer.stop();
      else {
        const steps = hasMempool(generation) ? stream(this, interval) : { interval, step: close };
        this.#blockTimer.start(steps, onError);
      }
      // A number of blocks passes only with a block, which accepts by itself.
      const acceptance = effectiveL1Acceptance(this.world, this.options);
      const isTimed = acceptance !== 'off' && typeof acceptance !== 'number';
      const acceptDue = { interval: 1, step: () => this.#acceptDue() };
      if (isTimed) this.#acceptanceTimer.start(acceptDue, onError);
      else this.#acceptanceTimer.stop();
    };
    this.#startTimers();
  }

  /** Stops the timer, ends batches of executions and waits for running changes. */
  async close(): Promise<void> {
    this.#startTimers = undefined;
    this.#blockTimer.stop();
    this.#acceptanceTimer.stop();
    this.executions.close();
    await this.#writer.idle();
  }

  // Transactions.

  /**
   * Executes a transaction and includes it, or admits it to the mempool; throws the reason of its
   * rejection.
   */
  async submit(values: Broadcasted, cause?: Cause): Promise<PreparedTransaction['transaction']> {
    const { rules } = this.options;
    rules?.checkSubmission(values);
    const preparing = this.#prepare(values);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const { transaction } = prepared;
    if (transaction.declared) await rules?.checkClass(transaction.declared);
    const change = () =>
      this.write(cause, async (world) => {
        await rules?.checkAgainstLatest(world, prepared);
        if (world.network) {
          const { submittedUnder } = await import('./network/rounds/submissions.js');
          return [await submittedUnder(world.network, world, prepared, this.options), undefined];
        }
        const isPooled = hasMempool(effectiveBlockGeneration(world, this.options));
        const step = isPooled ? admit : executeTransaction;
        return [await step(world, prepared, this.options), undefined];
      });
    await (this.options.fork
      ? this.#senderQueue.run(transaction.address, this.#readAhead(prepared), change)
      : change());
    return transaction;
  }

  /**
   * As `submit`, for a transaction that is built from the world before it; returns what `look`
   * reads from the world after it.
   */
  async submitTo<T>(
    build: (world: World) => Promise<Broadcasted>,
    look: (world: World, hash: string) => Promise<T>,
    cause?: Cause,
  ): Promise<T> {
    if (this.options.fork) await this.#readAhead(await this.#prepare(await build(this.world)));
    return this.write(cause, async (world) => {
      const prepared = await this.#prepare(await build(world));
      const next = await executeTransaction(world, prepared, this.options);
      return [next, await look(next, prepared.transaction.hash)];
    });
  }

  #prepare(values: Broadcasted): Submission | Promise<Submission> {
    return prepareTransaction(values, this.options);
  }

  #readAhead(prepared: PreparedTransaction): Promise<void> {
    return readAhead(this.world, prepared, this.options, this.executions);
  }

  // Blocks.

  /** Closes the pending block, even an empty one; its hash. */
  createBlock(cause?: Cause): Promise<string> {
    return this.write(cause, (world) => closeNow(world, this.options));
  }

  /**
   * Removes a block and all after it; their hashes, newest first.
   *
   * @param returns whether their transactions go back to the mempool
   */
  abortBlocks(start: BLOCK_ID, cause?: Cause, returns = false): Promise<readonly string[]> {
    return this.write(cause, async (world) => {
      if (!world.keepsHistory) {
        refuse('The abort blocks feature requires state-archive-capacity set to full.');
      }
      const [whole] = start === 'pre_confirmed' ? await closeNow(world, this.options) : [world];
      const from = firstToAbort(whole, start === 'pre_confirmed' ? 'latest' : start);
      const [cut, hashes] = await withoutSince(whole, from, this.options.fork);
      const next = await withNoncesOf(cut, await sendersSince(whole, from));
      return [returns ? await withReturned(whole, next, from) : next, hashes];
    });
  }

  /** Accepts a block and all before it on L1; hashes of the newly accepted, newest first. */
  async acceptOnL1(start: BLOCK_ID, cause?: Cause): Promise<readonly string[]> {
    if (start === 'pre_confirmed') refuse('Pre-confirmed block cannot be accepted on L1');
    const { fork } = this.options;
    // The request to the origin runs outside of the writer, so that no change waits for it. Without one
    // nothing is awaited here: calls enter the writer in order of arrival.
    const requestedNumber =
      findBlock(this.world, start) ??
      (fork ? await fork.look(start, this.world.acceptedOnL1) : undefined);
    return this.write(cause, async (world) => {
      const number = findBlock(world, start) ?? requestedNumber ?? refuse('No block found');
      return acceptedUpTo(world, number);
    });
  }

  /** Accepts the blocks on L1 that reached the set age since the latest block. */
  async #acceptDue(): Promise<void> {
    const number = dueOnL1(this.world, this.options);
    if (number === undefined) return;
    const cause = callCause('devnet_acceptOnL1', { starting_block_id: { block_number: number } });
    await this.write(cause, async (world) => {
      // A change that waited before this one may have replaced these blocks.
      const isDue = (dueOnL1(world, this.options) ?? -1) >= number;
      return [isDue ? acceptedUpTo(world, number)[0] : world, undefined];
    });
  }

  // Cheats.

  impersonate(change: (now: Impersonation) => Impersonation, cause?: Cause): Promise<void> {
    return this.write(cause, async (world) => [
      { ...world, impersonation: change(world.impersonation) },
      undefined,
    ]);
  }

  /** Sets or removes the label of a felt. */
  label(value: string, label: string | undefined, cause?: Cause): Promise<void> {
    return this.write(cause, async (world) => [labelled(world, value, label), undefined]);
  }

  /** Changes the state without a transaction; the classes of the change, compiled. */
  async applyStateDiff(
    change: StateChange,
    cause?: Cause,
    storage?: StorageList,
  ): Promise<readonly Class[]> {
    checkShape(change);
    const { classes: definitions = [] } = change;
    const classes =
      definitions.length === 0 ? [] : await compileGiven(definitions, this.options.classLimits);
    if (this.options.fork) {
      await onlyOriginFailures(applyChange(this.world.pendingState, change, classes, storage));
    }
    return this.write(cause, async (world) => {
      const state = await applyChange(world.pendingState, change, classes, storage);
      const changed = change.state_diff.nonces?.map((nonce) => nonce.contract_address) ?? [];
      return [await withNoncesOf(withDirectWrite(world, state), changed), classes];
    });
  }

  // The whole chain.

  /** Replaces the world by a new one that keeps the link to L1; snapshots are dropped. */
  async restart(
    relink: (link: L1Link) => L1Link | undefined = readOn,
    options: ChainOptions = this.#restartOptions,
  ): Promise<void> {
    return this.#replace('restart', async (before) => {
      const world = await createWorld(options);
      this.#options = options;
      this.#restartOptions = options;
      this.executions.resize(slotsOf(options));
      return { ...world, messages: restartMessages(before.messages, relink) };
    });
  }

  /** Replaces the world by another, with its options up to a restart; snapshots are dropped. */
  replace(world: World, options: ChainOptions = this.#options): Promise<void> {
    return this.#replace('load', async () => {
      this.#options = options;
      return world;
    });
  }

  #replace(kind: 'restart' | 'load', make: (before: World) => Promise<World>): Promise<void> {
    return this.#writer.change(kind, async (now) => replaceWorld(now, await make(now.world)));
  }

  // Snapshots.

  /** Makes a snapshot; its number. */
  snapshot(name?: string): Promise<bigint> {
    return this.#writer.change('step', async (now) => addSnapshot(now, name));
  }

  /** Snapshots, newest first. */
  get snapshots(): readonly NumberedSnapshot[] {
    return listSnapshots(this.#writer.published);
  }

  hasSnapshot(id: bigint): boolean {
    return this.#writer.published.snapshots.has(id);
  }

  /**
   * Returns to a snapshot, which is dropped with all later ones; false if it does not exist.
   *
   * @param isPaired whether L1 returns to its own snapshot as well
   */
  revert(id: bigint, isPaired = false): Promise<boolean> {
    return this.#writer.change('revert', (now) => revertTo(now, id, isPaired));
  }

  /** Deletes a snapshot; false if it does not exist. */
  deleteSnapshot(id: bigint): Promise<boolean> {
    return this.#writer.change('step', async (now) => deleteSnapshot(now, id));
  }

  /** Returns to a world that this chain had; snapshots stay. Not for a chain with a store. */
  returnTo(world: World): Promise<void> {
    return this.#writer.change('revert', async (now) => withWorld(now, world));
  }

  /** Applies a step to the world and appends its cause to the journal. */
  write<T>(cause: Cause | undefined, step: Step<T>): Promise<T> {
    return this.#writer.change(
      'step',
      async (now) => {
        const [next, result] = await step(now.world);
        if (next === now.world) return { after: now, result };
        const { after, followUp } = next.network
          ? await this.#withRound(now, next, next.network)
          : { after: { ...now, world: next } };
        const world =
          cause && this.options.keepsJournal
            ? { ...after.world, journal: after.world.journal.push(journalEntry(cause)) }
            : after.world;
        return { after: { ...after, world: Object.freeze(world) }, result, followUp };
      },
      cause,
    );
  }

  /** A change of a world with a network: what a closed block brings, and what follows it. */
  async #withRound(
    now: WorldAndSnapshots,
    next: World,
    network: Network,
  ): Promise<ChangeResult<void>> {
    const isRound = network.rounds > (now.world.network?.rounds ?? 0);
    if (!isRound) return { after: { ...now, world: next }, result: undefined };
    const { afterRound } = await import('./network/rounds/after-round.js');
    const world = Object.freeze(await afterRound(next, network, this.options));
    return {
      after: { ...now, world },
      result: undefined,
      followUp: (later) => this.#followUp(later),
    };
  }

  /** What follows a block of an imitated network, in a change of its own: observers see the block first. */
  async #followUp(now: WorldAndSnapshots): Promise<ChangeResult<void>> {
    const { network } = now.world;
    if (!network) return { after: now, result: undefined };
    const { followedUp } = await import('./network/rounds/after-round.js');
    const next = await followedUp(now.world, network, this.options);
    if (next === now.world || !next.network) return { after: now, result: undefined };
    return this.#withRound(now, next, next.network);
  }
}
