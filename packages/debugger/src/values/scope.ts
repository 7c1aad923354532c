// Variables of an active function at a step, by the names of Cairo.
import type { Scope } from '../debugger.js';
import type { DebugClass } from './debug-class.js';

/** The registers before a step. Pointers are offsets in segment 1, the stack. */
export interface Registers {
  readonly pc: number;
  readonly ap: number;
  readonly fp: number;
}

/** An active function of a run at a step. Each call has an fp of its own in a run. */
export interface Activation {
  readonly fp: number;
  /**
   * Steps of the run with this fp, from the step of interest backwards to the first: the function's own steps,
   * without those of functions that it called. In a frame that is waiting for a callee, the first is its call.
   */
  steps(): Iterable<Registers>;
  /**
   * The step after the step of interest with this fp, or none if it did not return. It tells which branch the last
   * statement took.
   */
  next(): Registers | undefined;
}

/** A cell as a number, as a pointer, or undefined if it was not written. */
export type Cell = bigint | Pointer | undefined;

export interface Pointer {
  readonly segment: number;
  readonly offset: number;
}

/** Reads cells of consecutive offsets of a run's memory. */
export type MemoryReader = (
  segment: number,
  first: number,
  count: number,
) => Promise<readonly Cell[]>;

export interface ScopeRequest {
  readonly debugClass: DebugClass;
  readonly activation: Activation;
  readonly memory: MemoryReader;
  /** Which location of the step's statement the frame is of: 0 is the innermost inlined function. */
  readonly inlinedIndex: number;
}

/** The variables of a frame. */
export async function scopeOf(_request: ScopeRequest): Promise<Scope> {
  return { variables: [], unmapped: 0 };
}

/** Sierra gas left at the latest gas check of the activation. */
export async function gasOf(
  _debugClass: DebugClass,
  _activation: Activation,
  _memory: MemoryReader,
): Promise<bigint | undefined> {
  return undefined;
}
