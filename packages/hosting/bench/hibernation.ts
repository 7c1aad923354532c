// Hibernating instances: memory, loads, objects and requests, on a real MinIO.
//
// All instances are branched from one prepared chain and get three transactions each. Then each is loaded,
// and the hash of its newest block compared with that of a chain that has never left memory.
import { createChain, type LocalChain } from 'starkbox';
import { median, percentile } from '../../../bench/figures.js';
import {
  mustBeAccepted,
  SLOTS_PER_DIFF,
  slotAt,
  slotDiffs,
} from '../../../bench/harness/growing-chain.js';
import { NodeProcess } from '../../../bench/harness/node-process.js';
import { milliseconds } from '../../../bench/harness/rounds.js';
import { type RpcCall, RpcClient, rpcBody } from '../../../bench/harness/rpc-client.js';
import { defineScenario, type Run } from '../../../bench/harness/scenario.js';
import { STRK } from '../../engine/test/fixtures/chain.js';
import { MinioServer } from '../test/support/minio-server.js';
import { StoreProxy } from '../test/support/store-proxy.js';
import { minioBinary, STORE_ENVIRONMENT } from './minio.js';

const COUNTED = 40;
const CLIENTS = 2;
const TRANSACTIONS = 3;
const PREPARED_BLOCKS = 20;
/** Different contents at most: each is computed once by a chain that stays in memory. */
const VARIANTS = 500;
const MEBIBYTE = 2 ** 20;
const CONFIG = { seed: 0, accounts: 2, startTime: 1_800_000_000 };
const MANIFESTS = 'instances/';

type HostingRun = Run<'instances' | 'loaded' | 'slots' | 'cold-starts'>;

/** What a process has used: memory in MiB, after a collection, and milliseconds of a processor. */
interface Use {
  readonly memory: number;
  readonly processor: number;
}

class HostedNode extends RpcClient {
  readonly #process: NodeProcess;

  constructor(url: string, process: NodeProcess) {
    super(url, CLIENTS);
    this.#process = process;
  }

  static async start(run: HostingRun, instanceStore: string): Promise<HostedNode> {
    const process = new NodeProcess({ execArgv: ['--expose-gc'], env: STORE_ENVIRONMENT });
    run.defer(() => process.end());
    const config = { ...CONFIG, instanceStore, maximumLoadedInstances: run.sizes.loaded };
    const { url } = await process.call('open', config);
    return new HostedNode(url, process);
  }

  async use(): Promise<Use> {
    const { cpu } = await this.#process.call('use');
    const { rss } = await this.#process.call('memory');
    return { memory: rss / MEBIBYTE, processor: cpu * 1000 };
  }

  async create(from: string): Promise<string> {
    return Object(await this.call('devnet_createInstance', { from })).instance_id;
  }

  /** Writes back all instances, as at a stop of the service. */
  async stop(): Promise<void> {
    this.close();
    await this.#process.call('close');
    await this.#process.end();
  }
}

/** A mint in a block whose time is given, so that its hash is always the same. */
const mintAt = (time: number, amount: number): readonly RpcCall[] => [
  ['devnet_setTime', { time, generate_block: false }],
  ['devnet_mint', { address: '0x77', amount }],
];

const PREPARATION: readonly RpcCall[] = Array.from({ length: PREPARED_BLOCKS }, (_, index) =>
  mintAt(CONFIG.startTime + 100 + index, index + 1),
).flat();

const callsOf = (index: number): readonly RpcCall[] =>
  Array.from({ length: TRANSACTIONS }, (_, number) =>
    mintAt(CONFIG.startTime + 1_000 + number, (index % VARIANTS) * TRANSACTIONS + number + 1),
  ).flat();

const latestHash = async (chain: RpcClient): Promise<string> =>
  Object(await chain.call('starknet_getBlockWithTxHashes', { block_id: 'latest' })).block_hash;

