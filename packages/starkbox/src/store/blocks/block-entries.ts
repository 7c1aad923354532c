// Entries of a block in the database, written and removed with it.

import type { StateDiff } from '@starkbox/engine';
import { marksOf, readPackedBlock } from '../../chain/history/packed-block.js';
import { readStateDiff } from '../../chain/history/stored-texts.js';
import { stateDiffText } from '../../chain/world/find-block.js';
import type { World } from '../../chain/world/world.js';
import { feltBytes } from '../../felt.js';
import { checkedStateDiff } from '../../json/state-diff.js';
import type { Database, Entry } from '../database/database.js';
import {
  blockKey,
  type DeclaredClass,
  dateKey,
  markPrefix,
  numberIn,
  prefix,
} from '../database/keys.js';
import type { BlockRange } from './branches.js';

const EMPTY = Buffer.alloc(0);

export interface BlockContent {
  readonly record: Uint8Array;
  readonly marks: Iterable<number>;
  readonly diff: StateDiff;
}

/** The content of a block of a world. */
export function contentOf(world: World, number: number): BlockContent {
  const text = stateDiffText(world, number);
  // Text of this process, not of the disk: a full check would cost five times the parsing.
  const diff = readStateDiff(text);
  return { record: world.history.record(number, text), marks: world.history.marks(number), diff };
}

/** The packed block, its marks for the index, and its writes to the state. */
export function* blockEntries(
  branch: number,
  number: number,
  { record, marks, diff }: BlockContent,
): Generator<Entry, void, undefined> {
  yield [blockKey(branch, number), Buffer.from(record)];
  for (const mark of new Set(marks)) yield [dateKey(markPrefix(mark), branch, number), EMPTY];
  for (const [start, value] of entriesOf(diff)) yield [dateKey(start, branch, number), value];
}

/** Deletions of the same entries. */
export function* withoutValues(entries: Iterable<Entry>): Generator<Entry, void, undefined> {
  for (const [key] of entries) yield [key, undefined];
}

/** Deletions of up to `most` unused blocks; none when no blocks are left. */
export function* garbageEntries(
  database: Database,
  { branch, from, to }: BlockRange,
  most: number,
): Generator<Entry, void, undefined> {
  const blocks = database.getRange({
    start: blockKey(branch, from),
    end: blockKey(branch, to),
    limit: most,
  });
  for (const { key, value } of blocks) {
    const content = database.decode(`block ${numberIn(key)}`, () => {
      const block = readPackedBlock(value);
      const text = block.stateDiff?.part(0);
      const diff = text === undefined ? NO_DIFF : checkedStateDiff(text);
      return { record: value, marks: marksOf(block), diff };
    });
    yield* withoutValues(blockEntries(branch, numberIn(key), content));
  }
}

const NO_DIFF: StateDiff = {
  storage_diffs: [],
  nonces: [],
  deployed_contracts: [],
  replaced_classes: [],
  declared_classes: [],
  deprecated_declared_classes: [],
};

function* entriesOf(diff: StateDiff): Generator<readonly [Buffer, Buffer], void, undefined> {
  for (const { address, storage_entries } of diff.storage_diffs) {
    for (const { key, value } of storage_entries) {
      yield [prefix('storage', [address, key]), feltBytes(value)];
    }
  }
  for (const { contract_address, nonce } of diff.nonces) {
    yield [prefix('nonce', [contract_address]), feltBytes(nonce)];
  }
  for (const { address, class_hash } of diff.deployed_contracts) {
    yield [prefix('classHash', [address]), feltBytes(class_hash)];
  }
  for (const { contract_address, class_hash } of diff.replaced_classes) {
    yield [prefix('classHash', [contract_address]), feltBytes(class_hash)];
  }
  for (const { classHash, compiledClassHash } of declaredClasses(diff)) {
    yield [prefix('declared', [classHash]), feltBytes(compiledClassHash)];
  }
}

/** The classes that a state diff declares, with the code that they have. */
export function declaredClasses(diff: StateDiff): readonly DeclaredClass[] {
  const sierra = diff.declared_classes.map(({ class_hash, compiled_class_hash }) => ({
    classHash: class_hash,
    compiledClassHash: compiled_class_hash,
  }));
  const cairo0 = diff.deprecated_declared_classes.map((classHash) => ({
    classHash,
    compiledClassHash: '0x0',
  }));
  return [...sierra, ...cairo0];
}
