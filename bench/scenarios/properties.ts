// Checks of invariants: calls per second, the cost of coverage, and two threads beside one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CheckReport, checkInvariants } from '@starkbox/testing/properties';
import { CORRECT, openPlanted } from '../../packages/testing/test/properties/planted/contracts.js';
import { interleave } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { CONTRACTS } from '../repository.js';

type Sizes = 'runs' | 'rounds' | 'threaded';

const SEED = 3;
const SUPPLY = 1_000_000n;
/** Of the check in threads. */
const ACTORS = 4;
const tokenFile = new URL('cairo/token.sierra.json', CONTRACTS);

const callsOf = ({ calls, views }: CheckReport): number => calls + views;

const callsPerSecond = (report: CheckReport): number =>
  (callsOf(report) / report.milliseconds) * 1000;

/** A check of a correct vault with shares over a token, with coverage and without. */
async function measureSpeed(run: Run<Sizes>): Promise<void> {
  const contract = CORRECT.find(({ name }) => name === 'guarded_shares');
  if (!contract) throw new Error('there is no contract guarded_shares');
  const { chain, options } = await openPlanted(contract, new URL('planted/', CONTRACTS));
  run.defer(() => chain.close());
  const { runs, rounds } = run.sizes;
  const check = async (coverage: boolean) => {
    const limits = { coverage, runs, seed: SEED, corpus: false, progress: false } as const;
    const before = process.cpuUsage();
    const report = await checkInvariants(chain, { ...options, ...limits });
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / callsOf(report), speed: callsPerSecond(report) };
  };
  const samples = await interleave(rounds, {
    guided: () => check(true),
    plain: () => check(false),
  });
  const cost = samples.ratio('guided', 'plain', ({ cpu }) => cpu) - 1;
  const { figures } = run;
  figures.bound({ coverage_cost: { atMost: 0.3, isNoisy: true } });
  figures.sayAll({
    calls_per_s: samples.median('guided', ({ speed }) => speed),
    cpu_us_per_call: samples.median('guided', ({ cpu }) => cpu),
    coverage_cost: cost,
  });
}

/** A file of the same check, for threads. */
async function writeFileOfInvariants(folder: string): Promise<URL> {
  const path = join(folder, 'token.invariants.mjs');
  const entry = (name: string): string => JSON.stringify(import.meta.resolve(name));
  await writeFile(
    path,
    `import { fixture } from ${entry('@starkbox/testing')};
import { defineInvariants } from ${entry('@starkbox/testing/properties')};
const tokens = fixture('tokens', async (chain) => {
  const actors = chain.accounts.slice(0, ${ACTORS}).map(({ address }) => address);
  const token = await chain.deployContract(${JSON.stringify(tokenFile.pathname)}, { name: 1, symbol: 1, supply: ${SUPPLY}n, owner: actors[0] });
  return { token: token.address, actors };
}, { cacheDir: ${JSON.stringify(folder)} });
export default defineInvariants(tokens, ({ token, actors }) => ({
  contracts: [token],
  actors,
  seed: ${SEED},
  corpus: false,
  progress: false,
  invariants: {
    'balances are within the supply': async ({ call }) => {
      let sum = 0n;
      for (const actor of actors) sum += await call(token, 'balance_of', [actor]);
      return sum <= (await call(token, 'total_supply'));
    },
  },
}));
`,
  );
  return pathToFileURL(path);
}

/** Two threads beside one: calls per second of the search, without the start of threads. */
async function measureThreads(run: Run<Sizes>): Promise<void> {
  const file = await writeFileOfInvariants(run.folder());
  const check = (workers: number) => () =>
    checkInvariants(file, { workers, runs: run.sizes.threaded });
  const samples = await interleave(run.sizes.rounds, { single: check(1), double: check(2) });
  const reports = [...samples.of('single'), ...samples.of('double')];
  const { figures } = run;
  figures.bound({ two_threads: { atLeast: 1.7, isNoisy: true }, different_digests: { atMost: 0 } });
  figures.sayAll({
    one_thread_calls_per_s: samples.median('single', callsPerSecond),
    two_threads_calls_per_s: samples.median('double', callsPerSecond),
    two_threads: samples.ratio('double', 'single', callsPerSecond),
    different_digests: new Set(reports.map(({ digest }) => digest)).size - 1,
  });
}

export const scenario = defineScenario<Sizes>({
  measures: 'checks of invariants: calls per second, the cost of coverage, and two threads',
  sizes: { runs: [2_500, 40], rounds: [3, 2], threaded: [8_000, 96] },
  async measure(run) {
    await measureSpeed(run);
    await measureThreads(run);
    return undefined;
  },
});
