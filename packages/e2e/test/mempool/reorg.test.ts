// The mempool after a reorganisation: what waits fits the new blocks, or is dropped with the reason.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };

async function start() {
  const { client, account } = await startFixture({ blockGenerationOn: 'mempool' });
  return {
    client,
    request: (nonce: number, from = 0, changes = {}, call = CALL) =>
      invokeRequest(account(from), [call], nonce, { changes }),
    setNonce: (from: number, nonce: string) =>
      client.call('devnet_applyStateDiff', {
        state_diff: { nonces: [{ contract_address: account(from).address, nonce }] },
      }),
    async send(nonce: number, from = 0): Promise<string> {
      const request = invokeRequest(account(from), [CALL], nonce);
      const answer = await client.call('starknet_addInvokeTransaction', [request]);
      return answer.transaction_hash;
    },
    /** Hashes, statuses, and whether a smaller nonce is missing. */
    async waiting() {
      const { transactions } = await client.call('devnet_mempoolList');
      return transactions.map((transaction) => [
        transaction.transaction_hash,
        transaction.status,
        transaction.waits_for_nonce,
      ]);
    },
    dropped: async () => (await client.call('devnet_mempoolList')).dropped,
    nonceOf: (from: number) =>
      client.call('starknet_getNonce', ['pre_confirmed', account(from).address]),
  };
}

test('what waits stays, and waits again for nonces that are gone', async () => {
  const { client, send, waiting, nonceOf } = await start();
  const [first, second] = [await send(0), await send(1)];
  await client.call('devnet_mempoolSeal');
  const preConfirmed = await send(2);
  await client.call('devnet_mempoolPreConfirm');
  const candidate = await send(3);
  const other = await send(0, 1);
  expect(await client.call('devnet_mempoolSelect')).toEqual({ candidates: [candidate, other] });

  // The first comes back; the second and the pre-confirmed one are gone.
  await client.call('devnet_reorg', { depth: 1, blocks: [[first], []] });
  expect(await nonceOf(0)).toBe('0x1');
  expect(await waiting()).toEqual([
    [candidate, 'RECEIVED', true],
    [other, 'CANDIDATE', false],
  ]);
  for (const hash of [second, preConfirmed]) {
    expect((await client.failure('starknet_getTransactionStatus', [hash])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
  }
  expect(await client.call('devnet_mempoolPreConfirm')).toMatchObject({ pre_confirmed: [other] });
  // Sent again, they fill the gap.
  expect([await send(1), await send(2)]).toEqual([second, preConfirmed]);
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({
    pre_confirmed: [second, preConfirmed, candidate],
    dropped: [],
  });
  expect(await client.call('devnet_mempoolList')).toMatchObject({ size: 0, dropped: [] });
});

test('a new block takes nonces of what waits', async () => {
  const { client, request, send, waiting, dropped, nonceOf } = await start();
  await client.call('devnet_createBlock');
  const [replaced, same, next] = [await send(0), await send(1), await send(2)];
  await client.call('devnet_mempoolSelect', [2]);
  const rival = request(0, 0, { tip: '0x1' });
  await client.call('devnet_reorg', { depth: 1, blocks: [[rival, request(1)]] });
  expect(await nonceOf(0)).toBe('0x2');
  expect(await waiting()).toEqual([[next, 'RECEIVED', false]]);
  expect(await dropped()).toMatchObject([{ transaction_hash: replaced }]);
  expect((await client.failure('starknet_getTransactionStatus', [replaced])).code).toBe(
    ERRORS.TXN_HASH_NOT_FOUND.code,
  );
  // One that waited is in the block itself, and was not dropped.
  expect(await client.call('starknet_getTransactionStatus', [same])).toMatchObject({
    finality_status: 'ACCEPTED_ON_L2',
  });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [next] });
});

test('one that cannot be included changes nothing', async () => {
  const { client, request, send, waiting } = await start();
  const executed = await send(0);
  await client.call('devnet_mempoolSeal');
  const selected = await send(1);
  await client.call('devnet_mempoolSelect');
  const before = await client.call('starknet_blockHashAndNumber');
  // A nonce ahead cannot wait in a block, and what waits is in no block.
  for (const transaction of [request(1), selected]) {
    expect(
      await client.failure('devnet_reorg', { depth: 1, blocks: [[transaction]] }),
    ).toMatchObject({
      code: -1,
      message: expect.stringContaining('blocks[0][0]'),
    });
  }
  expect(await client.call('starknet_blockHashAndNumber')).toEqual(before);
  expect(await waiting()).toEqual([[selected, 'CANDIDATE', false]]);
  expect(await client.call('starknet_getTransactionStatus', [executed])).toMatchObject({
    finality_status: 'ACCEPTED_ON_L2',
  });
});

test('of two with the same nonce and tip, the one that waits stays', async () => {
  const { client, request, send, waiting, dropped, setNonce } = await start();
  const returned = await send(0);
  await client.call('devnet_mempoolSeal');
  await setNonce(0, '0x0');
  const { transaction_hash: rival } = await client.call('starknet_addInvokeTransaction', [
    request(0, 0, {}, { ...CALL, calldata: ['0x78', '0x1', '0x0'] }),
  ]);
  await client.call('devnet_abortBlocks', {
    starting_block_id: { block_number: 1 },
    return_transactions: true,
  });
  expect(await waiting()).toEqual([[rival, 'RECEIVED', false]]);
  expect(await dropped()).toMatchObject([{ transaction_hash: returned }]);
});

test('a transaction that returned can be sent again', async () => {
  const { client, send, waiting, dropped } = await start();
  const [first, second] = [await send(0), await send(1)];
  await client.call('devnet_mempoolSeal');
  await client.call('devnet_abortBlocks', {
    starting_block_id: 'latest',
    return_transactions: true,
  });
  await client.call('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  expect(await send(0)).toBe(first);
  expect(await waiting()).toEqual([[second, 'RECEIVED', false]]);
  expect(await dropped()).toEqual([]);
});
