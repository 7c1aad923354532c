// What a check of invariants takes and returns.
import type { Arbitrary } from 'fast-check';
import type { Contract } from 'starknet';
import type { Fixture } from '../../fixtures/fixture.js';
import type { LocalTestChain } from '../../test-chain.js';
import type { History, StepValue } from './history.js';

/** A contract and the functions that histories call. */
export interface CalledContract {
  /** The address of the contract. */
  readonly address: string;
  /** Names of the functions; all external functions by default. */
  readonly functions?: readonly string[];
  /** Names of functions that are left out. */
  readonly exclude?: readonly string[];
}

/** A value that a function of a contract returned: integers and felts are bigints, addresses hex strings. */
export type ReturnedValue =
  | bigint
  | boolean
  | string
  | undefined
  | readonly ReturnedValue[]
  | { readonly [member: string]: ReturnedValue };

/** An argument of a call: numbers and addresses as bigints, numbers, or decimal or hex strings. */
export type CallArgument =
  | bigint
  | number
  | boolean
  | string
  | readonly CallArgument[]
  | { readonly [member: string]: CallArgument };

/** The chain in the middle of a history, for invariants and actions. */
export interface HistoryContext<T = unknown> {
  /** The value that the function of the fixture returned; undefined without a fixture. */
  readonly data: T;
  /** The addresses that call functions. */
  readonly actors: readonly string[];
  /** The time of the next block, in seconds. */
  readonly time: number;
  /** The number of the next block. */
  readonly blockNumber: number;
  /**
   * Calls a function, drops its writes, and decodes its result: bigints for integers and felts, hex strings for
   * addresses.
   *
   * @param contract a contract of the check, or any other address
   * @throws Error if the call fails, or the arguments do not fit the function
   * @example
   * const supply = await context.call(token, 'total_supply');
   * const isPaused = await context.call<boolean>(token, 'is_paused');
   */
  call<V extends ReturnedValue = bigint>(
    contract: string | { readonly address: string },
    name: string,
    args?: readonly CallArgument[],
  ): Promise<V>;
  /**
   * Calls a function as an address, and keeps its writes.
   *
   * @throws Error if the call fails, or the arguments do not fit the function
   */
  send<V extends ReturnedValue = bigint>(
    from: string,
    contract: string | { readonly address: string },
    name: string,
    args?: readonly CallArgument[],
  ): Promise<V>;
  /** Reads a storage slot. */
  storage(contract: string | { readonly address: string }, key: string | bigint): Promise<bigint>;
  /** Lets time pass before the next call. */
  increaseTime(seconds: number): void;
  /**
   * Returns a full chain that begins as the history is now, for reads that `call` has not. It takes longer than `call`,
   * and is closed after the function.
   */
  chain(): LocalTestChain;
  /** Sends real transactions: the history continues where the chain ends. For actions. */
  onChain<R>(run: (chain: LocalTestChain) => Promise<R>): Promise<R>;
}

/** A step of the user. */
export interface Action<T = unknown> {
  /** The arguments of `run`, as a tuple of fast-check. */
  readonly arguments?: Arbitrary<readonly StepValue[]>;
  /** How often histories perform it: a function of a contract has weight 1, the default. */
  readonly weight?: number;
  /**
   * Performs the step. If a `send` or `call` fails, the step fails and changes nothing. Any other throw is a violation.
   */
  run(context: HistoryContext<T>, ...args: readonly never[]): unknown;
}

/** A statement about the chain: false or a throw is a violation. */
export type Invariant<T = unknown> = (context: HistoryContext<T>) => unknown;

/** How long and how a check searches. */
export interface SearchOptions {
  /** Histories to run; 256 by default. */
  readonly runs?: number;
  /** Steps of a history; 32 by default. */
  readonly depth?: number;
  /** Ends the search after so many calls of steps. */
  readonly calls?: number;
  /** Ends the search after so many seconds. */
  readonly seconds?: number;
  /** The seed of all random choices; 0 by default. */
  readonly seed?: number;
  /** Worker threads of a check of a file: one for each core by default. */
  readonly workers?: number;
  /**
   * How steps are drawn: `guided` by default. `random` draws functions, callers and values with equal chances, without
   * coverage and without values that were seen, for comparison.
   */
  readonly strategy?: 'guided' | 'random';
  /** Whether histories that reach new code are recorded and mutated; true by default. */
  readonly coverage?: boolean;
  /** The folder of violations and histories to begin with; false reads and writes none. */
  readonly corpus?: string | false;
  /** Whether progress is written to stderr; true by default on a terminal and in CI. */
  readonly progress?: boolean;
  /** Ends the search. */
  readonly signal?: AbortSignal;
}

/** Options of `checkInvariants`. */
export interface InvariantOptions<T = unknown> extends SearchOptions {
  /** Addresses, starknet.js contracts, or contracts with a choice of functions. */
  readonly contracts: readonly (string | Contract | CalledContract)[];
  /** Addresses that call the functions; the predeployed accounts by default. */
  readonly actors?: readonly string[];
  /** Your own steps, by name. */
  readonly actions?: Readonly<Record<string, Action<T>>>;
  /** Statements that hold after every step, by name. */
  readonly invariants: Readonly<Record<string, Invariant<T>>>;
  /** Whether a call may fail: `allow` by default; `reject` takes a failed call for a violation. */
  readonly failures?: 'allow' | 'reject';
  /** Whether histories let time pass; true by default. A number is the longest jump in seconds. */
  readonly time?: boolean | number;
  /** Whether histories close blocks; true by default. */
  readonly blocks?: boolean;
}

/** Invariants with their fixture, as the default export of a file. */
export interface DefinedInvariants<T = unknown> {
  /** The prepared chain. */
  readonly fixture: Fixture<T>;
  /** The options for a branch of it. */
  readonly options: (
    data: T,
    chain: LocalTestChain,
  ) => InvariantOptions<T> | Promise<InvariantOptions<T>>;
}

/** Figures of a check. */
export interface CheckReport {
  /** The seed: the same seed repeats the search. */
  readonly seed: number;
  /** Histories that ran. */
  readonly runs: number;
  /** Calls of steps, without invariants. */
  readonly calls: number;
  /** Calls of invariants. */
  readonly views: number;
  /** Failed calls by reason, most frequent first. */
  readonly reverts: Readonly<Record<string, number>>;
  /** Bytecode offsets that sampled histories reached. */
  readonly offsets: number;
  /** Histories that reached new code. */
  readonly corpus: number;
  /** Worker threads; 0 in this process. */
  readonly workers: number;
  /** The duration, with the search for the shortest history. */
  readonly milliseconds: number;
  /** The part of it in which the history of a violation was shrunk; 0 without one. */
  readonly shrinkingMilliseconds: number;
  /** A hash of all histories in order: equal for equal seeds. */
  readonly digest: string;
  /** Whether a signal ended the search. */
  readonly isAborted: boolean;
  /** Remarks, such as a damaged file of the corpus. */
  readonly warnings: readonly string[];
}

/** A violated invariant with its shortest history. */
export interface Violation {
  /** The name of the invariant, or the reason of a failed call with `failures: 'reject'`. */
  readonly invariant: string;
  /** The message of the error that the invariant threw. */
  readonly message: string;
  /** The shortest history that violates the same invariant. */
  readonly history: History;
  /** Steps of the history before it was shrunk. */
  readonly originalLength: number;
  /** The index of the run that found it; undefined if it is of the corpus. */
  readonly run: number | undefined;
}
