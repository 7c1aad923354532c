// Invoke transactions and their resource bounds.

import { toFelt, type UserCall } from '@starkbox/abi';
import type { Params, Result } from '../../rpc/methods.js';

export type Invoke = Params<'starknet_addInvokeTransaction'>['invoke_transaction'];
export type Bounds = Invoke['resource_bounds'];
type Simulation = Result<'starknet_simulateTransactions'>;
export type Simulated = Extract<Simulation, readonly unknown[]>[number];
export type Fee = Simulated['fee_estimation'];

const NOTHING = { max_amount: '0x0', max_price_per_unit: '0x0' };
/** Bounds of a simulation, which charges no fee. */
export const NO_BOUNDS: Bounds = { l1_gas: NOTHING, l1_data_gas: NOTHING, l2_gas: NOTHING };

/**
 * Encoding of the calls of an account: each with its calldata, or, in Cairo 0, all headers before all
 * calldata.
 */
export type CallFormat = 'calls' | 'call array';

/** Calldata of `__execute__`. */
export function executeCalldata(
  calls: readonly UserCall[],
  format: CallFormat = 'calls',
): readonly string[] {
  const count = (of: readonly unknown[]): string => toFelt(BigInt(of.length));
  if (format === 'calls') {
    return [
      count(calls),
      ...calls.flatMap(({ contract, selector, calldata }) => [
        contract,
        selector,
        count(calldata),
        ...calldata,
      ]),
    ];
  }
  let start = 0n;
  const heads = calls.flatMap(({ contract, selector, calldata }) => {
    const from = start;
    start += BigInt(calldata.length);
    return [contract, selector, toFelt(from), count(calldata)];
  });
  const data = calls.flatMap(({ calldata }) => calldata);
  return [count(calls), ...heads, count(data), ...data];
}

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
  const bound = (amount: bigint, price: string) => ({
    max_amount: toFelt(amount),
    max_price_per_unit: toFelt(half(price)),
  });
  return {
    l1_gas: bound(half(fee.l1_gas_consumed), fee.l1_gas_price),
    l1_data_gas: bound(half(fee.l1_data_gas_consumed), fee.l1_data_gas_price),
    l2_gas: bound(half(fee.l2_gas_consumed) + VALIDATION_GAS, fee.l2_gas_price),
  };
}

export function mostFee(bounds: Bounds): bigint {
  return [bounds.l1_gas, bounds.l1_data_gas, bounds.l2_gas].reduce(
    (sum, { max_amount, max_price_per_unit }) =>
      sum + BigInt(max_amount) * BigInt(max_price_per_unit),
    0n,
  );
}
