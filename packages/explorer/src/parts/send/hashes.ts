// Starknet hashes and signatures. Import it dynamically: the curve is a large chunk that few pages need.

import { blake2s } from '@noble/hashes/blake2s';
import {
  computeHashOnElements,
  keccak,
  pedersen,
  poseidonHashMany,
  poseidonSmall,
  sign,
} from '@scure/starknet';
import { PRIME, toFelt } from '@starkbox/abi';
import type { Casm, Declare, SegmentLengths, Sierra } from './class-file.js';
import type { Bounds, Invoke } from './transaction.js';

const shortString = (text: string): bigint =>
  [...new TextEncoder().encode(text)].reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const felts = (of: readonly string[]): bigint[] => of.map(BigInt);
const many = (of: readonly bigint[]): bigint => poseidonHashMany([...of]);

function feeFields(tip: string, bounds: Bounds): bigint {
  const bound = (name: string, { max_amount, max_price_per_unit }: Bounds['l1_gas']): bigint =>
    (shortString(name) << 192n) | (BigInt(max_amount) << 128n) | BigInt(max_price_per_unit);
  return many([
    BigInt(tip),
    bound('L1_GAS', bounds.l1_gas),
    bound('L2_GAS', bounds.l2_gas),
    bound('L1_DATA', bounds.l1_data_gas),
  ]);
}

/** The hash that an account signs. Both data availability modes are L1, which is encoded as zero. */
function transactionHash(
  kind: string,
  transaction: Invoke | Declare,
  chainId: string,
  own: readonly bigint[],
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
      ...own,
    ]),
  );
}

export function invokeHash(transaction: Invoke, chainId: string): string {
  return transactionHash('invoke', transaction, chainId, [many(felts(transaction.calldata))]);
}

/** The transaction with its signature. */
export function signed(transaction: Invoke, chainId: string, privateKey: string): Invoke {
  return { ...transaction, signature: signature(invokeHash(transaction, chainId), privateKey) };
}

function signature(hash: string, privateKey: string): readonly string[] {
  const digits = (felt: string): string => felt.slice(2).padStart(64, '0');
  const { r, s } = sign(digits(hash), digits(privateKey));
  return [toFelt(r), toFelt(s)];
}

const ADDRESSES = 2n ** 251n - 256n;

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
    ]) % ADDRESSES,
  );
}

/** The salt that the UDC derives when the address depends on the deploying account. */
export function saltOf(account: string, salt: string): string {
  return toFelt(BigInt(pedersen(BigInt(account), BigInt(salt))));
}

/** Longest time for which hashing blocks the page. */
const SLICE_MILLISECONDS = 12;

/** `poseidonHashMany` with pauses for the page: ten thousand felts take about a second. */
async function poseidonInSlices(of: readonly string[]): Promise<bigint> {
  const values = [...of.map(BigInt), 1n];
  if (values.length % 2 !== 0) values.push(0n);
  let [first = 0n, second = 0n, third = 0n] = [0n, 0n, 0n];
  let pause = performance.now() + SLICE_MILLISECONDS;
  for (let at = 0; at < values.length; at += 2) {
    const state = poseidonSmall([
      first + (values[at] ?? 0n),
      second + (values[at + 1] ?? 0n),
      third,
    ]);
    [first = 0n, second = 0n, third = 0n] = state;
    if (performance.now() > pause) {
      await new Promise((resolve) => setTimeout(resolve));
      pause = performance.now() + SLICE_MILLISECONDS;
    }
  }
  return first;
}

const entryPoints = (
  of: readonly { readonly selector: string; readonly function_idx: number }[],
): bigint =>
  many(of.flatMap(({ selector, function_idx }) => [BigInt(selector), BigInt(function_idx)]));

export async function classHash(of: Sierra): Promise<string> {
  const { EXTERNAL, L1_HANDLER, CONSTRUCTOR } = of.entry_points_by_type;
  return toFelt(
    many([
      shortString('CONTRACT_CLASS_V0.1.0'),
      entryPoints(EXTERNAL),
      entryPoints(L1_HANDLER),
      entryPoints(CONSTRUCTOR),
      keccak(new TextEncoder().encode(of.abi)),
      await poseidonInSlices(of.sierra_program),
    ]),
  );
}

/** Blake2s of felts as 32-bit words: two for a felt below 2^63, else eight with the top bit set. */
function blakeMany(of: readonly bigint[]): bigint {
  const words: number[] = [];
  for (const felt of of) {
    const count = felt < 1n << 63n ? 2 : 8;
    for (let at = count - 1; at >= 0; at--) {
      words.push(Number((felt >> BigInt(32 * at)) & 0xffff_ffffn));
    }
    if (count === 8) words[words.length - 8] = ((words[words.length - 8] ?? 0) | 0x8000_0000) >>> 0;
  }
  const bytes = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, at) => {
    bytes.setUint32(at * 4, word, true);
  });
  const digest = blake2s(new Uint8Array(bytes.buffer), { dkLen: 32 });
  return digest.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) % PRIME;
}

const blakeEntryPoints = (of: Casm['external']): bigint =>
  blakeMany(
    of.flatMap(({ selector, offset, builtins }) => [
      BigInt(selector),
      BigInt(offset),
      blakeMany(builtins.map(shortString)),
    ]),
  );

/** The hash of CASM, by the rules since Starknet 0.14.1. */
export function compiledClassHash(of: Casm): string {
  let at = 0;
  const segment = (lengths: SegmentLengths): readonly [length: number, hash: bigint] => {
    if (typeof lengths === 'number') {
      const part = of.bytecode.slice(at, at + lengths);
      at += lengths;
      return [lengths, blakeMany(part.map(BigInt))];
    }
    const parts = lengths.map(segment);
    const hash = blakeMany(parts.flatMap(([length, inner]) => [BigInt(length), inner])) + 1n;
    return [parts.reduce((sum, [length]) => sum + length, 0), hash];
  };
  const bytecode =
    of.segments === undefined ? blakeMany(of.bytecode.map(BigInt)) : segment(of.segments)[1];
  return toFelt(
    blakeMany([
      shortString('COMPILED_CLASS_V1'),
      blakeEntryPoints(of.external),
      blakeEntryPoints(of.l1Handler),
      blakeEntryPoints(of.constructor_),
      bytecode,
    ]),
  );
}

/** The declaration with its signature. */
export function signedDeclare(
  transaction: Declare,
  hash: string,
  chainId: string,
  privateKey: string,
): Declare {
  const own = [BigInt(hash), BigInt(transaction.compiled_class_hash)];
  const message = transactionHash('declare', transaction, chainId, own);
  return { ...transaction, signature: signature(message, privateKey) };
}
