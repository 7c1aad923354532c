// Invoke transactions and their resource bounds, in their wire form.
import type {
  BROADCASTED_INVOKE_TXN,
  FEE_ESTIMATE,
  RESOURCE_BOUNDS,
  RESOURCE_BOUNDS_MAPPING,
} from '@starkbox/spec';
import { toFelt } from '../felt.js';
import { type CallFormat, executeCalldata, type UserCall } from './multicall.js';

/** Most units of a resource, and the most for one unit. */
export type Bound = RESOURCE_BOUNDS;
export type Bounds = RESOURCE_BOUNDS_MAPPING;
/** An invoke transaction as `starknet_addInvokeTransaction` takes it. */
export type Invoke = BROADCASTED_INVOKE_TXN;
/** The members of a fee estimate from which bounds follow. */
export type Fee = Omit<FEE_ESTIMATE, 'overall_fee' | 'unit'>;

const NOTHING: Bound = { max_amount: '0x0', max_price_per_unit: '0x0' };
/** Bounds of a simulation, which charges no fee. */
export const NO_BOUNDS: Bounds = { l1_gas: NOTHING, l1_data_gas: NOTHING, l2_gas: NOTHING };

/** The transaction of an account that makes the calls, without a signature. */
export function invokeOf(
  sender: string,
  calls: readonly UserCall[],
  nonce: string,
  bounds: Bounds = NO_BOUNDS,
  format: CallFormat = 'calls',
): Invoke {
  return {
    type: 'INVOKE',
    version: '0x3',
    sender_address: sender,
    calldata: executeCalldata(calls, format),
    nonce,
    signature: [],
    resource_bounds: bounds,
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
}

/** Simulations skip validation, which costs gas when sent. */
const VALIDATION_GAS = 1_000_000n;
const half = (value: string | bigint): bigint => (BigInt(value) * 3n + 1n) / 2n;

/** 1.5 times the simulated gas, at 1.5 times the price. */
export function boundsFrom(fee: Fee): Bounds {
  const toBound = (amount: bigint, price: string): Bound => ({
    max_amount: toFelt(amount),
    max_price_per_unit: toFelt(half(price)),
  });
  return {
    l1_gas: toBound(half(fee.l1_gas_consumed), fee.l1_gas_price),
    l1_data_gas: toBound(half(fee.l1_data_gas_consumed), fee.l1_data_gas_price),
    l2_gas: toBound(half(fee.l2_gas_consumed) + VALIDATION_GAS, fee.l2_gas_price),
  };
}

/** The highest fee within the bounds. */
export function mostFee(bounds: Bounds): bigint {
  return [bounds.l1_gas, bounds.l1_data_gas, bounds.l2_gas].reduce(
    (sum, { max_amount, max_price_per_unit }) =>
      sum + BigInt(max_amount) * BigInt(max_price_per_unit),
    0n,
  );
}
