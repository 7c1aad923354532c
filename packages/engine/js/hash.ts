// Hashes, addresses, keys and signatures.

import { addon } from './addon.js';
import { callNow } from './call.js';

/** Pedersen over a list, finished with its length. */
export function pedersen(felts: readonly string[]): string {
  return callNow(() => addon.pedersen([...felts]));
}

/** Pedersen of two felts. */
export function pedersenPair(left: string, right: string): string {
  return callNow(() => addon.pedersenPair(left, right));
}

/** Poseidon over a list. */
export function poseidon(felts: readonly string[]): string {
  return callNow(() => addon.poseidon([...felts]));
}

/** Blake2 over a list, as a felt. */
export function blake(felts: readonly string[]): string {
  return callNow(() => addon.blake([...felts]));
}

/** The permutation inside Poseidon, on exactly three felts. */
export function hades(felts: readonly [string, string, string]): readonly string[] {
  return callNow(() => addon.hades([...felts]));
}

/** Keccak cut to 250 bits: selectors and the base of storage addresses. */
export function starknetKeccak(text: string): string {
  return callNow(() => addon.keccak(text));
}

/** The slot of a storage variable, or of an entry of a map when keys are given. */
export function storageAddress(variable: string, keys: readonly string[] = []): string {
  return callNow(() => addon.storageAddress(variable, [...keys]));
}

export interface Deployment {
  readonly salt: string;
  readonly class_hash: string;
  readonly constructor_calldata: readonly string[];
  /** `0x0` for accounts that deploy themselves. */
  readonly deployer: string;
}

/** Where a deployment puts its contract. */
export function contractAddress(deployment: Deployment): string {
  const { salt, class_hash, constructor_calldata, deployer } = deployment;
  return callNow(() =>
    addon.contractAddress(salt, class_hash, [...constructor_calldata], deployer),
  );
}

/** The hash by which L1 knows a message from L2: 32 bytes. */
export function messageToL1Hash(message: {
  readonly from_address: string;
  readonly to_address: string;
  readonly payload: readonly string[];
}): string {
  const { from_address, to_address, payload } = message;
  return callNow(() => addon.messageToL1Hash(from_address, to_address, [...payload]));
}

/** The private keys derived from a seed. */
export function seededPrivateKeys(seed: number, count: number): readonly string[] {
  return callNow(() => addon.privateKeys(seed, count));
}

/** The Stark public key of a private key. */
export function publicKey(privateKey: string): string {
  return callNow(() => addon.publicKey(privateKey));
}

/** A deterministic Stark signature: r and s. */
export function sign(privateKey: string, hash: string): readonly string[] {
  return callNow(() => addon.sign(privateKey, hash));
}
