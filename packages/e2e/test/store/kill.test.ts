// A killed node: every change that was answered is on disk, on its chain and on its instances.

import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@starkbox/test-support/random';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { SEED } from '@starkbox/test-support/seed';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';

/**
 * By hand, for more of them:
 * TEST_KILLS=1000 npx vitest run packages/e2e/test/store/kill.test.ts
 */
const KILLS = Number(process.env['TEST_KILLS'] ?? 15);
/** A node lives this long after the first call, or after the first answer, at most. */
const MAX_MS = 250;
/** Instances that live as long as the directory. */
const INSTANCES = 2;
/** Of what was answered in earlier lives, this much is asked for again. */
const SAMPLE = 10;
const RECEIVER = '0xabcdef';

const random = new Random(SEED);
const directory = temporaryFolderOfFile();

interface BlockOfReceipt {
  readonly block_hash?: string;
  readonly block_number: number;
}
interface Block {
  readonly block_hash: string;
  readonly parent_hash: string;
  readonly transactions: readonly { readonly receipt: { readonly transaction_hash: string } }[];
}
type Call = (method: string, params?: unknown) => Promise<unknown>;

/** What was answered about one chain: its node's own, or that of an instance. */
class AnsweredChain {
  readonly #path: string;
  /** Transactions by hash: their receipts as texts, once they stand in a block. */
  readonly receipts = new Map<string, string | undefined>();
  /** The hashes of blocks by number. */
  readonly blocks: string[] = [];
  readonly #minted = new Set<string>();
  #checked = 0;

  constructor(path = '') {
    this.#path = path;
  }

