// Knows the life of one chain: every change goes through here, one at a time.
import { type Class, type ClassLimits, messageToL1Hash, type Rejection } from '@starkbox/engine';
import { fail, refuse } from '../errors.js';
import type { BLOCK_ID } from '../spec.js';
import {
  type BlockRules,
  closeBlock,
  findBlock,
  latestHeader,
  pendingContext,
  withOldHash,
} from './block.js';
import { increasedBy, nextBlockTime, setTo } from './clock.js';
import type { GasPrices } from './gas.js';
import type { Genesis } from './genesis.js';
import { type Impersonation, isImpersonated } from './impersonation.js';
import { type L1Message, l1Handler } from './l1-handler.js';
import {
  type MessageToL1,
  withConsumed,
  withIncoming,
  withoutBlocksFrom,
  withoutIncoming,
} from './messages.js';
import { checkProof, type ProofMode } from './proof.js';
import { executing, refuseSubmission } from './rejection.js';
import { applyChange, checkShape, compileGiven, type StateChange } from './state-diff.js';
import { type Broadcasted, included, type Prepared, prepare } from './transaction.js';
import { firstWorld, isKnown, NOTHING_PENDING, type World, withIncluded } from './world.js';

export interface ChainOptions extends BlockRules {
  readonly genesis: Genesis;
  /** When blocks are closed: after each transaction, on demand, or every so many seconds. */
  readonly blockGeneration: 'transaction' | 'demand' | number;
  readonly keepsHistory: boolean;
  readonly startTime: number | undefined;
  readonly prices: GasPrices;
  readonly proofMode: ProofMode;
  readonly classLimits: ClassLimits;
  /** The call that is being handled, where calls are kept. */
  readonly callUnderWay?: () => string | undefined;
}

/** A world took the place of another. */
export interface Change {
  /** One after the other, a world that was kept, or everything from the start. */
  readonly kind: 'step' | 'revert' | 'restart';
  readonly before: World;
  readonly after: World;
}

export class Chain {
  readonly options: ChainOptions;
  #world: World;
  /** Resolves when every change that was asked for so far has happened or failed. */
  #tail: Promise<unknown> = Promise.resolve();
  #snapshots = new Map<bigint, World>();
  #lastSnapshot = 0n;
  #timer: NodeJS.Timeout | undefined;
  readonly #watchers = new Set<(change: Change) => void>();

  constructor(options: ChainOptions, world: World) {
    this.options = options;
    this.#world = world;
  }

  static async create(options: ChainOptions): Promise<Chain> {
    return new Chain(options, await createWorld(options));
  }

  /** What the chain is at this moment. A reader that keeps it sees nothing change. */
  get world(): World {
    return this.#world;
  }

