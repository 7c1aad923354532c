// Transactions of the mempool: admission, statuses, order, and what becomes of those that are invalid.

import { membersOf } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { optionsOf } from '@starkbox/test-support/command-line';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  type Account,
  contract,
  declareRequest,
  deployAccountRequest,
  hex,
  invokeRequest,
  newAccount,
  STRK,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const BAD = { signature: ['0x1', '0x2'] };

const counter = await contract('counter');
const fixture = await startFixture({ blockGenerationOn: 'mempool' });

const account: Fixture['account'] = (index) => fixture.account(index);

const call: Client['call'] = (method, params) => fixture.client.call(method, params);
const errorOf: Client['failure'] = (method, params) => fixture.client.failure(method, params);

async function send(nonce: number, changes = {}, from = account()): Promise<string> {
  const request = invokeRequest(from, [CALL], nonce, { changes });
  const { transaction_hash } = await call('starknet_addInvokeTransaction', [request]);
  return transaction_hash;
}

const nonceOf = ({ address }: Account) => call('starknet_getNonce', ['pre_confirmed', address]);
const statusOf = (hash: string) => call('starknet_getTransactionStatus', [hash]);

test('a transaction goes from RECEIVED to ACCEPTED_ON_L2 step by step', async () => {
  const hash = await send(0);
  expect(await statusOf(hash)).toEqual({ finality_status: 'RECEIVED' });
  expect(await call('starknet_getTransactionByHash', [hash])).toMatchObject({
    type: 'INVOKE',
    transaction_hash: hash,
    sender_address: account().address,
  });
  expect(await errorOf('starknet_getTransactionReceipt', [hash])).toMatchObject({
    code: ERRORS.TXN_HASH_NOT_FOUND.code,
  });
  expect(await errorOf('starknet_traceTransaction', [hash])).toMatchObject({
    code: 10,
    data: { status: 'RECEIVED' },
  });
  const waiting = { mempool_tx_count: 1, pre_confirmed_tx_count: 0 };
  expect(await call('devnet_getStatus')).toMatchObject(waiting);
  expect(await call('devnet_search', { query: hash })).toEqual({
    candidates: [{ kind: 'transaction', value: hash, detail: 'in the mempool' }],
  });
  expect(await nonceOf(account())).toBe('0x0');

  expect(await call('devnet_mempoolSelect')).toEqual({ candidates: [hash] });
  expect(await statusOf(hash)).toEqual({ finality_status: 'CANDIDATE' });
  expect(await nonceOf(account())).toBe('0x0');

  const executed = { pre_confirmed: [hash], dropped: [] };
  expect(await call('devnet_mempoolPreConfirm', { count: 1 })).toEqual(executed);
  expect(await statusOf(hash)).toMatchObject({ finality_status: 'PRE_CONFIRMED' });
  expect(await nonceOf(account())).toBe('0x1');

  await call('devnet_createBlock');
  expect(await statusOf(hash)).toMatchObject({ finality_status: 'ACCEPTED_ON_L2' });
  expect(await call('devnet_mempoolList')).toMatchObject({ size: 0, transactions: [] });
});

