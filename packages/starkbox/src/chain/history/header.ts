// Types of a closed block: header, gas prices and transaction records.

import type { StarknetVersion } from '../../starknet-versions.js';
import type { TransactionTexts } from './packed-texts.js';

export interface Price {
  readonly price_in_fri: string;
  readonly price_in_wei: string;
}

/** Prices as block headers carry them. */
export interface HeaderPrices {
  readonly l1_gas_price: Price;
  readonly l1_data_gas_price: Price;
  readonly l2_gas_price: Price;
}

/** Hashes and commitments are canonical felts. */
export interface Header {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly prices: HeaderPrices;
  /** Undefined: the usual one. */
  readonly sequencer?: string | undefined;
  /** Whose constants metered it. Undefined: the newest. */
  readonly starknetVersion?: StarknetVersion | undefined;
  readonly transactionCount: number;
  readonly eventCount: number;
  readonly stateDiffLength: number;
  readonly transactionCommitment: string;
  readonly eventCommitment: string;
  readonly receiptCommitment: string;
  readonly stateDiffCommitment: string;
}

export interface TransactionRecord extends TransactionTexts {
  readonly hash: string;
}

export interface ClosedBlock {
  readonly header: Header;
  readonly transactions: readonly TransactionRecord[];
  /** JSON text; present if the states of the chain do not keep the differences of blocks. */
  readonly stateDiff?: string | undefined;
  /** Marks from `blockKeysOf`. */
  readonly blockKeys?: readonly number[] | undefined;
}
