// Classes of a data directory that came with code from elsewhere, such as an image of another version.
import { Class } from '@starkbox/engine';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { beforeAll, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { createBlocks } from '../../src/chain/block-controls.js';
import { Chain, type ChainOptions } from '../../src/chain/chain.js';
import { applyDiff } from '../../src/chain/execution/apply-state-diff.js';
import { withDirectWrite } from '../../src/chain/world/direct-writes.js';
import { silentLog } from '../../src/log.js';
import { lockDirectory } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { bareChain } from '../support/bare-chain.js';

let options: ChainOptions;
let sierra: object;
let casm: { readonly bytecode: readonly string[] };

beforeAll(async () => {
  ({ options } = await bareChain('transaction'));
  const text = await classText('counter');
  sierra = JSON.parse(text);
  casm = JSON.parse(await (await Class.compile(text)).casm());
});

/** A class of this test alone, with other code and with that of the compiler. */
async function withOtherCode(changes: object): Promise<readonly [other: Class, compiled: Class]> {
  const text = JSON.stringify({ ...sierra, abi: expect.getState().currentTestName });
  // In this order, because code from elsewhere is not believed where the class is known.
  const other = await Class.withCasm(text, JSON.stringify({ ...casm, ...changes }));
  return [other, await Class.compile(text)];
}

async function inDirectory<T>(path: string, use: (store: Store) => Promise<T>): Promise<T> {
  const directory = await lockDirectory(path, {}, silentLog);
  closeAfterTest(() => directory.close());
  const { store } = await directory.open(directory.config, undefined);
  const result = await use(store);
  await directory.close();
  return result;
}

/** Begins a chain that has a class in a block or, without blocks, in its pending block. */
async function declareIn(store: Store, instance: number, contractClass: Class, blocks: number) {
  const chain = await Chain.openStored(options, store.chain(instance, true), undefined);
  const { hash: class_hash, compiledClassHash = '0x0' } = contractClass;
  const diff = { declared_classes: [{ class_hash, compiled_class_hash: compiledClassHash }] };
  await chain.write(undefined, async (world) => {
    const state = await applyDiff(world.pendingState, diff, [contractClass]);
    return [withDirectWrite(world, state), undefined];
  });
  if (blocks > 0) await createBlocks(chain, blocks, undefined, undefined);
}

/** What differs between the codes of these tests. */
async function figuresOf(contractClass: Class | undefined) {
  const code = contractClass && JSON.parse(await contractClass.casm());
  return { compiledHash: contractClass?.compiledClassHash, hints: code?.hints.length };
}

async function codeIn(store: Store, instance: number, hash: string) {
  const content = await store.chain(instance, true).read();
  if (!content) throw new Error('there is no chain');
  return figuresOf(await content.world.pendingState.class(hash));
}

test.each([0, 1])('chains have the code that they declared, after %i blocks', async (blocks) => {
  const [older, compiled] = await withOtherCode({
    bytecode: [...casm.bytecode, '0x208b7fff7fff7ffe'],
    bytecode_segment_lengths: undefined,
  });
  expect(older.compiledClassHash).not.toBe(compiled.compiledClassHash);
  const folder = temporaryFolder();
  await inDirectory(folder, async (store) => {
    await declareIn(store, 0, older, blocks);
    await declareIn(store, 1, compiled, blocks);
  });
  await inDirectory(folder, async (store) => {
    expect(await codeIn(store, 0, compiled.hash)).toEqual(await figuresOf(older));
    expect(await codeIn(store, 1, compiled.hash)).toEqual(await figuresOf(compiled));
  });
});

test('hints from elsewhere do not stand for those of the compiler', async () => {
  const [foreign, compiled] = await withOtherCode({ hints: [] });
  // No hash covers hints.
  expect(foreign.compiledClassHash).toBe(compiled.compiledClassHash);
  const folder = temporaryFolder();
  await inDirectory(folder, async (store) => {
    await declareIn(store, 0, foreign, 1);
    await declareIn(store, 1, compiled, 1);
    await declareIn(store, 2, foreign, 1);
  });
  await inDirectory(folder, async (store) => {
    expect(await codeIn(store, 1, compiled.hash)).toEqual(await figuresOf(compiled));
  });
});
