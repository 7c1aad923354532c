// A killed node: every change that was answered is on disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { RunningCommand } from '../support/running-command.js';

/**
 * By hand, for more of them:
 * STARKBOX_KILLS=1000 npx vitest run packages/starkbox/test/store/kill.test.ts
 */
const KILLS = Number(process.env['STARKBOX_KILLS'] ?? 30);
/** A node lives this long after the first call, or after the first answer, at most. */
const LONGEST_MS = 250;
/** Calls that are under way at any time. */
const CALLERS = 6;
/** Of what was answered in earlier lives, this much is asked for again. */
const SAMPLE = 10;
const RECEIVER = '0xabcdef';

const directory = mkdtempSync(join(tmpdir(), 'starkbox-kill-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** What was answered of transactions, by hash: their receipts as texts, once they stand in a block. */
const known = new Map<string, string | undefined>();
/** The hashes of blocks by number. */
const blocks: string[] = [];
let [lives, answered, checked] = [0, 0, 0];

interface Receipt {
  readonly block_hash?: string;
  readonly block_number: number;
}
interface Block {
  readonly block_hash: string;
  readonly parent_hash: string;
  readonly transactions: readonly { readonly receipt: { readonly transaction_hash: string } }[];
}

async function receiptOf(node: RunningCommand, hash: string): Promise<string | undefined> {
  const receipt = await node.call('starknet_getTransactionReceipt', { transaction_hash: hash });
  const { block_hash }: Partial<Receipt> = Object(receipt);
  return block_hash === undefined ? undefined : JSON.stringify(receipt);
}

/** @param isAnswering whether it is killed after its first answer, however long that takes */
async function sendUntilKilled(node: RunningCommand, isAnswering: boolean): Promise<void> {
  let isDead = false;
  let onAnswer = (): void => {};
  const firstAnswer = new Promise<void>((resolve) => {
    onAnswer = resolve;
  });
  const caller = async (index: number): Promise<void> => {
    while (!isDead) {
      if (index === 0) await node.call('devnet_createBlock');
      else await mint(node);
      answered += 1;
      onAnswer();
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    caller(index).catch((error: unknown) => {
      // Only its death may keep it from answering.
      if (!isDead || !(error instanceof TypeError)) throw error;
    }),
  );
  if (isAnswering) await Promise.race([firstAnswer, ...callers]);
  await sleep(Math.random() * LONGEST_MS);
  isDead = true;
  await node.kill();
  await Promise.all(callers);
}

async function mint(node: RunningCommand): Promise<void> {
  const answer = await node.call('devnet_mint', { address: RECEIVER, amount: 1, unit: 'FRI' });
  const { tx_hash }: { tx_hash?: unknown } = Object(answer);
  known.set(String(tx_hash), undefined);
  known.set(String(tx_hash), await receiptOf(node, String(tx_hash)));
}

/** Everything that was answered is there as it was, and everything that is there is whole. */
async function check(node: RunningCommand, fresh: readonly string[]): Promise<void> {
  const older = [...known.keys()].slice(0, known.size - fresh.length);
  const sample = Array.from(
    { length: SAMPLE },
    () => older[Math.floor(Math.random() * older.length)],
  );
  for (const hash of new Set([...fresh, ...sample])) {
    if (hash === undefined) continue;
    const receipt = await receiptOf(node, hash);
    expect(receipt ?? known.get(hash)).toBe(known.get(hash) ?? receipt);
    known.set(hash, receipt);
  }
  const latest = Number(await node.call('starknet_blockNumber'));
  expect(latest).toBeGreaterThanOrEqual(blocks.length - 1);
  for (let number = Math.max(0, blocks.length - 3); number <= latest; number += 1) {
    await checkBlock(node, number);
  }
  const block_id = 'pre_confirmed';
  const pending = await node.call('starknet_getBlockWithTxHashes', { block_id });
  const { transactions }: { transactions?: readonly string[] } = Object(pending);
  for (const hash of transactions ?? []) minted.add(hash);
  const balance = await node.call('devnet_getAccountBalance', {
    address: RECEIVER,
    block_id: 'pre_confirmed',
  });
  // Each transaction moved one; none without a transaction.
  expect(balance).toMatchObject({ amount: String(minted.size) });
}

const minted = new Set<string>();

async function checkBlock(node: RunningCommand, number: number): Promise<void> {
  const block_id = { block_number: number };
  const found = await node.call('starknet_getBlockWithReceipts', { block_id });
  const { block_hash, parent_hash, transactions }: Block = Object(found);
  expect(blocks[number] ?? block_hash).toBe(block_hash);
  expect(number === 0 || blocks[number - 1] === parent_hash).toBe(true);
  blocks[number] = block_hash;
  const update = await node.call('starknet_getStateUpdate', { block_id });
  expect(update).toMatchObject({ block_hash });
  const traces = await node.call('starknet_traceBlockTransactions', { block_id });
  expect(traces).toHaveLength(transactions.length);
  for (const { receipt } of transactions) minted.add(receipt.transaction_hash);
}

test(`a node is killed ${KILLS} times`, { timeout: 120_000 + KILLS * 5_000 }, async () => {
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const mode = kill % 2 === 0 ? 'transaction' : 'demand';
    const args = ['--data-dir', directory, '--block-generation-on', mode, '--recent-blocks', '16'];
    const node = await RunningCommand.start(kill === 0 ? [...args, '--seed', '0'] : args);
    try {
      lives += 1;
      await check(node, [...known.keys()].slice(checked));
      checked = known.size;
      if (kill < KILLS) await sendUntilKilled(node, kill % 4 < 2);
    } finally {
      await node.kill();
    }
  }
  console.log(
    `${lives} lives, ${answered} answers, ${known.size} transactions known, ${blocks.length} blocks`,
  );
  expect(answered).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));
});
