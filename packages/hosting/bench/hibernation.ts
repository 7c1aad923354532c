// Benchmark of hibernating instances: memory, loads, objects and requests, on a real MinIO.
//
//   npm run bench:hosting              10,000 instances of which 500 are loaded, 1,000,000 slots
//   npm run bench:hosting -- --quick   60 instances of which 10 are loaded, 20,000 slots
//
// All instances are branched from one prepared chain and get three transactions each. Then each is loaded,
// and the hash of its newest block compared with that of a chain that has never left memory.
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNode, type Starkbox } from 'starkbox';
import { Figures, median } from '../../../bench/figures.js';
import { ROOT } from '../../../bench/repository.js';
import { hex } from '../../engine/test/fixtures/chain.js';
import { CREDENTIALS, MinioServer } from '../test/support/minio-server.js';
import { StoreProxy } from '../test/support/store-proxy.js';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    instances: { type: 'string' },
    slots: { type: 'string' },
    /** The store of a node; used in a child process. */
    node: { type: 'string' },
  },
});
const { quick } = options;
const INSTANCES = Number(options.instances ?? (quick ? 60 : 10_000));
const LOADED = quick ? 10 : 500;
const SLOTS = Number(options.slots ?? (quick ? 20_000 : 1_000_000));
const SLOTS_AT_ONCE = 20_000;
const COLD_STARTS = quick ? 2 : 10;
const COUNTED = 40;
const CLIENTS = 2;
const TRANSACTIONS = 3;
const PREPARED_BLOCKS = 20;
/** Different contents: each is computed once by a chain that stays in memory. */
const VARIANTS = Math.min(INSTANCES, 500);
const MEBIBYTE = 2 ** 20;
const CONFIG = { seed: 0, accounts: 2, startTime: 1_800_000_000 };
const MANIFESTS = 'instances/';

const figures = new Figures(
  {
    wrong_heads: { atMost: 0 },
    load_p99_ms: { atMost: 150, isNoisy: true },
    large_load_max_ms: { atMost: 2_000, isNoisy: true },
    bytes_per_instance: { atMost: 20_000 },
    requests_per_load: { atMost: 4 },
    // 1 MiB for each that is loaded; what is loaded once counts for few instances.
    node_growth_mib: { atMost: quick ? 400 : LOADED },
  },
  { quick },
);

/** What a process has used: memory in MiB, after a collection, and milliseconds of a processor. */
interface Use {
  readonly memory: number;
  readonly processor: number;
}

function use(): Use {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  return { memory: process.memoryUsage().rss / MEBIBYTE, processor: (user + system) / 1000 };
}

async function runNode(instanceStore: string): Promise<void> {
  const node = await createNode({ ...CONFIG, instanceStore, maximumLoadedInstances: LOADED });
  process.on('message', () => void process.send?.(use()));
  process.send?.(await node.listen({ port: 0 }));
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => void node.close().then(() => process.exit()));
}

class NodeProcess {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(store: string): Promise<NodeProcess> {
    const child = fork(
      fileURLToPath(import.meta.url),
      ['--node', store, ...process.argv.slice(2)],
      {
        execArgv: ['--expose-gc'],
        env: {
          ...process.env,
          AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
          AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
        },
      },
    );
    const [{ url }] = await once(child, 'message');
    return new NodeProcess(child, String(url));
  }

