// Benchmark of instances: their creation, their memory, and what they add to a transaction and to a snapshot.
//
//   npm run bench:instances              20,000 blocks, 1,000,000 slots, 10,000 instances
//   npm run bench:instances -- --quick   1,000 blocks, 20,000 slots, 200 instances
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createNode, type Starkbox } from 'starkbox';
import { hex } from '../../packages/engine/test/fixtures/chain.js';
import { Figures, median } from '../figures.js';

const quick = process.argv.includes('--quick');
const BLOCKS = quick ? 1_000 : 20_000;
const CONTRACTS = 50;
const SLOTS = quick ? 20_000 : 1_000_000;
const SLOTS_AT_ONCE = 20_000;
const INSTANCES = quick ? 200 : 10_000;
const SAMPLES = quick ? 300 : 3_000;
const TRANSACTIONS = 3;
const RESTORES = quick ? 300 : 2_000;
const SNAPSHOTS = quick ? 500 : 10_000;
const LENGTHS = quick ? [100, 1_000] : [100, 10_000, 100_000];
const MEBIBYTE = 2 ** 20;

const figures = new Figures(
  {
    branch_p99_us: { atMost: 100, isNoisy: true },
    create_p99_us: { atMost: 1_000, isNoisy: true },
    mib_per_10000_instances: { atMost: 2048 },
    // What is loaded once counts for few instances.
    heap_kib_left_per_instance: { atMost: quick ? 40 : 4 },
    transaction_ratio: { atMost: 1.1, isNoisy: true },
    restore_us: { atMost: 200, isNoisy: true },
    restore_growth: { atMost: 1.5, isNoisy: true },
  },
  { quick },
);

/** A chain with contracts and slots that no transaction made, and empty blocks. */
async function longChain(): Promise<Starkbox> {
  const chain = await createNode({ seed: 0, port: 0, maximumInstances: 4 * SAMPLES });
  const classHash = chain.accountClassHash;
  const addresses = Array.from({ length: CONTRACTS }, (_, index) => hex(0x10_0000 + index));
  await chain.request('devnet_applyStateDiff', {
    state_diff: {
      deployed_contracts: addresses.map((address) => ({ address, class_hash: classHash })),
    },
  });
  const each = SLOTS / CONTRACTS;
  for (const [contract, address] of addresses.entries()) {
    for (let first = 0; first < each; first += SLOTS_AT_ONCE) {
      const count = Math.min(SLOTS_AT_ONCE, each - first);
      const storage_entries = Array.from({ length: count }, (_, index) => ({
        key: hex((first + index) * 7919 + contract),
        value: hex(index + 1),
      }));
      await chain.request('devnet_applyStateDiff', {
        state_diff: { storage_diffs: [{ address, storage_entries }] },
      });
    }
  }
  await grow(chain, BLOCKS);
  return chain;
}

async function grow(chain: Starkbox, length: number): Promise<void> {
  let number = await chain.request('starknet_blockNumber');
  while (number < length) {
    await chain.mine(Math.min(1_000, length - number));
    number = await chain.request('starknet_blockNumber');
  }
}

const microseconds = async (run: () => unknown): Promise<number> => {
  const begin = performance.now();
  await run();
  return (performance.now() - begin) * 1000;
};

async function sampled(count: number, run: () => unknown): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index += 1) samples.push(await microseconds(run));
  return samples;
}

