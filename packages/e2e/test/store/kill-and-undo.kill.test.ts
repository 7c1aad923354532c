// A killed node whose chains go back: aborts, reverts, loads and restarts happen completely or not at all.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@starkbox/test-support/random';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { SEED } from '@starkbox/test-support/seed';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';

/**
 * By hand, for more of them:
 * TEST_KILLS=1000 npx vitest run packages/e2e/test/store/kill-and-undo.kill.test.ts
 */
const KILLS = Number(process.env['TEST_KILLS'] ?? 15);
/** A node lives this long after the first command, at most. */
const MAX_MS = 600;
/** Chains beside that of the node, each with commands of its own. */
const INSTANCES = 2;
/** A longer chain is restarted, so that all of it can be read after every command. */
const MAX_CHAIN = 40;
const RECEIVER = '0xabcdef';
/** What is not determined by the model: a hash. */
const ANY = '?';

const folder = temporaryFolderOfFile();

interface Block {
  readonly hash: string;
  readonly transactions: readonly string[];
}
/** What a chain is, or has to be, where `ANY` stands for a hash. */
interface View {
  readonly blocks: readonly Block[];
  readonly pending: readonly string[];
  /** Undefined where any are allowed. */
  readonly snapshots: readonly string[] | undefined;
}

/** A command, and what it may make of the chain. */
interface Command {
  readonly method: string;
  readonly params: object;
  readonly outcomes: readonly View[];
}

const isHash = (actual: string, expected: string): boolean =>
  expected === ANY || actual === expected;
const areHashes = (actual: readonly string[], expected: readonly string[]): boolean =>
  actual.length === expected.length && actual.every((hash, at) => isHash(hash, expected[at] ?? ''));

function fits(actual: View, expected: View): boolean {
  const areBlocks = actual.blocks.every(({ hash, transactions }, at) => {
    const other = expected.blocks[at];
    return other && isHash(hash, other.hash) && areHashes(transactions, other.transactions);
  });
  return (
    actual.blocks.length === expected.blocks.length &&
    areBlocks &&
    areHashes(actual.pending, expected.pending) &&
    (expected.snapshots === undefined || areHashes(actual.snapshots ?? [], expected.snapshots))
  );
}

const random = new Random(SEED);

const counts = new Map<string, number>();
let dumps = 0;

/** A chain with one client, whose commands come one after another. */
class Chain {
  readonly #path: string;
  #view: View | undefined;
  /** What was sent and not answered. */
  #underWay: Command | undefined;
  readonly #snapshots = new Map<string, View>();
  #dump: { readonly path: string; readonly view: View } | undefined;
  /** Branches whose creation was answered, as they have to be. */
  readonly branches = new Map<string, View>();

  constructor(path = '') {
    this.#path = path;
  }

  call(node: RunningCommand, method: string, params: object = {}): Promise<unknown> {
    return node.call(method, params, this.#path);
  }

  /** Reads all of it, and holds it against the last answer. */
  async check(node: RunningCommand): Promise<void> {
    const chainView = await this.#read(node);
    const before = this.#view ?? chainView;
    const allowed = [before, ...(this.#underWay?.outcomes ?? [])];
    const { method = 'nothing' } = this.#underWay ?? {};
    const isAllowed = allowed.some((view) => fits(chainView, view));
    expect.assert(
      isAllowed,
      `after ${method}: ${viewText(chainView)}, not ${allowed.map(viewText)}`,
    );
    for (const id of chainView.snapshots ?? []) {
      if (!this.#snapshots.has(id)) this.#snapshots.set(id, before);
    }
    this.#view = chainView;
    this.#underWay = undefined;
  }

  async #read(node: RunningCommand): Promise<View> {
    const block_id = 'pre_confirmed';
    const [latest, open, listing, balance] = await this.#batch(node, [
      ['starknet_blockNumber', {}],
      ['starknet_getBlockWithTxHashes', { block_id }],
      ['devnet_listSnapshots', {}],
      ['devnet_getAccountBalance', { address: RECEIVER, block_id }],
    ]);
    const numbers = Array.from({ length: Number(latest) + 1 }, (_, number) => number);
    const blockAnswers = await this.#batch(
      node,
      numbers.map((block_number) => [
        'starknet_getBlockWithTxHashes',
        { block_id: { block_number } },
      ]),
    );
    const blocks: Block[] = [];
    for (const { block_hash, parent_hash, transactions } of blockAnswers.map(Object)) {
      expect(blocks.at(-1)?.hash ?? '0x0').toBe(parent_hash);
      blocks.push({ hash: block_hash, transactions });
    }
    const pending: readonly string[] = Object(open).transactions;
    const rows: readonly { readonly snapshot_id: string }[] = Object(listing).snapshots;
    // Each transaction moved one; none without a transaction.
    const moved = blocks.flatMap(({ transactions }) => transactions).length + pending.length;
    expect(balance).toMatchObject({ amount: String(moved) });
    return { blocks, pending, snapshots: rows.map((row) => row.snapshot_id).toReversed() };
  }

