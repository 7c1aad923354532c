// A run of steps by hand: printed tests repeat a history with it.
import type { CallBranch } from 'starkbox';
import type { LocalTestChain } from '../test-chain.js';
import type {
  CallArgument,
  DefinedInvariants,
  HistoryContext,
  InvariantOptions,
  ReturnedValue,
} from './model/options.js';
import { CallFailed, SessionContext } from './runner/context.js';
import { actorsOf, targetsOf } from './runner/targets.js';

/** Options of `openRun`. */
export type RunOptions<T = unknown> = Partial<
  Pick<InvariantOptions<T>, 'contracts' | 'actors' | 'actions' | 'invariants'>
>;

type ContractRef = string | { readonly address: string };

/**
 * Opens a run on a branch of a chain: its steps change neither the chain nor other runs.
 *
 * @param source a chain with the options of `checkInvariants`, or the default export of a file of invariants
 * @throws TypeError if the options list something else than contracts
 * @example
 * await using run = await openRun(chain, options);
 * await run.attempt(alice, vault, 'deposit', [5n]);
 * run.increaseTime(3600);
 * await run.check('solvent');
 */
export function openRun<T>(invariants: DefinedInvariants<T>): Promise<Run<T>>;
export function openRun(
  chain: LocalTestChain,
  options?: RunOptions<undefined>,
): Promise<Run<undefined>>;
export async function openRun<T>(
  source: DefinedInvariants<T> | LocalTestChain,
  options: RunOptions<undefined> = {},
): Promise<Run<T> | Run<undefined>> {
  if (!('fixture' in source)) return Run.open(source, options, undefined);
  const { chain, data } = await source.fixture.branch();
  try {
    return await Run.open(chain, await source.options(data, chain), data, () => chain.close());
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Steps and checks on a branch of a chain. */
export class Run<T = unknown> {
  /** The addresses that call functions. */
  readonly actors: readonly string[];
  /** The addresses of the contracts in the options. */
  readonly contracts: readonly string[];
  readonly #context: SessionContext<T>;
  readonly #start: CallBranch;
  readonly #options: RunOptions<T>;
  readonly #close: () => Promise<void>;

  /** @internal `openRun` opens runs. */
  constructor(
    context: SessionContext<T>,
    contracts: readonly string[],
    options: RunOptions<T>,
    close: () => Promise<void>,
  ) {
    this.contracts = contracts;
    this.#context = context;
    this.#start = context.branch.branch();
    this.#options = options;
    this.#close = close;
    this.actors = context.actors;
  }

  /** @internal */
  static async open<T>(
    chain: LocalTestChain,
    options: RunOptions<T>,
    data: T,
    close: () => Promise<void> = async () => undefined,
  ): Promise<Run<T>> {
    const targets = await targetsOf(chain, options.contracts ?? []);
    const actors = actorsOf(chain, options.actors);
    const branch: CallBranch = chain.callBranch();
    const context = new SessionContext(branch, {
      data,
      actors: actors.map(({ address }) => address),
      targets,
    });
    const contracts = targets.map(({ address }) => address);
    return new Run(context, contracts, options, close);
  }

  /** Returns to the state in which the run was opened. */
  restart(): void {
    this.#context.branch = this.#start.branch();
  }

  /**
   * Returns the address of a contract in the options.
   *
   * @throws RangeError if the options list fewer contracts
   */
  contract(index: number): string {
    return itemOf(this.contracts, index, 'contracts');
  }

  /**
   * Returns the address of an actor: of the options, or a predeployed account.
   *
   * @throws RangeError if there are fewer actors
   */
  actor(index: number): string {
    return itemOf(this.actors, index, 'actors');
  }

  /** The context that invariants and actions get. */
  get context(): HistoryContext<T> {
    return this.#context;
  }

  /** The time of the next block, in seconds. */
  get time(): number {
    return this.#context.time;
  }

  /** The number of the next block. */
  get blockNumber(): number {
    return this.#context.blockNumber;
  }

  /**
   * Calls a function as an address, keeps its writes, and returns the decoded result.
   *
   * @throws Error with the reason if the call fails
   */
  send<V extends ReturnedValue = bigint>(
    from: string,
    contract: ContractRef,
    name: string,
    args: readonly CallArgument[] = [],
  ): Promise<V> {
    return this.#context.send<V>(from, contract, name, args);
  }

  /**
   * Calls a function as `send` does. A call that fails changes nothing.
   *
   * @returns the reason of a failed call
   * @throws Error if the arguments do not fit the function
   */
  async attempt(
    from: string,
    contract: ContractRef,
    name: string,
    args: readonly CallArgument[] = [],
  ): Promise<string | undefined> {
    try {
      await this.send(from, contract, name, args);
      return undefined;
    } catch (error) {
      if (error instanceof CallFailed) return error.reason;
      throw error;
    }
  }

  /**
   * Calls a function, drops its writes, and returns the decoded result.
   *
   * @throws Error with the reason if the call fails
   */
  call<V extends ReturnedValue = bigint>(
    contract: ContractRef,
    name: string,
    args: readonly CallArgument[] = [],
  ): Promise<V> {
    return this.#context.call<V>(contract, name, args);
  }

  /** Lets time pass before the next call. */
  increaseTime(seconds: number): void {
    this.#context.increaseTime(seconds);
  }

  /** Closes the pending block. */
  async mine(): Promise<void> {
    await this.#context.branch.mine();
  }

  /**
   * Performs an action of the options. An action with a failed call changes nothing.
   *
   * @returns the reason of a failed call
   * @throws Error if the options have no such action, or the action throws another error
   */
  async act(name: string, args: readonly CallArgument[] = []): Promise<string | undefined> {
    const action = this.#options.actions?.[name];
    if (!action) throw new TypeError(`The options have no action ${name}: add it to "actions"`);
    return (await this.#context.perform(action, args))?.reason;
  }

  /**
   * Checks one invariant of the options, or all of them.
   *
   * @throws Error with the name of the first one that does not hold
   */
  async check(name?: string): Promise<void> {
    const invariants = Object.entries(this.#options.invariants ?? {});
    const checked = invariants.filter(([invariant]) => name === undefined || invariant === name);
    if (checked.length === 0) {
      throw new TypeError(`The options have no invariant ${name ?? ''}: add it to "invariants"`);
    }
    for (const [invariant, holds] of checked) {
      try {
        if ((await holds(this.#context)) === false) throw new Error('It returned false');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`Invariant '${invariant}' is violated: ${reason}`, { cause: error });
      } finally {
        await this.#context.closeChains();
      }
    }
  }

  /** Closes the branch of the fixture, if the run opened it. */
  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function itemOf(addresses: readonly string[], index: number, option: string): string {
  const address = addresses[index];
  if (address !== undefined) return address;
  throw new RangeError(
    `Expected an index below the number of ${option}, ${addresses.length}, not ${index}`,
  );
}
