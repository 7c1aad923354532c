// A killed node with a data directory: what waited still waits, and what was executed is in the chain.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Methods } from '@starkbox/spec';
import { Random } from '@starkbox/test-support/random';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { SEED } from '@starkbox/test-support/seed';
import { type Account, hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { expect, test } from 'vitest';

/** By hand: TEST_KILLS=200 npx vitest run packages/e2e/test/mempool/kill.test.ts */
const KILLS = Number(process.env['TEST_KILLS'] ?? 6);
/** A node lives this long after its first answers, at most. */
const MAX_MS = 250;
const ACCOUNTS = 3;
/** Of each account in one life. */
const MAX_SENT = 12;
/** In every life of so many all that waits is executed first: `devnet_mempoolList` has 200 at most. */
const EMPTIED = 4;
const RECEIVER = '0xabcdef';
const GENESIS = ['--seed', '5', '--accounts', String(ACCOUNTS)];
const MODE = ['--block-generation-on', 'mempool', '--mempool-order', 'random'];

const random = new Random(SEED);
const directory = temporaryFolderOfFile();

/** What was answered of transactions, by hash. */
const statuses = new Map<string, 'waits' | 'is selected' | 'is executed'>();

type Listed = Methods['devnet_mempoolList']['result'];

async function listed(node: RunningCommand): Promise<Listed> {
  const page: Listed = Object(await node.call('devnet_mempoolList', { limit: 200 }));
  if (page.next === undefined) return page;
  throw new Error('more transactions wait than one page has');
}

async function nonceOf(node: RunningCommand, { address }: Account): Promise<number> {
  const params = { block_id: 'pre_confirmed', contract_address: address };
  return Number(await node.call('starknet_getNonce', params));
}

async function statusOf(node: RunningCommand, hash: string): Promise<string> {
  const answer = await node.call('starknet_getTransactionStatus', { transaction_hash: hash });
  const { finality_status }: { finality_status?: unknown } = Object(answer);
  return String(finality_status);
}

/** Everything that was answered is as it was; the next nonce of each account. */
async function check(
  node: RunningCommand,
  accounts: readonly Account[],
): Promise<readonly number[]> {
  for (const [hash, was] of statuses) {
    const status = await statusOf(node, hash);
    const isExecuted = status === 'PRE_CONFIRMED' || status === 'ACCEPTED_ON_L2';
    if (was === 'is executed') expect(isExecuted).toBe(true);
    if (was === 'is selected') expect(isExecuted || status === 'CANDIDATE').toBe(true);
    if (isExecuted) statuses.set(hash, 'is executed');
  }
  const { transactions, upcoming, dropped } = await listed(node);
  expect(dropped).toEqual([]);
  expect([...upcoming].sort()).toEqual(
    transactions.map((transaction) => transaction.transaction_hash).sort(),
  );
  const next: number[] = [];
  for (const account of accounts) {
    const nonce = await nonceOf(node, account);
    const accountTransactions = transactions.filter(
      ({ sender_address }) => sender_address === account.address,
    );
    const nonces = accountTransactions
      .map((transaction) => Number(transaction.nonce))
      .sort((a, b) => a - b);
    expect(nonces).toEqual(nonces.map((_, index) => nonce + index));
    next.push(nonce + accountTransactions.length);
  }
  return next;
}

/** Sends from every account, and executes, until the node is killed. */
async function sendUntilKilled(
  node: RunningCommand,
  accounts: readonly Account[],
  next: readonly number[],
): Promise<void> {
  let isDead = false;
  let answered = (): void => {};
  const answers = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const senders = accounts.map(async (account, index) => {
    const first = next[index] ?? 0;
    for (let nonce = first; !isDead && nonce < first + MAX_SENT; nonce += 1) {
      const call = { to: STRK, name: 'transfer', calldata: [RECEIVER, '0x1', '0x0'] };
      const invoke_transaction = invokeRequest(account, [call], nonce, {
        changes: { tip: hex(nonce % 3) },
      });
      const response = await node.call('starknet_addInvokeTransaction', { invoke_transaction });
      const { transaction_hash }: { transaction_hash?: unknown } = Object(response);
      statuses.set(String(transaction_hash), 'waits');
    }
  });
  const steering = async (): Promise<void> => {
    while (!isDead) {
      const { candidates }: Methods['devnet_mempoolSelect']['result'] = Object(
        await node.call('devnet_mempoolSelect', { count: 3 }),
      );
      for (const hash of candidates) statuses.set(hash, 'is selected');
      const { pre_confirmed }: Methods['devnet_mempoolPreConfirm']['result'] = Object(
        await node.call('devnet_mempoolPreConfirm', { count: 2 }),
      );
      for (const hash of pre_confirmed) statuses.set(hash, 'is executed');
      answered();
      await node.call('devnet_createBlock');
    }
  };
  const calls = [...senders, steering()].map((calling) =>
    calling.catch((error: unknown) => {
      // Only its death may keep it from answering.
      if (!isDead || !(error instanceof TypeError)) throw error;
    }),
  );
  await Promise.race([answers, Promise.all(calls)]);
  await sleep(random.below(MAX_MS));
  isDead = true;
  await node.kill();
  await Promise.all(calls);
}

test(`a node is killed ${KILLS} times by seed ${SEED}`, {
  timeout: 120_000 + KILLS * 5000,
}, async () => {
  const plain = await createChain({ seed: 5, accounts: ACCOUNTS });
  const { accounts } = plain;
  await plain.close();
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const args = ['--data-dir', directory, ...MODE, ...(kill === 0 ? GENESIS : [])];
    const node = await RunningCommand.start(args);
    try {
      if (kill % EMPTIED === EMPTIED - 1) await node.call('devnet_mempoolSeal');
      const next = await check(node, accounts);
      if (kill < KILLS) await sendUntilKilled(node, accounts, next);
      else await finish(node, accounts, next);
    } finally {
      await node.kill();
    }
  }
  expect(statuses.size).toBeGreaterThan(KILLS);
});

/** All that waits is executed, and each transaction once. */
async function finish(
  node: RunningCommand,
  accounts: readonly Account[],
  next: readonly number[],
): Promise<void> {
  const { upcoming } = await listed(node);
  const executed = await node.call('devnet_mempoolSeal');
  expect(executed).toMatchObject({ pre_confirmed: upcoming, dropped: [] });
  for (const [index, account] of accounts.entries()) {
    expect(await nonceOf(node, account)).toBe(next[index]);
  }
  for (const hash of statuses.keys()) expect(await statusOf(node, hash)).toBe('ACCEPTED_ON_L2');
  const total = next.reduce((sum, nonce) => sum + nonce, 0);
  expect(total).toBeGreaterThanOrEqual(statuses.size);
  expect(await node.call('devnet_getAccountBalance', { address: RECEIVER })).toMatchObject({
    amount: String(total),
  });
}
