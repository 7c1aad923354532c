// Reorganisations: blocks that are replaced by others in one change.
import { ERRORS } from '@starkbox/spec';
import { contract, deployment, read, Sender, STRK, selector } from '@starkbox/test-support/signing';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';

const transfer = (to: string, amount = '0x1') => ({
  to: STRK,
  name: 'transfer',
  calldata: [to, amount, '0x0'],
});

test('subscribers get one notice and then the new heads', async () => {
  const { client, connect, sender, transfer: send, block } = await gather();
  const first = await send();
  const before = await client.call('starknet_blockHashAndNumber');
  await block();
  const second = await send();
  const last = await client.call('starknet_blockHashAndNumber');
  const socket = await connect();
  await socket.subscribe('starknet_subscribeNewHeads');
  await socket.quiet();

  // Of the two that were there the first comes back, in the second block.
  const { aborted, blocks } = await client.call('devnet_reorg', {
    depth: 3,
    blocks: [[], [first], [], []],
  });
  expect(aborted).toHaveLength(3);
  expect(aborted).toEqual([last.block_hash, expect.any(String), before.block_hash]);
  expect(await socket.heard()).toMatchObject([
    {
      method: 'starknet_subscriptionReorg',
      result: {
        starting_block_hash: before.block_hash,
        starting_block_number: 1,
        ending_block_hash: last.block_hash,
        ending_block_number: 3,
      },
    },
    ...blocks.map((block_hash, index) => ({
      method: 'starknet_subscriptionNewHeads',
      result: { block_hash, block_number: index + 1 },
    })),
  ]);
  expect(await client.call('starknet_getTransactionReceipt', [first])).toMatchObject({
    block_number: 2,
    block_hash: blocks[1],
    execution_status: 'SUCCEEDED',
  });
  expect((await client.failure('starknet_getTransactionReceipt', [second])).code).toBe(
    ERRORS.TXN_HASH_NOT_FOUND.code,
  );
  expect(await sender.nonce()).toBe(1);
});

test('new transactions, declarations and messages from L1 take the place of others', async () => {
  const { client, node, sender } = await gather();
  const messenger = await contract('messenger');
  const declared = await sender.declare(messenger);
  const { call, address } = deployment(messenger.hash);
  const deployed = await sender.invoke([call]);
  const message = {
    l1_contract_address: '0xe',
    l1_transaction_hash: `0x${'1'.repeat(64)}`,
    l2_contract_address: address,
    entry_point_selector: selector('deposit'),
    payload: ['0x5', '0x64'],
    paid_fee_on_l1: '0x1',
    nonce: '0x1',
  };
  const { transaction_hash: messageHash } = await client.call(
    'devnet_postmanSendMessageToL2',
    message,
  );
  const receipt = await client.call('starknet_getTransactionReceipt', [messageHash]);
  const other = new Sender(client, node.accounts[1]);
  const added = await other.invokeRequest([transfer('0xb')]);
  const { blocks } = await client.call('devnet_reorg', {
    depth: 3,
    blocks: [[added, declared, deployed], [messageHash]],
  });
  expect(blocks).toHaveLength(2);
  const block = await client.call('starknet_getBlockWithTxs', [{ block_number: 1 }]);
  expect(block.transactions).toHaveLength(3);
  expect(block.transactions[1]).toMatchObject({ type: 'DECLARE', class_hash: messenger.hash });
  const again = await client.call('starknet_getTransactionReceipt', [messageHash]);
  expect({ ...again, block_hash: '' }).toEqual({ ...receipt, block_number: 2, block_hash: '' });
  const status = await client.call('starknet_getMessagesStatus', [message.l1_transaction_hash]);
  expect(status).toMatchObject([{ transaction_hash: messageHash }]);
  expect(await read(client, STRK, 'balanceOf', ['0xb'])).toEqual(['0x1', '0x0']);
});

test('without blocks, as many empty ones replace those that are removed', async () => {
  const { client, block } = await gather({ startTime: 1000 });
  await block();
  const old = await block();
  const { blocks } = await client.call('devnet_reorg', { depth: 2 });
  expect(await client.call('starknet_blockNumber')).toBe(2);
  expect(blocks).not.toContain(old);
});

test('a transaction that cannot be included changes nothing', async () => {
  const { client, sender, transfer: send } = await gather();
  const hash = await send();
  const before = await client.call('starknet_blockHashAndNumber');
  const nonce = await sender.invokeRequest([transfer('0xb')], { nonce: '0x7' });
  const failures = [
    [
      [[hash], [nonce]],
      {
        message: expect.stringMatching(/^blocks\[1\]\[0\]: /),
        data: { code: ERRORS.INVALID_TRANSACTION_NONCE.code },
      },
    ],
    [
      [[hash, hash]],
      {
        message: expect.stringMatching(/^blocks\[0\]\[1\]: /),
        data: { code: ERRORS.DUPLICATE_TX.code },
      },
    ],
    [[['0x5']], { message: expect.stringContaining('0x5') }],
    [[Array(1000).fill('0x5'), ['0x5']], { code: ERRORS.INVALID_PARAMS.code }],
  ] as const;
  for (const [blocks, failure] of failures) {
    expect(await client.failure('devnet_reorg', { depth: 1, blocks })).toMatchObject(failure);
  }
  expect((await client.failure('devnet_reorg', { depth: 2 })).code).toBe(-1);
  for (const depth of [0, 10_001, 2 ** 40]) {
    expect((await client.failure('devnet_reorg', { depth })).code).toBe(ERRORS.INVALID_PARAMS.code);
  }
  expect(await client.call('starknet_blockHashAndNumber')).toEqual(before);
});

test('a data directory keeps the new blocks and not the old ones', async () => {
  const dataDir = temporaryFolderOfFile();
  const first = await gather({ dataDir });
  const reincluded = await first.transfer();
  const gone = await first.transfer();
  await first.mint();
  await first.client.call('devnet_reorg', { depth: 3, blocks: [[], [reincluded], []] });
  const hashes = await Promise.all(
    [0, 1, 2, 3].map((block_number) =>
      first.client.call('starknet_getBlockWithTxHashes', [{ block_number }]),
    ),
  );
  await first.node.close();
  const second = await gather({ dataDir });
  for (const [block_number, block] of hashes.entries()) {
    expect(await second.client.call('starknet_getBlockWithTxHashes', [{ block_number }])).toEqual(
      block,
    );
  }
  expect(await second.client.call('starknet_getTransactionReceipt', [reincluded])).toMatchObject({
    block_number: 2,
  });
  expect((await second.client.failure('starknet_getTransactionReceipt', [gone])).code).toBe(
    ERRORS.TXN_HASH_NOT_FOUND.code,
  );
  await second.node.close();
});

test('a journal repeats a reorganisation', async () => {
  const { client, transfer: send } = await gather({ dumpOn: 'request' });
  const reincluded = await send();
  await send();
  await client.call('devnet_reorg', { depth: 2, blocks: [[], [], [reincluded]] });
  const events = await client.call('devnet_dump', {});
  const other = await gather({ dumpOn: 'request' });
  await other.client.call('devnet_load', { events });
  expect(await other.client.call('starknet_getTransactionReceipt', [reincluded])).toMatchObject({
    block_number: 3,
  });
});
