// Random histories on instances of one node, at the same time: each is as its own model says.

import { checkedClient, type ListeningNode, startNode } from '@starkbox/test-support';
import * as cast from '@starkbox/test-support/model/accounts-and-contracts';
import { type Command, sequences } from '@starkbox/test-support/model/commands';
import {
  HistoryRunner,
  type ModelledNode,
  SETUPS,
} from '@starkbox/test-support/model/history-runner';
import type { Setup } from '@starkbox/test-support/model/node-and-model';
import { everything, NodeClient } from '@starkbox/test-support/model/reading';
import type { World } from '@starkbox/test-support/model/world';
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Order } from '../mempool/model.js';
import * as mempool from '../mempool/play.js';

/**
 * By hand, for more rounds or another seed:
 * TEST_HISTORIES=200 TEST_SEED=7 npx vitest run packages/e2e/test/instances/isolation.test.ts
 */
const ROUNDS = Number(process.env['TEST_HISTORIES'] ?? 1);
const LENGTH = 20;
/** How many instances of each block mode play at once: eight. Blocks by the clock would need real time. */
const PLAYERS = { transaction: 3, demand: 3, mempool: 2 } as const;
const ORDER: Order = 'tip';

const TRANSFER: Command = {
  does: 'transfer',
  from: 0,
  to: 1,
  amount: 5,
  flaw: 'none',
  tip: 0,
};

let node: ListeningNode;
let parents: Readonly<Record<'transaction' | 'demand', ModelParent>>;
let mempoolParent: Instance;
/** What the parents answer to every question about their chains. */
let before: readonly unknown[];

/** A chain that instances are branched from, with the world that its model has. */
interface ModelParent {
  readonly id: string;
  readonly chain: ModelledNode;
  readonly world: World;
}

interface Instance {
  readonly id: string;
  readonly chain: ModelledNode;
}

function setupOf(blocksOn: Setup['blocksOn']): Setup {
  const setup = SETUPS.find(
    (preset) => preset.blocksOn === blocksOn && !preset.isKept && !preset.lite,
  );
  if (!setup) throw new Error(`there is no setup with blocks on ${blocksOn}`);
  return setup;
}

const ask = async (url: string, text: string): Promise<string | undefined> => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: text })).text();
};

/** Another instance, which is called over HTTP. */
async function instance(params: { from: string } | { options: object }): Promise<Instance> {
  const { instance_id: id, http_url } = await node.client.call('devnet_createInstance', params);
  const handle = (text: string) => ask(http_url ?? '', text);
  const chain = {
    handle,
    requestRaw: async (method: string, params: unknown = {}) =>
      handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params })),
    close: async () => {
      await node.client.call('devnet_deleteInstance', { instance_id: id });
    },
  };
  return { id, chain };
}

/** Plays on a branch of a parent. */
class BranchRunner extends HistoryRunner {
  override readonly begun: World;
  readonly #parent: string;

  constructor(setup: Setup, { id, world }: ModelParent) {
    super(setup);
    this.begun = world;
    this.#parent = id;
  }