/** Samples of another process: the client's own collections are not those of the node. */
async function sampledByClient(url: string, count: number): Promise<readonly number[]> {
  const file = fileURLToPath(new URL('./instance-client.js', import.meta.url));
  const client = spawn(process.execPath, [file, url, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const piece of client.stdout) text += piece;
  const samples: unknown = JSON.parse(text);
  if (!Array.isArray(samples)) throw new Error(text);
  return samples.map(Number);
}

const settledMemory = async (): Promise<NodeJS.MemoryUsage> => {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage();
};

const pay = async (chain: Starkbox, to: number): Promise<void> => {
  await chain.mint(0x5000 + to, 1n);
};

function percentile99(samples: readonly number[]): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

async function measureCreation(chain: Starkbox): Promise<void> {
  const { url } = await chain.listen({ port: 0 });
  await sampled(SAMPLES / 3, () => chain.branch());
  const branches = await sampled(SAMPLES, () => chain.branch());
  const created = await sampledByClient(`${url}/rpc`, SAMPLES);
  figures.sayAll({
    branch_us: median(branches),
    branch_p99_us: percentile99(branches),
    create_us: median(created),
    create_p99_us: percentile99(created),
  });
  for (;;) {
    const { instances } = await chain.request('devnet_listInstances');
    if (instances.length === 0) return;
    for (const { instance_id } of instances) {
      await chain.request('devnet_deleteInstance', { instance_id });
    }
  }
}

async function measureMany(chain: Starkbox): Promise<void> {
  const alone = chain.branch();
  for (let warm = 0; warm < 100; warm += 1) await pay(alone, 1);
  const empty = await settledMemory();
  const first = await sampled(SAMPLES / 10, () => pay(alone, 1));
  const live: Starkbox[] = [];
  for (let index = 0; index < INSTANCES; index += 1) {
    const one = chain.branch();
    for (let at = 0; at < TRANSACTIONS; at += 1) await pay(one, index * TRANSACTIONS + at);
    live.push(one);
  }
  const full = await settledMemory();
  const second = await sampled(SAMPLES / 10, () => pay(alone, 1));
  await Promise.all(live.map((one) => one.close()));
  live.length = 0;
  const freed = await settledMemory();
  const added = (full.rss - empty.rss) / MEBIBYTE;
  figures.sayAll({
    instances: INSTANCES,
    added_mib: added,
    mib_per_10000_instances: (added / INSTANCES) * 10_000,
    rss_left_mib: (freed.rss - empty.rss) / MEBIBYTE,
    heap_kib_left_per_instance: (freed.heapUsed - empty.heapUsed) / 1024 / INSTANCES,
    transaction_us_with_one: median(first),
    transaction_us_with_all: median(second),
    transaction_ratio: median(second) / median(first),
  });
}

/** A snapshot and a restore, on chains of several lengths. */
async function measureRestores(): Promise<void> {
  const chain = await createNode({ seed: 0 });
  const medians: number[] = [];
  for (const length of LENGTHS) {
    await grow(chain, length);
    const start = await chain.snapshot();
    await pay(chain, 1);
    const samples: number[] = [];
    for (let index = 0; index < RESTORES; index += 1) {
      samples.push(await microseconds(async () => (await chain.snapshot()).restore()));
    }
    await start.restore();
    medians.push(median(samples));
    figures.say(`restore_us_at_${length}`, median(samples));
  }
  figures.say('restore_us', Math.max(...medians));
  figures.say('restore_growth', (medians.at(-1) ?? 0) / (medians[0] ?? 1));
  await chain.close();
}

/** Memory of snapshots that are kept. */
async function measureSnapshots(): Promise<void> {
  const chain = await createNode({ seed: 0, maximumSnapshots: 4 * SNAPSHOTS });
  const keep = async (): Promise<void> => {
    for (let index = 0; index < SNAPSHOTS; index += 1) await chain.request('devnet_snapshot');
  };
  await keep();
  const before = await settledMemory();
  await keep();
  const after = await settledMemory();
  figures.say('heap_bytes_per_snapshot', (after.heapUsed - before.heapUsed) / SNAPSHOTS);
  figures.say('resident_bytes_per_snapshot', (after.rss - before.rss) / SNAPSHOTS);
  await chain.close();
}

console.log(`a chain of ${BLOCKS} blocks, ${CONTRACTS} contracts and ${SLOTS} slots`);
const chain = await longChain();
await measureCreation(chain);
await measureMany(chain);
await chain.close();
await measureRestores();
await measureSnapshots();
figures.finish({ bench: 'instances', blocks: BLOCKS, slots: SLOTS, quick });
