// Chains in one process, in worker threads, or with a common past do not affect each other.
import { Worker } from 'node:worker_threads';
import { sequences } from '@starkbox/test-support/model/commands';
import { HistoryRunner, SETUPS } from '@starkbox/test-support/model/history-runner';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.js';
import { balanceOf, mint } from '../../src/chain/mint.js';
import { bareChain } from '../support/bare-chain.js';

describe('two nodes in one process', () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  /** Time is shared: it stands still. */
  const histories = sequences(30).map((all) => all.filter(({ does }) => does !== 'wait'));
  const setups = SETUPS.filter(({ blocksOn }) => blocksOn !== 'interval');

  test('have different histories at the same time', { timeout: 120_000 }, async () => {
    const pairs = setups.flatMap((first) => setups.map((second) => [first, second] as const));
    const property = fc.asyncProperty(
      fc.constantFrom(...pairs),
      histories,
      histories,
      async ([first, second], firstHistory, secondHistory) => {
        const runners = [new HistoryRunner(first), new HistoryRunner(second)] as const;
        try {
          // Each is held against its own model after every command.
          await Promise.all([runners[0].play(firstHistory), runners[1].play(secondHistory)]);
        } finally {
          await Promise.allSettled(runners.map((runner) => runner.close()));
        }
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });
});

describe('nodes in worker threads', () => {
  const COUNT = 8;

  interface Report {
    readonly status: { readonly block_count: number; readonly impersonated_accounts: string[] };
    readonly balance: { readonly amount: string };
    readonly latest: { readonly timestamp: number; readonly l2_gas_price: object };
    readonly accounts: number;
    readonly snapshots: readonly string[];
    readonly hashes: readonly string[];
    readonly reverted: boolean;
    readonly emitters: readonly string[];
  }

  function start(index: number, gate: Int32Array, count: number): Worker {
    return new Worker(new URL('./isolation-worker.mjs', import.meta.url), {
      workerData: { index, gate, count },
    });
  }

  function reportOf(worker: Worker): Promise<Report> {
    return new Promise((resolve, reject) => {
      let lastReport: Report | undefined;
      worker.on('message', (report: Report) => {
        lastReport = report;
      });
      worker.on('error', reject);
      worker.on('exit', (code) => {
        if (lastReport && code === 0) resolve(lastReport);
        else
          reject(new Error(`a worker ended with ${code}, and told ${JSON.stringify(lastReport)}`));
      });
    });
  }

  function check(report: Report, index: number): void {
    const rounds = index + 1;
    const impersonated = Array.from({ length: rounds }, (_, round) => `0x${index + 1}${round}`);
    expect({
      ...report,
      impersonated: report.status.impersonated_accounts.toSorted(),
      emitters: report.emitters.toSorted(),
    }).toMatchObject({
      // The first block, one for each mint, and one each for time and price.
      status: { block_count: 1 + rounds + 2, transaction_count: rounds },
      impersonated,
      balance: { amount: String(rounds * (1000 + index)), unit: 'FRI' },
      latest: { l2_gas_price: { price_in_fri: `0x${(1_000_000_000 + index).toString(16)}` } },
      accounts: 2 + index,
      snapshots: Array.from({ length: rounds }, (_, round) => `0x${(round + 1).toString(16)}`),
      reverted: true,
      emitters: report.hashes.toSorted(),
    });
    const late = report.latest.timestamp - 1_000_000_000 * rounds;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(600);
  }

  test('have different histories at the same time', { timeout: 180_000 }, async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workers = Array.from({ length: COUNT }, (_, index) => start(index, gate, COUNT));
    const reports = await Promise.all(workers.map(reportOf));
    for (const [index, report] of reports.entries()) check(report, index);
  });

  test('are not disturbed when one of them is ended', { timeout: 180_000 }, async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const [doomed, ...others] = Array.from({ length: 3 }, (_, index) => start(index, gate, 3));
    const reports = others.map(reportOf);
    // They have met, so the node of each is at work.
    while (Atomics.load(gate, 0) < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await doomed?.terminate()).toBe(1);
    for (const [index, report] of (await Promise.all(reports)).entries()) check(report, index + 1);
  });
});