  on(node: RunningCommand): Call {
    return (method, params) => node.call(method, params, this.#path);
  }

  async mint(call: Call): Promise<void> {
    const answer = await call('devnet_mint', { address: RECEIVER, amount: 1, unit: 'FRI' });
    const { tx_hash }: { tx_hash?: unknown } = Object(answer);
    this.receipts.set(String(tx_hash), undefined);
    this.receipts.set(String(tx_hash), await receiptOf(call, String(tx_hash)));
  }

  /** Everything that was answered is there as it was. */
  async checkKnown(call: Call): Promise<void> {
    const hashes = [...this.receipts.keys()];
    const older = hashes.slice(0, this.#checked);
    const sample =
      older.length === 0 ? [] : Array.from({ length: SAMPLE }, () => random.pick(older));
    for (const hash of new Set([...hashes.slice(this.#checked), ...sample])) {
      const receipt = await receiptOf(call, hash);
      expect(receipt ?? this.receipts.get(hash)).toBe(this.receipts.get(hash) ?? receipt);
      this.receipts.set(hash, receipt);
    }
    this.#checked = this.receipts.size;
  }

  /** As `checkKnown`, and everything that is there is whole. */
  async check(call: Call): Promise<void> {
    await this.checkKnown(call);
    const latest = Number(await call('starknet_blockNumber'));
    expect(latest).toBeGreaterThanOrEqual(this.blocks.length - 1);
    for (let number = Math.max(0, this.blocks.length - 3); number <= latest; number += 1) {
      await this.#checkBlock(call, number);
    }
    const block_id = 'pre_confirmed';
    const pending = await call('starknet_getBlockWithTxHashes', { block_id });
    const { transactions }: { transactions?: readonly string[] } = Object(pending);
    for (const hash of transactions ?? []) this.#minted.add(hash);
    const balance = await call('devnet_getAccountBalance', { address: RECEIVER, block_id });
    // Each transaction moved one; none without a transaction.
    expect(balance).toMatchObject({ amount: String(this.#minted.size) });
  }

  async #checkBlock(call: Call, number: number): Promise<void> {
    const block_id = { block_number: number };
    const answer = await call('starknet_getBlockWithReceipts', { block_id });
    const { block_hash, parent_hash, transactions }: Block = Object(answer);
    expect(this.blocks[number] ?? block_hash).toBe(block_hash);
    expect(number === 0 || this.blocks[number - 1] === parent_hash).toBe(true);
    this.blocks[number] = block_hash;
    const update = await call('starknet_getStateUpdate', { block_id });
    expect(update).toMatchObject({ block_hash });
    const traces = await call('starknet_traceBlockTransactions', { block_id });
    expect(traces).toHaveLength(transactions.length);
    for (const { receipt } of transactions) this.#minted.add(receipt.transaction_hash);
  }
}

async function receiptOf(call: Call, hash: string): Promise<string | undefined> {
  const receipt = await call('starknet_getTransactionReceipt', { transaction_hash: hash });
  const { block_hash }: Partial<BlockOfReceipt> = Object(receipt);
  return block_hash === undefined ? undefined : JSON.stringify(receipt);
}

const root = new AnsweredChain();
/** Instances that stay, by id. */
const lastingInstances = new Map<string, AnsweredChain>();
/** Instances whose creation was answered since the last kill. */
const fresh = new Map<string, AnsweredChain>();
/** Instances whose deletion was answered. */
const deleted = new Set<string>();
let [lives, answered, created] = [0, 0, 0];

async function create(node: RunningCommand): Promise<[id: string, chain: AnsweredChain]> {
  const answer = await node.call('devnet_createInstance', { ttl: 0 });
  created += 1;
  const { instance_id }: { instance_id?: unknown } = Object(answer);
  return [String(instance_id), new AnsweredChain(`/instances/${instance_id}`)];
}

async function listed(node: RunningCommand): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = Object(await node.call('devnet_listInstances', { cursor, limit: 200 }));
    const rows: readonly { readonly instance_id: string }[] = page.instances;
    ids.push(...rows.map((row) => row.instance_id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

/** Every instance that was answered is there; those that do not stay are deleted. */
async function checkInstances(node: RunningCommand): Promise<void> {
  const ids = new Set(await listed(node));
  expect([...deleted].filter((id) => ids.has(id))).toEqual([]);
  expect([...lastingInstances.keys(), ...fresh.keys()].filter((id) => !ids.has(id))).toEqual([]);
  for (const id of ids) {
    if (lastingInstances.has(id)) continue;
    const chain = fresh.get(id) ?? new AnsweredChain(`/instances/${id}`);
    await chain.checkKnown(chain.on(node));
    await chain.mint(chain.on(node));
    await node.call('devnet_deleteInstance', { instance_id: id });
    deleted.add(id);
  }
  fresh.clear();
}

/** @param isAnswering whether it is killed after its first answer, however long that takes */
async function sendUntilKilled(node: RunningCommand, isAnswering: boolean): Promise<void> {
  let isDead = false;
  let onAnswer = (): void => {};
  const firstAnswer = new Promise<void>((resolve) => {
    onAnswer = resolve;
  });
  const minter = (chain: AnsweredChain) => () => chain.mint(chain.on(node));
  const actions: readonly (() => Promise<unknown>)[] = [
    () => node.call('devnet_createBlock'),
    minter(root),
    minter(root),
    ...[...lastingInstances.values()].map(minter),
    async () => {
      const [id, chain] = await create(node);
      fresh.set(id, chain);
      await chain.mint(chain.on(node));
    },
  ];
  const caller = async (act: () => Promise<unknown>): Promise<void> => {
    while (!isDead) {
      await act();
      answered += 1;
      onAnswer();
    }
  };
  const callers = actions.map((act) =>
    caller(act).catch((error: unknown) => {
      // Only its death may keep it from answering.
      if (!isDead || !(error instanceof TypeError)) throw error;
    }),
  );
  if (isAnswering) await Promise.race([firstAnswer, ...callers]);
  await sleep(random.below(MAX_MS));
  isDead = true;
  await node.kill();
  await Promise.all(callers);
}

test(`a node is killed ${KILLS} times by seed ${SEED}`, {
  timeout: 120_000 + KILLS * 5_000,
}, async () => {
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const mode = kill % 2 === 0 ? 'transaction' : 'demand';
    const args = ['--data-dir', directory, '--block-generation-on', mode, '--recent-blocks', '16'];
    const node = await RunningCommand.start(kill === 0 ? [...args, '--seed', '0'] : args);
    try {
      lives += 1;
      await root.check(root.on(node));
      for (const chain of lastingInstances.values()) await chain.check(chain.on(node));
      await checkInstances(node);
      while (lastingInstances.size < INSTANCES) {
        await root.mint(root.on(node));
        lastingInstances.set(...(await create(node)));
      }
      if (kill < KILLS) await sendUntilKilled(node, kill % 4 < 2);
    } finally {
      await node.kill();
    }
  }
  const transactions = [root, ...lastingInstances.values()]
    .map(({ receipts }) => receipts.size)
    .join(' + ');
  console.log(
    `${lives} lives, ${answered} answers, ${transactions} transactions known, ${root.blocks.length} blocks, ${created} instances`,
  );
  expect(answered).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));
});
