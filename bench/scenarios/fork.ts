// Forks: requests to the origin, concurrent calls, and the start on a long chain. Origin, forks and caller are a process
// each.
import { setTimeout as sleep } from 'node:timers/promises';
import { storageAddress } from '@starkbox/engine';
import { FaultyProxy } from '@starkbox/test-support/fork/proxy';
import { type Config, createChain } from 'starkbox';
import { hex, multicall, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { median, percentile } from '../figures.js';
import { Child, serve } from '../harness/child.js';
import { NodeProcess } from '../harness/node-process.js';
import { milliseconds, sampled } from '../harness/rounds.js';
import { RpcClient } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { callParams, deploymentOf } from '../harness/signed-requests.js';

/** Holds `key + 1` at every key. */
const SLOTS = '0x5107';
/** Account that executes any calls. */
const CALLER = '0xca11';
/** Slots of a token that a test suite reads. A balance has two. */
const SUITE_SLOTS = 500;
/** Concurrent calls, and slots per call. */
const CALLS = 32;
const SLOTS_PER_CALL = 20;
const DELAY_MILLISECONDS = 50;

type ForkRun = Run<'blocks' | 'starts' | 'sequential' | 'rounds'>;

// The origin: a chain behind a proxy that counts and delays.

let proxy: FaultyProxy | undefined;

const originProcess = {
  async open(blocks: number, slots: number): Promise<string> {
    const node = await createChain({ seed: 0, port: 0 });
    for (let block = 0; block < blocks; block += 1) await node.requestRaw('devnet_createBlock');
    await node.requestRaw('devnet_applyStateDiff', await contractsWith(slots));
    await node.requestRaw('devnet_createBlock');
    proxy = await FaultyProxy.before((await node.listen()).url);
    return proxy.url;
  },
  delay(time: number): void {
    if (proxy) proxy.delay = time;
  },
  /** Slots, nonces and classes read, requests, and the time of answering them, since the last count. */
  count() {
    const { reads = 0, requests = 0, answering = 0 } = proxy ?? {};
    proxy?.forget();
    return { reads, requests, answering };
  },
};

/** Two test contracts and token balances, as a state diff with classes. */
async function contractsWith(slots: number) {
  const { classes, state_diff } = await deploymentOf({
    [SLOTS]: 'slots',
    [CALLER]: 'account_reject',
  });
  const entries = (name: string) =>
    Array.from({ length: slots }, (_, key) => ({
      key: storageAddress(name, [hex(key + 1)]),
      value: hex(key + 2),
    }));
  const storage_diffs = [
    { address: SLOTS, storage_entries: entries('slot') },
    { address: STRK, storage_entries: entries('ERC20_balances') },
  ];
  return { classes, state_diff: { ...state_diff, storage_diffs } };
}

// The caller.

const call = (node: RpcClient, to: string, name: string, calldata: readonly string[]) =>
  node.call('starknet_call', callParams({ to, name, calldata }));

function mustBeEqual(actual: unknown, expected: readonly string[]): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

/** Reads every slot of a suite and checks its value. */
async function readSuite(node: RpcClient): Promise<void> {
  const holders = Array.from({ length: SUITE_SLOTS / 2 }, (_, index) => index + 1);
  await Promise.all(
    holders.map(async (holder) => {
      const balance = await call(node, STRK, 'balance_of', [hex(holder)]);
      mustBeEqual(balance, [hex(holder + 1), '0x0']);
    }),
  );
}

/** One call that reads a group of slots. */
async function readGroup(node: RpcClient, group: number): Promise<void> {
  const keys = Array.from({ length: SLOTS_PER_CALL }, (_, index) => {
    return 1 + group * SLOTS_PER_CALL + index;
  });
  const calls = keys.map((key) => ({ to: SLOTS, name: 'read', calldata: [hex(key)] }));
  const answer = await call(node, CALLER, '__execute__', multicall(calls));
  mustBeEqual(answer, [hex(keys.length), ...keys.flatMap((key) => ['0x1', hex(key + 1)])]);
}

/** Polls the height until the work ends. @returns the milliseconds of each answer */
async function heightsDuring(node: RpcClient, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const end = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    times.push(await milliseconds(() => node.call('starknet_blockNumber')));
    await sleep(1);
  }
  await end;
  return times;
}

/** The origin and its forks. */
class Forks {
  readonly #run: ForkRun;
  readonly origin: Child<typeof originProcess>;
  url = '';

  constructor(run: ForkRun) {
    this.#run = run;
    this.origin = new Child(new URL(import.meta.url));
    run.defer(() => this.origin.end());
  }

