// Keys of the database of a data directory, and their order.
import { feltOf, wideBytes } from '../felt.js';

// The first byte is the kind of the entry. Keys of entries with a history end in branch and block
// number, so that the newest entry up to a block is the last one before a key.

const [NUMBER, BRANCH, FELT] = [6, 4, 32] as const;

const KINDS = {
  standing: 1,
  messages: 2,
  snapshot: 3,
  pendingTransaction: 4,
  pendingDiff: 5,
  block: 6,
  mark: 7,
  storage: 8,
  nonce: 9,
  classHash: 10,
  declared: 11,
  class: 12,
  labels: 13,
  identity: 14,
  waiting: 15,
  dropped: 16,
} as const;

type Kind = keyof typeof KINDS;

/** The key of the only entry of its kind. */
export function singleKey(
  kind: 'standing' | 'messages' | 'labels' | 'identity' | 'dropped',
): Buffer {
  return Buffer.of(KINDS[kind]);
}

export function numberedKey(
  kind: 'snapshot' | 'pendingTransaction' | 'pendingDiff' | 'waiting',
  number: number,
): Buffer {
  const key = Buffer.allocUnsafe(1 + NUMBER);
  key[0] = KINDS[kind];
  key.writeUIntBE(number, 1, NUMBER);
  return key;
}

/** The first key after all of a kind. */
export function afterAll(kind: Kind): Buffer {
  return Buffer.of(KINDS[kind] + 1);
}

export function classKey(hash: string): Buffer {
  return prefix('class', [hash]);
}

/** Common prefix of the keys of a kind with these felts. */
export function prefix(kind: Kind, felts: readonly string[]): Buffer {
  const key = Buffer.allocUnsafe(1 + felts.length * FELT);
  key[0] = KINDS[kind];
  key.set(wideBytes(felts), 1);
  return key;
}

export function markPrefix(mark: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = KINDS.mark;
  key.writeUInt32BE(mark, 1);
  return key;
}

/** The key of the entry of one block under a prefix. */
export function dated(before: Uint8Array, branch: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(before.length + BRANCH + NUMBER);
  key.set(before);
  key.writeUInt32BE(branch, before.length);
  key.writeUIntBE(number, before.length + BRANCH, NUMBER);
  return key;
}

/** Sorts before all entries of a branch under a prefix, and after those of lower branches. */
export function beforeBranch(start: Uint8Array, branch: number): Buffer {
  const key = Buffer.allocUnsafe(start.length + BRANCH);
  key.set(start);
  key.writeUInt32BE(branch, start.length);
  return key;
}

/** Sorts after every key with this prefix. */
export function behind(start: Uint8Array): Buffer {
  return Buffer.concat([start, Buffer.alloc(FELT + BRANCH + NUMBER, 0xff)]);
}

/** The felt at an offset of a key. */
export function feltIn(key: Buffer, at: number): string {
  return feltOf(key.subarray(at, at + FELT));
}

export function numberIn(key: Buffer): number {
  return key.readUIntBE(key.length - NUMBER, NUMBER);
}

const BLOCKS = prefix('block', []);

export function blockKey(branch: number, number: number): Buffer {
  return dated(BLOCKS, branch, number);
}