describe('branches of a chain', () => {
  const OWNER = '0xbeef';

  async function chainOf(blocks: number): Promise<Chain> {
    const chain = await bareChain('transaction');
    await mint(chain, OWNER, 5n, 'FRI');
    while (chain.world.history.next < blocks) await chain.createBlock();
    return chain;
  }

  function branchTime(chain: Chain): number {
    const begin = performance.now();
    chain.branch();
    return performance.now() - begin;
  }

  /** The shortest of many, in turn: anything else that runs makes the others longer. */
  function branchTimes(...chains: readonly Chain[]): readonly number[] {
    const shortest = chains.map(() => Number.POSITIVE_INFINITY);
    for (let times = 0; times < 500; times += 1) {
      for (const [at, chain] of chains.entries()) {
        shortest[at] = Math.min(shortest[at] ?? 0, branchTime(chain));
      }
    }
    return shortest;
  }

  test('cost the same for 200 and for 5,000 blocks, and part for good', {
    timeout: 120_000,
  }, async () => {
    const short = await chainOf(200);
    const long = await chainOf(5_000);
    const [ofShort = 0, ofLong = 0] = branchTimes(short, long);
    console.log(`a branch of 200 blocks: ${ofShort} ms; of 5,000 blocks: ${ofLong} ms`);
    // 25 times as long if it copied the blocks.
    expect(ofLong).toBeLessThan(5 * ofShort);

    const other = long.branch();
    const { history } = long.world;
    const [minted, mintedOnBranch] = await Promise.all([
      mint(long, OWNER, 10n, 'FRI'),
      (async () => {
        await other.createBlock();
        return mint(other, OWNER, 100n, 'FRI');
      })(),
    ]);
    expect([minted.balance, mintedOnBranch.balance]).toEqual([15n, 105n]);
    expect(await balanceOf(long, OWNER, 'FRI', 'latest')).toBe(15n);
    expect(await balanceOf(other, OWNER, 'FRI', 'latest')).toBe(105n);
    expect(long.world.history.next).toBe(5_001);
    expect(other.world.history.next).toBe(5_002);
    expect(minted.hash).not.toBe(mintedOnBranch.hash);
    expect(long.world.history.locate(minted.hash)?.block).toBe(5_000);
    expect(long.world.history.locate(mintedOnBranch.hash)).toBeUndefined();
    expect(other.world.history.locate(mintedOnBranch.hash)?.block).toBe(5_001);
    expect(other.world.history.locate(minted.hash)).toBeUndefined();

    // The common past, which neither of them changed.
    for (const number of [0, 1, 2, 2_499, 4_990, 4_999]) {
      const expected = history.header(number);
      expect(expected).toBeDefined();
      for (const chain of [long, other]) {
        expect(chain.world.history.header(number)).toEqual(expected);
        expect(chain.world.history.numberOf(expected?.hash ?? '')).toBe(number);
        expect(chain.world.pendingState.diffTextOf(number)).toBe(
          long.world.pendingState.diffTextOf(number),
        );
        const owned = number === 0 ? 0n : 5n;
        expect(await balanceOf(chain, OWNER, 'FRI', { block_number: number })).toBe(owned);
      }
    }

    // Undoing the past on one side leaves it to the other.
    await other.abortBlocks({ block_number: 1 });
    expect(await balanceOf(other, OWNER, 'FRI', 'latest')).toBe(0n);
    expect(await balanceOf(long, OWNER, 'FRI', 'latest')).toBe(15n);
    expect(long.world.history.header(4_999)).toEqual(history.header(4_999));
    for (const chain of [short, long, other]) await chain.close();
  });
});
