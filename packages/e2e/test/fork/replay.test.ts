// Replay of the origin's transactions, unchanged and with changes.
import { readFile } from 'node:fs/promises';
import { Class, storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { deployed } from '@starkbox/test-support/contracts';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { balanceSlot, STRK } from '@starkbox/test-support/signing';
import type { Contract } from 'starknet';
import { afterAll, expect, test } from 'vitest';

let counter: Contract;
let increase: string;

const pair = await startPair(async (origin) => {
  counter = await deployed(origin.account(0), 'counter', { start: 41 });
  increase = (await counter.invoke('increase', [1])).transaction_hash;
  await mint(origin, '0x1234', 100);
  await mint(origin, '0x1234', 100);
});
const fork = await pair.fork();
afterAll(() => pair.close());

test('as it was', async () => {
  const replayed = await fork.client.call('devnet_replayTransaction', {
    transaction_hash: increase,
  });
  expect(replayed.differences).toEqual([]);
  expect(replayed.receipt).toMatchObject({
    execution_status: 'SUCCEEDED',
    transaction_hash: increase,
  });
});

test('its reads are asked for together, as far as its trace gives them away', async () => {
  const young = await pair.fork();
  pair.proxy.forget();
  await young.client.call('devnet_replayTransaction', { transaction_hash: increase });
  // One after the other, each read would be a request, and three questions come before them.
  expect(pair.proxy.reads).toBeGreaterThan(12);
  expect(pair.proxy.requests).toBeLessThan(pair.proxy.reads);
});

const replay = (address: string, key: string, value: string) => ({
  transaction_hash: increase,
  overrides: {
    state_diff: { storage_diffs: [{ address, storage_entries: [{ key, value }] }] },
  },
});

test('with another storage', async () => {
  const params = replay(counter.address, storageAddress('count'), '0x64');
  const { differences, trace } = await fork.client.call('devnet_replayTransaction', params);
  expect(differences).toContainEqual({
    path: 'receipt.events[0].data[0]',
    was: '0x29',
    is: '0x64',
  });
  expect(differences).toContainEqual({
    path: 'receipt.events[0].data[1]',
    was: '0x2a',
    is: '0x65',
  });
  expect(JSON.stringify(trace)).toContain('"0x65"');
});

test('with another class', async () => {
  const reverter = await Class.compile(
    await readFile(
      new URL('../../../../contracts/cairo/reverter.sierra.json', import.meta.url),
      'utf8',
    ),
  );
  const contract_address = counter.address;
  const { receipt, differences } = await fork.client.call('devnet_replayTransaction', {
    transaction_hash: increase,
    overrides: {
      state_diff: { replaced_classes: [{ contract_address, class_hash: reverter.hash }] },
      classes: [{ contract_class: JSON.parse(await reverter.json()) }],
    },
  });
  expect(receipt).toMatchObject({ execution_status: 'REVERTED' });
  expect(differences).toContainEqual({
    path: 'receipt.execution_status',
    was: 'SUCCEEDED',
    is: 'REVERTED',
  });
});

test('where it would have been refused', async () => {
  const [owner] = pair.origin.node.accounts;
  const params = replay(STRK, balanceSlot(owner?.address ?? ''), '0x1');
  expect(await fork.client.failure('devnet_replayTransaction', params)).toMatchObject({
    code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
  });
});

test('every transaction of a longer past comes out as it did', async () => {
  const all: string[] = [];
  const latest = await pair.origin.client.call('starknet_blockNumber');
  for (let block_number = 1; block_number <= latest; block_number += 1) {
    const { transactions } = await pair.origin.client.call('starknet_getBlockWithTxHashes', {
      block_id: { block_number },
    });
    all.push(...transactions);
  }
  for (const transaction_hash of all) {
    const replayed = await fork.client.call('devnet_replayTransaction', { transaction_hash });
    expect(replayed.differences).toEqual([]);
  }
  expect(all.length).toBeGreaterThan(3);
});

test('after others of the same block', async () => {
  const busy = await startNode({ blockGenerationOn: 'demand', listen: true });
  const hashes: string[] = [];
  for (let index = 0; index < 3; index += 1) hashes.push(await mint(busy, '0x5', 1));
  await busy.client.call('devnet_createBlock');
  const above = await pair.fork({ forkNetwork: busy.url });
  for (const transaction_hash of hashes) {
    const { differences } = await above.client.call('devnet_replayTransaction', {
      transaction_hash,
    });
    expect(differences).toEqual([]);
  }
  await busy.close();
});

test('nothing is kept, and what is unknown is not found', async () => {
  const before = await fork.client.call('starknet_blockHashAndNumber');
  await fork.client.call('devnet_replayTransaction', { transaction_hash: increase });
  expect(await fork.client.call('starknet_blockHashAndNumber')).toEqual(before);
  expect(
    await fork.client.failure('devnet_replayTransaction', { transaction_hash: '0x99' }),
  ).toMatchObject({ code: ERRORS.TXN_HASH_NOT_FOUND.code });
  expect(
    await pair.origin.client.failure('devnet_replayTransaction', { transaction_hash: increase }),
  ).toMatchObject({ code: -1 });
});
