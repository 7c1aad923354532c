// Benchmark of data directories: the cost of durability, and opening and reading a long chain.
//
//   npm run bench:data-dir                       1,000,000 blocks, half an hour
//   npm run bench:data-dir -- --blocks 100000    fewer blocks
//   npm run bench:data-dir -- --dir DIR          stores the long chain there, and resumes it
//   npm run bench:data-dir -- --quick            less than a minute
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { storageAddress } from '@starkbox/engine';
import { createNode, type Starkbox } from 'starkbox';
import { STRK } from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';
import { accepted, GrowingChain, receiver, request } from './growing-chain.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    blocks: { type: 'string' },
    dir: { type: 'string' },
    /** Opens a directory and measures; without one, a new node. Used in a child process. */
    open: { type: 'string' },
  },
});
const { quick } = given;
const BLOCKS = Number(given.blocks ?? (quick ? 4_000 : 1_000_000));
/** One of this many blocks has a transfer. */
const RARE = 20;

// Cost of durability.

/** Number of concurrent requests. */
const CLIENTS = 16;
const STRETCH = 96;

/** Microseconds per transfer. */
async function transfers(chain: GrowingChain, clients: number): Promise<number> {
  const requests = Array.from({ length: STRETCH }, (_, index) =>
    chain.transfer(chain.length + 1 + index),
  );
  chain.length += STRETCH;
  const begin = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    for (let text = requests[next++]; text !== undefined; text = requests[next++]) {
      accepted(await chain.node.handle(text));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return ((performance.now() - begin) * 1000) / STRETCH;
}

async function cost(directory: string): Promise<Record<string, number>> {
  const inMemory = await GrowingChain.signed('full');
  const onDisk = await GrowingChain.signed('full', { dataDir: directory });
  const times: { memory: number; disk: number; aloneMemory: number; aloneDisk: number }[] = [];
  for (let round = 0; round <= (quick ? 2 : 30); round += 1) {
    times.push({
      memory: await transfers(inMemory, CLIENTS),
      disk: await transfers(onDisk, CLIENTS),
      aloneMemory: await transfers(inMemory, 1),
      aloneDisk: await transfers(onDisk, 1),
    });
  }
  await inMemory.node.close();
  await onDisk.node.close();
  // The first round warms up.
  times.shift();
  return {
    transfer_in_memory_us: median(times.map(({ memory }) => memory)),
    transfer_on_disk_us: median(times.map(({ disk }) => disk)),
    throughput_ratio: median(times.map(({ memory, disk }) => memory / disk)),
    one_client_ratio: median(times.map(({ aloneMemory, aloneDisk }) => aloneMemory / aloneDisk)),
  };
}

// A long chain.

const seconds = (since: number): number => (performance.now() - since) / 1000;

/** The transfer of a block, if it has one. */
const transferIn = (block: number): number | undefined =>
  block % RARE === 0 ? block / RARE : undefined;

/** Creates each block by its own call, with many concurrent calls. */
async function build(directory: string): Promise<number> {
  const chain = await GrowingChain.impersonated({ dataDir: directory });
  const begin = performance.now();
  const first = Number(await chain.node.request('starknet_blockNumber')) + 1;
  const calls: Promise<void>[] = [];
  let nextTold = performance.now() + 10_000;
  for (let block = first; block <= BLOCKS; block += 1) {
    const transfer = transferIn(block);
    const text =
      transfer === undefined ? request('devnet_createBlock', {}) : chain.transfer(transfer);
    calls.push(chain.node.handle(text).then(accepted));
    if (calls.length < 256) continue;
    await Promise.all(calls.splice(0));
    if (performance.now() < nextTold) continue;
    nextTold += 10_000;
    process.stderr.write(`\rblock ${block} of ${BLOCKS}, ${seconds(begin).toFixed(0)} s`);
  }
  await Promise.all(calls);
  process.stderr.write('\n');
  await chain.node.close();
  return seconds(begin);
}

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).blocks * 512,
    0,
  );
}

interface Opened {
  readonly open_ms: number;
  readonly rss_mb: number;
  readonly rss_after_mb: number;
  readonly [p99: string]: number;
}

const ROUNDS = 400;

