// Search for the transactions of an origin that touched a contract, by its traces and events.
import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { type OriginTrace, originTraces } from '../chain/queries/replay-transaction.js';
import { reasonOf } from '../errors.js';
import type { Fork } from '../fork/fork.js';

/** Blocks that are read at the same time. */
const AT_ONCE = 16;
/** Blocks that are searched for the last transactions. */
const MAX_BLOCKS = 10_000;

/** Transactions of one block, in its order. */
export interface TouchedBlock {
  readonly number: number;
  readonly hashes: ReadonlySet<string>;
}

export interface Search {
  /** The oldest first. */
  readonly blocks: readonly TouchedBlock[];
  readonly from: number;
  readonly to: number;
  /** Whether the search ended before it had all transactions that were asked for. */
  readonly isIncomplete: boolean;
}

/** The last transactions up to the fork point, or all transactions of a range of blocks. */
export type BlockSelection =
  | { readonly last: number }
  | { readonly from: number; readonly to: number | undefined };

/**
 * Finds transactions that called the contract, emitted an event in its name or changed its state.
 *
 * @param onProgress gets the number of the block that was read last, and the number of transactions
 * @throws Error with the block if the origin cannot be read: no block is left out
 */
export async function findTouched(
  fork: Fork,
  contract: string,
  wanted: BlockSelection,
  onProgress: (block: number, transactions: number) => void,
): Promise<Search> {
  const to = 'last' in wanted ? fork.block.number : (wanted.to ?? fork.block.number);
  if (to > fork.block.number) {
    throw new Error(
      `block ${to} is later than the newest block ${fork.block.number}: pass an earlier one with --to`,
    );
  }
  // The first block has no state before it.
  const oldest = 'last' in wanted ? Math.max(1, to - MAX_BLOCKS + 1) : Math.max(1, wanted.from);
  const most = 'last' in wanted ? wanted.last : Infinity;
  const blocks: TouchedBlock[] = [];
  let count = 0;
  let from = to + 1;
  while (from > oldest && count < most) {
    const first = Math.max(oldest, from - AT_ONCE);
    const window = await readWindow(fork, contract, first, from - 1);
    for (const block of window.toReversed()) {
      from = block.number;
      if (block.hashes.size === 0) continue;
      const remaining = most - count;
      const hashes = remaining < block.hashes.size ? lastOf(block.hashes, remaining) : block.hashes;
      blocks.unshift({ number: block.number, hashes });
      count += hashes.size;
      if (count >= most) break;
    }
    onProgress(from, count);
  }
  return { blocks, from, to, isIncomplete: 'last' in wanted && count < most && oldest > 1 };
}

function lastOf(hashes: ReadonlySet<string>, count: number): ReadonlySet<string> {
  return new Set([...hashes].slice(-count));
}

/** Blocks of a range, in order. */
async function readWindow(
  fork: Fork,
  contract: string,
  first: number,
  last: number,
): Promise<readonly TouchedBlock[]> {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const [blocks, emitting] = await Promise.all([
    Promise.all(numbers.map((number) => touchedIn(fork, contract, number))),
    transactionsWithEvents(fork, contract, first, last),
  ]);
  for (const [hash, number] of emitting) {
    const block = blocks[number - first];
    if (block?.hashes.has(hash)) continue;
    throw new Error(
      `the network returns events of ${contract} in transaction ${hash} of block ${number}, but no call of it in the traces of that block: use another node with --fork-network`,
    );
  }
  return blocks;
}

async function touchedIn(fork: Fork, contract: string, number: number): Promise<TouchedBlock> {
  const traces = await reading(`the traces of block ${number}`, () => originTraces(fork, number));
  const touching = traces.filter(({ trace }) => isTouching(trace, contract));
  return { number, hashes: new Set(touching.map(({ hash }) => hash)) };
}

/** Transactions in which the contract emitted an event, with their blocks. */
async function transactionsWithEvents(
  fork: Fork,
  contract: string,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const blocks = new Map<string, number>();
  await reading(`the events of blocks ${from} to ${to}`, async () => {
    for await (const event of fork.events({ from, to, addresses: [contract], keys: [] })) {
      blocks.set(String(event['transaction_hash']), Number(event['block_number']));
    }
  });
  return blocks;
}

/** Adds what was read to an error of the origin. */
export async function reading<T>(subject: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new Error(
      `cannot read ${subject}: ${reasonOf(error)}. Run the command again: it reads only what is missing`,
      { cause: error },
    );
  }
}

/** Whether a transaction called a contract or changed its state. A reverted one has its calls in its reason alone. */
export function isTouching(trace: Members, contract: string): boolean {
  const invocations = invocationsOf(trace);
  if (invocations.some((invocation) => isCalled(invocation, contract))) return true;
  const digits = contract.slice(2);
  return invocations.some(({ revert_reason: reason }) => {
    if (typeof reason !== 'string') return false;
    return new RegExp(`0x0*${digits}\\b`, 'i').test(reason);
  });
}

/** Calls of the transaction itself, without the transfer of its fee. */
export function invocationsOf(trace: Members): readonly Members[] {
  return Object.entries(trace).flatMap(([name, value]) =>
    name.endsWith('_invocation') && name !== 'fee_transfer_invocation' ? [membersOf(value)] : [],
  );
}

export function isReverted({ trace }: OriginTrace): boolean {
  return invocationsOf(trace).some(({ revert_reason: reason }) => typeof reason === 'string');
}

function isCalled(call: Members, contract: string): boolean {
  if (call['contract_address'] === contract) return true;
  return listOf(call['calls']).some((inner) => isCalled(membersOf(inner), contract));
}

/** Contracts that a transaction called. */
export function calledIn(trace: Members): ReadonlySet<string> {
  const contracts = new Set<string>();
  const collect = (call: Members): void => {
    if (typeof call['contract_address'] === 'string') contracts.add(call['contract_address']);
    for (const inner of listOf(call['calls'])) collect(membersOf(inner));
  };
  for (const invocation of invocationsOf(trace)) collect(invocation);
  return contracts;
}
