// Benchmark of the in-process node: reads on a long chain, memory per block, transfers per second.
//
//   npm run bench:node                    100,000 blocks, many minutes
//   npm run bench:node -- --blocks 5000   fewer blocks
//   npm run bench:node -- --quick         as many blocks as fit into less than a minute
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { starknetKeccak, storageAddress, Transaction } from '@starkbox/engine';
import type { Starkbox } from 'starkbox';
import {
  block,
  CHAIN_ID,
  genesis,
  invokeValues,
  STRK,
} from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';
import { accepted, callsFor, GrowingChain, receiver, request } from './growing-chain.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    blocks: { type: 'string' },
    /** Measures the memory of a chain with or without history; used in a child process. */
    weigh: { type: 'string' },
  },
});
const quick = given.quick;
const SHORT = 100;
const LONG = Number(given.blocks ?? (quick ? 20_000 : 100_000));
/** Time limit of a quick run without a given length. */
const LONG_SECONDS = quick && given.blocks === undefined ? 26 : Number.POSITIVE_INFINITY;
const LONG_AT_LEAST = Math.min(LONG, 1_000);
/** Memory is compared between two lengths, which excludes code, caches and write buffers. */
const WEIGHED_FROM = quick ? 400 : 2_000;
const WEIGHED_TO = quick ? 4_000 : 20_000;
const WEIGHED_SECONDS = quick ? 8 : Number.POSITIVE_INFINITY;
const WEIGHED_AT_LEAST = WEIGHED_FROM + 700;
const SEQUENCER = '0x1000';
const TRANSFER = starknetKeccak('Transfer');

const seconds = (since: number): number => (performance.now() - since) / 1000;

// Memory.

interface Memory {
  readonly rss: number;
  readonly heap: number;
  readonly heapSpace: number;
  readonly buffers: number;
}

/** Memory of the process after garbage collection. */
async function memory(): Promise<Memory> {
  const seen: Memory[] = [];
  for (let pass = 0; pass < 5; pass += 1) {
    globalThis.gc?.();
    await sleep(50);
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    seen.push({ rss, heap: heapUsed, heapSpace: heapTotal, buffers: external });
  }
  return seen.reduce((least, other) => (other.rss < least.rss ? other : least));
}

/** Bytes per block, in total and by kind of memory. */
function perBlock(before: Memory, after: Memory, blocks: number): Record<string, number> {
  const grown = (part: keyof Memory) => (after[part] - before[part]) / blocks;
  return {
    bytes_per_block: grown('rss'),
    heap_bytes_per_block: grown('heap'),
    buffer_bytes_per_block: grown('buffers'),
    // Memory outside of V8 and its buffers, which is the engine's states.
    engine_bytes_per_block: grown('rss') - grown('heapSpace') - grown('buffers'),
  };
}

async function weighed(stateArchive: 'full' | 'none'): Promise<Record<string, number>> {
  const deadline = performance.now() + WEIGHED_SECONDS * 1000;
  const chain = await GrowingChain.signed(stateArchive);
  await chain.growTo(WEIGHED_FROM);
  const before = await memory();
  await chain.growTo(Math.min(WEIGHED_AT_LEAST, WEIGHED_TO));
  await chain.growTo(WEIGHED_TO, deadline);
  const after = await memory();
  await chain.node.close();
  const blocks = chain.length - WEIGHED_FROM;
  return { ...perBlock(before, after, blocks), weighed_blocks: blocks };
}

/**
 * Runs in its own process with settings that release memory at once: otherwise V8 and the engine's
 * allocator retain a varying amount of tens of megabytes.
 */
async function weighedElsewhere(stateArchive: 'full' | 'none'): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...['--expose-gc', '--max-semi-space-size=1', fileURLToPath(import.meta.url)],
      ...[`--weigh=${stateArchive}`, ...(quick ? ['--quick'] : [])],
    ],
    { env: { ...process.env, MIMALLOC_PURGE_DELAY: '0' } },
  );
  const measured: Record<string, number> = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [`${name}_${stateArchive}`, value]),
  );
}

// Reads.

/** Deterministic random numbers less than a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const CHUNK = 10;

/** Requests whose answers have the same size at any position of the chain. */
const READS: Readonly<
  Record<string, (chain: GrowingChain, number: number) => string | Promise<string>>
> = {
  events_by_rare_key: (_, number) =>
    request('starknet_getEvents', {
      filter: { keys: [[TRANSFER], [], [receiver(number)]], chunk_size: CHUNK },
    }),
  events_by_address: (_, number) =>
    request('starknet_getEvents', {
      filter: { address: STRK, from_block: { block_number: number }, chunk_size: CHUNK },
    }),
  transaction_by_hash: async (chain, number) =>
    request('starknet_getTransactionByHash', { transaction_hash: await chain.hashIn(number) }),
  block_with_receipts: (_, number) =>
    request('starknet_getBlockWithReceipts', { block_id: { block_number: number } }),
  // Every block writes it, so it has the longest history.
  storage_at: (_, number) =>
    request('starknet_getStorageAt', {
      contract_address: STRK,
      key: storageAddress('ERC20_balances', [SEQUENCER]),
      block_id: { block_number: number },
    }),
};

/** Microseconds per request, in sequence. */
async function timed(node: Starkbox, requests: readonly string[]): Promise<number> {
  const answers: (string | undefined)[] = [];
  const begin = performance.now();
  for (const text of requests) answers.push(await node.handle(text));
  const took = (seconds(begin) * 1e6) / requests.length;
  answers.forEach(accepted);
  return took;
}

const ROUNDS = 60;
const EACH = 20;

