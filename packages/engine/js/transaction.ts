// Transactions, and the blocks they run in.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow } from './call.js';
import { Class, type ClassLimits } from './class.js';
import { EngineError } from './error.js';

/** A price in both fee tokens; decimal or hexadecimal text, because it may exceed 2^53. */
export interface Price {
  readonly wei: string;
  readonly fri: string;
}

/** Plain values from which the engine makes a block context. */
export interface BlockValues {
  readonly number: number;
  readonly timestamp: number;
  readonly sequencer_address: string;
  /** As a short string, such as `SN_SEPOLIA`. */
  readonly chain_id: string;
  readonly fee_tokens: { readonly strk: string; readonly eth: string };
  readonly gas_prices: {
    readonly l1_gas: Price;
    readonly l1_data_gas: Price;
    readonly l2_gas: Price;
  };
  /** Whose constants apply; the newest by default. */
  readonly starknet_version?: string;
  /** Whether data goes into blobs; true by default. */
  readonly use_kzg_da?: boolean;
  /** What a single transaction may use of a block. */
  readonly limits?: {
    readonly l1_gas?: number;
    readonly sierra_gas?: number;
    readonly state_diff_size?: number;
    readonly n_events?: number;
  };
}

/** Commitments, counts and hash of a finished block. */
export interface Seal {
  readonly block_hash: string;
  readonly transaction_commitment: string;
  readonly event_commitment: string;
  readonly receipt_commitment: string;
  readonly state_diff_commitment: string;
  readonly transaction_count: number;
  readonly event_count: number;
  readonly state_diff_length: number;
}

/** The context of a block: immutable, cheap to make, shared by any number of executions. */
export class Block {
  /** @internal */
  readonly native: binding.Block;

  constructor(values: BlockValues) {
    this.native = callNow(() => new addon.Block(JSON.stringify(values)));
  }
}

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER'] as const;

export type TransactionType = (typeof TYPES)[number];

function typeOf(native: binding.Transaction): TransactionType {
  const type = TYPES.find((name) => name === native.type);
  if (!type) throw new EngineError('internal', `transaction type ${native.type} is unknown`);
  return type;
}

/** A transaction as the RPC writes it. An L1 handler has `paid_fee_on_l1` beside its own fields. */
export type TransactionValues = Readonly<Record<string, unknown>>;

/** A transaction, read and hashed, ready to run. */
export class Transaction {
  readonly type: TransactionType;
  readonly hash: string;
  /** Whether its version marks it as only to be estimated or simulated. */
  readonly isQuery: boolean;
  /** Sender, account to be deployed, or receiver of a message from L1. */
  readonly address: string;
  readonly nonce: string;
  /** For L1 handlers: the hash by which L1 knows the message. */
  readonly messageHash: string | undefined;
  readonly declared: Class | undefined;
  /** @internal */
  readonly native: binding.Transaction;

  /**
   * @param declared the compiled class of a DECLARE, in place of its `contract_class`
   */
  constructor(values: TransactionValues, chainId: string, declared?: Class) {
    // A class is large and has been read already.
    const { contract_class: _class, ...rest } = values;
    const native = callNow(
      () => new addon.Transaction(JSON.stringify(rest), chainId, declared?.native),
    );
    this.native = native;
    this.type = typeOf(native);
    this.hash = native.hash;
    this.isQuery = native.isQuery;
    this.address = native.address;
    this.nonce = native.nonce;
    this.messageHash = native.messageHash ?? undefined;
    this.declared = declared;
  }

  /**
   * Reads a transaction; the class of a DECLARE is compiled on the way.
   *
   * @example
   * const tx = await Transaction.read(request.invoke_transaction, 'SN_SEPOLIA');
   * const done = await state.execute(block, tx);
   */
  static async read(
    values: TransactionValues,
    chainId: string,
    limits?: ClassLimits,
  ): Promise<Transaction> {
    const body = values['contract_class'];
    const declared =
      values['type'] === 'DECLARE' && body !== undefined
        ? await Class.compile(JSON.stringify(body), limits)
        : undefined;
    return new Transaction(values, chainId, declared);
  }
}
