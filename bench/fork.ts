// Benchmark of forks: requests to the origin, concurrent calls, and the start on a long chain.
//
//   npm run bench:fork              an origin of 20,000 blocks
//   npm run bench:fork -- --quick   2,000 blocks and fewer calls one by one, less than a minute
//
// Origin, forks and caller are a process each. Prints each figure with its bound, then one line of
// JSON. Exits 1 if a bound is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { starknetKeccak } from '@starkbox/engine';
import { hex, multicall, STRK } from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';
import { CALLER, SLOTS, Worker } from './forked.js';

const quick = process.argv.includes('--quick');
const BLOCKS = quick ? 2_000 : 20_000;
const STARTS = quick ? 3 : 7;
/** Slots of a token that a test suite reads. A balance has two. */
const TOUCHED = 500;
/** Concurrent calls, and slots per call. */
const CALLS = 32;
const EACH = 20;
/** Sequential calls, from which the total is extrapolated, since each takes a second. */
const ONE_BY_ONE = quick ? 2 : 8;
const DELAY = 50;
const ROUNDS = quick ? 2 : 5;

const agent = new Agent({ keepAlive: true });

function ask(url: string, method: string, params: object = {}): Promise<unknown> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const request = httpRequest(url, { method: 'POST', agent, headers });
    request.on('error', reject).on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        const { result, error } = JSON.parse(Buffer.concat(pieces).toString());
        if (error === undefined) resolve(result);
        else reject(new Error(JSON.stringify(error)));
      });
    });
    request.end(text);
  });
}

function call(url: string, to: string, name: string, calldata: readonly string[]) {
  const request = { contract_address: to, entry_point_selector: starknetKeccak(name), calldata };
  return ask(url, 'starknet_call', { request, block_id: 'latest' });
}

/** Reads every slot and checks its value. */
async function suite(url: string): Promise<void> {
  await Promise.all(
    Array.from({ length: TOUCHED / 2 }, async (_, at) => {
      const holder = at + 1;
      const balance = JSON.stringify(await call(url, STRK, 'balance_of', [hex(holder)]));
      const expected = JSON.stringify([hex(holder + 1), '0x0']);
      if (balance !== expected) throw new Error(`${balance} is wrong for ${holder}`);
    }),
  );
}

/** One call that reads slots of its own. */
async function readMany(url: string, group: number): Promise<void> {
  const first = 1 + group * EACH;
  const keys = Array.from({ length: EACH }, (_, at) => first + at);
  const calls = keys.map((key) => ({ to: SLOTS, name: 'read', calldata: [hex(key)] }));
  const found = JSON.stringify(await call(url, CALLER, '__execute__', multicall(calls)));
  const expected = [hex(EACH), ...keys.flatMap((key) => ['0x1', hex(key + 1)])];
  if (found !== JSON.stringify(expected)) throw new Error(`${found} is wrong`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Polls the height until the work is done. @returns the time of each answer */
async function heightsDuring(url: string, work: Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    waits.push(await timed(() => ask(url, 'starknet_blockNumber')));
    await sleep(1);
  }
  await done;
  return waits;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

const figures = new Figures(
  {
    cold_reads: { atMost: TOUCHED },
    warm_reads: { atMost: 0 },
    second_process_reads: { atMost: 0 },
    together_share: { atMost: 0.25, isNoisy: true },
    height_p99_ms: { atMost: 5, isNoisy: true },
    own_start_ms: { atMost: 500, isNoisy: true },
  },
  { quick },
);
const folder = mkdtempSync(join(tmpdir(), 'fork-'));
const workers: Worker[] = [];
const work = (): Worker => {
  const worker = new Worker();
  workers.push(worker);
  return worker;
};

try {
  const origin = work();
  const { url: forkNetwork = '' } = await origin.run({
    do: 'originate',
    blocks: BLOCKS,
    slots: (ROUNDS * CALLS + ONE_BY_ONE + 1) * EACH,
  });
  const cached = { forkNetwork, forkCacheDir: folder };

  // Requests to the origin.
  const first = work();
  const { url = '' } = await first.run({ do: 'fork', config: cached });
  await origin.run({ do: 'count' });
  await suite(url);
  figures.say('cold_reads', (await origin.run({ do: 'count' })).reads ?? Number.NaN);
  await suite(url);
  figures.say('warm_reads', (await origin.run({ do: 'count' })).reads ?? Number.NaN);
  await first.end();
  await origin.run({ do: 'count' });
  const second = work();
  const { url: again = '' } = await second.run({ do: 'fork', config: cached });
  await suite(again);
  const { reads = Number.NaN, requests = Number.NaN } = await origin.run({ do: 'count' });
  figures.sayAll({ second_process_reads: reads, second_process_requests: requests });
  await second.end();

  // Concurrent calls.
  const uncached = { forkNetwork, forkUpstreamCaching: false };
  const third = work();
  const { url: slow = '' } = await third.run({ do: 'fork', config: uncached });
  let group = 0;
  const next = (): Promise<void> => readMany(slow, group++);
  await next(); // Loads the classes.
  await origin.run({ do: 'delay', milliseconds: DELAY });
  const alone = await timed(async () => {
    for (let call = 0; call < ONE_BY_ONE; call += 1) await next();
  });
  const sequential = (alone / ONE_BY_ONE) * CALLS;
  const together: number[] = [];
  const waits: number[][] = [];
  const idle: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    idle.push(await heightsDuring(slow, sleep(1000)));
    const calls = timed(() => Promise.all(Array.from({ length: CALLS }, next)));
    waits.push(await heightsDuring(slow, calls));
    together.push(await calls);
  }
  figures.sayAll({
    sequential_ms: sequential,
    together_ms: median(together),
    together_share: median(together) / sequential,
    height_p50_ms: median(waits.map((all) => percentile(all, 0.5))),
    height_p99_ms: median(waits.map((all) => percentile(all, 0.99))),
    idle_height_p99_ms: median(idle.map((all) => percentile(all, 0.99))),
  });
  await origin.run({ do: 'delay', milliseconds: 0 });
  await third.end();

  // Start of a fork of a long chain.
  const starts: { readonly whole: number; readonly answering: number }[] = [];
  const plain: number[] = [];
  let startRequests = 0;
  for (let start = 0; start < STARTS; start += 1) {
    const unforked = work();
    plain.push((await unforked.run({ do: 'fork', config: {} })).milliseconds ?? Number.NaN);
    await unforked.end();
    await origin.run({ do: 'count' });
    const fork = work();
    const { milliseconds = Number.NaN } = await fork.run({ do: 'fork', config: uncached });
    const counted = await origin.run({ do: 'count' });
    starts.push({ whole: milliseconds, answering: counted.answering ?? Number.NaN });
    startRequests = counted.requests ?? Number.NaN;
    await fork.end();
  }
  figures.sayAll({
    blocks: BLOCKS,
    start_requests: startRequests,
    start_ms: median(starts.map(({ whole }) => whole)),
    origin_answers_ms: median(starts.map(({ answering }) => answering)),
    own_start_ms: median(starts.map(({ whole, answering }) => whole - answering)),
    unforked_start_ms: median(plain),
  });
  await origin.end();
  figures.finish({ quick });
} finally {
  agent.destroy();
  for (const worker of workers) worker.kill();
  rmSync(folder, { recursive: true });
}
