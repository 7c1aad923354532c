// Checks of invariants: their calls per second beside the engine alone, and two threads beside one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Block, Class, State } from '@starkbox/engine';
import type { LocalTestChain } from '@starkbox/testing';
import {
  type CheckReport,
  checkInvariants,
  type InvariantOptions,
} from '@starkbox/testing/properties';
import type { CallBranch, DirectCall } from 'starkbox';
import { block } from '../../packages/engine/test/fixtures/chain.js';
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

/** A call that is executed, or the start of a run. */
type Recorded = { readonly call: DirectCall; readonly isView: boolean } | 'run';

interface Subject {
  readonly chain: LocalTestChain;
  readonly options: InvariantOptions<undefined>;
}

/** A correct vault with shares, over a token. */
async function openSubject(): Promise<Subject> {
  const contract = CORRECT.find(({ name }) => name === 'guarded_shares');
  if (!contract) throw new Error('there is no contract guarded_shares');
  const { chain, options } = await openPlanted(contract, new URL('planted/', CONTRACTS));
  return { chain, options: { ...options, seed: SEED, corpus: false, progress: false } };
}

type Methods = Pick<CallBranch, 'branch' | 'call' | 'view'>;

/** Replaces methods of branches while work runs. */
async function observed<T>(
  chain: LocalTestChain,
  replace: (original: Methods) => Partial<Methods>,
  work: () => Promise<T>,
): Promise<T> {
  const prototype: CallBranch = Object.getPrototypeOf(chain.callBranch());
  const { branch, call, view } = prototype;
  Object.assign(prototype, replace({ branch, call, view }));
  try {
    return await work();
  } finally {
    Object.assign(prototype, { branch, call, view });
  }
}

interface Recording {
  /** In their order. */
  readonly calls: readonly Recorded[];
  readonly failures: number;
}

/** The calls of a check. */
async function recordCalls({ chain, options }: Subject, runs: number): Promise<Recording> {
  const calls: Recorded[] = [];
  let failures = 0;
  const counted = (result: ReturnType<CallBranch['call']>): typeof result => {
    if (calls.length > 0 && 'hasFailed' in result && result.hasFailed) failures += 1;
    return result;
  };
  // Views before the first run prepare the search.
  const recording = (original: Methods) => ({
    branch(this: CallBranch): CallBranch {
      calls.push('run');
      return original.branch.call(this);
    },
    call(this: CallBranch, call: DirectCall, ...rest: [coverage?: never]) {
      calls.push({ call, isView: false });
      return counted(original.call.call(this, call, ...rest));
    },
    view(this: CallBranch, call: DirectCall) {
      if (calls.length > 0) calls.push({ call, isView: true });
      return counted(original.view.call(this, call));
    },
  });
  await observed(chain, recording, () => checkInvariants(chain, { ...options, runs }));
  return { calls, failures };
}

/** The engine with the contracts of the subject alone. */
async function bareState({ chain }: Subject): Promise<State> {
  const latest = await chain.request('starknet_blockNumber');
  let state = State.create();
  for (let number = 1; number <= latest; number += 1) {
    const { state_diff } = await chain.request('starknet_getStateUpdate', {
      block_id: { block_number: number },
    });
    const { deployed_contracts, storage_diffs } = state_diff;
    const classes: Class[] = [];
    for (const { class_hash } of deployed_contracts) {
      const source = await chain.request('starknet_getClass', { block_id: 'latest', class_hash });
      classes.push(await Class.compile(JSON.stringify(source)));
    }
    state = await state.apply({ deployed_contracts, storage_diffs }, classes);
  }
  return state.advance();
}

/** Executes recorded calls by the engine. */
function executeBare(start: State, context: Block, { calls, failures: expected }: Recording): void {
  let state = start;
  let failures = 0;
  for (const recorded of calls) {
    if (recorded === 'run') {
      state = start;
      continue;
    }
    const { caller, contract, selector, calldata } = recorded.call;
    const call = { contract_address: contract, entry_point_selector: selector, calldata, caller };
    const invocation = state.invoke(context, call);
    if ('then' in invocation) throw new Error('the engine has no source that takes time');
    if (invocation.hasFailed) failures += 1;
    else if (!recorded.isView) state = invocation.next;
  }
  if (failures !== expected) {
    throw new Error(`${failures} calls failed, and ${expected} calls of the check`);
  }
}

