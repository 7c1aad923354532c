// Addresses of contracts that are not deployed yet.
import { computeHashOnElements, pedersen } from '@scure/starknet';
import { ADDRESS_BOUND, toFelt } from '@starkbox/abi/basics';
import { felts, shortString } from './felts.js';

const pedersenMany = (of: readonly bigint[]): bigint =>
  BigInt(String(computeHashOnElements([...of])));

/** The address of a contract that is deployed with these values. */
export function contractAddress(of: {
  readonly deployer: string;
  readonly salt: string;
  readonly classHash: string;
  readonly calldata: readonly string[];
}): string {
  return toFelt(
    pedersenMany([
      shortString('STARKNET_CONTRACT_ADDRESS'),
      BigInt(of.deployer),
      BigInt(of.salt),
      BigInt(of.classHash),
      pedersenMany(felts(of.calldata)),
    ]) % ADDRESS_BOUND,
  );
}

/** The salt that the UDC derives when the address depends on the deploying account. */
export function saltOf(account: string, salt: string): string {
  return toFelt(BigInt(pedersen(BigInt(account), BigInt(salt))));
}
