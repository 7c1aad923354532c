// What drawing takes from executions, and gives to them.
import type { History, Step } from '../model/history.js';
import type { SeenValues } from '../values/seen.js';

/** What a run depends on besides its seed and index. */
export interface Guide {
  /** Histories to mutate, as they reached new code. */
  readonly corpus: readonly History[];
  readonly seen: SeenValues;
}

/** What a step has shown. `DirectResult` fits. */
export interface StepResult {
  readonly hasFailed: boolean;
  readonly result: readonly string[];
  events(): readonly { readonly keys: readonly string[]; readonly data: readonly string[] }[];
  writes(): readonly { readonly value: string }[];
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
  observe(result: StepResult, readsEvents?: boolean): void;
  /** Values that this run has shown, to be merged at the end of the round. */
  seen(): SeenValues;
}