async function opened(directory: string | undefined): Promise<Opened> {
  const begin = performance.now();
  const node = await createNode(directory === undefined ? { seed: 0 } : { dataDir: directory });
  const latest = Number(await node.request('starknet_blockNumber'));
  const open_ms = performance.now() - begin;
  globalThis.gc?.();
  const rss_mb = process.memoryUsage.rss() / 2 ** 20;
  const p99 = directory === undefined ? {} : await reads(node, latest);
  globalThis.gc?.();
  await sleep(100);
  const rss_after_mb = process.memoryUsage.rss() / 2 ** 20;
  await node.close();
  return { open_ms, rss_mb, rss_after_mb, ...p99 };
}

async function reads(node: Starkbox, latest: number): Promise<Record<string, number>> {
  let state = 1;
  const roll = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const hashIn = async (block: number): Promise<string> => {
    const block_id = { block_number: block };
    const found = await node.request('starknet_getBlockWithTxHashes', { block_id });
    const { transactions }: { transactions?: readonly unknown[] } = Object(found);
    return String(transactions?.[0]);
  };
  const made: Record<string, (transfer: number) => string | Promise<string>> = {
    block: (transfer) =>
      request('starknet_getBlockWithReceipts', { block_id: { block_number: transfer * RARE } }),
    receipt: async (transfer) =>
      request('starknet_getTransactionReceipt', {
        transaction_hash: await hashIn(transfer * RARE),
      }),
    trace: async (transfer) =>
      request('starknet_traceTransaction', { transaction_hash: await hashIn(transfer * RARE) }),
    storage: (transfer) =>
      request('starknet_getStorageAt', {
        contract_address: STRK,
        key: storageAddress('ERC20_balances', [receiver(transfer)]),
        block_id: { block_number: roll(latest) },
      }),
    events: (transfer) =>
      request('starknet_getEvents', {
        filter: {
          from_block: { block_number: transfer * RARE },
          to_block: { block_number: latest },
          address: STRK,
          chunk_size: 10,
        },
      }),
  };
  const figures: Record<string, number> = {};
  for (const [name, make] of Object.entries(made)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS + 20; round += 1) {
      const text = await make(1 + roll(Math.floor(latest / RARE)));
      const begin = performance.now();
      const answer = await node.handle(text);
      // The first requests load code and schemas.
      if (round >= 20) times.push(performance.now() - begin);
      accepted(answer);
    }
    times.sort((a, b) => a - b);
    figures[`${name}_p50_ms`] = median(times);
    figures[`${name}_p99_ms`] = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  }
  return figures;
}

async function openedElsewhere(directory: string): Promise<Opened> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    fileURLToPath(import.meta.url),
    `--open=${directory}`,
  ]);
  return JSON.parse(stdout);
}

/** Milliseconds. */
const FAST = { atMost: 5, isNoisy: true };

async function main(): Promise<void> {
  const figures = new Figures(
    {
      throughput_ratio: { atLeast: 0.85, isNoisy: true },
      open_ms: { atMost: 2000, isNoisy: true },
      rss_above_fresh_mb: { atMost: 300 },
      block_p99_ms: FAST,
      receipt_p99_ms: FAST,
      trace_p99_ms: FAST,
      storage_p99_ms: FAST,
      events_p99_ms: FAST,
    },
    given,
  );
  const temporary = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
  try {
    figures.sayAll(await cost(join(temporary, 'short')));
    const long = given.dir ?? join(temporary, 'long');
    figures.say('build_seconds', await build(long));
    figures.say('blocks', BLOCKS);
    figures.say('bytes_on_disk_per_block', bytesIn(long) / BLOCKS);
    const fresh = await openedElsewhere('');
    const { open_ms, rss_mb, rss_after_mb, ...p99 } = await openedElsewhere(long);
    figures.say('fresh_open_ms', fresh.open_ms);
    figures.say('open_ms', open_ms);
    figures.say('rss_above_fresh_mb', rss_mb - fresh.rss_mb);
    figures.say('rss_above_fresh_after_reads_mb', rss_after_mb - fresh.rss_after_mb);
    figures.sayAll(p99);
    figures.finish({ quick });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

if (given.open === undefined) await main();
else console.log(JSON.stringify(await opened(given.open || undefined)));
