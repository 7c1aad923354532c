// Reads of a state: cache key, request to the origin, and the error that means absence.
import type { SourceQuestion } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { isFelt as isCanonicalFelt } from '../../json/reader.js';

/** Name of a read, the same in the cache, the lock file and the log of reads. */
export function nameOf(question: SourceQuestion): string {
  switch (question.kind) {
    case 'storage':
      return `storage ${question.address} ${question.key}`;
    case 'class':
      return `class ${question.class_hash}`;
    default:
      return `${question.kind} ${question.address}`;
  }
}

/** The read with a name; `undefined` for other texts. */
export function readNamed(name: string): SourceQuestion | undefined {
  const [kind, first, second, ...more] = name.split(' ');
  if (first === undefined || !isFelt(first) || more.length > 0) return undefined;
  if (kind === 'storage') {
    return second && isFelt(second) ? { kind, address: first, key: second } : undefined;
  }
  if (second !== undefined) return undefined;
  if (kind === 'class') return { kind, class_hash: first };
  return kind === 'nonce' || kind === 'class_hash' ? { kind, address: first } : undefined;
}

export interface WireQuestion {
  readonly method: string;
  readonly params: object;
  /** Code of the error that means absence. */
  readonly nothing: number;
}

/** Method of each kind of read. */
export const METHODS = {
  storage: 'starknet_getStorageAt',
  nonce: 'starknet_getNonce',
  class_hash: 'starknet_getClassHashAt',
  class: 'starknet_getClass',
} as const;

const CONTRACT_NOT_FOUND = ERRORS.CONTRACT_NOT_FOUND.code;
const CLASS_HASH_NOT_FOUND = ERRORS.CLASS_HASH_NOT_FOUND.code;

/** With a block hash: after a reorganization, a number means another block. */
export function wireQuestion(question: SourceQuestion, blockHash: string): WireQuestion {
  const block_id = { block_hash: blockHash };
  switch (question.kind) {
    case 'storage': {
      const { address: contract_address, key } = question;
      const params = { contract_address, key, block_id };
      return { method: METHODS.storage, params, nothing: CONTRACT_NOT_FOUND };
    }
    case 'nonce': {
      const params = { block_id, contract_address: question.address };
      return { method: METHODS.nonce, params, nothing: CONTRACT_NOT_FOUND };
    }
    case 'class_hash': {
      const params = { block_id, contract_address: question.address };
      return { method: METHODS.class_hash, params, nothing: CONTRACT_NOT_FOUND };
    }
    case 'class': {
      const params = { block_id, class_hash: question.class_hash };
      return { method: METHODS.class, params, nothing: CLASS_HASH_NOT_FOUND };
    }
  }
}

const FELT = /^0x[0-9a-fA-F]{1,64}$/;

/** In any form, below the prime of the field. */
export function isFelt(value: unknown): value is string {
  return typeof value === 'string' && FELT.test(value) && isCanonicalFelt(canonical(value));
}

/** Lower case, no leading zeros: origins differ in how they write felts. */
export function canonical(felt: string): string {
  return `0x${felt
    .slice(2)
    .replace(/^0+(?=.)/, '')
    .toLowerCase()}`;
}
