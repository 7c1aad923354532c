// The executor with our changes against the published one, on transfers and on random transactions of many contracts.
import { readFile } from 'node:fs/promises';
import { block } from '../../packages/engine/test/fixtures/chain.js';
import { RandomTransactions } from '../../packages/engine/test/fixtures/random-transactions.js';
import { BareEngine } from '../harness/bare-engine.js';
import { Child, serve } from '../harness/child.js';
import { interleave, milliseconds } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { CONTRACTS } from '../repository.js';

const SEED = 7;

const readClass = (name: string): Promise<string> =>
  readFile(new URL(`cairo/${name}.sierra.json`, CONTRACTS), 'utf8');

let bareEngine: Promise<BareEngine> | undefined;

/** Commands of a process that has one of the engines. */
const executorProcess = {
  /** Milliseconds of a transfer in a loop of the executor. */
  async transfer(count: number): Promise<number> {
    bareEngine ??= BareEngine.create();
    return (await bareEngine).transfer(count);
  },

  /** Milliseconds of a random transaction, with its receipt and trace. */
  async mixed(count: number): Promise<number> {
    const transactions = await RandomTransactions.create(SEED, readClass);
    let elapsed = 0;
    for (let index = 0; index < count; index += 1) {
      const random = transactions.next();
      elapsed += await milliseconds(async () => {
        const { transaction, flags } = random;
        const execution = await transactions.state.execute(block(), transaction, flags);
        if (execution.outcome !== 'rejected') transactions.continueAfter(random, execution.next);
      });
    }
    return elapsed / count;
  },
};

export const scenario = defineScenario({
  measures: 'the executor, against the one of another addon: --published ADDON',
  sizes: { transfers: [400, 100], mixed: [1_000, 200], rounds: [9, 3] },
  options: { published: 'text' },
  async measure(run) {
    const { transfers, mixed, rounds } = run.sizes;
    const published = run.text('published');
    if (published === undefined) {
      // In this process, which records counts in a training run.
      run.figures.say('transfer_ms', await executorProcess.transfer(transfers));
      run.figures.say('mixed_ms', await executorProcess.mixed(mixed));
      return undefined;
    }
    run.figures.bound({ transfer_ratio: { atLeast: 1.3 }, mixed_ratio: { atLeast: 1.15 } });
    const start = (env: Record<string, string>): Child<typeof executorProcess> => {
      const child: Child<typeof executorProcess> = new Child(new URL(import.meta.url), { env });
      run.defer(() => child.end());
      return child;
    };
    const [ours, theirs] = [start({}), start({ STARKBOX_ENGINE: published })];
    const measured = {
      transfer: await interleave(rounds, {
        ours: () => ours.call('transfer', transfers),
        published: () => theirs.call('transfer', transfers),
      }),
      mixed: await interleave(rounds, {
        ours: () => ours.call('mixed', mixed),
        published: () => theirs.call('mixed', mixed),
      }),
    };
    for (const [name, times] of Object.entries(measured)) {
      run.figures.say(`${name}_ms`, times.median('ours'));
      run.figures.say(`${name}_published_ms`, times.median('published'));
      run.figures.say(`${name}_ratio`, times.ratio('published', 'ours'));
    }
    return { published };
  },
});

serve(import.meta.url, executorProcess);
