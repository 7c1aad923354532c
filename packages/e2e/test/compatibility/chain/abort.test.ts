// Aborted blocks: what an abort removes, and what it leaves.

import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { INITIAL_BALANCE, startFixture } from '@starkbox/test-support/fixture';
import { contract, ETH } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const RECEIVER = '0x1';
const NO_BLOCK = { code: -1, message: 'No block found', data: undefined };
const NOT_GENESIS = { code: -1, message: "Genesis block can't be aborted", data: undefined };

async function create(client: Client): Promise<string> {
  return (await client.call('devnet_createBlock')).block_hash;
}

async function mint(client: Client, amount: number): Promise<string> {
  return (await client.call('devnet_mint', { address: RECEIVER, amount })).tx_hash;
}

async function abort(client: Client, starting_block_id: unknown): Promise<readonly string[]> {
  return (await client.call('devnet_abortBlocks', { starting_block_id })).aborted;
}

const refusal = (client: Client, starting_block_id: unknown) =>
  client.failure('devnet_abortBlocks', { starting_block_id });

async function expectGone(client: Client, block_id: unknown): Promise<void> {
  for (const method of [
    'starknet_getBlockWithTxHashes',
    'starknet_getBlockWithTxs',
    'starknet_getBlockWithReceipts',
    'starknet_getStateUpdate',
    'starknet_getBlockTransactionCount',
    'starknet_traceBlockTransactions',
  ]) {
    expect((await client.failure(method, [block_id])).code, method).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
  }
}

async function balances(client: Client, address = RECEIVER): Promise<readonly string[]> {
  const at = async (block_id: string) =>
    (await client.call('devnet_getAccountBalance', { address, block_id })).amount;
  return [await at('latest'), await at('pre_confirmed')];
}

async function numbers(client: Client): Promise<readonly number[]> {
  const latest = await client.call('starknet_getBlockWithTxHashes', ['latest']);
  const next = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
  return [latest.block_number, next.block_number];
}

