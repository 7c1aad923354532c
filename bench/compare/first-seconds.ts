// Workloads of the first seconds of a node, in which a test suite lives.
import { builtinClass, starknetKeccak, storageAddress } from '@starkbox/engine';
import { STRK } from '../../packages/engine/test/fixtures/chain.js';
import { Contender } from './contender.js';
import { each, type Group, type Side, type Workload } from './measure.js';
import { ourContract, Signer } from './signed-requests.js';

const FEW = 20;

const call = {
  request: {
    contract_address: STRK,
    entry_point_selector: starknetKeccak('balanceOf'),
    calldata: ['0x1234'],
  },
  block_id: 'latest',
};

const slot = {
  contract_address: STRK,
  key: storageAddress('ERC20_total_supply'),
  block_id: 'latest',
};

const starting: Workload = {
  name: 'start',
  title: 'start to first answer',
  unit: 'ms',
  measure: async ({ address }) => {
    if ('url' in address) return undefined;
    const node = await Contender.open(address);
    await node.close();
    return node.started;
  },
};

/** A read, of which the first hundred on a node and a hundred warm ones are measured. */
const read = (name: string, method: string, params: object): readonly Workload[] => [
  {
    name: `${name}_first`,
    title: `\`${method}\`, the first 100`,
    unit: 'µs',
    rounds: 1,
    measure: async ({ node }) => 1000 * (await each(100, () => node.call(method, params))),
  },
  {
    name: `${name}_warm`,
    title: `\`${method}\` after thousands`,
    unit: 'µs',
    measure: async (side, { quick }) => {
      await warm(side, name, quick ? 100 : 5_000, () => side.node.call(method, params));
      return 1000 * (await each(300, () => side.node.call(method, params)));
    },
  },
];

/** Runs work once for each node before its first round. */
async function warm(
  { kept }: Side,
  name: string,
  count: number,
  work: () => Promise<unknown>,
): Promise<void> {
  if (kept.has(name)) return;
  kept.set(name, true);
  for (let at = 0; at < count; at += 1) await work();
}

const simulate = (count: number): Workload => ({
  name: `simulate_${count}`,
  title: `\`starknet_simulateTransactions\` of ${count}`,
  unit: 'ms',
  measure: ({ node, signer }) => {
    const transactions = signer.unsentInOrder(count);
    const params = { transactions, simulation_flags: [], block_id: 'latest' };
    return each(5, () => node.call('starknet_simulateTransactions', params));
  },
});

/** A class that no node has compiled before: its ABI, which no code depends on, has a new name. */
async function newClass(): Promise<string> {
  const declared = Object(JSON.parse(await (await builtinClass('strk')).json()));
  const serial = `${process.pid}_${performance.now()}`;
  return JSON.stringify({ ...declared, abi: `[{"type":"impl","name":"${serial}"}]` });
}

const declaring: readonly Workload[] = [
  {
    name: 'declare_first',
    title: 'declare of a large class, the first time',
    unit: 'ms',
    measure: async ({ node, signer, kept }) => {
      const text = await newClass();
      const { request } = await signer.declare(text);
      kept.set('class', text);
      return each(1, () => node.send(request));
    },
  },
  {
    name: 'declare_again',
    title: 'the same class in a new process',
    unit: 'ms',
    measure: async ({ address, kept }) => {
      if ('url' in address) return undefined;
      const node = await Contender.open(address);
      try {
        const { request } = await new Signer().declare(String(kept.get('class')));
        return await each(1, () => node.send(request));
      } finally {
        await node.close();
      }
    },
  },
];

const deploying: Workload = {
  name: 'deploy',
  title: 'deploy through the universal deployer',
  unit: 'ms',
  measure: async (side) => {
    const { node, signer, kept } = side;
    if (!kept.has('deployed')) {
      const { request, hash } = await signer.declare(await ourContract('upgraded'));
      await node.send(request);
      kept.set('deployed', hash);
    }
    const hash = String(kept.get('deployed'));
    const requests = Array.from({ length: FEW }, (_, at) =>
      signer.deploy(hash, kept.size * 1000 + at),
    );
    kept.set(`round ${kept.size}`, true);
    return each(FEW, (at) => node.send(requests[at] ?? ''));
  },
};

const reading: Workload = {
  name: 'transfers_beside_readers',
  title: 'transfer beside 8 clients that call',
  unit: 'ms',
  measure: async ({ node, signer }) => {
    const requests = signer.transfers(FEW);
    let isOver = false;
    const reader = async (): Promise<void> => {
      while (!isOver) await node.call('starknet_call', call);
    };
    const readers = Array.from({ length: 8 }, reader);
    const took = await each(FEW, (at) => node.send(requests[at] ?? ''));
    isOver = true;
    await Promise.all(readers);
    return took;
  },
};

export const FIRST_SECONDS: Group = {
  title: 'The first seconds',
  workloads: [
    starting,
    {
      name: 'transfer_first',
      title: 'STRK transfer, the first 40',
      unit: 'ms',
      rounds: 1,
      measure: ({ node, signer }) => {
        const requests = signer.transfers(40);
        return each(requests.length, (at) => node.send(requests[at] ?? ''));
      },
    },
    {
      name: 'transfer',
      title: 'STRK transfer, one client',
      unit: 'ms',
      measure: ({ node, signer }) => {
        const requests = signer.transfers(40);
        return each(requests.length, (at) => node.send(requests[at] ?? ''));
      },
    },
    {
      name: 'transfers_16',
      title: 'STRK transfers, 10 clients',
      unit: 'per s',
      measure: async ({ node, signer }) => {
        const clients = Array.from({ length: 10 }, (_, index) => signer.transfers(FEW, index));
        const begin = performance.now();
        await Promise.all(
          clients.map((requests) => each(FEW, (at) => node.send(requests[at] ?? ''))),
        );
        return (1000 * 10 * FEW) / (performance.now() - begin);
      },
    },
    ...read('block_number', 'starknet_blockNumber', {}),
    ...read('storage_at', 'starknet_getStorageAt', slot),
    {
      name: 'mint',
      title: '`devnet_mint`',
      unit: 'ms',
      measure: ({ node }) =>
        each(FEW, (at) =>
          node.call('devnet_mint', {
            address: `0x${(at + 100).toString(16)}`,
            amount: 1,
            unit: 'FRI',
          }),
        ),
    },
    {
      name: 'create_block',
      title: '`devnet_createBlock`',
      unit: 'ms',
      measure: ({ node }) => each(FEW, () => node.call('devnet_createBlock', {})),
    },
    {
      name: 'call',
      title: '`starknet_call`',
      unit: 'ms',
      measure: ({ node }) => each(50, () => node.call('starknet_call', call)),
    },
    {
      name: 'calls_16',
      title: '`starknet_call`, 16 clients',
      unit: 'per s',
      measure: async ({ node }) => {
        const begin = performance.now();
        const client = () => each(10, () => node.call('starknet_call', call));
        await Promise.all(Array.from({ length: 16 }, client));
        return 160_000 / (performance.now() - begin);
      },
    },
    {
      name: 'estimate',
      title: '`starknet_estimateFee`',
      unit: 'ms',
      measure: ({ node, signer }) => {
        const params = { request: [signer.unsent()], simulation_flags: [], block_id: 'latest' };
        return each(10, () => node.call('starknet_estimateFee', params));
      },
    },
    simulate(1),
    simulate(10),
    reading,
    deploying,
    ...declaring,
  ],
};
