// Workloads of the first seconds of a node, as a test suite has them.
import { builtinClass, storageAddress } from '@starkbox/engine';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { onBareServer } from '../harness/bare-server.js';
import { mean, median, percentile } from '../harness/figures.js';
import { sampled } from '../harness/rounds.js';
import type { RpcClient } from '../harness/rpc-client.js';
import { callParams, contractText, newClass } from '../harness/signed-requests.js';
import type { SpawnedNode } from '../harness/spawned-node.js';
import {
  each,
  type Group,
  type Side,
  type Size,
  sendAll,
  single,
  Unable,
  type Workload,
} from './measure.js';

export const balanceOf = (holder: string) =>
  callParams({ to: STRK, name: 'balanceOf', calldata: [holder] });
const CALL = balanceOf('0x1234');

const SLOT = {
  contract_address: STRK,
  key: storageAddress('ERC20_total_supply'),
  block_id: 'latest',
};

/** Runs work on a process that has just started. */
async function onFresh<T>(side: Side, work: (node: SpawnedNode) => Promise<T>): Promise<T> {
  if ('url' in side.address) throw new Unable('needs a command that starts the node');
  const node = await side.another();
  try {
    return await work(node);
  } finally {
    await node.end();
  }
}

const fewer = (count: number, { quick }: Size): number => (quick ? Math.ceil(count / 5) : count);

// Transfers.

const firstTransfers: Workload = {
  figures: [
    { name: 'transfer_first_100', title: 'STRK transfer, the first 100 of a chain', unit: 'ms' },
    { name: 'transfer_after_500', title: 'STRK transfer, the 100 after 500', unit: 'ms' },
  ],
  rounds: 3,
  measure: (side, size) =>
    onFresh(side, async (node) => {
      const [first, rest] = [fewer(100, size), fewer(500, size)];
      const requests = side.signer.fresh().transfers(first + rest);
      const times = await sampled(requests.length, (index) => node.send(requests[index] ?? ''));
      return [mean(times.slice(0, first)), mean(times.slice(rest))];
    }),
  bare: async (engine, size) => {
    const took = await engine.transfer(fewer(100, size));
    return [took, took];
  },
};

const transfers: Workload = {
  figures: [
    { name: 'transfer_p50', title: 'STRK transfer, one client, median', unit: 'ms' },
    { name: 'transfer_p99', title: 'STRK transfer, one client, the slowest of 100', unit: 'ms' },
    { name: 'transfers_1', title: 'STRK transfers, one client', unit: 'per s' },
  ],
  measure: async ({ node, signer }, size) => {
    const requests = signer.transfers(fewer(100, size));
    const times = await sampled(requests.length, (index) => node.send(requests[index] ?? ''));
    return [median(times), percentile(times, 0.99), 1000 / mean(times)];
  },
  bare: async (engine, size) => {
    const took = await engine.transfer(fewer(100, size));
    return [took, took, 1000 / took];
  },
};

const CLIENTS = 16;

const manyTransfers = single(
  'transfers_16',
  `STRK transfers, ${CLIENTS} clients`,
  'per s',
  async ({ node, signer }, size) => {
    if (signer.count < CLIENTS) throw new Unable(`needs ${CLIENTS} accounts`);
    const count = fewer(20, size);
    const clients = Array.from({ length: CLIENTS }, (_, index) => signer.transfers(count, index));
    const begin = performance.now();
    await Promise.all(clients.map((requests) => sendAll(node, requests)));
    return (1000 * CLIENTS * count) / (performance.now() - begin);
  },
  { bare: async (engine, size) => 1000 / (await engine.transfer(fewer(100, size))) },
);

/** Transfers while other clients call. */
const besideReaders: Workload = {
  figures: [
    { name: 'transfer_beside_readers', title: 'STRK transfer beside 8 readers', unit: 'ms' },
    { name: 'reads_beside_transfers', title: 'calls of these 8 readers', unit: 'per s' },
  ],
  measure: async ({ node, signer }, size) => {
    const requests = signer.transfers(fewer(40, size));
    let [isOver, reads] = [false, 0];
    const reader = async (): Promise<void> => {
      while (!isOver) {
        await node.call('starknet_call', CALL);
        reads += 1;
      }
    };
    const begin = performance.now();
    const readers = Array.from({ length: 8 }, reader);
    const took = await sendAll(node, requests);
    const second = (1000 * reads) / (performance.now() - begin);
    isOver = true;
    await Promise.all(readers);
    return [took, second];
  },
};

export const TRANSFERS: Group = {
  title: 'Transfers',
  options: `--accounts ${CLIENTS}`,
  workloads: [firstTransfers, transfers, manyTransfers, besideReaders],
};

// Reads.

/** Microseconds of a read. */
const read = async (node: RpcClient, count: number, method: string, params: object) =>
  1000 * (await each(count, () => node.call(method, params)));