interface Spent {
  readonly wall: number;
  readonly cpu: number;
}

/** Milliseconds of work, and of the processor in this process. */
async function spent(work: () => unknown): Promise<Spent> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1000 };
}

/** Calls per second beside the engine alone, with coverage and without. */
async function measureSpeed(run: Run<Sizes>, subject: Subject): Promise<void> {
  const { chain, options } = subject;
  const { runs, rounds } = run.sizes;
  const plain = { ...options, coverage: false };
  const recorded = {
    guided: await recordCalls(subject, runs),
    plain: await recordCalls({ ...subject, options: plain }, runs),
  };
  const state = await bareState(subject);
  const context = block(1);
  const counts = { guided: 0, plain: 0 };
  const samples = await interleave<'bare' | 'guided' | 'barePlain' | 'plain', Spent>(rounds, {
    bare: () => spent(() => executeBare(state, context, recorded.guided)),
    guided: () =>
      spent(async () => {
        counts.guided = callsOf(await checkInvariants(chain, { ...options, runs }));
      }),
    barePlain: () => spent(() => executeBare(state, context, recorded.plain)),
    plain: () =>
      spent(async () => {
        counts.plain = callsOf(await checkInvariants(chain, { ...plain, runs }));
      }),
  });
  const perSecond = (calls: number, milliseconds: number): number => (calls / milliseconds) * 1000;
  const cpu = ({ cpu }: Spent): number => cpu;
  const wall = ({ wall }: Spent): number => wall;
  const { figures } = run;
  figures.bound({
    of_bare: { atLeast: 0.6, isNoisy: true },
    coverage_cost: { atMost: 0.3, isNoisy: true },
  });
  figures.say('calls', counts.guided);
  figures.say('bare_calls_per_s', perSecond(counts.guided, samples.median('bare', wall)));
  figures.say('calls_per_s', perSecond(counts.guided, samples.median('guided', wall)));
  figures.say('of_bare_wall', samples.ratio('bare', 'guided', wall));
  figures.say('of_bare', samples.ratio('bare', 'guided', cpu));
  const callCost = (name: 'guided' | 'plain'): number => samples.median(name, cpu) / counts[name];
  figures.say('coverage_cost', callCost('guided') / callCost('plain') - 1);
  figures.say('of_bare_without_coverage', samples.ratio('barePlain', 'plain', cpu));
}

const callsOf = ({ calls, views }: CheckReport): number => calls + views;

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
  const speedWith = async (workers: number): Promise<{ speed: number; digest: string }> => {
    const report = await checkInvariants(file, { workers, runs: run.sizes.threaded });
    return { speed: (callsOf(report) / report.milliseconds) * 1000, digest: report.digest };
  };
  const samples = await interleave(run.sizes.rounds, {
    single: () => speedWith(1),
    double: () => speedWith(2),
  });
  const digests = new Set(
    [...samples.of('single'), ...samples.of('double')].map((sample) => sample.digest),
  );
  const { figures } = run;
  figures.bound({ two_threads: { atLeast: 1.7, isNoisy: true }, different_digests: { atMost: 0 } });
  figures.say(
    'one_thread_calls_per_s',
    samples.median('single', ({ speed }) => speed),
  );
  figures.say(
    'two_threads_calls_per_s',
    samples.median('double', ({ speed }) => speed),
  );
  figures.say(
    'two_threads',
    samples.ratio('double', 'single', ({ speed }) => speed),
  );
  figures.say('different_digests', digests.size - 1);
}

export const scenario = defineScenario<Sizes>({
  measures: 'checks of invariants: calls per second beside the engine, and two threads',
  sizes: { runs: [2_500, 40], rounds: [3, 2], threaded: [8_000, 96] },
  async measure(run) {
    const subject = await openSubject();
    run.defer(() => subject.chain.close());
    await measureSpeed(run, subject);
    await measureThreads(run);
    return undefined;
  },
});
