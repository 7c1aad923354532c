// Workloads on large states, long chains and many events.
import { starknetKeccak } from '@starkbox/engine';
import { hex } from '../../packages/engine/test/fixtures/chain.js';
import { mean } from '../harness/figures.js';
import { slotDiffs } from '../harness/growing-chain.js';
import type { ComparedFigure, Unit } from '../harness/results.js';
import { sampled } from '../harness/rounds.js';
import { contractText, newClass } from '../harness/signed-requests.js';
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

/** Slots in one difference. */
const PIECE = 50_000;
const SMALL = 100_000;

/** Milliseconds of writing new slots, until a limit. */
async function applySlots(side: Side, slots: number, { limit }: Size): Promise<number> {
  const { node, memo, remark } = side;
  const before = Number(memo.get('slots') ?? 0);
  let [elapsed, written] = [0, 0];
  for (const state_diff of slotDiffs(slots, { first: before, perDiff: PIECE })) {
    elapsed += await each(1, () => node.call('devnet_applyStateDiff', { state_diff }));
    written = Math.min(slots, written + PIECE);
    if (elapsed > limit && written < slots) {
      remark(`stopped at ${before + written} slots`);
      break;
    }
  }
  memo.set('slots', before + written);
  return (elapsed / written) * slots;
}

const transfersOn = (name: string, title: string): Workload =>
  single(name, title, 'ms', ({ node, signer }) => sendAll(node, signer.transfers(8)), {
    rounds: 3,
    bare: (engine) => engine.transfer(20),
  });

const snapshots = (where: string, title: string): readonly Workload[] => [
  single(
    `snapshot_${where}`,
    `\`devnet_snapshot\` ${title}`,
    'ms',
    ({ node }) => each(2, () => node.call('devnet_snapshot', [])),
    { rounds: 3 },
  ),
  single(
    `snapshot_revert_${where}`,
    `snapshot and \`devnet_revert\` ${title}`,
    'ms',
    ({ node }) =>
      each(2, async () => {
        const snapshot_id = await node.call('devnet_snapshot', []);
        await node.call('devnet_revert', { snapshot_id });
      }),
    { rounds: 3 },
  ),
];

// Memory.

/** Megabytes of the node's processes. */
function memoryOf({ node }: Side): number {
  const now = node.memory();
  if (now === undefined) throw new Unable('needs a command that starts the node');
  return now;
}

/** Smaller differences of resident memory are noise, in megabytes. */
const NOISE = 4;

/**
 * The time of work and the memory that it adds, for one of `count` pieces in the figure's unit. It is at least
 * the noise, and left out if the node's processes are not ours to look at.
 */
async function withMemory(
  side: Side,
  unit: number,
  work: () => Promise<{ readonly count: number; readonly took: number }>,
): Promise<readonly number[]> {
  const before = side.node.memory();
  const { count, took } = await work();
  const after = side.node.memory();
  if (before === undefined || after === undefined) return [took];
  if (after - before < NOISE) side.remark(`memory grew by less than ${NOISE} MB`);
  return [took, (Math.max(after - before, NOISE) * 2 ** 20) / count / unit];
}

const figure = (name: string, title: string, unit: Unit): ComparedFigure => ({
  name,
  title,
  unit,
});

/** Snapshots that are taken, and megabytes at which fewer are enough. */
const SNAPSHOTS = 200;
const ENOUGH = 1_000;

const snapshotMemory: Workload = {
  figures: [
    figure('snapshot_transfer', 'snapshot and a transfer', 'ms'),
    figure('memory_snapshot', 'memory of a snapshot', 'KB'),
  ],
  rounds: 1,
  measure: (side) =>
    withMemory(side, 1024, async () => {
      const { node, signer } = side;
      const full = (node.memory() ?? 0) + ENOUGH;
      const times: number[] = [];
      while (times.length < SNAPSHOTS && (node.memory() ?? 0) < full) {
        const [request = ''] = signer.transfers(1);
        times.push(
          await each(1, async () => {
            await node.call('devnet_snapshot', []);
            await node.send(request);
          }),
        );
      }
      return { count: times.length, took: mean(times) };
    }),
};

/** Another chain: an instance, or a process where a node has none. */
const chainMemory: Workload = {
  figures: [
    figure('instance', 'one more chain, as an instance', 'ms'),
    figure('memory_instance', 'memory of one more chain', 'KB'),
  ],
  rounds: 1,
  measure: async (side, { quick }) => {
    if (await side.node.has('devnet_createInstance')) {
      const count = quick ? 100 : 1_000;
      return withMemory(side, 1024, async () => {
        const took = await each(count, () => side.node.call('devnet_createInstance', {}));
        return { count, took };
      });
    }
    if ('url' in side.address) throw new Unable('has no instances');
    side.remark('has no instances: a new process with an empty chain');
    const other = await side.another();
    const memory = 1024 * (other.memory() ?? Number.NaN);
    await other.end();
    return [other.startTime ?? Number.NaN, memory];
  },
};