  /** The results of calls that are sent together. */
  async #batch(
    node: RunningCommand,
    calls: readonly (readonly [method: string, params: object])[],
  ): Promise<readonly unknown[]> {
    const response = await fetch(node.url + this.#path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
      ),
    });
    const answers: readonly { readonly result?: unknown; readonly error?: unknown }[] = Object(
      await response.json(),
    );
    expect(answers.filter(({ error }) => error)).toEqual([]);
    return answers.map(({ result }) => result);
  }

  /** Sends one command; the chain has to be as its outcome says. */
  async act(node: RunningCommand): Promise<void> {
    if (random.below(6) === 0) return this.#branch(node);
    const command = this.#next();
    this.#underWay = command;
    const answer = await this.call(node, command.method, command.params);
    const { method, params, outcomes } = command;
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const before = this.#view;
    if (method === 'devnet_snapshot' && before) this.#snapshots.set(String(answer), before);
    if (method === 'devnet_dump' && before && 'path' in params) {
      this.#dump = { path: String(params.path), view: before };
    }
    const chainView = await this.#read(node);
    const isRight = outcomes.some((view) => fits(chainView, view));
    expect.assert(isRight, `${method} made ${viewText(chainView)}, not ${outcomes.map(viewText)}`);
    this.#view = chainView;
    this.#underWay = undefined;
  }

  #next(): Command {
    const view = this.#view;
    if (!view) throw new Error('read first');
    const { blocks, pending, snapshots = [] } = view;
    const closing = (transactions: readonly string[]): View => ({
      blocks: [...blocks, { hash: ANY, transactions }],
      pending: [],
      snapshots,
    });
    if (blocks.length > MAX_CHAIN) return restart();
    switch (random.below(12)) {
      case 0: {
        if (blocks.length < 2) break;
        const from = Math.max(1, blocks.length - 1 - random.below(4));
        return {
          method: 'devnet_abortBlocks',
          params: { starting_block_id: { block_number: from } },
          outcomes: [{ blocks: blocks.slice(0, from), pending: [], snapshots }],
        };
      }
      case 1:
      case 2:
        return {
          method: 'devnet_snapshot',
          params: {},
          outcomes: [{ ...view, snapshots: [...snapshots, ANY] }],
        };
      case 3: {
        if (snapshots.length === 0) break;
        const at = random.below(snapshots.length);
        const id = snapshots[at];
        const snapshotView = id === undefined ? undefined : this.#snapshots.get(id);
        if (snapshotView === undefined) break;
        return {
          method: 'devnet_revert',
          params: { snapshot_id: id },
          outcomes: [{ ...snapshotView, snapshots: snapshots.slice(0, at) }],
        };
      }
      case 4:
        dumps += 1;
        return {
          method: 'devnet_dump',
          params: { path: join(folder, `${dumps % 50}.image`), format: 'image' },
          outcomes: [view],
        };
      case 5: {
        if (!this.#dump) break;
        const { path, view: dumped } = this.#dump;
        return {
          method: 'devnet_load',
          params: { path },
          outcomes: [{ ...dumped, snapshots: [] }],
        };
      }
      case 6:
        if (random.below(4) === 0) return restart();
        break;
      case 7:
      case 8:
        return { method: 'devnet_createBlock', params: {}, outcomes: [closing(pending)] };
      default:
        break;
    }
    return {
      method: 'devnet_mint',
      params: { address: RECEIVER, amount: 1, unit: 'FRI' },
      // A revert or a load may bring back another mode.
      outcomes: [closing([...pending, ANY]), { ...view, pending: [...pending, ANY] }],
    };
  }

  /** Another chain of the node that begins as this one. */
  async #branch(node: RunningCommand): Promise<void> {
    const view = this.#view;
    if (!view) throw new Error('read first');
    const { instance_id } = Object(await this.call(node, 'devnet_createInstance', { ttl: 0 }));
    this.branches.set(instance_id, { ...view, snapshots: undefined });
    counts.set('branch', (counts.get('branch') ?? 0) + 1);
    await checkBranch(node, instance_id, view);
    if (random.below(2) === 0) return;
    // A deletion that is not answered may have happened or not.
    this.branches.delete(instance_id);
    await node.call('devnet_deleteInstance', { instance_id });
    deleted.add(instance_id);
  }
}

