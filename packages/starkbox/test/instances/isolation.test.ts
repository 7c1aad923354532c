// Random histories on instances of one parent, at the same time: each is as its own model says.
import { type ListeningNode, startNode } from '@starkbox/conformance';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as cast from '../model/accounts-and-contracts.js';
import { type Command, sequences } from '../model/commands.js';
import { HistoryRunner, type ModelledNode, SETUPS } from '../model/history-runner.js';
import type { Setup } from '../model/node-and-model.js';
import { everything, NodeClient } from '../model/reading.js';
import type { World } from '../model/world.js';

/**
 * By hand, for more rounds or another seed:
 * STARKBOX_HISTORIES=200 STARKBOX_SEED=7 npx vitest run packages/starkbox/test/instances/isolation.test.ts
 */
const ROUNDS = Number(process.env['STARKBOX_HISTORIES'] ?? 1);
const SEED = Number(process.env['STARKBOX_SEED'] ?? 20_261_116);
const INSTANCES = 8;
const LENGTH = 25;

let parent: ListeningNode;
let begun: World;
/** What the parent answers to every question about its chain. */
let before: ReadonlyMap<unknown, string>;

function setupOf(blocksOn: Setup['blocksOn']): Setup {
  const setup = SETUPS.find((one) => one.blocksOn === blocksOn && !one.isKept && !one.lite);
  if (!setup) throw new Error(`there is no setup with blocks on ${blocksOn}`);
  return setup;
}

const ask = async (url: string, text: string): Promise<string | undefined> => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: text })).text();
};

/** Plays on an instance of the parent, over HTTP. */
class InstanceRunner extends HistoryRunner {
  override readonly begun: World | undefined;

  constructor(setup: Setup, world: World) {
    super(setup);
    this.begun = world;
  }

  override async open(): Promise<ModelledNode> {
    const { instance_id, http_url } = await parent.client.call('devnet_createInstance', {});
    const handle = (text: string) => ask(http_url ?? '', text);
    return {
      handle,
      call: async (method, params = {}) =>
        handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      close: async () => {
        await parent.client.call('devnet_deleteInstance', { instance_id });
      },
    };
  }
}

/** Prepares the parent, whose chain then has the contracts of the model. */
class ParentRunner extends HistoryRunner {
  override async open(): Promise<ModelledNode> {
    return parent.node;
  }
}

beforeAll(async () => {
  // One clock for all of them: it stands still, and each chain has a time of its own.
  vi.useFakeTimers({ toFake: ['Date'] });
  parent = await startNode({
    listen: true,
    seed: cast.SEED,
    accounts: cast.accounts.length,
    initialBalance: cast.INITIAL_BALANCE,
  });
  const setup = setupOf('transaction');
  ({ world: begun } = await new ParentRunner(setup).play([
    { does: 'transfer', from: 0, to: 1, amount: 5, flaw: 'none', tip: 0 },
    { does: 'createBlock' },
  ]));
  before = await readParent();
});
afterAll(async () => {
  vi.useRealTimers();
  await parent.close();
});

function readParent(): Promise<ReadonlyMap<unknown, string>> {
  return new NodeClient(parent.node).read(questions);
}
const questions = {
  *[Symbol.iterator]() {
    yield* everything(begun, true);
  },
};

/** Real time passes for all chains at once, so no history waits. */
const withoutWaits = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ does }) => does !== 'wait');

test(`${ROUNDS} × ${INSTANCES} histories at the same time, each as its own model says`, {
  timeout: 600_000,
}, async () => {
  const setup = setupOf('transaction');
  const property = fc.asyncProperty(
    fc.array(sequences(LENGTH), { minLength: INSTANCES, maxLength: INSTANCES }),
    async (histories) => {
      const runners = histories.map(() => new InstanceRunner(setup, begun));
      const played = await Promise.allSettled(
        histories.map((commands, index) => runners[index]?.play(withoutWaits(commands))),
      );
      await Promise.all(runners.map((runner) => runner.close()));
      const failures = played.flatMap((one, index) =>
        one.status === 'rejected' ? [`instance ${index}: ${one.reason}`] : [],
      );
      expect(failures).toEqual([]);
      expect([...(await readParent()).values()]).toEqual([...before.values()]);
      expect((await parent.client.call('devnet_listInstances', {})).total).toBe(0);
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: ROUNDS, endOnFailure: true });
});
