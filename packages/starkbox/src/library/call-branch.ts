// A branch of a chain on which any address calls functions, without transactions.
import type {
  Block,
  CallFailure,
  Coverage,
  EventData,
  State,
  StorageWrite,
} from '@starkbox/engine';
import type { EXPLAINED } from '@starkbox/spec';
import { contextOf } from '../chain/execution/block-context.js';
import { closeNow } from '../chain/steps/close-block.js';
import { increasedBy } from '../chain/world/clock.js';
import { withDirectWrite } from '../chain/world/direct-writes.js';
import { latestHeader, pendingNumber } from '../chain/world/find-block.js';
import { nextTime, type World } from '../chain/world/world.js';
import type { ChainService } from '../service/chain-service.js';

/** A call of a function by any address. Felts are hexadecimal strings. */
export interface DirectCall {
  /** The address that calls. Contracts also see it as the account of the transaction. */
  readonly caller: string;
  /** The address of the called contract. */
  readonly contract: string;
  /** The selector of the function. */
  readonly selector: string;
  /** The encoded arguments. */
  readonly calldata: readonly string[];
}

/** The outcome of a call. */
export interface DirectResult {
  /** Whether the call failed. */
  readonly hasFailed: boolean;
  /** The returned felts; empty if the call failed. */
  readonly result: readonly string[];
  /** Why the call failed. */
  readonly failure: CallFailure | undefined;
  /** Sierra gas; 0 if the call did not run to an end. */
  readonly gas: number;
  /** The events in the order in which they were emitted. */
  events(): readonly EventData[];
  /** The slots that it wrote, in the order of addresses and keys. */
  writes(): readonly StorageWrite[];
  /** The call tree as JSON, in the form of a trace; undefined if the call did not run to an end. */
  traceText(): string | undefined;
}

/** Seconds from a block to the next. */
const BLOCK_SECONDS = 1;

/** The chain of a branch, and the function that makes a chain `C` for programs of a service. */
interface BranchParts<C> {
  readonly service: ChainService;
  readonly chainOf: (service: ChainService) => C;
}

/**
 * A branch of a chain on which any address calls functions, without accounts, fees and nonces. Its time depends on its
 * blocks alone: the pending block is a second later than the newest one, unless its time was set. `LocalChain.callBranch`
 * creates it.
 *
 * @example
 * const branch = chain.callBranch();
 * const { hasFailed } = await branch.call({ caller: '0xa11ce', contract, selector, calldata: ['0x1'] });
 */
export class CallBranch<C extends { close(): Promise<void> }> {
  readonly #parts: BranchParts<C>;
  #world: World;
  /** The state after the calls: a world is made of it when it is needed. */
  #state: State;
  #context: Block | undefined;

  /** @internal `LocalChain.callBranch` creates branches. */
  constructor(parts: BranchParts<C>, world: World, state = world.pendingState, context?: Block) {
    this.#parts = parts;
    this.#world = world;
    this.#state = state;
    this.#context = context;
  }

  /** @internal */
  static of<C extends { close(): Promise<void> }>(parts: BranchParts<C>): CallBranch<C> {
    const { world } = parts.service.chain;
    return new CallBranch(parts, withFixedTime(world));
  }

  /** Returns a branch that begins as this one is now. */
  branch(): CallBranch<C> {
    return new CallBranch(this.#parts, this.#world, this.#state, this.#context);
  }

  /** The number of the pending block. */
  get blockNumber(): number {
    return pendingNumber(this.#world);
  }

  /** The time of the pending block. */
  get time(): number {
    return nextTime(this.#world);
  }

  /**
   * Calls a function and keeps its writes unless it fails. The result is a promise on a fork alone.
   *
   * @param coverage gets the code that the call reaches
   * @throws EngineError if a felt is malformed, or the origin of a fork does not respond
   */
  call(call: DirectCall, coverage?: Coverage): DirectResult | Promise<DirectResult> {
    const invocation = this.#invoke(call, coverage);
    if (invocation instanceof Promise) return invocation.then((ended) => this.#keep(ended));
    return this.#keep(invocation);
  }

  /**
   * Calls a function and drops its writes. The result is a promise on a fork alone.
   *
   * @throws EngineError if a felt is malformed, or the origin of a fork does not respond
   */
  view(call: DirectCall): DirectResult | Promise<DirectResult> {
    return this.#invoke(call);
  }

  #invoke(
    { contract, selector, calldata, caller }: DirectCall,
    coverage?: Coverage,
  ): ReturnType<World['pendingState']['invoke']> {
    const { options } = this.#parts.service.chain;
    this.#context ??= contextOf(this.#world, options, this.blockNumber);
    const call = { contract_address: contract, entry_point_selector: selector, calldata, caller };
    return this.#state.invoke(this.#context, call, coverage);
  }

  #keep(invocation: Awaited<ReturnType<World['pendingState']['invoke']>>): DirectResult {
    if (!invocation.hasFailed) this.#state = invocation.next;
    return invocation;
  }

  /** The value of a slot. */
  storageAt(address: string, key: string): Promise<string> {
    return this.#state.storageAt(address, key);
  }

  /**
   * Lets time pass in the pending block.
   *
   * @throws RpcError if the time exceeds the largest timestamp
   */
  increaseTime(seconds: number): void {
    const { timestamp } = latestHeader(this.#world);
    this.#world = { ...this.#world, clock: increasedBy(this.#world.clock, seconds, timestamp) };
    this.#context = undefined;
  }

  /** Closes the pending block. */
  async mine(): Promise<void> {
    const [next] = await closeNow(this.#writtenWorld(), this.#parts.service.chain.options);
    this.#replace(next);
  }

  /** Returns a chain that begins as this branch is now. Neither sees later changes of the other. */
  chain(): C {
    const { service, chainOf } = this.#parts;
    return chainOf(service.branch(this.#writtenWorld()));
  }

  /** Runs a function on a chain that begins as this branch is now, and continues where that chain ends. */
  async onChain<T>(run: (chain: C) => Promise<T>): Promise<T> {
    const { service, chainOf } = this.#parts;
    const branch = service.branch(this.#writtenWorld());
    const chain = chainOf(branch);
    try {
      const result = await run(chain);
      this.#replace(withFixedTime(branch.chain.world));
      return result;
    } finally {
      await chain.close();
    }
  }

  /** Explains why a call fails, with Cairo lines if the chain has them; undefined if it does not fail. */
  async explain(call: DirectCall): Promise<EXPLAINED | undefined> {
    const { failure } = await this.view(call);
    if (!failure) return undefined;
    const { contract, selector, calldata, caller } = call;
    const transaction = {
      type: 'CALL',
      contract_address: contract,
      entry_point_selector: selector,
      calldata,
      caller,
    };
    const service = this.#parts.service.branch(this.#writtenWorld());
    try {
      const subject = { transaction, status: 'REVERTED' as const, reason: failure.message };
      return await service.explainer.attempt(subject);
    } finally {
      await service.close();
    }
  }

  /** The world with the writes of the calls. */
  #writtenWorld(): World {
    const isWritten = this.#state === this.#world.pendingState;
    return isWritten ? this.#world : withDirectWrite(this.#world, this.#state);
  }

  #replace(world: World): void {
    this.#world = world;
    this.#state = world.pendingState;
    this.#context = undefined;
  }
}

/** The world with a time that does not depend on the real one. */
function withFixedTime(world: World): World {
  return { ...world, clock: { ...world.clock, step: world.clock.step ?? BLOCK_SECONDS } };
}
