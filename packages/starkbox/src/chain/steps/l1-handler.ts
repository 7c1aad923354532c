// L1 handler transaction of a message from L1.
import { padFelt } from '@starkbox/abi/basics';
import { Transaction } from '@starkbox/engine';
import { refuse } from '../../errors.js';
import type { PreparedTransaction } from '../execution/prepare-transaction.js';
import type { L1HandlerValues } from '../history/stored-texts.js';

export interface L1Message {
  /** The L1 transaction that sent it, where known. */
  readonly l1_transaction_hash?: string;
  readonly l1_contract_address: string;
  readonly l2_contract_address: string;
  readonly entry_point_selector: string;
  readonly payload: readonly string[];
  readonly paid_fee_on_l1: string;
  readonly nonce: string;
}

export function l1Handler(
  message: L1Message,
  chainId: string,
): PreparedTransaction & { readonly values: L1HandlerValues } {
  if (BigInt(message.paid_fee_on_l1) >= 2n ** 128n) {
    refuse(`paid_fee_on_l1 must fit 128 bits, got ${message.paid_fee_on_l1}`);
  }
  const l1Hash = message.l1_transaction_hash;
  const values: L1HandlerValues = {
    type: 'L1_HANDLER',
    version: '0x0',
    nonce: message.nonce,
    contract_address: message.l2_contract_address,
    entry_point_selector: message.entry_point_selector,
    calldata: [message.l1_contract_address, ...message.payload],
    paid_fee_on_l1: message.paid_fee_on_l1,
    l1_transaction_hash: l1Hash === undefined ? null : l1TransactionHash(l1Hash),
  };
  return { values, transaction: new Transaction({ ...values }, chainId) };
}

/** The hash of an L1 transaction in lower case, with leading zeros. */
export function l1TransactionHash(text: string): string {
  return padFelt(text.toLowerCase());
}
