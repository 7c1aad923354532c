// Instances of a node: creation, memory, transactions beside many of them; those of a data directory; snapshots and restores.
import { createChain, type LocalChain } from 'starkbox';
import { hex } from '../../packages/engine/test/fixtures/chain.js';
import { Child, serve } from '../harness/child.js';
import { median, percentile } from '../harness/figures.js';
import { writeSlots } from '../harness/growing-chain.js';
import { sampled, settledMemory } from '../harness/rounds.js';
import { RpcClient } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { measureStored } from './stored-instances.js';

const CONTRACTS = 50;
const TRANSACTIONS = 3;
const MEBIBYTE = 2 ** 20;

type InstancesRun = Run<
  'blocks' | 'slots' | 'instances' | 'stored' | 'samples' | 'restores' | 'snapshots'
>;

const microseconds = async (count: number, work: () => unknown): Promise<readonly number[]> =>
  (await sampled(count, work)).map((sample) => sample * 1000);

/** A client in another process, whose garbage collections do not stop the node. */
const client = {
  async create(url: string, count: number): Promise<readonly number[]> {
    const node = new RpcClient(url, 1);
    const create = () => node.call('devnet_createInstance', { ttl: 0 });
    // Code is warm after as many as are measured.
    await microseconds(count, create);
    return microseconds(count, create);
  },
};

/** A chain with contracts and slots that no transaction made, and empty blocks. */
async function longChain({ sizes }: InstancesRun): Promise<LocalChain> {
  const chain = await createChain({ seed: 0, port: 0, maximumInstances: 4 * sizes.samples });
  const class_hash = chain.accountClassHash;
  const addresses = Array.from({ length: CONTRACTS }, (_, index) => hex(0x10_0000 + index));
  await chain.request('devnet_applyStateDiff', {
    state_diff: { deployed_contracts: addresses.map((address) => ({ address, class_hash })) },
  });
  for (const address of addresses) await writeSlots(chain, sizes.slots / CONTRACTS, { address });
  await growTo(chain, sizes.blocks);
  return chain;
}

async function growTo(chain: LocalChain, length: number): Promise<void> {
  let number = await chain.request('starknet_blockNumber');
  while (number < length) {
    await chain.mine(Math.min(1_000, length - number));
    number = await chain.request('starknet_blockNumber');
  }
}

const pay = async (chain: LocalChain, to: number): Promise<void> => {
  await chain.mint(0x5000 + to, 1n);
};

async function measureCreation(run: InstancesRun, chain: LocalChain): Promise<void> {
  const { samples } = run.sizes;
  const { url } = await chain.listen({ port: 0 });
  const creator = new Child<typeof client>(new URL(import.meta.url));
  run.defer(() => creator.end());
  await microseconds(samples / 3, () => chain.branch());
  const branches = await microseconds(samples, () => chain.branch());
  const creations = await creator.call('create', url, samples);
  run.figures.sayAll({
    branch_us: median(branches),
    branch_p99_us: percentile(branches, 0.99),
    create_us: median(creations),
    create_p99_us: percentile(creations, 0.99),
  });
  for (;;) {
    const { instances } = await chain.request('devnet_listInstances');
    if (instances.length === 0) return;
    for (const { instance_id } of instances) {
      await chain.request('devnet_deleteInstance', { instance_id });
    }
  }
}

async function measureMany({ sizes, figures }: InstancesRun, chain: LocalChain): Promise<void> {
  const observed = chain.branch();
  await sampled(100, () => pay(observed, 1));
  const before = await settledMemory();
  const alone = await microseconds(sizes.samples / 10, () => pay(observed, 1));
  const instances: LocalChain[] = [];
  for (let index = 0; index < sizes.instances; index += 1) {
    const instance = chain.branch();
    for (let step = 0; step < TRANSACTIONS; step += 1) {
      await pay(instance, index * TRANSACTIONS + step);
    }
    instances.push(instance);
  }
  const full = await settledMemory();
  const beside = await microseconds(sizes.samples / 10, () => pay(observed, 1));
  await Promise.all(instances.map((instance) => instance.close()));
  instances.length = 0;
  const after = await settledMemory();
  const added = (full.rss - before.rss) / MEBIBYTE;
  figures.sayAll({
    added_mib: added,
    mib_per_10000_instances: (added / sizes.instances) * 10_000,
    rss_left_mib: (after.rss - before.rss) / MEBIBYTE,
    heap_kib_left_per_instance: (after.heapUsed - before.heapUsed) / 1024 / sizes.instances,
    transaction_us_with_one: median(alone),
    transaction_us_with_all: median(beside),
    transaction_ratio: median(beside) / median(alone),
  });
}

/** A snapshot and a restore, on chains of several lengths. */
async function measureRestores({ sizes, figures, quick }: InstancesRun): Promise<void> {
  const chain = await createChain({ seed: 0 });
  const medians: number[] = [];
  for (const length of quick ? [100, 1_000] : [100, 10_000, 100_000]) {
    await growTo(chain, length);
    const start = await chain.snapshot();
    await pay(chain, 1);
    const restore = async () => (await chain.snapshot()).restore();
    medians.push(median(await microseconds(sizes.restores, restore)));
    await start.restore();
    figures.say(`restore_us_at_${length}`, medians.at(-1) ?? Number.NaN);
  }
  figures.say('restore_us', Math.max(...medians));
  figures.say('restore_growth', (medians.at(-1) ?? 0) / (medians[0] ?? 1));
  await chain.close();
}

/** Memory of snapshots that are not restored. */
async function measureSnapshots({ sizes, figures }: InstancesRun): Promise<void> {
  const chain = await createChain({ seed: 0 });
  const take = () => sampled(sizes.snapshots, () => chain.request('devnet_snapshot'));
  await take();
  const before = await settledMemory();
  await take();
  const after = await settledMemory();
  figures.say('heap_bytes_per_snapshot', (after.heapUsed - before.heapUsed) / sizes.snapshots);
  figures.say('resident_bytes_per_snapshot', (after.rss - before.rss) / sizes.snapshots);
  await chain.close();
}

export const scenario = defineScenario({
  measures: 'creation and memory of instances, on a long chain and on disk; snapshots and restores',
  sizes: {
    blocks: [20_000, 1_000],
    slots: [1_000_000, 20_000],
    instances: [10_000, 200],
    stored: [100_000, 3_000],
    samples: [3_000, 300],
    restores: [2_000, 300],
    snapshots: [10_000, 500],
  },
  promises: (quick) => ({
    branch_p99_us: { atMost: 100, isNoisy: true },
    create_p99_us: { atMost: 1_000, isNoisy: true },
    mib_per_10000_instances: { atMost: 2048 },
    // What is loaded once counts for few instances.
    heap_kib_left_per_instance: { atMost: quick ? 40 : 4 },
    transaction_ratio: { atMost: 1.1, isNoisy: true },
    stored_first_growth: { atMost: 1.5, isNoisy: true },
    restore_us: { atMost: 200, isNoisy: true },
    restore_growth: { atMost: 1.5, isNoisy: true },
  }),
  async measure(run) {
    const chain = await longChain(run);
    await measureCreation(run, chain);
    await measureMany(run, chain);
    await chain.close();
    await measureStored(run);
    await measureRestores(run);
    await measureSnapshots(run);
    return undefined;
  },
});

serve(import.meta.url, client);
