// Blocks that L1 has accepted.

import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { describe, expect, test } from 'vitest';

const NO_BLOCK = { code: -1, message: 'No block found', data: undefined };

async function create(client: Client): Promise<string> {
  return (await client.call('devnet_createBlock')).block_hash;
}

async function latest(client: Client): Promise<string> {
  return (await client.call('starknet_blockHashAndNumber')).block_hash;
}

async function mint(client: Client): Promise<string> {
  return (await client.call('devnet_mint', { address: '0x1', amount: 1 })).tx_hash;
}

async function accept(client: Client, starting_block_id: unknown): Promise<readonly string[]> {
  return (await client.call('devnet_acceptOnL1', { starting_block_id })).accepted;
}

const refusal = (client: Client, starting_block_id: unknown) =>
  client.failure('devnet_acceptOnL1', { starting_block_id });

/** The status that all three forms of a block agree on. */
async function blockStatus(client: Client, block_id: unknown): Promise<unknown> {
  const [hashes, whole, receipts] = [
    await client.call('starknet_getBlockWithTxHashes', [block_id]),
    await client.call('starknet_getBlockWithTxs', [block_id]),
    await client.call('starknet_getBlockWithReceipts', [block_id]),
  ];
  const statuses = [hashes, whole, receipts].map((block) => 'status' in block && block.status);
  const finalities = receipts.transactions.map(({ receipt }) => receipt.finality_status);
  const all = new Set([...statuses, ...finalities]);
  expect(all.size).toBe(1);
  return [...all][0];
}

/** What status and receipt of a transaction agree on. */
async function finality(client: Client, hash: string): Promise<string> {
  const { finality_status } = await client.call('starknet_getTransactionStatus', [hash]);
  const receipt = await client.call('starknet_getTransactionReceipt', [hash]);
  expect(receipt.finality_status).toBe(finality_status);
  return finality_status;
}

async function statuses(client: Client): Promise<readonly unknown[]> {
  const count = (await client.call('starknet_blockNumber')) + 1;
  const list: unknown[] = [];
  for (let block_number = 0; block_number < count; block_number += 1) {
    list.push(await blockStatus(client, { block_number }));
  }
  return list;
}

const L1 = 'ACCEPTED_ON_L1';
const L2 = 'ACCEPTED_ON_L2';

