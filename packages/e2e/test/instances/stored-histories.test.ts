// Random histories on an instance in a data directory: as the model says, across starts and changes of its parent.

import * as cast from '@starkbox/test-support/model/accounts-and-contracts';
import { sequences } from '@starkbox/test-support/model/commands';
import {
  HistoryRunner,
  type ModelledNode,
  SETUPS,
} from '@starkbox/test-support/model/history-runner';
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import { createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, test, vi } from 'vitest';

/**
 * By hand, for more histories or another seed:
 * TEST_HISTORIES=100 TEST_SEED=7 npx vitest run packages/e2e/test/instances/stored-histories.test.ts
 */
const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 3);
const LENGTH = 25;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Plays on an instance, whose node is another one now and then. */
class StoredInstanceRunner extends HistoryRunner {
  #id: string | undefined;

  override async open(dataDir?: string): Promise<ModelledNode> {
    const node = await createChain({
      seed: cast.SEED,
      accounts: cast.accounts.length,
      initialBalance: cast.INITIAL_BALANCE,
      blockGenerationOn: this.setup.blocksOn === 'demand' ? 'demand' : 'transaction',
      dataDir,
      recentBlocks: 2,
    });
    const { url } = await node.listen({ port: 0 });
    await disturb(node);
    this.#id ??= (await node.request('devnet_createInstance', { ttl: 0 })).instance_id;
    await disturb(node);
    const handle = async (body: string): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      const path = `${url}/instances/${this.#id}/rpc`;
      return (await fetch(path, { method: 'POST', headers, body })).text();
    };
    return {
      handle,
      requestRaw: (method, params = {}) =>
        handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      close: () => node.close(),
    };
  }
}

/** Changes a parent in ways that an instance must not notice. */
async function disturb(node: LocalChain): Promise<void> {
  const snapshot_id = await node.request('devnet_snapshot');
  for (let count = 0; count < 3; count += 1) {
    await node.request('devnet_mint', { address: '0x1', amount: 1 });
    await node.request('devnet_createBlock');
  }
  await node.request('devnet_abortBlocks', { starting_block_id: 'latest' });
  // Blocks that the instance has stay part of the parent, or leave it.
  if (BigInt(snapshot_id) % 2n === 0n) await node.request('devnet_revert', { snapshot_id });
}

const STORED = SETUPS.filter(({ isKept, blocksOn }) => isKept && blocksOn !== 'interval');

test.each(STORED)('$name', { timeout: 600_000 }, async (setup) => {
  const property = fc.asyncProperty(sequences(LENGTH), async (commands) => {
    const runner = new StoredInstanceRunner(setup);
    try {
      await runner.play(commands);
    } finally {
      await runner.close();
    }
  });
  await fc.assert(property, { seed: SEED, numRuns: HISTORIES, endOnFailure: true });
});