const restart = (): Command => ({
  method: 'devnet_restart',
  params: {},
  outcomes: [{ blocks: [{ hash: ANY, transactions: [] }], pending: [], snapshots: [] }],
});

function viewText({ blocks, pending, snapshots }: View): string {
  const closed = blocks.map(
    ({ hash, transactions }) => `${hash.slice(0, 6)}:${transactions.length}`,
  );
  return `[${closed.join(' ')}] + ${pending.length}, snapshots ${snapshots?.join(' ') ?? ANY}`;
}

async function checkBranch(node: RunningCommand, id: string, view: View): Promise<void> {
  const path = `/instances/${id}`;
  const latest = await node.call('starknet_getBlockWithTxHashes', { block_id: 'latest' }, path);
  const { block_hash, block_number } = Object(latest);
  expect([id, block_number, block_hash]).toEqual([
    id,
    view.blocks.length - 1,
    view.blocks.at(-1)?.hash,
  ]);
}

const root = new Chain();
/** Instances with commands of their own, by id. */
const instances = new Map<string, Chain>();
/** Instances whose deletion was answered. */
const deleted = new Set<string>();

async function listed(node: RunningCommand): Promise<ReadonlySet<string>> {
  const page = Object(await node.call('devnet_listInstances', { limit: 200 }));
  const rows: readonly { readonly instance_id: string }[] = page.instances;
  expect(page.next).toBeUndefined();
  return new Set(rows.map((row) => row.instance_id));
}

/** Branches that were answered are there and whole; then all are deleted. */
async function checkBranches(node: RunningCommand, chains: readonly Chain[]): Promise<void> {
  const ids = await listed(node);
  expect([...deleted].filter((id) => ids.has(id))).toEqual([]);
  expect([...instances.keys()].filter((id) => !ids.has(id))).toEqual([]);
  for (const { branches } of chains) {
    for (const [id, view] of branches) {
      expect(ids).toContain(id);
      await checkBranch(node, id, view);
    }
    branches.clear();
  }
  for (const id of ids) {
    if (instances.has(id)) continue;
    await node.call('devnet_deleteInstance', { instance_id: id });
    deleted.add(id);
  }
}

let answered = 0;

async function actUntilKilled(node: RunningCommand, chains: readonly Chain[]): Promise<void> {
  let isDead = false;
  const clients = chains.map(async (chain) => {
    try {
      while (!isDead) {
        await chain.act(node);
        answered += 1;
      }
    } catch (error) {
      // Only its death may keep it from answering.
      if (!isDead || !(error instanceof TypeError)) throw error;
    }
  });
  await Promise.race([sleep(random.below(MAX_MS)), ...clients]);
  isDead = true;
  await node.kill();
  await Promise.all(clients);
}

test(`a node whose chains go back is killed ${KILLS} times by seed ${SEED}`, {
  timeout: 120_000 + KILLS * 10_000,
}, async () => {
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const mode = kill % 2 === 0 ? 'transaction' : 'demand';
    const args = ['--data-dir', join(folder, 'chain'), '--block-generation-on', mode];
    const recent = ['--recent-blocks', '4'];
    const first = kill === 0 ? ['--seed', '0'] : [];
    const node = await RunningCommand.start([...args, ...recent, ...first]);
    try {
      const chains = [root, ...instances.values()];
      for (const chain of chains) await chain.check(node);
      await checkBranches(node, chains);
      while (instances.size < INSTANCES) {
        const instance = Object(await node.call('devnet_createInstance', { ttl: 0 }));
        const chain = new Chain(`/instances/${instance.instance_id}`);
        instances.set(instance.instance_id, chain);
        await chain.check(node);
      }
      if (kill < KILLS) await actUntilKilled(node, [root, ...instances.values()]);
    } finally {
      await node.kill();
    }
  }
  const commands = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`${KILLS} kills, ${answered} commands answered: ${commands}`);
  expect(answered).toBeGreaterThanOrEqual(KILLS);
});