describe('accepting', () => {
  test.each(['tag', 'number', 'hash'] as const)(
    'l1-acceptance.1a a block and all before it, by %s',
    async (way) => {
      const { client } = await startFixture();
      const genesis = await latest(client);
      const first = await create(client);
      const second = await create(client);
      const ids = { tag: 'latest', number: { block_number: 2 }, hash: { block_hash: second } };
      expect(await statuses(client)).toEqual([L2, L2, L2]);
      expect(await accept(client, ids[way])).toEqual([second, first, genesis]);
      expect(await statuses(client)).toEqual([L1, L1, L1]);
    },
  );

  test('l1-acceptance.1b transactions are accepted with their block, and later blocks are not', async () => {
    const { client } = await startFixture();
    const genesis = await latest(client);
    const first = await mint(client);
    const first_block = await latest(client);
    const second = await mint(client);
    expect(await accept(client, { block_number: 1 })).toEqual([first_block, genesis]);
    expect(await statuses(client)).toEqual([L1, L1, L2]);
    expect([await finality(client, first), await finality(client, second)]).toEqual([L1, L2]);
    const third = await mint(client);
    expect(await finality(client, third)).toBe(L2);
    expect(await statuses(client)).toEqual([L1, L1, L2, L2]);
  });

  test('l1-acceptance.1b pending transactions stay pending', async () => {
    const { client } = await startFixture({ blockGenerationOn: 'demand' });
    const waiting = await mint(client);
    await accept(client, 'latest');
    expect(await finality(client, waiting)).toBe('PRE_CONFIRMED');
    await create(client);
    expect(await finality(client, waiting)).toBe(L2);
  });

  test('l1-acceptance.1c again: only the new blocks', async () => {
    const { client } = await startFixture();
    const genesis = await latest(client);
    const first = await create(client);
    expect(await accept(client, 'latest')).toEqual([first, genesis]);
    const second = await create(client);
    const third = await create(client);
    expect(await accept(client, 'latest')).toEqual([third, second]);
    expect(await statuses(client)).toEqual([L1, L1, L1, L1]);
  });

  test('l1-acceptance.3a genesis', async () => {
    const { client } = await startFixture();
    const genesis = await latest(client);
    await create(client);
    expect(await accept(client, { block_number: 0 })).toEqual([genesis]);
    expect(await statuses(client)).toEqual([L1, L2]);
  });

  test('l1-acceptance.3b what is accepted already', async () => {
    const { client } = await startFixture();
    const accepted = { code: -1, message: 'Block already accepted on L1', data: undefined };
    const hash = await create(client);
    await accept(client, 'latest');
    for (const id of ['latest', { block_hash: hash }, { block_number: 0 }, 'l1_accepted']) {
      expect(await refusal(client, id)).toMatchObject(accepted);
    }
    expect(await statuses(client)).toEqual([L1, L1]);
  });

  test('l1-acceptance.3c the block under construction', async () => {
    const { client } = await startFixture({ blockGenerationOn: 'demand' });
    const waiting = await mint(client);
    expect(await refusal(client, 'pre_confirmed')).toMatchObject({
      code: -1,
      message: 'Pre-confirmed block cannot be accepted on L1',
      data: undefined,
    });
    expect(await statuses(client)).toEqual([L2]);
    expect(await finality(client, waiting)).toBe('PRE_CONFIRMED');
    expect((await client.failure('starknet_getBlockWithTxs', ['l1_accepted'])).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
  });

  test('l1-acceptance.3d aborted and unknown blocks', async () => {
    const { client } = await startFixture();
    const block_hash = await create(client);
    await client.call('devnet_abortBlocks', { starting_block_id: { block_hash } });
    for (const id of [{ block_hash }, { block_number: 1 }, { block_hash: '0x42' }]) {
      expect(await refusal(client, id)).toMatchObject(NO_BLOCK);
    }
    expect(await refusal(client, 'l1_accepted')).toMatchObject(NO_BLOCK);
    expect(await statuses(client)).toEqual([L2]);
  });
});

describe('the tag of the last accepted block', () => {
  const READS = [
    ['starknet_getBlockWithTxHashes', []],
    ['starknet_getBlockWithTxs', []],
    ['starknet_getBlockWithReceipts', []],
    ['starknet_getStateUpdate', []],
    ['starknet_getBlockTransactionCount', []],
    ['starknet_traceBlockTransactions', []],
    ['starknet_getTransactionByBlockIdAndIndex', [0]],
    ['starknet_getNonce', ['0x34ba56f92265f0868c57d3fe72ecab144fc96f97954bbbc4252cef8e8a979ba']],
  ] as const;

  test('l1-acceptance.2a it finds the accepted block, whatever comes after', async () => {
    const { client } = await startFixture();
    await mint(client);
    const accepted = await latest(client);
    await accept(client, 'latest');
    const whole = await client.call('starknet_getBlockWithTxs', ['l1_accepted']);
    expect(whole).toMatchObject({ status: L1, block_hash: accepted, block_number: 1 });
    await mint(client);
    await create(client);
    expect(await client.call('starknet_getBlockWithTxs', ['l1_accepted'])).toEqual(whole);
    for (const [method, more] of READS) {
      const byTag = await client.call(method, ['l1_accepted', ...more]);
      expect(byTag).toEqual(await client.call(method, [{ block_hash: accepted }, ...more]));
    }
    const { events } = await client.call('starknet_getEvents', [
      { from_block: 'l1_accepted', to_block: 'l1_accepted', chunk_size: 10 },
    ]);
    expect(events.map((event) => event.block_hash)).toEqual([accepted, accepted]);
    expect(
      await client.call('devnet_getAccountBalance', { address: '0x1', block_id: 'l1_accepted' }),
    ).toMatchObject({ amount: '1' });
  });

  test('l1-acceptance.2b without an accepted block there is none', async () => {
    const { client } = await startFixture();
    await mint(client);
    for (const [method, more] of READS) {
      expect(await client.failure(method, ['l1_accepted', ...more])).toMatchObject({
        code: ERRORS.BLOCK_NOT_FOUND.code,
      });
    }
    const range = { from_block: 'l1_accepted', chunk_size: 10 };
    expect(await client.failure('starknet_getEvents', [range])).toMatchObject({
      code: ERRORS.BLOCK_NOT_FOUND.code,
    });
  });
});