/** A read: its first hundred on a fresh node. */
const firstReads = (name: string, method: string, params: object): Workload =>
  single(
    `${name}_first`,
    `\`${method}\`, the first 100`,
    'µs',
    (side) => onFresh(side, (node) => read(node, 100, method, params)),
    { rounds: 3, bare: () => onBareServer((server) => read(server, 100, method, params)) },
  );

/** The same read after thousands. */
const warmReads = (name: string, method: string, params: object): Workload =>
  single(
    `${name}_warm`,
    `\`${method}\` after thousands`,
    'µs',
    async ({ node, memo }, size) => {
      if (!memo.has(name)) await read(node, fewer(5_000, size), method, params);
      memo.set(name, true);
      return read(node, fewer(500, size), method, params);
    },
    {
      bare: (_, size) =>
        onBareServer(async (server) => {
          await read(server, fewer(5_000, size), method, params);
          return read(server, fewer(500, size), method, params);
        }),
    },
  );

// Execution without a transaction.

const simulate = (count: number): Workload =>
  single(
    `simulate_${count}`,
    `\`starknet_simulateTransactions\` of ${count}`,
    'ms',
    ({ node, signer }) => {
      const transactions = signer.unsent(count);
      const params = { transactions, simulation_flags: [], block_id: 'latest' };
      return each(5, () => node.call('starknet_simulateTransactions', params));
    },
    { bare: (engine) => engine.simulate(count) },
  );

const executions: readonly Workload[] = [
  single(
    'call',
    '`starknet_call`',
    'ms',
    ({ node }, size) => each(fewer(50, size), () => node.call('starknet_call', CALL)),
    { bare: (engine, size) => each(fewer(50, size), () => engine.call()) },
  ),
  single('calls_16', '`starknet_call`, 16 clients', 'per s', async ({ node }, size) => {
    const count = fewer(20, size);
    const begin = performance.now();
    const client = () => each(count, () => node.call('starknet_call', CALL));
    await Promise.all(Array.from({ length: 16 }, client));
    return (16_000 * count) / (performance.now() - begin);
  }),
  single(
    'estimate',
    '`starknet_estimateFee`',
    'ms',
    ({ node, signer }) => {
      const params = { request: signer.unsent(1), simulation_flags: [], block_id: 'latest' };
      return each(10, () => node.call('starknet_estimateFee', params));
    },
    { bare: (engine) => engine.simulate(1) },
  ),
  simulate(1),
  simulate(10),
];

// Declaring and deploying.

const declaring: Workload = {
  figures: [
    { name: 'declare_first', title: 'declare of a 640 KB class, the first time', unit: 'ms' },
    {
      name: 'declare_again',
      title: 'declare again in the same process, after `devnet_restart`',
      unit: 'ms',
    },
    { name: 'declare_new_process', title: 'declare again in a new process', unit: 'ms' },
  ],
  rounds: 3,
  measure: async (side) => {
    const { signer } = side;
    const strk = await newClass(await (await builtinClass('strk')).json());
    const declare = (node: RpcClient): Promise<number> =>
      each(1, () => node.send(signer.fresh().declare(strk)));
    return onFresh(side, async (node) => {
      const first = await declare(node);
      await node.call('devnet_restart', {});
      return [first, await declare(node), await onFresh(side, declare)];
    });
  },
};

const deploying = single(
  'deploy',
  'deploy through the universal deployer',
  'ms',
  async ({ node, signer, memo }) => {
    if (!memo.has('deployed')) {
      const upgraded = await newClass(await contractText('upgraded'));
      await node.send(signer.declare(upgraded));
      memo.set('deployed', upgraded.compiled.hash);
    }
    const round = Number(memo.get('round') ?? 0);
    memo.set('round', round + 1);
    const hash = String(memo.get('deployed'));
    const requests = Array.from({ length: 20 }, (_, index) =>
      signer.deploy(hash, 1000 * round + index),
    );
    return sendAll(node, requests);
  },
);

export const FIRST_SECONDS: Group = {
  title: 'First seconds',
  workloads: [
    single(
      'start',
      'start to first answer',
      'ms',
      (side) => onFresh(side, async ({ startTime }) => startTime ?? Number.NaN),
      { rounds: 5 },
    ),
    firstReads('block_number', 'starknet_blockNumber', {}),
    firstReads('storage_at', 'starknet_getStorageAt', SLOT),
    warmReads('block_number', 'starknet_blockNumber', {}),
    warmReads('storage_at', 'starknet_getStorageAt', SLOT),
    single('mint', '`devnet_mint`', 'ms', ({ node }) =>
      each(20, (index) => node.call('devnet_mint', { address: hex(index + 100), amount: 1 })),
    ),
    single('create_block', '`devnet_createBlock`', 'ms', ({ node }) =>
      each(20, () => node.call('devnet_createBlock', {})),
    ),
    ...executions,
    deploying,
    declaring,
  ],
};
