// Weights of a block under construction, and its capacity.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow } from './call.js';

/**
 * Weights of a block as the sequencer's bouncer counts them, or the capacity of a block in these weights. Each is a
 * whole number below 2^53.
 */
export interface CapacityFigures {
  /** Gas of messages to L1 on L1. */
  readonly l1_gas: number;
  /** Felts of messages between the layers. */
  readonly message_segment_length: number;
  readonly n_events: number;
  readonly n_txs: number;
  /** Felts of the published state difference. */
  readonly state_diff_size: number;
  readonly sierra_gas: number;
  /** The price of a builtin follows from the network's capacity, not from the capacity of the block. */
  readonly proving_gas: number;
  /** L2 gas of the receipts. */
  readonly receipt_l2_gas: number;
}

/** The name of a weight. */
export type WeightName = keyof CapacityFigures;

const WEIGHT_NAMES: readonly WeightName[] = [
  'l1_gas',
  'message_segment_length',
  'n_events',
  'n_txs',
  'state_diff_size',
  'sierra_gas',
  'proving_gas',
  'receipt_l2_gas',
];

/**
 * Accumulated weights of a block under construction: an immutable value. Executed classes, visited slots and changes of
 * the state count once in a block, so that a transaction weighs less after a similar one.
 *
 * @example
 * let weights = BlockWeights.empty();
 * const execution = await state.executeWithin(block, transaction, {}, { weights, capacity });
 * if ('weights' in execution) weights = execution.weights;
 */
export class BlockWeights {
  /** @internal */
  readonly native: binding.BlockWeights;

  /** @internal */
  constructor(native: binding.BlockWeights) {
    this.native = native;
  }

  /** Weights of a block without transactions. */
  static empty(): BlockWeights {
    return new BlockWeights(callNow(() => new addon.BlockWeights()));
  }

  /** Reads the result of `toText`, and throws an `EngineError` for other texts. */
  static fromText(text: string): BlockWeights {
    return new BlockWeights(callNow(() => addon.BlockWeights.parse(text)));
  }

  /** The sums over the transactions. */
  get figures(): CapacityFigures {
    return callNow(() => this.native.figures);
  }

  /** All of it as text for storage; equal weights have equal texts. */
  toText(): string {
    return callNow(() => this.native.toText());
  }
}

/** What a block has, and what it may have at most. */
export interface BlockRoom {
  /** The weights of its transactions so far. */
  readonly weights: BlockWeights;
  readonly capacity: CapacityFigures;
}

/** @internal */
export function exceededWeights(names: readonly string[]): readonly WeightName[] {
  return WEIGHT_NAMES.filter((name) => names.includes(name));
}
