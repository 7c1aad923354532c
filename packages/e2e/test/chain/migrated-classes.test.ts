// Migrated compiled class hashes: written without a transaction, listed in the difference of their block.
import type { BLOCK_ID } from '@starkbox/spec';
import { imageOf, openNode, startFixture } from '@starkbox/test-support/fixture';
import { ACCOUNT_CLASS } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { beforeAll, expect, test } from 'vitest';

type Migrated = readonly { readonly class_hash: string; readonly compiled_class_hash: string }[];

/** The migration of the class of the predeployed accounts. */
let migrated: Migrated;

beforeAll(async () => {
  const node = await openNode({ accounts: 1 });
  const { state_diff } = await stateUpdate(node, { block_number: 0 });
  const { declared_classes } = state_diff;
  migrated = declared_classes.filter(({ class_hash }) => class_hash === ACCOUNT_CLASS);
  expect(migrated).toHaveLength(1);
});

const stateUpdate = (node: LocalChain, block_id: BLOCK_ID) =>
  node.request('starknet_getStateUpdate', { block_id });
const apply = (node: LocalChain, state_diff: object = { migrated_compiled_classes: migrated }) =>
  node.request('devnet_applyStateDiff', { state_diff });
const listed = async (node: LocalChain, block_id: BLOCK_ID): Promise<unknown> =>
  (await stateUpdate(node, block_id)).state_diff.migrated_compiled_classes;
const headerOf = async (node: LocalChain, block_number: number): Promise<unknown> =>
  node.request('starknet_getBlockWithTxHashes', { block_id: { block_number } });

test('a migration is part of its block alone, in its length and commitment', async () => {
  const { node, client } = await startFixture();
  const nonces = [{ contract_address: node.accounts[0]?.address, nonce: '0x1' }];
  await apply(node, { nonces });
  await node.request('devnet_createBlock');
  await apply(node, {
    nonces: [{ ...nonces[0], nonce: '0x2' }],
    migrated_compiled_classes: migrated,
  });
  expect(await listed(node, 'pre_confirmed')).toEqual(migrated);
  expect(await listed(node, 'latest')).toBeUndefined();
  await node.request('devnet_createBlock');
  expect(await listed(node, 'latest')).toEqual(migrated);
  expect(await listed(node, 'pre_confirmed')).toBeUndefined();
  await node.request('devnet_createBlock');
  expect(await listed(node, 'latest')).toBeUndefined();
  expect(await listed(node, { block_number: 2 })).toEqual(migrated);
  // Checked against the specification.
  await client.call('starknet_getStateUpdate', { block_id: { block_number: 2 } });
  const [before, after] = [await headerOf(node, 1), await headerOf(node, 2)].map(Object);
  expect(after.state_diff_length).toBe(before.state_diff_length + 1);
  expect(after.state_diff_commitment).not.toBe(before.state_diff_commitment);
});

test('blocks without commitments count it too', async () => {
  const node = await openNode({ accounts: 1, liteMode: true });
  await apply(node);
  await node.request('devnet_createBlock');
  expect(await listed(node, 'latest')).toEqual(migrated);
  expect(await headerOf(node, 1)).toMatchObject({ state_diff_length: 1 });
});

test('images keep migrations of closed blocks and of the open one', async () => {
  const node = await openNode({ accounts: 1 });
  await apply(node);
  await node.request('devnet_createBlock');
  await apply(node);
  const image = await imageOf(node);
  const other = await openNode({ accounts: 1 });
  await other.request('devnet_load', { image });
  expect(await listed(other, { block_number: 1 })).toEqual(migrated);
  expect(await listed(other, 'pre_confirmed')).toEqual(migrated);
  await Promise.all([node, other].map((chain) => chain.request('devnet_createBlock')));
  expect(Object(await headerOf(other, 2)).state_diff_commitment).toBe(
    Object(await headerOf(node, 2)).state_diff_commitment,
  );
});

test('a data directory keeps migrations of closed blocks and of the open one', async () => {
  const dataDir = temporaryFolder();
  const first = await createChain({ accounts: 1, dataDir });
  await apply(first);
  await first.request('devnet_createBlock');
  await apply(first);
  await first.close();
  const second = await openNode({ dataDir });
  expect(await listed(second, { block_number: 1 })).toEqual(migrated);
  expect(await listed(second, 'pre_confirmed')).toEqual(migrated);
  await second.request('devnet_createBlock');
  expect(await listed(second, { block_number: 2 })).toEqual(migrated);
  await second.close();
});

test('aborting a block removes its migration', async () => {
  const node = await openNode({ accounts: 1, stateArchive: 'full' });
  await apply(node);
  await node.request('devnet_createBlock');
  await node.request('devnet_abortBlocks', { starting_block_id: { block_number: 1 } });
  await node.request('devnet_createBlock');
  expect(await listed(node, 'latest')).toBeUndefined();
});

test('classes of the origin of a fork are migrated on the fork', async () => {
  const origin = await openNode({ accounts: 1 });
  const { url } = await origin.listen({ port: 0 });
  const fork = await openNode({ accounts: 0, forkNetwork: url, forkUpstreamCaching: false });
  await apply(fork);
  await fork.request('devnet_createBlock');
  expect(await listed(fork, 'latest')).toEqual(migrated);
  expect(await listed(origin, 'latest')).toBeUndefined();
});

test('a class must be declared with the hash of the current function', async () => {
  const node = await openNode({ accounts: 1 });
  const failure = async (list: Migrated): Promise<unknown> => {
    try {
      return await apply(node, { migrated_compiled_classes: list });
    } catch (error) {
      return { code: Object(error).code, message: Object(error).message };
    }
  };
  const where = 'state_diff.migrated_compiled_classes';
  const wrong = '0x2';
  expect(await failure([{ class_hash: '0x1', compiled_class_hash: wrong }])).toEqual({
    code: -32602,
    message: `${where}: class 0x1 is not declared`,
  });
  const current = migrated[0]?.compiled_class_hash;
  expect(await failure([{ class_hash: ACCOUNT_CLASS, compiled_class_hash: wrong }])).toEqual({
    code: -32602,
    message: `${where}: expected compiled_class_hash ${current} for class ${ACCOUNT_CLASS}, got ${wrong}`,
  });
  expect(await failure([...migrated, ...migrated])).toMatchObject({ code: -32602 });
  const { state_diff } = await stateUpdate(node, { block_number: 0 });
  const [deprecated = ''] = state_diff.deprecated_declared_classes;
  expect(await failure([{ class_hash: deprecated, compiled_class_hash: wrong }])).toEqual({
    code: -32602,
    message: `${where}: class ${deprecated} is a Cairo 0 class, which has no compiled hash`,
  });
  await node.request('devnet_createBlock');
  expect(await listed(node, 'latest')).toBeUndefined();
});