export const LARGE_STATE: Group = {
  title: 'Large state',
  workloads: [
    single('memory_start', 'memory of a fresh node', 'MB', async (side) => memoryOf(side), {
      rounds: 1,
    }),
    ...snapshots('small', 'of a fresh chain'),
    {
      figures: [
        figure('apply_slots', '`devnet_applyStateDiff` of 100,000 slots', 'ms'),
        figure('seal_slots', 'the block that holds 100,000 slots', 'ms'),
      ],
      rounds: 1,
      measure: async (side, size) => [
        await applySlots(side, Math.min(size.slots, SMALL), size),
        await each(1, () => side.node.call('devnet_createBlock', {})),
      ],
      bare: async (engine, { slots }) => {
        let took = 0;
        const diffs = slotDiffs(Math.min(slots, SMALL), { perDiff: PIECE });
        for (const diff of diffs) took += await engine.apply(diff);
        return [took];
      },
    },
    transfersOn('transfer_100k', 'STRK transfer on 100,000 slots'),
    ...snapshots('100k', 'of 100,000 slots'),
    snapshotMemory,
    chainMemory,
    {
      figures: [
        figure('grow_slots', 'growth from 100,000 to 1,000,000 slots', 'ms'),
        figure('memory_slot', 'memory of a slot', 'bytes'),
      ],
      rounds: 1,
      measure: async (side, size) => {
        const more = Math.max(PIECE, size.slots - SMALL);
        const before = Number(side.memo.get('slots'));
        return withMemory(side, 1, async () => {
          const took = await applySlots(side, more, size);
          await side.node.call('devnet_createBlock', {});
          return { count: Number(side.memo.get('slots')) - before, took };
        });
      },
    },
    transfersOn('transfer_1m', 'STRK transfer on 1,000,000 slots'),
  ],
};

// Blocks.

const growth: Workload = {
  figures: [
    figure('grow_blocks', '`devnet_createBlock` on the way to 100,000 blocks', 'ms'),
    figure('memory_block', 'memory of an empty block', 'bytes'),
  ],
  rounds: 1,
  measure: (side, { blocks, limit }) =>
    withMemory(side, 1, async () => {
      const create = () => side.node.call('devnet_createBlock', {});
      const times = await sampled(blocks, create, limit);
      if (times.length < blocks) side.remark(`stopped at ${times.length} blocks`);
      return { count: times.length, took: mean(times) };
    }),
};

const transferMemory: Workload = {
  figures: [
    figure('transfer_long', 'STRK transfer after 100,000 blocks', 'ms'),
    figure('memory_transfer', 'memory of a block with a transfer', 'KB'),
  ],
  rounds: 1,
  measure: (side, { quick }) => {
    const requests = side.signer.transfers(quick ? 100 : 2_000);
    return withMemory(side, 1024, async () => ({
      took: await sendAll(side.node, requests),
      count: requests.length,
    }));
  },
};

export const LONG_CHAIN: Group = {
  title: 'Long chain',
  workloads: [growth, transferMemory],
};

// Events.

const EVENTS_EACH = 200;

/** Deploys a contract that emits events; its address. */
async function deployEmitter({ node, signer }: Side): Promise<string> {
  const emitter = await newClass(await contractText('emitter'));
  await node.send(signer.declare(emitter));
  const deployment = signer.deploy(emitter.compiled.hash, 1);
  const { transaction_hash } = await node.send<'starknet_addInvokeTransaction'>(deployment);
  const { events } = await node.call('starknet_getTransactionReceipt', { transaction_hash });
  const deployed = events.find(({ keys }) => keys[0] === starknetKeccak('ContractDeployed'));
  return String(deployed?.data[0]);
}

/** All events of the contract, page by page; milliseconds. */
async function readEvents({ node, memo }: Side): Promise<number> {
  const address = memo.get('emitter');
  if (address === undefined) throw new Unable('has no events: their contract was refused');
  const start = performance.now();
  let [continuation_token, listed]: [unknown, number] = [undefined, 0];
  do {
    const filter = {
      address,
      from_block: { block_number: 0 },
      to_block: 'latest',
      chunk_size: 1000,
      ...(continuation_token === undefined ? {} : { continuation_token }),
    };
    const page = await node.call('starknet_getEvents', { filter });
    listed += page.events.length;
    continuation_token = page.continuation_token ?? undefined;
  } while (continuation_token !== undefined);
  if (listed !== memo.get('emitted')) throw new Error(`${listed} events were listed`);
  return performance.now() - start;
}

export const EVENTS: Group = {
  title: 'Events',
  workloads: [
    single(
      'emit',
      `transaction with ${EVENTS_EACH} events`,
      'ms',
      async (side, { events, limit }) => {
        const { node, signer, memo, remark } = side;
        const address = await deployEmitter(side);
        memo.set('emitter', address);
        const calldata = [hex(EVENTS_EACH), '0x1', '0x2'];
        const calls = [{ to: address, name: 'emit_batch', calldata }];
        const count = Math.ceil(events / EVENTS_EACH);
        const times = await sampled(count, () => node.send(signer.invoke(calls)), limit);
        if (times.length < count) remark(`stopped at ${times.length * EVENTS_EACH} events`);
        memo.set('emitted', times.length * EVENTS_EACH);
        return mean(times);
      },
      { rounds: 1 },
    ),
    single('events_all', '`starknet_getEvents` of 100,000, 1,000 a page', 'ms', readEvents, {
      rounds: 3,
    }),
  ],
};
