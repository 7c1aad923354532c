// What is measured on a chain of some size: each operation beside the same one on a small chain, in turns.
import { starknetKeccak, storageAddress } from '@starkbox/engine';
import { STRK } from '../../packages/engine/test/fixtures/chain.js';
import { median } from '../figures.js';
import { accepted, receiver, request } from '../growing-chain.js';
import { type Axis, MeasuredChain } from './chains.js';

const TRANSFER = starknetKeccak('Transfer');

/** Deterministic random numbers less than a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

export interface Operation {
  readonly name: string;
  readonly title: string;
  /** How many make one sample: enough for the clock of CPU time. */
  readonly each: number;
  /** Rounds for each one of a transaction: cheap operations vary more. */
  readonly rounds: number;
  /** A request; `pick` chooses one of the transfers that the chain has. */
  readonly make: (
    chain: MeasuredChain,
    pick: () => number,
  ) => string | undefined | Promise<string | undefined>;
}

const read = (
  name: string,
  title: string,
  make: (chain: MeasuredChain, transfer: number) => string | Promise<string>,
): Operation => ({ name, title, each: 40, rounds: 3, make: (chain, pick) => make(chain, pick()) });

async function hashIn(chain: MeasuredChain, number: number): Promise<string> {
  const block_id = { block_number: number };
  const block = await chain.node.request('starknet_getBlockWithTxHashes', { block_id });
  const { transactions }: { transactions?: readonly unknown[] } = Object(block);
  const [hash] = transactions ?? [];
  if (typeof hash !== 'string') throw new Error(`block ${number} is empty`);
  return hash;
}

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'transaction',
    title: 'a transfer, which closes a block',
    each: 6,
    rounds: 1,
    make: (chain) => chain.nextTransfers(1)[0],
  },
  {
    name: 'snapshot',
    title: '`devnet_snapshot`',
    each: 10,
    rounds: 2,
    make: () => request('devnet_snapshot', {}),
  },
  read('storage', '`starknet_getStorageAt` of an old block', (chain, transfer) =>
    request('starknet_getStorageAt', {
      contract_address: STRK,
      key: storageAddress('ERC20_balances', [receiver(transfer)]),
      block_id: { block_number: chain.blockOf(transfer) },
    }),
  ),
  read('block', '`starknet_getBlockWithReceipts`', (chain, transfer) =>
    request('starknet_getBlockWithReceipts', {
      block_id: { block_number: chain.blockOf(transfer) },
    }),
  ),
  read('hash', '`starknet_getTransactionByHash`', async (chain, transfer) =>
    request('starknet_getTransactionByHash', {
      transaction_hash: await hashIn(chain, chain.blockOf(transfer)),
    }),
  ),
  read('events', '`starknet_getEvents` by a rare key', (_, transfer) =>
    request('starknet_getEvents', {
      filter: { keys: [[TRANSFER], [], [receiver(transfer)]], chunk_size: 10 },
    }),
  ),
];

/** Microseconds of one operation. */
export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** An operation at one size of an axis. */
export interface Row {
  readonly axis: string;
  readonly operation: string;
  readonly size: number;
  /** Medians. */
  readonly grown: Cost;
  readonly control: Cost;
  /** Median over the rounds of the grown chain's cost over that of the control in the same round. */
  readonly ratio: Cost;
}

async function requestsOf(
  { each, make }: Operation,
  chain: MeasuredChain,
  pick: () => number,
): Promise<readonly string[]> {
  const requests: string[] = [];
  for (let count = 0; count < each; count += 1) {
    const text = await make(chain, pick);
    if (text !== undefined) requests.push(text);
  }
  return requests;
}

async function timed({ node }: MeasuredChain, requests: readonly string[]): Promise<Cost> {
  const answers: (string | undefined)[] = [];
  const [begin, used] = [performance.now(), process.cpuUsage()];
  for (const text of requests) answers.push(await node.handle(text));
  const wall = ((performance.now() - begin) * 1000) / requests.length;
  const { user, system } = process.cpuUsage(used);
  answers.forEach(accepted);
  return { cpu: (user + system) / requests.length, wall };
}

async function measured(
  operation: Operation,
  chains: { readonly grown: MeasuredChain; readonly control: MeasuredChain },
  rounds: number,
): Promise<Omit<Row, 'axis' | 'operation' | 'size'>> {
  const roll = dice(1);
  const sample = async (chain: MeasuredChain): Promise<Cost> => {
    const { transfers } = chain;
    return timed(chain, await requestsOf(operation, chain, () => 1 + roll(transfers)));
  };
  const times: { readonly grown: Cost; readonly control: Cost }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    // Who is first alternates too.
    const early = round % 2 === 0 ? await sample(chains.control) : undefined;
    const grown = await sample(chains.grown);
    times.push({ grown, control: early ?? (await sample(chains.control)) });
  }
  // The first round warms up.
  times.shift();
  const over = (part: (time: (typeof times)[number]) => number): number => median(times.map(part));
  return {
    grown: { cpu: over(({ grown }) => grown.cpu), wall: over(({ grown }) => grown.wall) },
    control: { cpu: over(({ control }) => control.cpu), wall: over(({ control }) => control.wall) },
    ratio: {
      cpu: over(({ grown, control }) => grown.cpu / control.cpu),
      wall: over(({ grown, control }) => grown.wall / control.wall),
    },
  };
}

/** Sizes in steps of about the square root of ten, up to the largest. */
export function sizesOf({ decades }: Axis, largest: number, quick: boolean): readonly number[] {
  const steps = quick ? 2 : Math.round(2 * decades);
  return Array.from({ length: steps + 1 }, (_, step) =>
    Math.max(1, Math.round(largest / 10 ** ((steps - step) / (quick ? 4 : 2)))),
  );
}

/** All operations at each size of an axis. */
export async function measureAxis(
  axis: Axis,
  sizes: readonly number[],
  options: { readonly rounds: number; readonly dir?: string | undefined },
  say: (row: Row) => void,
): Promise<void> {
  const grown = await MeasuredChain.open(axis.isStored, axis.isStored ? options.dir : undefined);
  try {
    for (const size of sizes) {
      await axis.grow(grown, size);
      // A new one for each size: what is measured grows it.
      const control = await MeasuredChain.open(axis.isStored);
      for (const operation of OPERATIONS) {
        const rounds = operation.rounds * options.rounds;
        const costs = await measured(operation, { grown, control }, rounds);
        say({ axis: axis.name, operation: operation.name, size, ...costs });
      }
      await control.close();
    }
  } finally {
    await grown.close();
  }
}
