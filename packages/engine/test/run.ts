// Knows how tests run one transaction: what must come of it, and transactions that only tests send.

import { loadPublishedSpec } from '@starkbox/conformance';
import {
  type Applied,
  type ExecutionFlags,
  type Rejected,
  type State,
  starknetKeccak,
  storageAddress,
  type Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import { expect } from 'vitest';
import { type Account, AMPLE, block, bounds } from './fixture.js';

const spec = loadPublishedSpec();

/** Where tests place a contract of ours. */
export const CONTRACT = '0xc0de';
export const NO_BOUNDS = {
  l1_gas: bounds(0n, 0n),
  l1_data_gas: bounds(0n, 0n),
  l2_gas: bounds(0n, 0n),
};

/** What the chain adds to a receipt, and what the RPC does not show of it. */
function published(done: Applied): unknown {
  const { data_availability: _part, ...receipt } = done.receipt;
  return { ...receipt, finality_status: 'ACCEPTED_ON_L2', block_hash: '0x1', block_number: 1 };
}

function fitsTheSpec(done: Applied): void {
  expect(spec.checkSchema('TXN_RECEIPT_WITH_BLOCK_INFO', published(done))).toEqual([]);
  expect(spec.checkSchema('TRANSACTION_TRACE', JSON.parse(done.trace))).toEqual([]);
  expect(spec.checkSchema('STATE_DIFF', done.next.diffOf(1))).toEqual([]);
}

export async function applied(
  state: State,
  tx: Transaction,
  flags?: ExecutionFlags,
): Promise<Applied> {
  const done = await state.execute(block(), tx, flags);
  if (done.outcome === 'rejected') throw new Error(done.rejection.message);
  fitsTheSpec(done);
  return done;
}

export async function rejected(
  state: State,
  tx: Transaction,
  flags?: ExecutionFlags,
): Promise<Rejected> {
  const done = await state.execute(block(), tx, flags);
  if (done.outcome !== 'rejected') throw new Error(`it was ${done.outcome}`);
  return done;
}

export const balanceKey = (holder: string): string => storageAddress('ERC20_balances', [holder]);

/** A message from L1 to the messenger at `CONTRACT`. */
export function deposit(account: Account, amount: string): TransactionValues {
  return {
    type: 'L1_HANDLER',
    contract_address: CONTRACT,
    entry_point_selector: starknetKeccak('deposit'),
    calldata: ['0x99', account.address, amount],
    nonce: '0x1',
    paid_fee_on_l1: '0x1',
  };
}

/** An unsigned INVOKE of a sender that is no account of the fixture. */
export function invokeValuesOf(sender: string): TransactionValues {
  return {
    type: 'INVOKE',
    version: '0x3',
    tip: '0x0',
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
    resource_bounds: AMPLE,
    sender_address: sender,
    calldata: ['0x0'],
    account_deployment_data: [],
    nonce: '0x0',
  };
}
