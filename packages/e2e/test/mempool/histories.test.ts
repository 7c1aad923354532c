// Random histories of a mempool agree with a plain model, and lead to the chain that a plain node makes of
// the same transactions in the same order.
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import { createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, test, vi } from 'vitest';
import type { Order } from './model.js';
import { COMMAND, CONFIG, Play, prepare } from './play.js';

/** By hand: TEST_HISTORIES=500 npx vitest run packages/e2e/test/mempool/histories.test.ts */
const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 15);
const PATH = process.env['TEST_PATH'];
const LENGTH = 30;
const ORDERS: readonly Order[] = ['fifo', 'tip', 'random'];

/** A node that starts each history from the same world. */
class Restarting {
  readonly node: LocalChain;
  #snapshot: unknown;

  constructor(node: LocalChain) {
    this.node = node;
  }

  static async open(config: object): Promise<Restarting> {
    const opened = new Restarting(await createChain({ ...CONFIG, ...config }));
    await prepare(opened.node);
    return opened;
  }

  async begin(): Promise<void> {
    if (this.#snapshot !== undefined) {
      await this.node.requestRaw('devnet_revert', [this.#snapshot]);
    }
    this.#snapshot = await this.node.request('devnet_snapshot');
  }
}

let plain: Restarting;
const steered = new Map<Order, Restarting>();

beforeAll(async () => {
  // Equal times make equal block hashes.
  vi.useFakeTimers({ toFake: ['Date'] });
  plain = await Restarting.open({ blockGenerationOn: 'demand' });
  for (const mempoolOrder of ORDERS) {
    steered.set(
      mempoolOrder,
      await Restarting.open({ blockGenerationOn: 'mempool', mempoolOrder }),
    );
  }
});
afterAll(async () => {
  for (const { node } of [plain, ...steered.values()]) await node.close();
  vi.useRealTimers();
});

test(`${HISTORIES} histories of ${LENGTH} commands are as the model and a plain node say`, {
  timeout: 60_000 + HISTORIES * 1000,
}, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...ORDERS),
    fc.array(COMMAND, { minLength: LENGTH, maxLength: LENGTH }),
    async (order, commands) => {
      const opened = steered.get(order);
      if (!opened) throw new Error('there is no such node');
      await opened.begin();
      const play = new Play(opened.node, order);
      await play.run(commands);
      await plain.begin();
      await play.checkOn(plain.node);
    },
  );
  await fc.assert(property, {
    seed: SEED,
    numRuns: HISTORIES,
    ...(PATH === undefined ? {} : { path: PATH }),
  });
});
