// Hashes and signatures of invoke and declare transactions.
import type { Bounds, Invoke, Sierra } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import type { Bound } from '@starkbox/abi/internal';
import { felts, many, shortString } from './felts.js';
import { signature } from './signature.js';

/** A declare transaction as `starknet_addDeclareTransaction` takes it. */
export interface Declare extends Omit<Invoke, 'type' | 'calldata'> {
  readonly type: 'DECLARE';
  readonly compiled_class_hash: string;
  readonly contract_class: Sierra;
}

function feeFields(tip: string, bounds: Bounds): bigint {
  const hashBound = (name: string, { max_amount, max_price_per_unit }: Bound): bigint =>
    (shortString(name) << 192n) | (BigInt(max_amount) << 128n) | BigInt(max_price_per_unit);
  return many([
    BigInt(tip),
    hashBound('L1_GAS', bounds.l1_gas),
    hashBound('L2_GAS', bounds.l2_gas),
    hashBound('L1_DATA', bounds.l1_data_gas),
  ]);
}

/** The hash that an account signs. Both data availability modes are L1, which is encoded as zero. */
function transactionHash(
  kind: string,
  transaction: Invoke | Declare,
  chainId: string,
  typeFelts: readonly bigint[],
): string {
  return toFelt(
    many([
      shortString(kind),
      3n,
      BigInt(transaction.sender_address),
      feeFields(transaction.tip, transaction.resource_bounds),
      many(felts(transaction.paymaster_data)),
      BigInt(chainId),
      BigInt(transaction.nonce),
      0n,
      many(felts(transaction.account_deployment_data)),
      ...typeFelts,
    ]),
  );
}

export function invokeHash(transaction: Invoke, chainId: string): string {
  return transactionHash('invoke', transaction, chainId, [many(felts(transaction.calldata))]);
}

/** @param classHash the hash of its class */
export function declareHash(transaction: Declare, classHash: string, chainId: string): string {
  const typeFelts = [BigInt(classHash), BigInt(transaction.compiled_class_hash)];
  return transactionHash('declare', transaction, chainId, typeFelts);
}

/** The transaction with its signature. */
export function signInvoke(transaction: Invoke, chainId: string, privateKey: string): Invoke {
  return { ...transaction, signature: signature(invokeHash(transaction, chainId), privateKey) };
}

/** The declaration with its signature. */
export function signedDeclare(
  transaction: Declare,
  classHash: string,
  chainId: string,
  privateKey: string,
): Declare {
  const hash = declareHash(transaction, classHash, chainId);
  return { ...transaction, signature: signature(hash, privateKey) };
}