describe('aborting', () => {
  test('abort.1a the latest block by its hash', async () => {
    const { client } = await startFixture();
    const genesis = await client.call('starknet_blockHashAndNumber');
    const block_hash = await create(client);
    expect(await abort(client, { block_hash })).toEqual([block_hash]);
    expect(await client.call('starknet_blockHashAndNumber')).toEqual(genesis);
    await expectGone(client, { block_hash });
  });

  test('abort.1b two blocks, the newest first', async () => {
    const { client } = await startFixture();
    const first = await create(client);
    const second = await create(client);
    const third = await create(client);
    expect(await abort(client, { block_hash: second })).toEqual([third, second]);
    await expectGone(client, { block_hash: third });
    await expectGone(client, { block_hash: second });
    const latest = await client.call('starknet_blockHashAndNumber');
    expect(latest).toEqual({ block_hash: first, block_number: 1 });
  });

  test('abort.1c the transactions of a block', async () => {
    const { client } = await startFixture();
    const earlierTransaction = await mint(client, 1);
    const transaction = await mint(client, 2);
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    expect(await abort(client, { block_number: 2 })).toEqual([block_hash]);
    for (const method of [
      'starknet_getTransactionByHash',
      'starknet_getTransactionReceipt',
      'starknet_getTransactionStatus',
      'starknet_traceTransaction',
    ]) {
      expect((await client.failure(method, [transaction])).code, method).toBe(
        ERRORS.TXN_HASH_NOT_FOUND.code,
      );
    }
    expect(await client.call('starknet_getTransactionStatus', [earlierTransaction])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
    const { events } = await client.call('starknet_getEvents', [{ chunk_size: 100 }]);
    expect(events.map((event) => event.transaction_hash)).toEqual([
      earlierTransaction,
      earlierTransaction,
    ]);
    expect(await client.call('devnet_getStatus')).toMatchObject({
      block_count: 2,
      transaction_count: 1,
    });
  });

  test('abort.1d an aborted block is not found by its number', async () => {
    const { client } = await startFixture();
    await create(client);
    await abort(client, { block_number: 1 });
    await expectGone(client, { block_number: 1 });
  });

  test('abort.1e genesis stays', async () => {
    const { client } = await startFixture();
    const genesis = await client.call('starknet_getBlockWithTxs', [{ block_number: 0 }]);
    expect(genesis).toHaveProperty('status', 'ACCEPTED_ON_L2');
    for (const id of ['latest', { block_number: 0 }]) {
      expect(await refusal(client, id)).toMatchObject(NOT_GENESIS);
    }
    await create(client);
    expect(await refusal(client, { block_number: 0 })).toMatchObject(NOT_GENESIS);
    await abort(client, 'latest');
    expect(await client.call('starknet_getBlockWithTxs', ['latest'])).toEqual(genesis);
  });

  test('abort.2a state and balances go back step by step', async () => {
    const { client, sender } = await startFixture();
    const { address } = sender.account;
    const nonce = () => client.call('starknet_getNonce', ['latest', address]);
    const eth = async () =>
      (await client.call('devnet_getAccountBalance', { address, unit: 'WEI' })).amount;

    await mint(client, 10);
    await sender.invoke([{ to: ETH, name: 'transfer', calldata: [RECEIVER, '0x7', '0x0'] }]);
    await mint(client, 20);
    expect(await balances(client)).toEqual(['30', '30']);
    expect([await nonce(), await eth()]).toEqual(['0x1', (INITIAL_BALANCE - 7n).toString()]);

    await abort(client, 'latest');
    expect(await balances(client)).toEqual(['10', '10']);
    expect([await nonce(), await eth()]).toEqual(['0x1', (INITIAL_BALANCE - 7n).toString()]);

    await abort(client, 'latest');
    expect(await balances(client)).toEqual(['10', '10']);
    expect([await nonce(), await eth()]).toEqual(['0x0', INITIAL_BALANCE.toString()]);
    expect(await balances(client, address)).toEqual([
      INITIAL_BALANCE.toString(),
      INITIAL_BALANCE.toString(),
    ]);

    await abort(client, 'latest');
    expect(await balances(client)).toEqual(['0', '0']);
  });

  test('abort.2b what was undone can be done again', async () => {
    const { client } = await startFixture();
    const transaction = await mint(client, 10);
    const [aborted] = await abort(client, 'latest');
    expect(await mint(client, 10)).toBe(transaction);
    expect(await balances(client)).toEqual(['10', '10']);
    await abort(client, 'latest');
    await mint(client, 11);
    expect(await balances(client)).toEqual(['11', '11']);
    // Another block has another hash, though its number and its size are the same.
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    expect(block_hash).not.toBe(aborted);
    await expectGone(client, { block_hash: aborted });
  });

  test('abort.2c block numbers follow', async () => {
    const { client } = await startFixture();
    await create(client);
    await create(client);
    expect(await numbers(client)).toEqual([2, 3]);
    await abort(client, 'latest');
    expect(await numbers(client)).toEqual([1, 2]);
    await abort(client, 'latest');
    expect(await numbers(client)).toEqual([0, 1]);
    await create(client);
    expect(await numbers(client)).toEqual([1, 2]);
  });

  test('abort.3a without kept history it is refused', async () => {
    const { client } = await startFixture({ stateArchive: 'none' });
    const block_hash = await create(client);
    expect(await refusal(client, { block_hash })).toMatchObject({
      code: -1,
      message: 'The abort blocks feature requires state-archive-capacity set to full.',
      data: undefined,
    });
    expect(await client.call('starknet_blockNumber')).toBe(1);
  });

  test('abort.3b the same block twice', async () => {
    const { client } = await startFixture();
    const first = await create(client);
    const second = await create(client);
    expect(await abort(client, { block_hash: first })).toEqual([second, first]);
    for (const block_hash of [first, second]) {
      expect(await refusal(client, { block_hash })).toMatchObject(NO_BLOCK);
    }
    const again = await create(client);
    expect(await abort(client, { block_hash: again })).toEqual([again]);
    expect(await refusal(client, { block_hash: again })).toMatchObject(NO_BLOCK);
    expect(await refusal(client, { block_number: 1 })).toMatchObject(NO_BLOCK);
  });

  test.each([{ block_hash: '0x123' }, { block_number: 42 }, 'l1_accepted'])(
    'abort.3b a block that never was: %j',
    async (id) => {
      const { client } = await startFixture();
      expect(await refusal(client, id)).toMatchObject(NO_BLOCK);
    },
  );

  test('abort.4b the latest block again and again, down to genesis', async () => {
    const { client } = await startFixture();
    const created: string[] = [];
    for (let i = 0; i < 3; i += 1) created.push(await create(client));
    for (const hash of created.reverse()) expect(await abort(client, 'latest')).toEqual([hash]);
    expect(await refusal(client, 'latest')).toMatchObject(NOT_GENESIS);
    expect(await numbers(client)).toEqual([0, 1]);
  });

  test('abort.5 pending transactions are undone, and the block before them stays', async () => {
    const { client } = await startFixture({ blockGenerationOn: 'demand' });
    await mint(client, 10);
    const closedHash = await create(client);
    const waiting = await mint(client, 20);
    expect(await balances(client)).toEqual(['10', '30']);

    const aborted = await abort(client, 'pre_confirmed');
    expect(aborted).toHaveLength(1);
    expect(aborted).not.toContain(closedHash);
    expect(await balances(client)).toEqual(['10', '10']);
    expect((await client.failure('starknet_getTransactionStatus', [waiting])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
    const latest = await client.call('starknet_blockHashAndNumber');
    expect(latest).toEqual({ block_hash: closedHash, block_number: 1 });
    const pending = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
    expect(pending.transactions).toEqual([]);
    expect(await client.call('devnet_getStatus')).toMatchObject({
      block_count: 2,
      transaction_count: 1,
      pre_confirmed_tx_count: 0,
    });
  });

  test('abort.5 aborting a closed block removes the pending transactions', async () => {
    const { client } = await startFixture({ blockGenerationOn: 'demand' });
    await mint(client, 10);
    const hash = await create(client);
    const waiting = await mint(client, 20);
    expect(await abort(client, 'latest')).toEqual([hash]);
    expect(await balances(client)).toEqual(['0', '0']);
    expect((await client.failure('starknet_getTransactionStatus', [waiting])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
    await create(client);
    expect(await client.call('starknet_getBlockTransactionCount', ['latest'])).toBe(0);
  });

  test('abort.6 a class declared in an aborted block', async () => {
    const { client, sender } = await startFixture();
    const counter = await contract('counter');
    await sender.declare(counter);
    const { block_hash, block_number } = await client.call('starknet_blockHashAndNumber');
    expect(await client.call('starknet_getClass', ['latest', counter.hash])).toEqual(counter.body);
    await abort(client, { block_hash });

    const code = async (block_id: unknown) =>
      (await client.failure('starknet_getClass', [block_id, counter.hash])).code;
    expect(await code({ block_number })).toBe(24);
    expect(await code({ block_hash })).toBe(24);
    expect(await code('latest')).toBe(28);
    expect(await code('pre_confirmed')).toBe(28);

    await create(client);
    expect(await code({ block_hash })).toBe(24);
    for (const id of ['latest', 'pre_confirmed', { block_number }]) {
      expect(await code(id)).toBe(28);
    }
    expect((await client.failure('starknet_getCompiledCasm', [counter.hash])).code).toBe(
      ERRORS.CLASS_HASH_NOT_FOUND.code,
    );

    await sender.declare(counter);
    expect(await client.call('starknet_getClass', ['latest', counter.hash])).toEqual(counter.body);
  });
});