  /** Runs work on a node in a new process, with the milliseconds of its start. */
  async on<T>(
    config: Partial<Config>,
    work: (node: RpcClient, startTime: number) => Promise<T>,
  ): Promise<T> {
    const fork = new NodeProcess();
    this.#run.defer(() => fork.end());
    const { url, milliseconds: startTime } = await fork.call('open', { seed: 1, ...config });
    const node = new RpcClient(url, Number.POSITIVE_INFINITY);
    try {
      return await work(node, startTime);
    } finally {
      node.close();
      await fork.call('close');
      await fork.end();
    }
  }

  async measureReads(): Promise<void> {
    const { figures } = this.#run;
    const config = { forkNetwork: this.url, forkCacheDir: this.#run.folder() };
    await this.on(config, async (node) => {
      await this.origin.call('count');
      await readSuite(node);
      figures.say('cold_reads', (await this.origin.call('count')).reads);
      await readSuite(node);
      figures.say('warm_reads', (await this.origin.call('count')).reads);
    });
    await this.origin.call('count');
    await this.on(config, readSuite);
    const { reads, requests } = await this.origin.call('count');
    figures.sayAll({ second_process_reads: reads, second_process_requests: requests });
  }

  async measureConcurrentCalls(config: Partial<Config>): Promise<void> {
    const { figures, sizes } = this.#run;
    await this.on(config, async (node) => {
      let group = 0;
      const next = (): Promise<void> => readGroup(node, group++);
      // Loads the classes.
      await next();
      await this.origin.call('delay', DELAY_MILLISECONDS);
      const alone = await sampled(sizes.sequential, next);
      // Extrapolated from few calls, because each takes a second.
      const sequential = (CALLS * alone.reduce((sum, time) => sum + time, 0)) / alone.length;
      const together: number[] = [];
      const idle: number[][] = [];
      const busy: number[][] = [];
      for (let round = 0; round < sizes.rounds; round += 1) {
        idle.push(await heightsDuring(node, sleep(1000)));
        const calls = milliseconds(() => Promise.all(Array.from({ length: CALLS }, next)));
        busy.push(await heightsDuring(node, calls));
        together.push(await calls);
      }
      await this.origin.call('delay', 0);
      const height = (times: number[][], share: number): number =>
        median(times.map((round) => percentile(round, share)));
      figures.sayAll({
        sequential_ms: sequential,
        together_ms: median(together),
        together_share: median(together) / sequential,
        height_p50_ms: height(busy, 0.5),
        height_p99_ms: height(busy, 0.99),
        idle_height_p99_ms: height(idle, 0.99),
      });
    });
  }

  async measureStart(config: Partial<Config>): Promise<void> {
    const { figures, sizes } = this.#run;
    const startTimeOf = (options: Partial<Config>): Promise<number> =>
      this.on(options, async (_, startTime) => startTime);
    const starts: { whole: number; answering: number; requests: number; unforked: number }[] = [];
    for (let count = 0; count < sizes.starts; count += 1) {
      const unforked = await startTimeOf({});
      await this.origin.call('count');
      const whole = await startTimeOf(config);
      starts.push({ unforked, whole, ...(await this.origin.call('count')) });
    }
    figures.sayAll({
      start_requests: starts.at(-1)?.requests ?? Number.NaN,
      start_ms: median(starts.map(({ whole }) => whole)),
      origin_answers_ms: median(starts.map(({ answering }) => answering)),
      own_start_ms: median(starts.map(({ whole, answering }) => whole - answering)),
      unforked_start_ms: median(starts.map(({ unforked }) => unforked)),
    });
  }
}

export const scenario = defineScenario({
  measures:
    'requests of a fork to its origin, calls that wait for it, and the start on a long chain',
  sizes: { blocks: [20_000, 2_000], starts: [7, 3], sequential: [8, 2], rounds: [5, 2] },
  promises: () => ({
    cold_reads: { atMost: SUITE_SLOTS },
    warm_reads: { atMost: 0 },
    second_process_reads: { atMost: 0 },
    together_share: { atMost: 0.25, isNoisy: true },
    height_p99_ms: { atMost: 5, isNoisy: true },
    own_start_ms: { atMost: 500, isNoisy: true },
  }),
  async measure(run) {
    const { blocks, rounds, sequential } = run.sizes;
    const forks = new Forks(run);
    const groups = rounds * CALLS + sequential + 1;
    forks.url = await forks.origin.call('open', blocks, groups * SLOTS_PER_CALL);
    await forks.measureReads();
    const uncached = { forkNetwork: forks.url, forkUpstreamCaching: false };
    await forks.measureConcurrentCalls(uncached);
    await forks.measureStart(uncached);
    return undefined;
  },
});

serve(import.meta.url, originProcess);
