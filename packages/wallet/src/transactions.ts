// Transactions of an account: estimated, signed and sent.
import {
  type Bounds,
  boundsFrom,
  callFormatOf,
  type Fee,
  type Invoke,
  invokeOf,
  NO_BOUNDS,
  readFailure,
  type Sierra,
  type UserCall,
} from '@starkbox/abi';
import { classHash, type Declare, signed, signedDeclare } from '@starkbox/signing';
import type { WalletNode } from './node.js';
import { feltOf, fieldsOf, isFields, listOf, textOf } from './read.js';

export interface Signer {
  readonly address: string;
  readonly privateKey: string;
}

interface Estimate {
  readonly transaction: Invoke;
  readonly bounds: Bounds;
  /** Why the transaction would be reverted. */
  readonly failure: string | undefined;
}

const BLOCK = 'pre_confirmed';
const FLAGS = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'];

async function nonceOf(node: WalletNode, contract_address: string): Promise<string> {
  const answer = await node.call('starknet_getNonce', { block_id: BLOCK, contract_address });
  return textOf(answer, 'the nonce');
}

function feeOf(value: unknown): Fee {
  const fee = fieldsOf(value, 'the fee');
  const felt = (name: keyof Fee): string => feltOf(fee[name], name);
  return {
    l1_gas_consumed: felt('l1_gas_consumed'),
    l1_gas_price: felt('l1_gas_price'),
    l1_data_gas_consumed: felt('l1_data_gas_consumed'),
    l1_data_gas_price: felt('l1_data_gas_price'),
    l2_gas_consumed: felt('l2_gas_consumed'),
    l2_gas_price: felt('l2_gas_price'),
  };
}

function failureOf(trace: unknown): string | undefined {
  const execution = isFields(trace) ? trace['execute_invocation'] : undefined;
  const reason = isFields(execution) ? execution['revert_reason'] : undefined;
  return typeof reason === 'string' ? readFailure(reason).message : undefined;
}

/** Simulates the calls as one transaction of the account. */
export async function estimateCalls(
  node: WalletNode,
  sender: string,
  calls: readonly UserCall[],
): Promise<Estimate> {
  const [nonce, abi] = await Promise.all([nonceOf(node, sender), node.abiAt(sender)]);
  const transaction = invokeOf(sender, calls, nonce, NO_BOUNDS, callFormatOf(abi));
  const answer = await node.call('starknet_simulateTransactions', {
    block_id: BLOCK,
    transactions: [transaction],
    simulation_flags: FLAGS,
  });
  const simulated = fieldsOf(listOf(answer, 'the simulation')[0], 'the simulation');
  const bounds = boundsFrom(feeOf(simulated['fee_estimation']));
  return { transaction, bounds, failure: failureOf(simulated['transaction_trace']) };
}

/** Sends the calls, also if they would be reverted; the hash of the transaction. */
export async function sendCalls(
  node: WalletNode,
  { address, privateKey }: Signer,
  calls: readonly UserCall[],
): Promise<string> {
  const [chainId, { transaction, bounds }] = await Promise.all([
    node.chainId(),
    estimateCalls(node, address, calls),
  ]);
  const bounded = { ...transaction, resource_bounds: bounds };
  const sent = await node.call('starknet_addInvokeTransaction', {
    invoke_transaction: signed(bounded, chainId, privateKey),
  });
  return textOf(fieldsOf(sent, 'the answer')['transaction_hash'], 'the transaction hash');
}

/** Declares a class; the hashes of the transaction and of the class. */
export async function sendDeclare(
  node: WalletNode,
  { address, privateKey }: Signer,
  contract_class: Sierra,
  compiled_class_hash: string,
): Promise<readonly [transaction: string, classHash: string]> {
  const [chainId, nonce, hash] = await Promise.all([
    node.chainId(),
    nonceOf(node, address),
    classHash(contract_class),
  ]);
  const { calldata: _, ...common } = invokeOf(address, [], nonce);
  const transaction: Declare = { ...common, type: 'DECLARE', compiled_class_hash, contract_class };
  const estimate = await node.call('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id: BLOCK,
  });
  const resource_bounds = boundsFrom(feeOf(listOf(estimate, 'the estimate')[0]));
  const sent = await node.call('starknet_addDeclareTransaction', {
    declare_transaction: signedDeclare(
      { ...transaction, resource_bounds },
      hash,
      chainId,
      privateKey,
    ),
  });
  return [textOf(fieldsOf(sent, 'the answer')['transaction_hash'], 'the transaction hash'), hash];
}
