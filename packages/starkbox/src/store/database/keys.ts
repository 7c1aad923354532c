// Keys of the database of a data directory, and their order.
import { feltOf, wideBytes } from '../../felt.js';

// The first byte is the kind of the entry. Keys of entries with a history end in branch and block
// number, so that the newest entry up to a block is the last one before a key.

const [NUMBER, BRANCH, FELT] = [6, 4, 32] as const;

const KINDS = {
  head: 1,
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
  ofInstance: 17,
  instance: 18,
  reference: 19,
  abandoned: 20,
  nextBranch: 21,
} as const;

type Kind = keyof typeof KINDS;

export interface DeclaredClass {
  readonly classHash: string;
  /** `0x0` for Cairo 0. */
  readonly compiledClassHash: string;
}

/** The key of the only entry of its kind. */
export function singleKey(kind: 'identity' | 'nextBranch'): Buffer {
  return Buffer.of(KINDS[kind]);
}

export type SingleKind = 'head' | 'messages' | 'labels';
export type NumberedKind =
  | 'snapshot'
  | 'pendingTransaction'
  | 'pendingDiff'
  | 'waiting'
  | 'dropped';

/** Keys of one chain, besides those of its blocks. */
export class ChainKeys {
  readonly #start: Buffer;

  /** @param instance the number of an instance; 0 for the chain of the node */
  constructor(instance: number) {
    this.#start = instance === 0 ? EMPTY : startOf('ofInstance', instance);
  }

  single(kind: SingleKind): Buffer {
    return Buffer.concat([this.#start, Buffer.of(KINDS[kind])]);
  }

  numbered(kind: NumberedKind, number: number): Buffer {
    return Buffer.concat([this.#start, startOf(kind, number)]);
  }

  /** The first key after all of a kind. */
  afterAll(kind: NumberedKind): Buffer {
    return Buffer.concat([this.#start, Buffer.of(KINDS[kind] + 1)]);
  }
}

const EMPTY = Buffer.alloc(0);

export interface KeyRange {
  readonly start: Buffer;
  /** The first key after them. */
  readonly end: Buffer;
}

/** All keys of an instance's chain, besides those of its blocks. */
export function keysOfInstance(instance: number): KeyRange {
  return { start: startOf('ofInstance', instance), end: startOf('ofInstance', instance + 1) };
}

/** The key of the record of an instance. */
export function instanceKey(id: string): Buffer {
  return Buffer.concat([Buffer.of(KINDS.instance), Buffer.from(id, 'hex')]);
}

export const INSTANCE_RECORDS: KeyRange = rangeOf('instance');

/** The key of a chain's reference to the blocks of a branch before `end`; 0 is the chain of the node. */
export function referenceKey(branch: number, end: number, instance: number): Buffer {
  const key = Buffer.allocUnsafe(1 + BRANCH + 2 * NUMBER);
  key[0] = KINDS.reference;
  key.writeUInt32BE(branch, 1);
  key.writeUIntBE(end, 1 + BRANCH, NUMBER);
  key.writeUIntBE(instance, 1 + BRANCH + NUMBER, NUMBER);
  return key;
}

export function endInReference(key: Buffer): number {
  return key.readUIntBE(1 + BRANCH, NUMBER);
}

/** The key of the end of a branch that no chain writes to any more. */
export function abandonedKey(branch: number): Buffer {
  return beforeBranch(Buffer.of(KINDS.abandoned), branch);
}

export const ABANDONED_BRANCHES: KeyRange = rangeOf('abandoned');

export function branchInAbandoned(key: Buffer): number {
  return key.readUInt32BE(1);
}

/** The value of an entry that is a number. */
export function numberValue(number: number): Buffer {
  const value = Buffer.allocUnsafe(NUMBER);
  value.writeUIntBE(number, 0, NUMBER);
  return value;
}

function rangeOf(kind: Kind): KeyRange {
  return { start: Buffer.of(KINDS[kind]), end: Buffer.of(KINDS[kind] + 1) };
}

function startOf(kind: Kind, number: number): Buffer {
  const key = Buffer.allocUnsafe(1 + NUMBER);
  key[0] = KINDS[kind];
  key.writeUIntBE(number, 1, NUMBER);
  return key;
}

/** The key of a class with its code: compilers of other versions make other code of the same class. */
export function classKey({ classHash, compiledClassHash }: DeclaredClass): Buffer {
  return prefix('class', [classHash, compiledClassHash]);
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
export function dateKey(before: Uint8Array, branch: number, number: number): Buffer {
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

/** The number at the end of a key, or a number as a value. */
export function numberIn(key: Buffer): number {
  return key.readUIntBE(key.length - NUMBER, NUMBER);
}

const BLOCKS = prefix('block', []);

export function blockKey(branch: number, number: number): Buffer {
  return dateKey(BLOCKS, branch, number);
}