/** One kind of read, alternating between both chains, so that noise affects both. */
async function compared(
  name: string,
  short: GrowingChain,
  long: GrowingChain,
): Promise<Record<string, number>> {
  const make = READS[name];
  if (!make) throw new Error(`no read ${name}`);
  const roll = dice(1);
  const requests = async (chain: GrowingChain): Promise<readonly string[]> => {
    const made: string[] = [];
    // The last blocks cannot fill a page of events.
    for (let count = 0; count < EACH; count += 1) {
      made.push(await make(chain, 1 + roll(chain.length - CHUNK)));
    }
    return made;
  };
  const rounds: (readonly [readonly string[], readonly string[]])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    rounds.push([await requests(short), await requests(long)]);
  }
  const times: (readonly [number, number])[] = [];
  for (const [few, many] of rounds) {
    times.push([await timed(short.node, few), await timed(long.node, many)]);
  }
  // The first round warms up.
  times.shift();
  return {
    [`${name}_short_us`]: median(times.map(([few]) => few)),
    [`${name}_long_us`]: median(times.map(([, many]) => many)),
    [`${name}_ratio`]: median(times.map(([few, many]) => many / few)),
  };
}

// Transfers.

const STRETCH = 25;

/** Microseconds per transfer of sequential executions on the engine alone. */
async function bareEngine(): Promise<() => Promise<number>> {
  const { state: first, accounts } = await genesis();
  const context = block(1);
  let state = first;
  let sent = 0;
  return async () => {
    const transactions = Array.from({ length: STRETCH }, () => {
      const sender = accounts[sent % accounts.length];
      if (!sender) throw new Error('no account');
      const nonce = Math.floor(sent / accounts.length);
      sent += 1;
      return new Transaction(invokeValues(sender, callsFor(receiver(sent)), nonce), CHAIN_ID);
    });
    const begin = performance.now();
    for (const transaction of transactions) {
      const done = await state.execute(context, transaction);
      if (done.outcome !== 'accepted') throw new Error(`a transfer was ${done.outcome}`);
      state = done.next;
    }
    return (seconds(begin) * 1e6) / STRETCH;
  };
}

/** Microseconds per transfer through the in-process API of a node. */
async function throughApi(chain: GrowingChain): Promise<number> {
  const requests = Array.from({ length: STRETCH }, (_, index) =>
    chain.transfer(chain.length + 1 + index),
  );
  const took = await timed(chain.node, requests);
  chain.length += STRETCH;
  return took;
}

/** Transfers on the engine alone and on nodes, in short alternating runs. */
async function transfers(short: GrowingChain, long: GrowingChain): Promise<Record<string, number>> {
  const onEngine = await bareEngine();
  const fresh = await GrowingChain.signed('full');
  const times: { engine: number; node: number; short: number; long: number }[] = [];
  for (let round = 0; round <= (quick ? 7 : 40); round += 1) {
    times.push({
      engine: await onEngine(),
      node: await throughApi(fresh),
      short: await throughApi(short),
      long: await throughApi(long),
    });
  }
  await fresh.node.close();
  // The first round warms up.
  times.shift();
  return {
    engine_transfer_us: median(times.map(({ engine }) => engine)),
    node_transfer_us: median(times.map(({ node }) => node)),
    transfers_per_second: 1e6 / median(times.map(({ node }) => node)),
    node_over_engine: median(times.map(({ engine, node }) => engine / node)),
    transfer_ratio: median(times.map((time) => time.long / time.short)),
  };
}

/** Work that grows with the chain would take a hundred times as long on the long one. */
const FLAT = { atMost: quick ? 5 : 2 };
/** A quick run has few blocks, so that the memory pages of one execution matter. */
const LIGHT = { atMost: (quick ? 16 : 8) * 1024 };
/** The JavaScript heap is measured exactly. */
const LIGHT_IN_HEAP = { atMost: 3 * 1024 };

async function main(): Promise<void> {
  const bounds = {
    bytes_per_block_full: LIGHT,
    bytes_per_block_none: LIGHT,
    heap_bytes_per_block_full: LIGHT_IN_HEAP,
    heap_bytes_per_block_none: LIGHT_IN_HEAP,
    ...Object.fromEntries(Object.keys(READS).map((name) => [`${name}_ratio`, FLAT])),
    transfer_ratio: FLAT,
  };
  const figures = new Figures(bounds, { quick });
  // They measure memory, not time, and can run concurrently.
  const weights = Promise.all([weighedElsewhere('full'), weighedElsewhere('none')]);
  const short = await GrowingChain.impersonated();
  await short.growTo(SHORT);
  const long = await GrowingChain.impersonated();
  const deadline = performance.now() + LONG_SECONDS * 1000;
  await long.growTo(LONG_AT_LEAST);
  const before = await memory();
  await long.growTo(LONG, deadline);
  const after = await memory();
  for (const weight of await weights) figures.sayAll(weight);
  // With default settings, including memory that V8 and the allocator retain.
  const added = long.length - LONG_AT_LEAST;
  figures.say('blocks', long.length);
  figures.say('process_mb', after.rss / 2 ** 20);
  // On a short chain the retained memory dominates.
  if (added >= 10_000) figures.say('process_bytes_per_block', (after.rss - before.rss) / added);

  // From here on, nothing else runs during the measurements.
  for (const name of Object.keys(READS)) figures.sayAll(await compared(name, short, long));
  figures.sayAll(await transfers(short, long));
  figures.finish({ quick });
  await short.node.close();
  await long.node.close();
}

if (given.weigh === undefined) {
  await main();
} else {
  console.log(JSON.stringify(await weighed(given.weigh === 'none' ? 'none' : 'full')));
}