  override async open(): Promise<ModelledNode> {
    return (await instance({ from: this.#parent })).chain;
  }
}

/** Prepares a parent, whose chain then has the contracts of the model. */
class ParentRunner extends HistoryRunner {
  readonly #chain: ModelledNode;

  constructor(setup: Setup, chain: ModelledNode) {
    super(setup);
    this.#chain = chain;
  }

  override async open(): Promise<ModelledNode> {
    return this.#chain;
  }
}

const CONFIG = {
  seed: cast.SEED,
  accounts: cast.accounts.length,
  initialBalance: cast.INITIAL_BALANCE,
} as const;

async function parentOf(
  blocksOn: 'transaction' | 'demand',
  { id, chain }: Instance,
  commands: readonly Command[],
): Promise<ModelParent> {
  const { world } = await new ParentRunner(setupOf(blocksOn), chain).play(commands);
  return { id, chain, world };
}

/** A branch of the mempool's parent, with its accounts. */
async function played({ chain }: Instance): Promise<mempool.PlayedChain> {
  const client = checkedClient(chain.handle);
  const listed = await client.call('devnet_getPredeployedAccounts', {});
  const accounts = listed.map(({ address, private_key }) => ({ address, privateKey: private_key }));
  return { handle: chain.handle, accounts };
}

beforeAll(async () => {
  // One clock for all of them: it stands still, and each chain has a time of its own.
  vi.useFakeTimers({ toFake: ['Date'] });
  node = await startNode({ listen: true, ...CONFIG });
  const initialBalance = String(CONFIG.initialBalance);
  const onDemand = { ...CONFIG, initialBalance, blockGenerationOn: 'demand' };
  parents = {
    transaction: await parentOf('transaction', { id: 'root', chain: node.node }, [
      TRANSFER,
      { does: 'createBlock' },
    ]),
    // Its branches begin with an open block.
    demand: await parentOf('demand', await instance({ options: onDemand }), [TRANSFER]),
  };
  const options = { ...mempool.CONFIG, blockGenerationOn: 'mempool', mempoolOrder: ORDER };
  mempoolParent = await instance({ options });
  await mempool.prepare(await played(mempoolParent));
  before = await readParents();
});
afterAll(async () => {
  vi.useRealTimers();
  await node.close();
});

async function readParents(): Promise<readonly unknown[]> {
  const { transaction, demand } = parents;
  const readings = [transaction, demand].map(({ chain, world }) =>
    new NodeClient(chain).read({
      *[Symbol.iterator]() {
        yield* everything(world, true);
      },
    }),
  );
  const methods = ['devnet_mempoolList', 'starknet_blockHashAndNumber'];
  const ofMempool = methods.map((method) => mempoolParent.chain.requestRaw(method));
  const all = await Promise.all(readings);
  return [...all.flatMap((reading) => [...reading.values()]), ...(await Promise.all(ofMempool))];
}

/** Real time passes for all chains at once, so no history waits. */
const withoutWaits = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ does }) => does !== 'wait');

async function playModel(
  blocksOn: 'transaction' | 'demand',
  commands: readonly Command[],
): Promise<void> {
  const runner = new BranchRunner(setupOf(blocksOn), parents[blocksOn]);
  await runner.play(withoutWaits(commands));
  await runner.close();
}

async function playMempool(commands: readonly mempool.Command[]): Promise<void> {
  const branch = await instance({ from: mempoolParent.id });
  await new mempool.Play(await played(branch), ORDER).run(commands);
  await branch.chain.close();
}

const several = <T>(histories: fc.Arbitrary<T>, count: number): fc.Arbitrary<T[]> =>
  fc.array(histories, { minLength: count, maxLength: count });

test(`${ROUNDS} × 8 histories in three block modes at the same time, each as its own model says`, {
  timeout: 600_000,
}, async () => {
  const property = fc.asyncProperty(
    several(sequences(LENGTH), PLAYERS.transaction),
    several(sequences(LENGTH), PLAYERS.demand),
    several(fc.array(mempool.COMMAND, { minLength: LENGTH, maxLength: LENGTH }), PLAYERS.mempool),
    async (onTransaction, onDemand, inMempool) => {
      const outcomes = await Promise.allSettled([
        ...onTransaction.map((commands) => playModel('transaction', commands)),
        ...onDemand.map((commands) => playModel('demand', commands)),
        ...inMempool.map((commands) => playMempool(commands)),
      ]);
      const failures = outcomes.flatMap((outcome, index) =>
        outcome.status === 'rejected' ? [`history ${index}: ${outcome.reason}`] : [],
      );
      expect(failures).toEqual([]);
      expect(await readParents()).toEqual(before);
      // Those that others are branched from.
      expect((await node.client.call('devnet_listInstances', {})).total).toBe(2);
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: ROUNDS, endOnFailure: true });
});
