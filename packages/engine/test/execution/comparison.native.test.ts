// Random transactions by both executors. The engine must be built with the feature `compare-executors`, which
// `npm run compare:executors` does.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { block } from '../fixtures/chain.js';
import { RandomTransactions } from '../fixtures/random-transactions.js';

/** The file that the engine appends a line to for each comparison. */
const COMPARISONS = process.env['STARKBOX_COMPARISONS'] ?? '';
const COUNT = Number(process.env['STARKBOX_COMPARED_TRANSACTIONS'] ?? 0);
const SEED = Number(process.env['STARKBOX_COMPARED_SEED'] ?? 41);

test.skipIf(COUNT === 0)(
  'both executors give the same receipts, traces and state differences',
  { timeout: 0 },
  async () => {
    const transactions = await RandomTransactions.create(SEED);
    const outcomes = { accepted: 0, reverted: 0, rejected: 0 };
    for (let count = 0; count < COUNT; count += 1) {
      const random = transactions.next();
      const execution = await transactions.state.execute(block(), random.transaction, random.flags);
      outcomes[execution.outcome] += 1;
      if (execution.outcome !== 'rejected') transactions.continueAfter(random, execution.next);
      if (count % 1000 === 999) console.log(JSON.stringify({ count: count + 1, ...outcomes }));
    }
    console.log(JSON.stringify({ seed: SEED, ...outcomes }));
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(COUNT / 50);
    const lines = readFileSync(COMPARISONS, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(COUNT);
    expect(lines.filter((line) => !line.startsWith('equal '))).toEqual([]);
  },
);
