// Growth: the CPU time of operations on a grown chain beside the same ones on a small chain, in alternating rounds.
import { join } from 'node:path';
import type { Config } from 'starkbox';
import { Random } from '../../test/support/random.js';
import {
  GrowingChain,
  mustBeAccepted,
  type Read,
  readBlock,
  readEventsByKey,
  readSlot,
  readTransaction,
  writeSlots,
} from '../harness/growing-chain.js';
import { significant } from '../harness/results.js';
import { interleave } from '../harness/rounds.js';
import { rpcBody } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';

/** One of this many blocks has a transfer, the others are empty. */
const TRANSFER_EVERY = 100;
/** Blocks of a chain before it is grown, a transfer each; a control has no more. */
const FIRST_BLOCKS = 60;
/** Of a chain in a data directory, so that even the control reads older blocks from there. */
const RECENT_BLOCKS = 8;

// Operations.

interface Operation {
  readonly title: string;
  /** How many make one sample: enough for the clock of CPU time. */
  readonly count: number;
  /** Rounds for each round of a transfer: cheap operations vary more. */
  readonly rounds: number;
  /** A request; `pick` chooses one of the chain's transfers. */
  readonly make: (chain: GrowingChain, pick: () => number) => string | Promise<string>;
}

const reading = (title: string, read: Read): Operation => ({
  title,
  count: 40,
  rounds: 3,
  make: (chain, pick) => read(chain, pick()),
});

const OPERATIONS: readonly Operation[] = [
  {
    title: 'a transfer, which closes a block',
    count: 6,
    rounds: 1,
    make: (chain) => chain.nextTransfer(),
  },
  { title: '`devnet_snapshot`', count: 10, rounds: 2, make: () => rpcBody('devnet_snapshot') },
  reading('`starknet_getStorageAt` of an old block', readSlot),
  reading('`starknet_getBlockWithReceipts`', readBlock),
  reading('`starknet_getTransactionByHash`', readTransaction),
  reading('`starknet_getEvents` by a rare key', readEventsByKey),
];

/** CPU microseconds of one operation. */
async function costOf(
  { count, make }: Operation,
  chain: GrowingChain,
  random: Random,
): Promise<number> {
  const requests: string[] = [];
  while (requests.length < count) {
    requests.push(await make(chain, () => 1 + random.below(chain.transfers)));
  }
  const answers: (string | undefined)[] = [];
  const before = process.cpuUsage();
  for (const body of requests) answers.push(await chain.node.handle(body));
  const { user, system } = process.cpuUsage(before);
  answers.forEach(mustBeAccepted);
  return (user + system) / count;
}

// Chains.

type Axis = 'blocks' | 'stored-blocks' | 'slots';

interface Growth {
  readonly unit: string;
  readonly grow: (chain: GrowingChain, size: number) => Promise<void>;
}

const AXES: Readonly<Record<Axis, Growth>> = {
  blocks: { unit: 'blocks in memory', grow: growBlocks },
  'stored-blocks': { unit: 'blocks in a data directory', grow: growBlocks },
  slots: { unit: 'slots', grow: growSlots },
};

async function growBlocks(chain: GrowingChain, size: number): Promise<void> {
  await chain.growSparsely(size, TRANSFER_EVERY);
}

async function growSlots(chain: GrowingChain, size: number): Promise<void> {
  await writeSlots(chain.node, size);
  await chain.growTo(chain.latest + 1);
}

async function openChain(dataDir: string | undefined): Promise<GrowingChain> {
  const config: Partial<Config> =
    dataDir === undefined ? {} : { dataDir, recentBlocks: RECENT_BLOCKS };
  const chain = await GrowingChain.impersonated(config);
  await chain.growTo(FIRST_BLOCKS);
  return chain;
}

async function measureAxis(run: Run<Axis | 'rounds'>, axis: Axis): Promise<void> {
  const { figures, sizes, quick } = run;
  const { unit, grow } = AXES[axis];
  const size = sizes[axis];
  const directory = axis === 'stored-blocks' ? run.folder() : undefined;
  const [grown, control] = await Promise.all(
    ['grown', 'control'].map((name) => openChain(directory && join(directory, name))),
  );
  if (!grown || !control) throw new Error('no chain was opened');
  await grow(grown, size);
  for (const operation of OPERATIONS) {
    const random = new Random(1);
    const costs = await interleave(sizes.rounds * operation.rounds, {
      control: () => costOf(operation, control, random),
      grown: () => costOf(operation, grown, random),
    });
    const name = `${operation.title}, at ${significant(size)} ${unit} over ${FIRST_BLOCKS} blocks`;
    // Work that grows with the chain would take many times as long on the largest.
    figures.bound({ [name]: { atMost: quick ? 5 : 2 } });
    figures.say(name, costs.ratio('grown', 'control'));
  }
  await Promise.all([grown.node.close(), control.node.close()]);
}

export const scenario = defineScenario<Axis | 'rounds'>({
  measures: 'CPU time of transfers, snapshots and reads on a large chain over a small one',
  sizes: {
    rounds: [21, 5],
    blocks: [100_000, 4_000],
    'stored-blocks': [1_000_000, 3_000],
    slots: [10_000_000, 100_000],
  },
  options: { only: 'list' },
  async measure(run) {
    const axes: readonly Axis[] = ['blocks', 'stored-blocks', 'slots'];
    for (const axis of run.chosen(axes, (name) => name)) await measureAxis(run, axis);
    return undefined;
  },
});