/** Runs work for all numbers below a count, by some workers in an order that is mixed. */
async function forAll(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = (next * 7_919) % count;
      next += 1;
      await work(index);
      if (next % 1_000 === 0) process.stderr.write(`  ${next} of ${count}\n`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}

/** The hashes of the newest blocks, computed by chains that never leave memory. */
async function expectedHashes(instances: number): Promise<readonly string[]> {
  const prepared = await createChain(CONFIG);
  await send(prepared, PREPARATION);
  const hashes: string[] = [];
  for (let index = 0; index < Math.min(instances, VARIANTS); index += 1) {
    const branch = await prepared.branch();
    await send(branch, callsOf(index));
    hashes.push((await branch.request('starknet_blockHashAndNumber')).block_hash);
    await branch.close();
  }
  await prepared.close();
  return hashes;
}

async function send(chain: LocalChain, calls: readonly RpcCall[]): Promise<void> {
  for (const [method, params] of calls) {
    mustBeAccepted(await chain.handle(rpcBody(method, params)));
  }
}

/** Creates and changes all instances. @returns their ids */
async function prepareMany(run: HostingRun, minio: MinioServer): Promise<readonly string[]> {
  const node = await HostedNode.start(run, minio.place('many'));
  const prepared = await node.create('root');
  await node.instance(prepared).batch(PREPARATION);
  const ids: string[] = [];
  const creations: number[] = [];
  await forAll(run.sizes.instances, async (index) => {
    creations.push(
      await milliseconds(async () => {
        ids[index] = await node.create(prepared);
      }),
    );
  });
  run.figures.say('create_median_ms', median(creations));
  await forAll(run.sizes.instances, async (index) => {
    await node.instance(ids[index] ?? '').batch(callsOf(index));
  });
  run.figures.say('node_after_changes_mib', (await node.use()).memory);
  await node.stop();
  return ids;
}

/** The first loads of a node need no room; all others include that another instance is written back. */
async function measureMany(
  run: HostingRun,
  minio: MinioServer,
  expected: readonly string[],
): Promise<void> {
  const ids = await prepareMany(run, minio);
  const node = await HostedNode.start(run, minio.place('many'));
  const empty = await node.use();
  const first: number[] = [];
  const loads: number[] = [];
  let [wrong, most] = [0, 0];
  const load = async (index: number, times: number[]): Promise<void> => {
    const begin = performance.now();
    const hash = await latestHash(node.instance(ids[index] ?? ''));
    times.push(performance.now() - begin);
    if (hash !== expected[index % VARIANTS]) wrong += 1;
    if (index % 1_000 === 0) most = Math.max(most, (await node.use()).memory);
  };
  const { instances } = run.sizes;
  const withoutHibernation = Math.min(run.sizes.loaded, instances);
  await forAll(withoutHibernation, (index) => load(index, first));
  const loaded = await node.use();
  await forAll(instances - withoutHibernation, (index) => load(withoutHibernation + index, loads));
  const end = await node.use();
  await node.stop();
  const { bytes, objects } = await minio.sizeBelow(`many/${MANIFESTS}`);
  run.figures.sayAll({
    wrong_heads: wrong,
    load_without_hibernation_median_ms: median(first),
    load_median_ms: median(loads),
    load_p99_ms: percentile(loads, 0.99),
    load_cpu_ms: (loaded.processor - empty.processor) / first.length,
    load_and_hibernation_cpu_ms: (end.processor - loaded.processor) / loads.length,
    node_empty_mib: empty.memory,
    node_growth_mib: Math.max(most, loaded.memory, end.memory) - empty.memory,
    bytes_per_instance: bytes / objects,
    objects,
  });
}

/** Each is loaded after another one has taken its only place in memory. */
async function measureRequests(run: HostingRun, minio: MinioServer): Promise<void> {
  const proxy = await StoreProxy.start(minio.url);
  const store = minio.place('counted', proxy.url);
  const node = await HostedNode.start(run, store);
  const ids: string[] = [];
  for (let index = 0; index < run.sizes.loaded + COUNTED; index += 1) {
    ids.push(await node.create('root'));
  }
  for (const id of ids) await node.instance(id).batch(callsOf(1));
  await node.stop();
  const fresh = await HostedNode.start(run, store);
  // The layers of the prepared chain are read once.
  await latestHash(fresh.instance(ids.at(-1) ?? ''));
  const before = proxy.requests;
  const loads = Math.min(run.sizes.loaded - 1, COUNTED);
  for (const id of ids.slice(0, loads)) await latestHash(fresh.instance(id));
  run.figures.say('requests_per_load', (proxy.requests - before) / loads);
  await fresh.stop();
  await proxy.close();
}

/** A node that has read nothing yet loads an instance with many slots of its own. */
async function measureLarge(run: HostingRun, minio: MinioServer): Promise<void> {
  const { slots, 'cold-starts': starts } = run.sizes;
  const store = minio.place('large');
  const address = '0x1234';
  let node = await HostedNode.start(run, store);
  const id = await node.create('root');
  const chain = node.instance(id);
  const params = { block_id: 'latest', contract_address: STRK };
  const class_hash = await chain.call('starknet_getClassHashAt', params);
  const deployment = { deployed_contracts: [{ address, class_hash }] };
  await chain.call('devnet_applyStateDiff', { state_diff: deployment });
  for (const state_diff of slotDiffs(slots, { address })) {
    await chain.batch([
      ['devnet_applyStateDiff', { state_diff }],
      ['devnet_createBlock', {}],
    ]);
  }
  const loads: number[] = [];
  for (let round = 0; round < starts; round += 1) {
    await node.stop();
    node = await HostedNode.start(run, store);
    const { key, value } = slotAt((round * SLOTS_PER_DIFF) % slots);
    const read = { contract_address: address, key, block_id: 'latest' };
    loads.push(
      await milliseconds(async () => {
        const stored = await node.instance(id).call('starknet_getStorageAt', read);
        if (stored !== value) throw new Error(`slot ${key} has ${stored}, not ${value}`);
      }),
    );
  }
  await node.stop();
  const { bytes } = await minio.sizeBelow('large/layers/');
  run.figures.sayAll({
    large_load_median_ms: median(loads),
    large_load_max_ms: Math.max(...loads),
    large_mib_in_store: bytes / MEBIBYTE,
  });
}

export const scenario = defineScenario({
  measures: 'memory, loads, objects and requests of hibernating instances, on MinIO',
  sizes: {
    instances: [10_000, 60],
    loaded: [500, 10],
    slots: [1_000_000, 20_000],
    'cold-starts': [10, 2],
  },
  promises: (quick) => ({
    wrong_heads: { atMost: 0 },
    load_p99_ms: { atMost: 150, isNoisy: true },
    large_load_max_ms: { atMost: 2_000, isNoisy: true },
    bytes_per_instance: { atMost: 20_000 },
    requests_per_load: { atMost: 4 },
    // 1 MiB for each that is loaded; what is loaded once counts for few instances.
    node_growth_mib: { atMost: quick ? 400 : 500 },
  }),
  async measure(run) {
    const expected = await expectedHashes(run.sizes.instances);
    const minio = await MinioServer.start(minioBinary());
    run.defer(() => minio.close());
    await measureRequests(run, minio);
    await measureMany(run, minio, expected);
    await measureLarge(run, minio);
    return undefined;
  },
});
