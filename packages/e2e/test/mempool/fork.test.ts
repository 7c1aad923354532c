// The mempool of a fork: accounts of the origin, blocks as of a plain fork, and an origin that fails.
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import type { ListeningNode } from '@starkbox/test-support';
import { type Pair, startPair } from '@starkbox/test-support/fork/pair';
import {
  type Account,
  deployAccountRequest,
  invokeRequest,
  newAccount,
  Sender,
  STRK,
} from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const ADD = 'starknet_addInvokeTransaction';
const TIME = 1_800_000_000;
/** What the origin's account has sent before the fork. */
const SENT = 2;

let pair: Pair;
let sender: Account;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolderOfFile();
  pair = await startPair(async ({ client, node }) => {
    const originSender = new Sender(client, node.accounts[0]);
    for (let count = 0; count < SENT; count += 1) await originSender.invoke([transfer('0x77')]);
    sender = originSender.account;
  });
});
afterEach(() => {
  pair.proxy.mishap = () => undefined;
  pair.proxy.gate = Promise.resolve();
});
afterAll(() => pair.close());

const transfer = (to: string) => ({ to: STRK, name: 'transfer', calldata: [to, '0x1', '0x0'] });
const request = (nonce: number, to = '0x88') => [invokeRequest(sender, [transfer(to)], nonce)];

async function send({ client }: ListeningNode, nonce: number, to?: string): Promise<string> {
  return (await client.call(ADD, request(nonce, to))).transaction_hash;
}

test('nonces continue those of the origin, and blocks are those of a plain fork', async () => {
  const fork = await pair.fork({ blockGenerationOn: 'mempool' });
  const plain = await pair.fork({ blockGenerationOn: 'demand' });
  const { client } = fork;
  expect((await client.failure(ADD, request(SENT - 1))).code).toBe(
    ERRORS.INVALID_TRANSACTION_NONCE.code,
  );
  const ahead = await send(fork, SENT + 2);
  const [first, second] = [await send(fork, SENT), await send(fork, SENT + 1)];
  expect((await client.call('devnet_mempoolList')).upcoming).toEqual([first, second, ahead]);
  expect(await client.call('devnet_mempoolPreConfirm', [2])).toEqual({
    pre_confirmed: [first, second],
    dropped: [],
  });
  expect(await client.call('starknet_getTransactionStatus', [ahead])).toEqual({
    finality_status: 'RECEIVED',
  });
  const latest = await client.call('starknet_getNonce', ['latest', sender.address]);
  expect(Number(latest)).toBe(SENT);

  // Aborted, they wait again; the block of the origin stays.
  const number = await client.call('starknet_blockNumber');
  await client.call('devnet_abortBlocks', {
    starting_block_id: 'pre_confirmed',
    return_transactions: true,
  });
  expect((await client.call('devnet_mempoolList')).upcoming).toEqual([first, second, ahead]);
  await client.call('devnet_setTime', { time: TIME });
  await plain.client.call('devnet_setTime', { time: TIME });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({
    pre_confirmed: [first, second, ahead],
    dropped: [],
  });
  for (const nonce of [SENT, SENT + 1, SENT + 2]) await send(plain, nonce);
  await plain.client.call('devnet_createBlock');
  const block = { block_number: number + 1 };
  for (const method of ['starknet_getBlockWithReceipts', 'starknet_getStateUpdate'] as const) {
    expect(await client.call(method, [block])).toEqual(await plain.client.call(method, [block]));
  }
});

test('a block is not closed where executing fails', async () => {
  const { client } = await pair.fork({ blockGenerationOn: 'mempool' });
  // Not read ahead: its account does not exist when it is sent.
  const fresh = newAccount('0x123');
  await client.call('devnet_mint', { address: fresh.address, amount: 10 ** 21 });
  await client.call('starknet_addDeployAccountTransaction', [deployAccountRequest(fresh)]);
  await client.call(ADD, [invokeRequest(fresh, [transfer('0xcc')], 1)]);
  const before = await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed']);
  pair.proxy.mishap = () => ({ kind: 'status', status: 401 });
  expect(await client.failure('devnet_mempoolSeal')).toMatchObject({
    code: -1,
    message: expect.stringContaining('401'),
  });
  pair.proxy.mishap = () => undefined;
  // The next change comes after everything before it.
  expect((await client.call('devnet_mempoolSelect')).candidates).toHaveLength(2);
  // The clock may have reached the next second.
  expect(await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed'])).toEqual({
    ...before,
    timestamp: expect.any(Number),
  });
  expect((await client.call('devnet_mempoolSeal')).pre_confirmed).toHaveLength(2);
});

test('where the origin fails, what waits is not dropped', async () => {
  const options = {
    blockGenerationOn: 'mempool',
    dataDir: join(folder, 'data'),
  } as const;
  const before = await pair.fork(options);
  const [first, second] = [await send(before, SENT, '0x99'), await send(before, SENT + 1, '0xaa')];
  await before.close();

  const fork = await pair.fork(options);
  const { client } = fork;
  const waiting = await client.call('devnet_mempoolList');
  expect(waiting).toMatchObject({ size: 2, upcoming: [first, second] });
  const number = await client.call('starknet_blockNumber');
  pair.proxy.mishap = () => ({ kind: 'status', status: 401 });
  for (const method of ['devnet_mempoolPreConfirm', 'devnet_mempoolSeal'] as const) {
    expect(await client.failure(method)).toMatchObject({ code: -1 });
    expect(await client.call('devnet_mempoolList')).toEqual(waiting);
  }
  expect((await client.failure(ADD, request(SENT + 2, '0xbb'))).code).toBe(-1);
  pair.proxy.mishap = () => undefined;
  // While the origin is slow, other changes are made.
  let open = () => {};
  pair.proxy.gate = new Promise((resolve) => {
    open = resolve;
  });
  const slow = client.call('devnet_mempoolPreConfirm', [1]);
  await client.call('devnet_mempoolSelect');
  expect(await client.call('starknet_blockNumber')).toBe(number);
  open();
  expect(await slow).toMatchObject({ pre_confirmed: [first] });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed: [second] });
});
