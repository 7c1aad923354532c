// Random transactions for `npm run compare:engines`, which compares their digests, and `npm run compare:executors`,
// whose engine compares them itself.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Class, type Receipt } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { block } from '../fixtures/chain.js';
import { RandomTransactions } from '../fixtures/random-transactions.js';

/** The file that the digests are written to, a line for each. */
const DIGESTS = process.env['TEST_DIGESTS'];
const COUNT = Number(process.env['TEST_COMPARED_TRANSACTIONS'] ?? 0);
const SEED = Number(process.env['TEST_COMPARED_SEED'] ?? 42);
/** A block is closed after so many transactions. */
const BLOCK = 20;

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

test.skipIf(COUNT === 0)(
  'random transactions give receipts, traces, hashes and states',
  { timeout: 0 },
  async () => {
    const transactions = await RandomTransactions.create(SEED);
    const outcomes = { accepted: 0, reverted: 0, rejected: 0 };
    const lines: string[] = [];
    let parentHash = '0x0';
    let included: { signature: string[]; receipt: Receipt }[] = [];
    for (let count = 0; count < COUNT; count += 1) {
      const random = transactions.next();
      const { transaction, flags } = random;
      const execution = await transactions.state.execute(block(), transaction, flags);
      outcomes[execution.outcome] += 1;
      if (execution.outcome === 'rejected') lines.push(digest([transaction.hash, execution]));
      else {
        const { next, ...report } = execution;
        lines.push(digest([transaction.hash, report]));
        included.push({ signature: [], receipt: report.receipt });
        transactions.continueAfter(random, next);
      }
      if (count % BLOCK === BLOCK - 1) {
        const closed = await transactions.state.close(block(), included, { parentHash });
        included = [];
        lines.push(digest([closed.seal, closed.diff]));
        parentHash = closed.seal.block_hash;
        transactions.state = closed.next;
      }
      if (count % 1000 === 999) console.log(JSON.stringify({ count: count + 1, ...outcomes }));
    }
    for (const name of ['counter', 'token', 'vault']) {
      const compiled = await Class.compile(await classText(name));
      lines.push(digest([compiled.hash, await compiled.casm(), await compiled.functions()]));
    }
    console.log(JSON.stringify({ seed: SEED, ...outcomes }));
    if (DIGESTS !== undefined) writeFileSync(DIGESTS, `${lines.join('\n')}\n`);
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(COUNT / 50);
  },
);