  async use(): Promise<Use> {
    this.#child.send({});
    const [{ memory, processor }] = await once(this.#child, 'message');
    return { memory: Number(memory), processor: Number(processor) };
  }

  /** The results of a batch, at a path of the node. */
  async batch(path: string, calls: readonly Call[]): Promise<readonly unknown[]> {
    const body = JSON.stringify(
      calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
    );
    const outgoing = request(`${this.#url}${path}`, {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': 'application/json' },
    });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    const answers: unknown = JSON.parse(await text(response));
    if (!Array.isArray(answers)) throw new Error(JSON.stringify(answers));
    return answers.map(({ result, error }) => {
      if (error) throw new Error(`${path}: ${JSON.stringify(error)}`);
      return result;
    });
  }

  async create(from: string): Promise<string> {
    const [created] = await this.batch('/rpc', [['devnet_createInstance', { from }]]);
    return Object(created).instance_id;
  }

  /** Writes back all instances, as at a stop of the service. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}

type Call = readonly [method: string, params: object];

/** A mint in a block whose time is given, so that its hash is always the same. */
const mintAt = (time: number, amount: number): readonly Call[] => [
  ['devnet_setTime', { time, generate_block: false }],
  ['devnet_mint', { address: '0x77', amount }],
];

const PREPARATION: readonly Call[] = Array.from({ length: PREPARED_BLOCKS }, (_, index) =>
  mintAt(CONFIG.startTime + 100 + index, index + 1),
).flat();

const callsOf = (index: number): readonly Call[] =>
  Array.from({ length: TRANSACTIONS }, (_, number) =>
    mintAt(CONFIG.startTime + 1_000 + number, (index % VARIANTS) * TRANSACTIONS + number + 1),
  ).flat();

const LATEST: Call = ['starknet_getBlockWithTxHashes', { block_id: 'latest' }];
const hashIn = (block: unknown): string => Object(block).block_hash;

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
async function expectedHashes(): Promise<readonly string[]> {
  const prepared = await createNode(CONFIG);
  await send(prepared, PREPARATION);
  const hashes: string[] = [];
  for (let index = 0; index < VARIANTS; index += 1) {
    const branch = await prepared.branch();
    await send(branch, callsOf(index));
    hashes.push(
      hashIn(await branch.request('starknet_getBlockWithTxHashes', { block_id: 'latest' })),
    );
    await branch.close();
  }
  await prepared.close();
  return hashes;
}

async function send(chain: Starkbox, calls: readonly Call[]): Promise<void> {
  for (const [method, params] of calls) {
    if (method === 'devnet_mint') await chain.request('devnet_mint', Object(params));
    else await chain.request('devnet_setTime', Object(params));
  }
}

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Creates and changes all instances. @returns their ids */
async function prepareMany(minio: MinioServer): Promise<readonly string[]> {
  const node = await NodeProcess.start(minio.place('many'));
  const prepared = await node.create('root');
  await node.batch(`/instances/${prepared}/rpc`, PREPARATION);
  const ids: string[] = [];
  const creations: number[] = [];
  await forAll(INSTANCES, async (index) => {
    creations.push(
      await milliseconds(async () => {
        ids[index] = await node.create(prepared);
      }),
    );
  });
  figures.say('create_median_ms', median(creations));
  await forAll(INSTANCES, async (index) => {
    await node.batch(`/instances/${ids[index]}/rpc`, callsOf(index));
  });
  figures.say('node_after_changes_mib', (await node.use()).memory);
  await node.stop();
  return ids;
}

/** The first loads of a node need no room; all others include that another instance is written back. */
async function measureMany(minio: MinioServer, expected: readonly string[]): Promise<void> {
  const ids = await prepareMany(minio);
  const node = await NodeProcess.start(minio.place('many'));
  const empty = await node.use();
  const first: number[] = [];
  const loads: number[] = [];
  let [wrong, most] = [0, 0];
  const load = async (index: number, times: number[]): Promise<void> => {
    const path = `/instances/${ids[index]}/rpc`;
    const begin = performance.now();
    const [block] = await node.batch(path, [LATEST]);
    times.push(performance.now() - begin);
    if (hashIn(block) !== expected[index % VARIANTS]) wrong += 1;
    if (index % 1_000 === 0) most = Math.max(most, (await node.use()).memory);
  };
  await forAll(Math.min(LOADED, INSTANCES), (index) => load(index, first));
  const loaded = await node.use();
  await forAll(INSTANCES - LOADED, (index) => load(LOADED + index, loads));
  const end = await node.use();
  figures.say('wrong_heads', wrong);
  figures.say('load_without_hibernation_median_ms', median(first));
  figures.say('load_median_ms', median(loads));
  figures.say('load_p99_ms', percentile(loads, 0.99));
  figures.say('load_cpu_ms', (loaded.processor - empty.processor) / first.length);
  figures.say('load_and_hibernation_cpu_ms', (end.processor - loaded.processor) / loads.length);
  figures.say('node_empty_mib', empty.memory);
  figures.say('node_growth_mib', Math.max(most, loaded.memory, end.memory) - empty.memory);
  await node.stop();
  const { bytes, objects } = await minio.sizeBelow(`many/${MANIFESTS}`);
  figures.say('bytes_per_instance', bytes / objects);
  figures.say('objects', objects);
}

/** Each is loaded after another one has taken its only place in memory. */
async function measureRequests(minio: MinioServer): Promise<void> {
  const proxy = await StoreProxy.start(minio.url);
  const node = await NodeProcess.start(minio.place('counted', proxy.url));
  const ids: string[] = [];
  for (let index = 0; index < LOADED + COUNTED; index += 1) ids.push(await node.create('root'));
  for (const id of ids) await node.batch(`/instances/${id}/rpc`, callsOf(1));
  await node.stop();
  const fresh = await NodeProcess.start(minio.place('counted', proxy.url));
  // The layers of the prepared chain are read once.
  await fresh.batch(`/instances/${ids.at(-1)}/rpc`, [LATEST]);
  const before = proxy.requests;
  for (const id of ids.slice(0, Math.min(LOADED - 1, COUNTED))) {
    await fresh.batch(`/instances/${id}/rpc`, [LATEST]);
  }
  const loads = Math.min(LOADED - 1, COUNTED);
  figures.say('requests_per_load', (proxy.requests - before) / loads);
  await fresh.stop();
  await proxy.close();
}

/** A node that has read nothing yet loads an instance with many slots of its own. */
async function measureLarge(minio: MinioServer): Promise<void> {
  const store = minio.place('large');
  let node = await NodeProcess.start(store);
  const id = await node.create('root');
  const path = `/instances/${id}/rpc`;
  const address = '0x1234';
  const [, classes] = await node.batch(path, [
    LATEST,
    ['starknet_getClassHashAt', { block_id: 'latest', contract_address: STRK }],
  ]);
  await node.batch(path, [
    [
      'devnet_applyStateDiff',
      { state_diff: { deployed_contracts: [{ address, class_hash: classes }] } },
    ],
  ]);
  for (let first = 0; first < SLOTS; first += SLOTS_AT_ONCE) {
    const storage_entries = Array.from({ length: SLOTS_AT_ONCE }, (_, index) => ({
      key: hex((first + index) * 7_919 + 1),
      value: hex(first + index + 1),
    }));
    await node.batch(path, [
      ['devnet_applyStateDiff', { state_diff: { storage_diffs: [{ address, storage_entries }] } }],
      ['devnet_createBlock', {}],
    ]);
  }
  const loads: number[] = [];
  for (let round = 0; round < COLD_STARTS; round += 1) {
    await node.stop();
    node = await NodeProcess.start(store);
    const slot = (round * SLOTS_AT_ONCE) % SLOTS;
    const [key, value] = [hex(slot * 7_919 + 1), hex(slot + 1)];
    loads.push(
      await milliseconds(async () => {
        const [stored] = await node.batch(path, [
          ['starknet_getStorageAt', { contract_address: address, key, block_id: 'latest' }],
        ]);
        if (stored !== value) throw new Error(`slot ${key} has ${stored}, not ${value}`);
      }),
    );
  }
  figures.say('large_load_median_ms', median(loads));
  figures.say('large_load_max_ms', Math.max(...loads));
  await node.stop();
  const { bytes } = await minio.sizeBelow('large/layers/');
  figures.say('large_mib_in_store', bytes / MEBIBYTE);
}

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

async function main(): Promise<void> {
  const { installedMinio }: { installedMinio: () => string | undefined } = await import(
    new URL('scripts/minio.mjs', ROOT).href
  );
  const binary = installedMinio();
  if (binary === undefined) throw new Error('MinIO is missing: node scripts/minio.mjs installs it');
  const expected = await expectedHashes();
  const minio = await MinioServer.start(binary);
  try {
    await measureRequests(minio);
    await measureMany(minio, expected);
    await measureLarge(minio);
  } finally {
    await minio.close();
  }
  figures.finish({ instances: INSTANCES, loaded: LOADED, slots: SLOTS });
}

await (options.node === undefined ? main() : runNode(options.node));
