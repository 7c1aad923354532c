// Reorganisation: the newest blocks are replaced by others, in one change.
import { type State, Transaction } from '@starkbox/engine';
import { invalidParams, RpcError, refuse } from '../errors.js';
import { endSharedSlice } from '../scheduling/slices.js';
import type { Chain } from './chain.js';
import { type PreparedTransaction, prepareTransaction } from './execution/prepare-transaction.js';
import type { TransactionRecord } from './history/header.js';
import {
  type Broadcasted,
  readTransaction,
  type StoredTransaction,
} from './history/stored-texts.js';
import { withoutSince } from './steps/abort-and-accept.js';
import { closeBlock } from './steps/close-block.js';
import { include, readAhead } from './steps/include-transaction.js';
import { sendersSince, withNoncesOf } from './steps/return-transactions.js';
import type { Cause } from './world/cause.js';
import { latestHeader } from './world/find-block.js';
import { withIncoming } from './world/messages.js';
import { nextTime, transactionsOf, type World } from './world/world.js';

/** Transactions of all new blocks, which one change includes. */
const MAX_TRANSACTIONS = 1000;

/** A new transaction, or the hash of one that the reorganisation removes. */
export type Reincluded = Broadcasted | string;

export interface Reorganised {
  /** Hashes of the removed blocks, newest first. */
  readonly aborted: readonly string[];
  /** Hashes of the new blocks, oldest first. */
  readonly blocks: readonly string[];
}

/**
 * Replaces the newest blocks, and the pending one. A transaction that cannot be included fails the whole
 * change.
 *
 * @param depth the number of blocks to remove
 * @param blocks the transactions of each new block; as many empty ones as are removed by default
 */
export async function reorg(
  chain: Chain,
  depth: number,
  blocks: readonly (readonly Reincluded[])[] | undefined,
  cause?: Cause,
): Promise<Reorganised> {
  if (blocks && blocks.flat().length > MAX_TRANSACTIONS) {
    invalidParams(`params.blocks: at most ${MAX_TRANSACTIONS} transactions at once`);
  }
  const prepared = blocks && (await prepareAll(chain, blocks));
  return chain.write(cause, async (world) => {
    if (!world.keepsHistory) {
      refuse(
        'devnet_reorg restores an older state: start the node with --state-archive-capacity full',
      );
    }
    const from = latestHeader(world).number - depth + 1;
    const most = latestHeader(world).number - world.history.first;
    if (depth > most) {
      refuse(
        `depth: of this chain ${most} blocks can be replaced, all but the first; got ${depth}`,
      );
    }
    const removed = removedSince(world, from);
    const replaced = world.history.header(from)?.timestamp ?? 0;
    const [short, aborted] = await withoutSince(world, from, chain.options.fork);
    let next = short;
    const hashes: string[] = [];
    const replacing = prepared ?? Array.from({ length: depth }, () => []);
    for (const [index, transactions] of replacing.entries()) {
      // The first block differs at least in its time from the one it replaces, and so in its hash.
      const least = index === 0 && next.clock.exact === undefined ? replaced + 1 : 0;
      const time = Math.max(nextTime(next), least);
      for (const [at, transaction] of transactions.entries()) {
        next = await locating(index, at, () =>
          includeRemoved(chain, next, transaction, removed, world, time),
        );
      }
      next = await closeBlock(next, chain.options, time);
      hashes.push(latestHeader(next).hash);
    }
    const senders = new Set([
      ...(await sendersSince(world, from)),
      ...(await sendersSince(next, from)),
    ]);
    return [await withNoncesOf(next, senders), { aborted, blocks: hashes }];
  });
}

type Prepared = PreparedTransaction | string;

/** Reads new transactions, and compiles their classes, before the queue of changes. */
async function prepareAll(
  chain: Chain,
  blocks: readonly (readonly Reincluded[])[],
): Promise<readonly (readonly Prepared[])[]> {
  const prepared: Prepared[][] = [];
  for (const [index, transactions] of blocks.entries()) {
    const ready: Prepared[] = [];
    for (const [at, transaction] of transactions.entries()) {
      await endSharedSlice();
      ready.push(
        typeof transaction === 'string'
          ? transaction
          : await locating(index, at, async () => {
              const { world, options, executions } = chain;
              const submission = await prepareTransaction(transaction, options);
              if (options.fork) await readAhead(world, submission, options, executions);
              return submission;
            }),
      );
    }
    prepared.push(ready);
  }
  return prepared;
}

function removedSince(world: World, from: number): ReadonlyMap<string, TransactionRecord> {
  const removed = new Map<string, TransactionRecord>();
  for (let number = from; number <= world.pendingState.version; number += 1) {
    for (const record of transactionsOf(world, number)) removed.set(record.hash, record);
  }
  return removed;
}

/** @param before the world that has the removed transactions, and the classes they declared */
async function includeRemoved(
  chain: Chain,
  world: World,
  transaction: Prepared,
  removed: ReadonlyMap<string, TransactionRecord>,
  before: World,
  time: number,
): Promise<World> {
  if (typeof transaction !== 'string') return include(world, transaction, chain.options, time);
  const record =
    removed.get(transaction) ?? refuse(`the transaction ${transaction} is not in a replaced block`);
  const prepared = await preparedAgain(record, before.pendingState, chain.options.chainId);
  const { values } = prepared;
  const l1Hash = values.type === 'L1_HANDLER' ? values.l1_transaction_hash : null;
  const messages =
    l1Hash === null ? world.messages : withIncoming(world.messages, l1Hash, record.hash);
  return include({ ...world, messages }, prepared, chain.options, time);
}

/** A transaction as it was before its inclusion. */
async function preparedAgain(
  record: TransactionRecord,
  state: State,
  chainId: string,
): Promise<PreparedTransaction> {
  const stored = readTransaction(record.transaction);
  const { proofFacts } = record;
  const values =
    stored.type === 'INVOKE' && proofFacts ? withProofFacts(stored, proofFacts) : stored;
  const declared = stored.type === 'DECLARE' ? await state.class(stored.class_hash) : undefined;
  return { values, transaction: new Transaction({ ...values }, chainId, declared) };
}

function withProofFacts(
  { proof: _proof, proof_facts: _facts, ...members }: StoredTransaction & { type: 'INVOKE' },
  proofFacts: readonly string[],
): Broadcasted {
  return { ...members, proof_facts: proofFacts };
}

/** Adds the position of a transaction to an error. */
async function locating<T>(block: number, index: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return refuse(`blocks[${block}][${index}]: ${message}`, { code, message, data });
  }
}
