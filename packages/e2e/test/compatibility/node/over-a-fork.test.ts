// Other chapters on a fork: configuration, aborts, L1 acceptance, prices, snapshots, slow origins.
import { connectSocket, type ListeningNode } from '@starkbox/test-support';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { GWEI, hex, STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';

/** The first block that is the fork's own; before it come 0 to 3. */
const FIRST = 4;
const at = (block_number: number) => ({ block_number });

const pair = await startPair(async (origin) => {
  for (let block = 1; block < FIRST; block += 1) await mint(origin, '0x1234', block);
});
afterAll(() => pair.close());

test('general.11c the configuration shows what is dumped and forked', async () => {
  const { client } = await pair.fork({ forkBlock: -1, dumpOn: 'request', dumpPath: 'a.json' });
  expect(await client.call('devnet_getConfig')).toMatchObject({
    dump_on: 'request',
    dump_path: 'a.json',
    fork_config: { url: `${pair.proxy.url}/`, block_number: FIRST - 2, caching_enabled: false },
  });
});

test('abort.4a a block of a fork is aborted once, and those of the origin never', async () => {
  const { client } = await pair.fork();
  await client.call('devnet_createBlock');
  const { block_hash } = await client.call('starknet_blockHashAndNumber');
  const abort = { starting_block_id: { block_hash } };
  expect(await client.call('devnet_abortBlocks', abort)).toEqual({ aborted: [block_hash] });
  expect(await client.failure('devnet_abortBlocks', abort)).toMatchObject({
    message: 'No block found',
  });
  expect(
    await client.failure('devnet_abortBlocks', { starting_block_id: at(FIRST - 1) }),
  ).toMatchObject({ message: 'No block found' });
});

describe('acceptance on L1', () => {
  const accept = async ({ client }: ListeningNode, id: unknown): Promise<readonly string[]> =>
    (await client.call('devnet_acceptOnL1', { starting_block_id: id })).accepted;
  /** Which blocks read as accepted, and the transactions and receipts in them. */
  const accepted = async ({ client }: ListeningNode): Promise<readonly number[]> => {
    const acceptedNumbers: number[] = [];
    const height = await client.call('starknet_blockNumber');
    for (let number = 0; number <= height; number += 1) {
      const block = await client.call('starknet_getBlockWithReceipts', { block_id: at(number) });
      const status = 'status' in block ? block.status : undefined;
      for (const { receipt } of block.transactions) {
        expect(receipt.finality_status).toBe(status);
        const params = { transaction_hash: receipt.transaction_hash };
        expect(await client.call('starknet_getTransactionReceipt', params)).toMatchObject({
          finality_status: status,
        });
        expect(await client.call('starknet_getTransactionStatus', params)).toMatchObject({
          finality_status: status,
        });
      }
      if (status === 'ACCEPTED_ON_L1') acceptedNumbers.push(number);
    }
    return acceptedNumbers;
  };

  test('l1-acceptance.4a of the latest block: own hashes returned, all blocks accepted', async () => {
    const young = await pair.fork();
    await young.client.call('devnet_createBlock');
    expect(await accept(young, 'latest')).toHaveLength(2);
    expect(await accepted(young)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await accepted(pair.origin)).toEqual([]);
  });

  test('l1-acceptance.4a of blocks of the origin: one after the other', async () => {
    const young = await pair.fork();
    expect(await accept(young, at(1))).toEqual([]);
    expect(await accepted(young)).toEqual([0, 1]);
    expect(await accept(young, at(2))).toEqual([]);
    expect(await accepted(young)).toEqual([0, 1, 2]);
    expect(
      await young.client.failure('devnet_acceptOnL1', { starting_block_id: at(2) }),
    ).toMatchObject({ code: -1, message: 'Block already accepted on L1' });
    expect(
      await young.client.call('starknet_getBlockTransactionCount', { block_id: 'l1_accepted' }),
    ).toBe(1);
    const filter = { to_block: 'l1_accepted', chunk_size: 100 };
    const { events } = await young.client.call('starknet_getEvents', { filter });
    expect(events.map(({ block_number }) => block_number)).toEqual([1, 1, 2, 2]);
  });

  test('l1-acceptance.4a of own blocks without the origin', async () => {
    const young = await pair.fork();
    pair.proxy.mishap = () => ({ kind: 'reset' });
    try {
      expect(await accept(young, at(FIRST))).toHaveLength(1);
    } finally {
      pair.proxy.mishap = () => undefined;
    }
  });

  test('l1-acceptance.4b is gone after a restart, and there again after a dump was loaded', async () => {
    const young = await pair.fork({ dumpOn: 'request', dumpPath: 'unused.json' });
    await accept(young, at(2));
    const events = await young.client.call('devnet_dump', { inline: true });
    await young.client.call('devnet_restart');
    expect(await accepted(young)).toEqual([]);
    await young.client.call('devnet_load', { events });
    expect(await accepted(young)).toEqual([0, 1, 2]);
  });

  test('additions.3d is restored with a snapshot', async () => {
    const young = await pair.fork();
    await accept(young, at(1));
    const snapshot_id = await young.client.call('devnet_snapshot');
    await accept(young, at(3));
    expect(await accepted(young)).toEqual([0, 1, 2, 3]);
    expect(await young.client.call('devnet_revert', { snapshot_id })).toBe(true);
    expect(await accepted(young)).toEqual([0, 1]);
  });
});

test('gas.4 prices are the origin’s until others are set', async () => {
  await using other = await startPair(
    ({ client }) =>
      client.call('devnet_setGasPrice', { l2_gas_price_fri: 2e9, generate_block: true }),
    { chainId: 'SN_MAIN' },
  );
  const { client } = await other.fork();
  expect(await client.call('starknet_chainId')).toBe('0x534e5f4d41494e');
  const price = async (block_id: string): Promise<string> =>
    (await client.call('starknet_getBlockWithTxHashes', { block_id })).l2_gas_price.price_in_fri;
  expect(await price('latest')).toBe(hex(2n * GWEI));
  await client.call('devnet_setGasPrice', { l2_gas_price_fri: 3e9 });
  expect([await price('latest'), await price('pre_confirmed')]).toEqual([
    hex(2n * GWEI),
    hex(2n * GWEI),
  ]);
  await client.call('devnet_createBlock');
  expect([await price('latest'), await price('pre_confirmed')]).toEqual([
    hex(3n * GWEI),
    hex(3n * GWEI),
  ]);
});

describe('a slow origin', () => {
  test('additions.5 delays neither changes nor what needs nothing of it', async () => {
    const young = await pair.fork();
    const socket = await connectSocket(young.url);
    let open = (): void => {};
    pair.proxy.gate = new Promise((resolve) => {
      open = resolve;
    });
    try {
      const slow = Promise.all([
        young.client.call('starknet_getStorageAt', {
          contract_address: STRK,
          key: '0x4711',
          block_id: 'latest',
        }),
        young.client.call('starknet_getEvents', { filter: { chunk_size: 100 } }),
        young.client.call('starknet_getBlockWithTxHashes', { block_id: at(1) }),
        socket.subscribe('starknet_subscribeNewHeads', { block_id: at(1) }),
      ]);
      for (let block = 1; block <= 3; block += 1) {
        await mint(young, young.node.accounts[0]?.address ?? '', block);
        expect(await young.client.call('starknet_blockNumber')).toBe(FIRST + block);
      }
      // Asked before, answered after: what was accepted at the time of the question counts.
      await young.client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
      open();
      const [, , block] = await slow;
      expect(block).toMatchObject({ status: 'ACCEPTED_ON_L2' });
      const heads = await socket.heard();
      expect(heads.map(({ result }) => result)).toMatchObject([1, 2, 3, 4, 5, 6, 7].map(at));
    } finally {
      open();
      await socket.close();
    }
  });
});
