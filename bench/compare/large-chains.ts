// Workloads on large states, long chains and many events.
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { starknetKeccak } from '@starkbox/engine';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { each, type Group, type Side, type Size, type Workload } from './measure.js';
import { ourContract } from './signed-requests.js';

const PIECE = 50_000;

/** New slots of the STRK contract, written by state differences of 50,000 slots. */
async function applySlots({ node, kept }: Side, slots: number): Promise<number> {
  const from = Number(kept.get('slots') ?? 0);
  let took = 0;
  for (let done = 0; done < slots; done += PIECE) {
    const storage_entries = Array.from({ length: Math.min(PIECE, slots - done) }, (_, at) => ({
      key: hex(0x1000_0000 + from + done + at),
      value: '0x1',
    }));
    const state_diff = { storage_diffs: [{ address: STRK, storage_entries }] };
    took += await each(1, () => node.call('devnet_applyStateDiff', { state_diff }));
  }
  kept.set('slots', from + slots);
  return took;
}

const transfers = (name: string, title: string): Workload => ({
  name,
  title,
  unit: 'ms',
  rounds: 3,
  measure: ({ node, signer }) => {
    const requests = signer.transfers(8);
    return each(requests.length, (at) => node.send(requests[at] ?? ''));
  },
});

const snapshots = (where: string): readonly Workload[] => [
  {
    name: `snapshot_${where}`,
    title: '`devnet_snapshot`',
    unit: 'ms',
    rounds: 2,
    measure: ({ node }) => each(3, () => node.call('devnet_snapshot', [])),
  },
  {
    name: `snapshot_revert_${where}`,
    title: 'snapshot and `devnet_revert`',
    unit: 'ms',
    rounds: 2,
    measure: ({ node }) =>
      each(2, async () => {
        const snapshot_id = await node.call('devnet_snapshot', []);
        await node.call('devnet_revert', { snapshot_id });
      }),
  },
];

/** Memory that was added since a figure that an earlier workload kept, per piece. */
const memorySince = (name: string, title: string, count: (size: Size) => number): Workload => ({
  name,
  title,
  unit: 'bytes',
  rounds: 1,
  measure: async ({ node, kept }, size) => {
    const [now, before] = [node.memory(), kept.get('memory')];
    if (now === undefined || typeof before !== 'number') return undefined;
    return ((now - before) * 2 ** 20) / count(size);
  },
});

const memoryAtStart: Workload = {
  name: 'memory_start',
  title: 'memory of a fresh node',
  unit: 'MB',
  rounds: 1,
  measure: async ({ node, kept }) => {
    const now = node.memory();
    kept.set('memory', now);
    return now;
  },
};

export const LARGE_STATE: Group = {
  title: 'A large state',
  workloads: [
    memoryAtStart,
    ...snapshots('small'),
    {
      name: 'apply_slots',
      title: '`devnet_applyStateDiff` of 100,000 slots',
      unit: 'ms',
      rounds: 1,
      measure: (side, { slots }) => applySlots(side, Math.min(slots, 100_000)),
    },
    transfers('transfer_100k', 'STRK transfer on 100,000 slots'),
    ...snapshots('100k'),
    {
      name: 'grow_slots',
      title: 'growth to 1,000,000 slots',
      unit: 'ms',
      rounds: 1,
      measure: (side, { slots }) => applySlots(side, Math.max(0, slots - 100_000)),
    },
    transfers('transfer_1m', 'STRK transfer on 1,000,000 slots'),
    memorySince('memory_slot', 'memory of a slot', ({ slots }) => slots),
  ],
};

export const LONG_CHAIN: Group = {
  title: 'A long chain',
  workloads: [
    { ...memoryAtStart, name: 'memory_before_blocks' },
    {
      name: 'grow_blocks',
      title: '`devnet_createBlock` on the way to 100,000 blocks',
      unit: 'ms',
      rounds: 1,
      measure: ({ node }, { blocks }) => each(blocks, () => node.call('devnet_createBlock', {})),
    },
    memorySince('memory_block', 'memory of an empty block', ({ blocks }) => blocks),
    transfers('transfer_long', 'STRK transfer after 100,000 blocks'),
    {
      name: 'abort_100',
      title: 'abort of 100 blocks',
      unit: 'ms',
      rounds: 1,
      measure: async ({ node }) => {
        const number = Number(await node.call('starknet_blockNumber', {}));
        const starting_block_id = { block_number: number - 99 };
        return each(1, () => node.call('devnet_abortBlocks', { starting_block_id }));
      },
    },
  ],
};

const EVENTS_EACH = 200;

/** Sends transactions that emit events, and keeps the address of the contract. */
async function emitEvents(side: Side, events: number): Promise<number> {
  const { node, signer, kept } = side;
  const { request, hash } = await signer.declare(await ourContract('emitter'));
  await node.send(request);
  const deployed = Object(await node.send(signer.deploy(hash, 1)));
  const receipt = Object(
    await node.call('starknet_getTransactionReceipt', {
      transaction_hash: deployed.transaction_hash,
    }),
  );
  const event = receipt.events.find(
    ({ keys }: { keys: readonly string[] }) => keys[0] === starknetKeccak('ContractDeployed'),
  );
  const address: string = event.data[0];
  kept.set('emitter', address);
  const calldata = [hex(EVENTS_EACH), '0x1', '0x2'];
  const calls = [{ to: address, name: 'emit_batch', calldata }];
  const count = Math.ceil(events / EVENTS_EACH);
  const took = await each(count, () => node.send(signer.invoke(calls)));
  return took;
}

/** All events of the contract, page by page. */
async function readEvents({ node, kept }: Side): Promise<number> {
  const begin = performance.now();
  let continuation_token: unknown;
  do {
    const filter = {
      address: kept.get('emitter'),
      from_block: { block_number: 0 },
      to_block: 'latest',
      chunk_size: 1000,
      ...(continuation_token === undefined ? {} : { continuation_token }),
    };
    const page = Object(await node.call('starknet_getEvents', { filter }));
    continuation_token = page.continuation_token;
  } while (continuation_token !== undefined && continuation_token !== null);
  return performance.now() - begin;
}

export const EVENTS: Group = {
  title: 'Events',
  workloads: [
    {
      name: 'emit',
      title: 'transaction with 200 events',
      unit: 'ms',
      rounds: 1,
      measure: (side, { events }) => emitEvents(side, events),
    },
    {
      name: 'events_all',
      title: '`starknet_getEvents` over 100,000 events, 1,000 a page',
      unit: 'ms',
      rounds: 3,
      measure: readEvents,
    },
  ],
};

/** A dump of 100 transfers into a file, and a load of it. */
export const DUMPS: Group = {
  title: 'Dumps',
  options: '--dump-on request',
  workloads: [
    {
      name: 'dump',
      title: '`devnet_dump` of 100 transfers',
      unit: 'ms',
      rounds: 1,
      measure: async ({ node, signer, kept }) => {
        for (const request of signer.transfers(100)) await node.send(request);
        return each(1, async () => kept.set('dump', await node.call('devnet_dump', {})));
      },
    },
    {
      name: 'load',
      title: '`devnet_load` of it',
      unit: 'ms',
      rounds: 1,
      measure: async ({ node, name, kept }) => {
        const path = join(tmpdir(), `starkbox-bench-${process.pid}-${name}.json`);
        try {
          writeFileSync(path, JSON.stringify(kept.get('dump')));
          return await each(1, () => node.call('devnet_load', { path }));
        } finally {
          rmSync(path, { force: true });
        }
      },
    },
  ],
};
