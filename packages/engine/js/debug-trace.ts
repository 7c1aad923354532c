// Executions recorded step by step, read by ranges.
import type * as binding from '../binding.js';
import { callNow } from './call.js';
import { parseReport } from './error.js';

/** What a trace may keep. */
export interface DebugLimits {
  /** Beyond so many, the last ones before the end are kept. */
  readonly maxSteps: number;
  /** Beyond so many, the memory of runs that ended first is dropped. */
  readonly maxBytes: number;
}

/** One call of a contract in a recorded execution. */
export interface DebugRun {
  /** Index of the calling run; none for the validation and the execution. */
  readonly parent?: number;
  /** Index of the system call that made it. */
  readonly parent_action?: number;
  readonly contract_address: string;
  readonly class_hash: string;
  readonly caller_address: string;
  readonly entry_point_selector: string;
  readonly entry_point_type: 'EXTERNAL' | 'CONSTRUCTOR' | 'L1_HANDLER';
  readonly call_type: 'CALL' | 'DELEGATE';
  readonly code: 'none' | 'cairo0' | 'cairo1';
  readonly calldata: readonly string[];
  /** Returned felts or the panic data; none after an error of the machine. */
  readonly result?: readonly string[];
  readonly failed: boolean;
  readonly initial_gas: number;
  /** Steps without those of nested runs; 0 unless the code is Cairo 1. */
  readonly step_count: number;
  /** The first step that the trace has. */
  readonly first_step: number;
  /** The step that caused the failure. */
  readonly failure_step?: number;
  /** Lengths of the segments of the memory; empty if it was dropped. */
  readonly segments: readonly number[];
}

/** A system call of a run. */
export interface DebugAction {
  readonly run: number;
  /** In Cairo 0 code, the number of system calls before it. */
  readonly step: number;
  readonly name: string;
  readonly failed: boolean;
  readonly gas?: number;
  readonly contract_address?: string;
  readonly key?: string;
  readonly value?: string;
  readonly previous?: string;
  readonly keys?: readonly string[];
  readonly data?: readonly string[];
  readonly to_address?: string;
  readonly called_run?: number;
}

/** A recorded execution without its steps and memory. */
export interface DebugReport {
  /** In the order in which they began. */
  readonly runs: readonly DebugRun[];
  /** In the order in which they began. */
  readonly actions: readonly DebugAction[];
  readonly dropped_steps: number;
  readonly dropped_memory: number;
  readonly bytes: number;
  readonly printed: readonly {
    readonly run: number;
    readonly step: number;
    readonly text: string;
  }[];
}

/** A recorded execution. Its steps and memory stay in the engine. */
export class DebugTrace {
  readonly #native: binding.DebugTrace;

  /** @internal */
  constructor(native: binding.DebugTrace) {
    this.#native = native;
  }

  report(): DebugReport {
    return parseReport<DebugReport>(callNow(() => this.#native.report()));
  }

  /**
   * The offset of the instruction in the program, the allocation pointer and the frame pointer of consecutive steps, as
   * unsigned integers of 32 bits, little-endian, in base64. Pointers are offsets in segment 1.
   */
  steps(run: number, first: number, count: number): string {
    return callNow(() => this.#native.steps(run, first, count));
  }

  /** Consecutive cells: numbers in hexadecimal, pointers as `segment:offset`, null for cells that were not written or kept. */
  memory(run: number, segment: number, first: number, count: number): readonly (string | null)[] {
    return callNow(() => this.#native.memory(run, segment, first, count)).map(
      (cell) => cell ?? null,
    );
  }
}