describe('admission', () => {
  test('a duplicate, an old nonce, an unknown sender and a low tip are refused', async () => {
    const sender = account(1);
    const waiting = invokeRequest(sender, [CALL], 1, { changes: { tip: '0x5' } });
    const add = 'starknet_addInvokeTransaction';
    const { transaction_hash } = await call(add, [waiting]);
    expect(await errorOf(add, [waiting])).toMatchObject({ code: ERRORS.DUPLICATE_TX.code });
    const old = invokeRequest(account(), [CALL], 0, { changes: { tip: '0x1' } });
    expect(await errorOf(add, [old])).toMatchObject({
      code: ERRORS.INVALID_TRANSACTION_NONCE.code,
    });
    const unknownAccount = invokeRequest(newAccount('0x9'), [CALL], 0);
    expect(await errorOf(add, [unknownAccount])).toMatchObject({
      code: ERRORS.VALIDATION_FAILURE.code,
    });
    const equal = invokeRequest(sender, [CALL, CALL], 1, { changes: { tip: '0x5' } });
    expect(await errorOf(add, [equal])).toMatchObject({
      code: ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code,
    });
    await call('devnet_mempoolRemove', [transaction_hash]);
    expect(await errorOf('starknet_getTransactionStatus', [transaction_hash])).toMatchObject({
      code: ERRORS.TXN_HASH_NOT_FOUND.code,
    });
    expect(await errorOf('devnet_mempoolRemove', [transaction_hash])).toMatchObject({
      code: ERRORS.TXN_HASH_NOT_FOUND.code,
    });
  });

  test('a higher tip replaces, and a candidate is not replaced', async () => {
    const sender = account(1);
    const first = await send(0, { tip: '0x1' }, sender);
    const second = await send(0, { tip: '0x2' }, sender);
    const { transactions, dropped } = await call('devnet_mempoolList');
    expect(transactions).toMatchObject([{ transaction_hash: second, tip: '0x2' }]);
    expect(dropped.at(-1)).toMatchObject({
      transaction_hash: first,
      reason: expect.stringContaining(second),
    });
    await call('devnet_mempoolSelect');
    const third = invokeRequest(sender, [CALL], 0, { changes: { tip: '0x3' } });
    expect(await errorOf('starknet_addInvokeTransaction', [third])).toMatchObject({
      code: ERRORS.INVALID_TRANSACTION_NONCE.code,
    });
    expect(await call('devnet_mempoolClear')).toEqual({ removed: 1 });
  });

  test('an account may send before its deployment is executed', async () => {
    const fresh = newAccount('0x77');
    await call('devnet_mint', { address: fresh.address, amount: 10 ** 21 });
    const { transaction_hash } = await call('starknet_addDeployAccountTransaction', [
      deployAccountRequest(fresh),
    ]);
    const next = await send(1, {}, fresh);
    expect(await call('devnet_mempoolSeal')).toMatchObject({
      pre_confirmed: [transaction_hash, next],
      dropped: [],
    });
  });

  test('more transactions than the limit are refused, and replacements are not', async () => {
    const { client, node } = await startFixture({ blockGenerationOn: 'mempool' });
    const [sender] = node.accounts;
    if (!sender) throw new Error('there is no account');
    const add = 'starknet_addInvokeTransaction';
    // Signatures are checked when transactions are executed.
    const signed = invokeRequest(sender, [CALL], 0);
    const request = (nonce: number, tip = '0x0') => [{ ...signed, nonce: hex(nonce), tip }];
    for (let nonce = 0; nonce < 10_000; nonce += 1) await client.call(add, request(nonce));
    const { code, message } = await client.failure(add, request(10_000));
    expect([code, message]).toEqual([-1, expect.stringContaining('holds 10000 transactions')]);
    await client.call(add, request(0, '0x1'));
  });

  test('a sender whose transactions take 32 MiB is refused, and another is not', async () => {
    const { client, account: accountAt } = await startFixture({ blockGenerationOn: 'mempool' });
    const add = 'starknet_addDeclareTransaction';
    const members = membersOf(counter.body);
    const contract_class = { ...members, abi: `${members['abi']}${' '.repeat(3_500_000)}` };
    const declarationOf = (index: number) => {
      const signed = declareRequest(accountAt(index), counter, 0);
      return (nonce: number) => [{ ...signed, contract_class, nonce: hex(nonce) }];
    };
    const [first, second] = [declarationOf(0), declarationOf(1)];
    for (let nonce = 0; nonce < 9; nonce += 1) await client.call(add, first(nonce));
    const { code, message } = await client.failure(add, first(9));
    expect([code, message]).toEqual([-1, expect.stringContaining('more than 32 MiB')]);
    await client.call(add, second(0));
  });
});

