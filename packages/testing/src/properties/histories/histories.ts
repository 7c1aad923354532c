// Histories of calls: generated from ABIs, mutated, shrunk and encoded.
import type { Abi } from '@starkbox/abi';
import type * as fc from 'fast-check';
import type { CallStep, History, Step, StepValue } from '../model.js';
import type { SeenValues } from '../values/seen.js';

/** An address that calls. */
export interface Actor {
  /** As printed tests call it, for example `alice`. */
  readonly name: string;
  readonly address: string;
}

/** A contract whose functions are called. */
export interface Target {
  /** As printed tests call it, for example `vault`. */
  readonly name: string;
  readonly address: string;
  readonly abi: Abi;
  /** Names of the functions; all external ones by default. */
  readonly functions?: readonly string[];
  /** Names of functions that are not called. */
  readonly exclude?: readonly string[];
  /** Numbers in the code of its class. */
  readonly constants?: readonly bigint[];
}

/** An action of the user. */
export interface ActionTarget {
  readonly name: string;
  /** None by default. */
  readonly arguments?: fc.Arbitrary<readonly StepValue[]>;
  /** How often it is drawn: a function has weight 1, the default. */
  readonly weight?: number;
}

/** What histories consist of. */
export interface HistoriesOptions {
  readonly targets: readonly Target[];
  readonly actors: readonly Actor[];
  readonly actions?: readonly ActionTarget[];
  /** Most steps of a history. */
  readonly depth: number;
  /** The longest jump in seconds, or false. */
  readonly time?: number | false;
  /** Whether steps close blocks. */
  readonly blocks?: boolean;
  /** The time of the chain at the start, in seconds. */
  readonly startTime?: number;
}

/** What a run depends on besides its seed and index. */
export interface Guide {
  /** Histories to mutate, as they reached new code. */
  readonly corpus: readonly History[];
  readonly seen: SeenValues;
}

/** What a step has shown. `DirectResult` fits. */
export interface StepResult {
  readonly failure: unknown;
  readonly result: readonly string[];
  events(): readonly { readonly keys: readonly string[]; readonly data: readonly string[] }[];
  writes(): readonly { readonly value: string }[];
}

/** A call as the engine takes it. */
export interface EncodedCall {
  readonly caller: string;
  readonly contract: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/** The steps of one run, drawn one by one: each may use what the steps before it have shown. */
export interface Drawing {
  /** The steps so far. */
  readonly history: History;
  /**
   * The next step; undefined at the end.
   *
   * @param time the time of the chain in seconds: jumps end close to times in storage
   */
  next(time?: number): Step | undefined;
  /** Adds values of the last step. Optional; deterministic if it is called for the same steps in each run. */
  observe(result: StepResult): void;
  /** Values that this run has shown, to be merged at the end of the round. */
  seen(): SeenValues;
}

/** Draws, shrinks and encodes histories: `new Histories(options)`. */
export interface HistorySource {
  /** The steps of a run, one by one. */
  draw(seed: number, run: number, guide: Guide): Drawing;
  /** All steps of a run, drawn without results. */
  generate(seed: number, run: number, guide: Guide): History;
  /** Merges values of runs in their order. */
  merge(seen: SeenValues, ...runs: readonly SeenValues[]): SeenValues;
  /** Values seen before the first run: constants of classes. */
  readonly constants: SeenValues;
  /** Shrinks any history of these targets without context: fewer steps, then simpler ones. */
  readonly shrinker: fc.Arbitrary<History>;
  /** @throws Error if the contract, the function or the arguments are unknown */
  encode(step: CallStep): EncodedCall;
  /** A view of a contract. @throws Error if the function is unknown */
  encodeCall(
    caller: string,
    contract: string,
    name: string,
    values: readonly StepValue[],
  ): EncodedCall;
  /** The value that a function returned: undefined for none, a list for several. */
  decode(contract: string, name: string, result: readonly string[]): StepValue | undefined;
}