  /** Another chain with the same past; neither sees what the other does from here on. */
  branch(): Chain {
    return new Chain(this.options, this.#world);
  }

  /** Tells of every change, in order, before whoever asked for it has an answer. */
  watch(watcher: (change: Change) => void): void {
    this.#watchers.add(watcher);
  }

  /** Begins to close blocks by the clock, where the options say so. */
  start(onError: (error: unknown) => void): void {
    const { blockGeneration } = this.options;
    if (typeof blockGeneration !== 'number') return;
    this.#timer = setInterval(() => {
      this.createBlock().catch(onError);
    }, blockGeneration * 1000);
    this.#timer.unref();
  }

  /** Stops the clock and waits for what is under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tail;
  }

  // Transactions.

  /** Executes a transaction and includes it, or throws the reason why not. */
  async submit(values: Broadcasted): Promise<Prepared['transaction']> {
    const preparing = this.#prepare(values);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    await this.#write((world) => this.#execute(world, prepared));
    return prepared.transaction;
  }

  /** As `submit`, for a transaction that depends on the world it meets; the world it leaves. */
  async submitTo(
    build: (world: World) => Promise<Broadcasted>,
  ): Promise<{ readonly hash: string; readonly world: World }> {
    return this.#write(async (world) => {
      const prepared = await this.#prepare(await build(world));
      const [next] = await this.#execute(world, prepared);
      return [next, { hash: prepared.transaction.hash, world: next }];
    });
  }

  #prepare(values: Broadcasted): Prepared | Promise<Prepared> {
    const { chainId, classLimits, proofMode } = this.options;
    if (values.type === 'INVOKE') checkProof(values, proofMode);
    return prepare(values, chainId, classLimits);
  }

  /** Executes a message from L1; a handler that fails is kept as reverted. */
  async sendMessageToL2(message: L1Message): Promise<Prepared['transaction']> {
    const prepared = l1Handler(message, this.options.chainId);
    const { l1_transaction_hash } = prepared.values;
    const { hash } = prepared.transaction;
    await this.#write((world) => {
      const messages =
        l1_transaction_hash === null
          ? world.messages
          : withIncoming(world.messages, l1_transaction_hash, hash);
      return this.#execute({ ...world, messages }, prepared);
    });
    return prepared.transaction;
  }

  async #execute(world: World, prepared: Prepared): Promise<readonly [World, undefined]> {
    const { transaction } = prepared;
    if (isKnown(world, transaction.hash)) fail('DUPLICATE_TX');
    const time = nextBlockTime(world.clock);
    const context = pendingContext(world, this.options, time);
    const done = await executing(
      world.state.execute(context, transaction, {
        validate: !isImpersonated(world.impersonation, transaction.address),
        strictNonce: this.#closesAtOnce || transaction.type === 'DECLARE',
      }),
    );
    if (done.outcome === 'rejected') {
      await mustBeDeclared(world, prepared, done.rejection);
      refuseSubmission(done.rejection);
    }
    const pending = withIncluded(world.pending, included(prepared, done));
    const next = { ...world, state: done.next, pending };
    return [this.#closesAtOnce ? await closeBlock(next, this.options, time) : next, undefined];
  }

  get #closesAtOnce(): boolean {
    return this.options.blockGeneration === 'transaction';
  }

  // Blocks.

  /** Closes the block under construction, whatever it holds; its hash. */
  createBlock(): Promise<string> {
    return this.#write(async (world) => this.#close(world));
  }

  async #close(world: World): Promise<readonly [World, string]> {
    const next = await closeBlock(world, this.options, nextBlockTime(world.clock));
    return [next, latestHeader(next).hash];
  }

  /** Undoes a block and all after it; their hashes, newest first. */
  abortBlocks(start: BLOCK_ID): Promise<readonly string[]> {
    return this.#write(async (world) => {
      if (!world.keepsHistory) {
        refuse('The abort blocks feature requires state-archive-capacity set to full.');
      }
      const [whole] = start === 'pre_confirmed' ? await this.#close(world) : [world];
      const from = findBlock(whole, start === 'pre_confirmed' ? 'latest' : start);
      if (from === undefined) refuse('No block found');
      if (from === whole.history.first) refuse("Genesis block can't be aborted");
      const numbers = descending(latestHeader(whole).number, from);
      const aborted = numbers.map((number) => whole.history.header(number)?.hash ?? '0x0');
      const gone = new Set(numbers.flatMap((number) => whole.history.hashes(number)));
      for (const hash of whole.pending.positions.keys()) gone.add(hash);
      const history = whole.history.truncate(from);
      const latest = await whole.state.rewind(from - 1);
      const accepted = whole.acceptedOnL1;
      const next: World = {
        ...whole,
        history,
        latest,
        state: await withOldHash(latest, history),
        pending: NOTHING_PENDING,
        messages: withoutIncoming(withoutBlocksFrom(whole.messages, from), gone),
        acceptedOnL1: accepted === undefined ? undefined : Math.min(accepted, from - 1),
      };
      return [next, aborted];
    });
  }

  /** Accepts a block and all before it on L1; hashes of those that were not yet, newest first. */
  acceptOnL1(start: BLOCK_ID): Promise<readonly string[]> {
    return this.#write(async (world) => {
      if (start === 'pre_confirmed') refuse('Pre-confirmed block cannot be accepted on L1');
      const number = findBlock(world, start) ?? refuse('No block found');
      const { acceptedOnL1, history } = world;
      if (acceptedOnL1 !== undefined && number <= acceptedOnL1) {
        refuse('Block already accepted on L1');
      }
      const oldest = acceptedOnL1 === undefined ? history.first : acceptedOnL1 + 1;
      const accepted = descending(number, oldest).map((n) => history.header(n)?.hash ?? '0x0');
      return [{ ...world, acceptedOnL1: number }, accepted];
    });
  }

  // Time and prices.

  /** Sets the time of the next block, and closes it if asked to; its hash then. */
  setTime(time: number, generateBlock: boolean): Promise<string | undefined> {
    return this.#write(async (world) => {
      const next = { ...world, clock: setTo(time) };
      return generateBlock ? this.#close(next) : [next, undefined];
    });
  }

  /** Moves time forward and closes a block; its hash. */
  increaseTime(seconds: number): Promise<string> {
    return this.#write(async (world) =>
      this.#close({ ...world, clock: increasedBy(world.clock, seconds) }),
    );
  }

  /** Sets prices for the blocks after the one under construction; all prices then. */
  setGasPrice(changes: Partial<GasPrices>, generateBlock: boolean): Promise<GasPrices> {
    return this.#write(async (world) => {
      const prices = { ...world.gas.next, ...changes };
      const next = { ...world, gas: { ...world.gas, next: prices } };
      const [done] = generateBlock ? await this.#close(next) : [next];
      return [done, prices];
    });
  }

  // Cheats.

  impersonate(change: (now: Impersonation) => Impersonation): Promise<void> {
    return this.#write(async (world) => [
      { ...world, impersonation: change(world.impersonation) },
      undefined,
    ]);
  }

  /** Writes into the state without a transaction; the classes that came with it. */
  async applyStateDiff(change: StateChange): Promise<readonly Class[]> {
    checkShape(change);
    const { classes: given = [] } = change;
    const classes = given.length === 0 ? [] : await compileGiven(given, this.options.classLimits);
    return this.#write(async (world) => {
      const state = await applyChange(world.state, change, classes);
      return [{ ...world, state }, classes];
    });
  }

  // Messages.

  /** Takes a message as its receiver on L1 would; its hash. */
  consumeMessage(message: MessageToL1): Promise<string> {
    const hash = messageToL1Hash(message);
    return this.#write(async (world) => {
      const messages =
        withConsumed(world.messages, hash) ??
        refuse(
          `Message to L1 with hash ${hash} is not present (never received OR already consumed).`,
        );
      return [{ ...world, messages }, hash];
    });
  }

  // The whole chain.

  /** Everything from the start again; snapshots are gone. */
  async restart(): Promise<void> {
    return this.replace(() => createWorld(this.options));
  }

  /** Puts another world in the place of this one; snapshots are gone. */
  replace(make: () => Promise<World>): Promise<void> {
    return this.#write(async () => {
      const world = await make();
      this.#snapshots.clear();
      return [world, undefined];
    }, 'restart');
  }

  /** Remembers this moment; the name to come back to it by. */
  snapshot(): Promise<bigint> {
    return this.#write(async (world) => {
      this.#lastSnapshot += 1n;
      this.#snapshots.set(this.#lastSnapshot, world);
      return [world, this.#lastSnapshot];
    });
  }

  /** Goes back to a snapshot, which is used up with all later ones; false if there is none. */
  revert(id: bigint): Promise<boolean> {
    return this.#write(async (world) => {
      const kept = this.#snapshots.get(id);
      if (!kept) return [world, false];
      for (const later of this.#snapshots.keys()) if (later >= id) this.#snapshots.delete(later);
      return [kept, true];
    }, 'revert');
  }

  /** Runs one change after another, in the order they were asked for. An error changes nothing. */
  #write<T>(
    change: (world: World) => Promise<readonly [World, T]>,
    kind: Change['kind'] = 'step',
  ): Promise<T> {
    const run = this.#tail.then(async () => {
      const before = this.#world;
      const [made, result] = await change(before);
      const call = made === before || kind !== 'step' ? undefined : this.options.callUnderWay?.();
      const after = call === undefined ? made : { ...made, journal: made.journal.push(call) };
      this.#world = Object.freeze(after);
      if (after !== before) for (const tell of this.#watchers) tell({ kind, before, after });
      return result;
    });
    this.#tail = run.catch(() => undefined);
    return run;
  }
}

/** An account of an unknown class fails in its constructor; this is why. */
async function mustBeDeclared(
  { state }: World,
  { values }: Prepared,
  { reason }: Rejection,
): Promise<void> {
  const failedEarlier = reason === 'nonce' || reason === 'balance' || reason === 'resource_bounds';
  if (values.type !== 'DEPLOY_ACCOUNT' || failedEarlier) return;
  if (!(await state.class(values.class_hash))) fail('CLASS_HASH_NOT_FOUND');
}

async function createWorld(options: ChainOptions): Promise<World> {
  const { genesis, startTime, prices, keepsHistory } = options;
  const world = firstWorld(genesis.state, { startTime, prices, keepsHistory });
  return closeBlock(world, options, nextBlockTime(world.clock));
}

function descending(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, from - to + 1) }, (_, index) => from - index);
}