test('a transaction with a text of 100 kB waits, and is executed as any other', async () => {
  const { client, account: accountAt } = await startFixture({ blockGenerationOn: 'mempool' });
  const calldata = Array.from({ length: 1_500 }, (_, index) => hex(2n ** 250n + BigInt(index)));
  const request = invokeRequest(accountAt(), [{ ...CALL, calldata }, CALL], 0);
  const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [request]);
  const sealed = await client.call('devnet_mempoolSeal');
  expect(sealed).toMatchObject({ pre_confirmed: [transaction_hash], dropped: [] });
  expect(await client.call('starknet_getTransactionStatus', [transaction_hash])).toMatchObject({
    finality_status: 'ACCEPTED_ON_L2',
  });
});

test('a transaction that turns out to be invalid is dropped, and the reason is kept', async () => {
  const sender = account(2);
  const bad = await send(0, BAD, sender);
  const next = await send(1, {}, sender);
  const { dropped, pre_confirmed } = await call('devnet_mempoolPreConfirm');
  expect(pre_confirmed).toEqual([]);
  expect(dropped).toEqual([
    {
      transaction_hash: bad,
      sender_address: sender.address,
      nonce: '0x0',
      reason: expect.stringMatching(/signature/i),
    },
  ]);
  expect(await errorOf('starknet_getTransactionStatus', [bad])).toMatchObject({
    code: ERRORS.TXN_HASH_NOT_FOUND.code,
  });
  const listed = await call('devnet_mempoolList');
  expect(listed.dropped.at(-1)).toEqual(dropped[0]);
  expect(listed).toMatchObject({
    upcoming: [],
    transactions: [{ transaction_hash: next, status: 'RECEIVED', waits_for_nonce: true }],
  });
  await call('devnet_mempoolClear');
});

test('a declaration that was aborted returns and is executed again', async () => {
  const nonce = Number(await nonceOf(account()));
  const { transaction_hash, class_hash } = await call('starknet_addDeclareTransaction', [
    declareRequest(account(), counter, nonce),
  ]);
  const sealed = await call('devnet_mempoolSeal');
  const { aborted } = await call('devnet_abortBlocks', {
    starting_block_id: 'latest',
    return_transactions: true,
  });
  expect(aborted).toEqual([sealed.block_hash]);
  expect(await statusOf(transaction_hash)).toEqual({ finality_status: 'RECEIVED' });
  expect(await errorOf('starknet_getClass', ['pre_confirmed', class_hash])).toMatchObject({
    code: ERRORS.CLASS_HASH_NOT_FOUND.code,
  });
  expect(await call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [transaction_hash] });
  expect(await call('starknet_getClass', ['latest', class_hash])).toBeTruthy();
});

test('a list of many comes in pages', async () => {
  const nonce = Number(await nonceOf(account()));
  const sentHashes: string[] = [];
  for (let index = 0; index < 5; index += 1) sentHashes.push(await send(nonce + index));
  const first = await call('devnet_mempoolList', { limit: 2 });
  const second = await call('devnet_mempoolList', { limit: 200, cursor: first.next });
  const hashes = [...first.transactions, ...second.transactions].map(
    (transaction) => transaction.transaction_hash,
  );
  expect(hashes).toEqual(sentHashes);
  expect(first.upcoming).toEqual(sentHashes.slice(0, 2));
  expect(second.next).toBeUndefined();
  await call('devnet_mempoolClear');
});

test('restricted mode forbids what changes the mempool, and not its list', async () => {
  const { client } = await startFixture({
    ...(await optionsOf('--restrictive-mode')),
    blockGenerationOn: 'mempool',
  });
  for (const name of ['Select', 'PreConfirm', 'Seal', 'Remove', 'Clear']) {
    const params = name === 'Remove' ? ['0x1'] : [];
    expect((await client.failure(`devnet_mempool${name}`, params)).code, name).toBe(
      ERRORS.METHOD_FORBIDDEN.code,
    );
  }
  expect(await client.call('devnet_mempoolList')).toMatchObject({ size: 0 });
});
