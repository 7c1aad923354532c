// Return of aborted transactions to the mempool, and its nonces after changes of the state.
import type { State } from '@starkbox/engine';
import { objectText, string } from '../../json/reader.js';
import { inSlices, Slices } from '../../scheduling/slices.js';
import type { TransactionRecord } from '../history/header.js';
import {
  findByNonce,
  type PoolTransaction,
  withAccountNonce,
  withDropped,
  withWaiting,
} from '../mempool/mempool.js';
import { LOAD_ACCOUNT } from '../network/background-load.js';
import { stateDiff } from '../world/find-block.js';
import { poolTransaction } from '../world/mempool-json.js';
import { transactionAt, transactionHashesOf, type World } from '../world/world.js';

/** The world after something else than the mempool changed the nonces of accounts. */
export async function withNoncesOf(world: World, addresses: Iterable<string>): Promise<World> {
  let { mempool } = world;
  for (const address of mempool.senders.isEmpty() ? [] : addresses) {
    if (!mempool.senders.has(address)) continue;
    const account = BigInt(await world.pendingState.nonceAt(address));
    mempool = await inSlices(withAccountNonce(mempool, address, account));
  }
  return mempool === world.mempool ? world : { ...world, mempool };
}

/** Accounts whose nonce the blocks from one on have written, the pending block included. */
export async function sendersSince(world: World, from: number): Promise<ReadonlySet<string>> {
  const senders = new Set<string>();
  if (world.mempool.senders.isEmpty()) return senders;
  const slices = new Slices();
  for (let block = from; block <= world.history.next; block += 1) {
    const { nonces } = stateDiff(world, block);
    for (const { contract_address } of nonces) senders.add(contract_address);
    if (slices.isOver) await slices.next();
  }
  return senders;
}

/**
 * The world after an abort, with the aborted transactions in its mempool: in their order, before
 * all others. Messages from L1 and transactions of others do not return.
 *
 * @param from the first block that was aborted
 */
export async function withReturned(before: World, after: World, from: number): Promise<World> {
  let { mempool } = after;
  const since = after.network?.rounds;
  for await (const record of newestFirst(before, from)) {
    const returned = await returning(record, before.pendingState);
    if (!returned) continue;
    const account = BigInt(await after.pendingState.nonceAt(returned.sender));
    const rival = findByNonce(mempool, returned.sender, returned.nonce);
    if (returned.nonce < account || (rival && rival.tip >= returned.tip)) {
      mempool = withDropped(mempool, returned, 'Another transaction uses its nonce.');
      continue;
    }
    if (rival)
      mempool = withDropped(mempool, rival, `${returned.hash} returned, with a higher tip.`);
    mempool = withWaiting(mempool, returned, account, { end: 'first', since });
  }
  return { ...after, mempool };
}

/** The transactions of a block and all after it, in slices. */
async function* newestFirst(world: World, from: number): AsyncGenerator<TransactionRecord> {
  const slices = new Slices();
  for (let block = world.history.next; block >= from; block -= 1) {
    for (let index = transactionHashesOf(world, block).length - 1; index >= 0; index -= 1) {
      const record = transactionAt(world, block, index);
      if (record) yield record;
      if (slices.isOver) await slices.next();
    }
  }
}

async function returning(
  { hash, transaction, receipt, proofFacts }: TransactionRecord,
  state: State,
): Promise<PoolTransaction | undefined> {
  const values = objectText(transaction, 'transaction');
  const { type, sender_address, class_hash } = values;
  const isReturning = type !== 'L1_HANDLER' && type !== 'DEPLOY' && sender_address !== LOAD_ACCOUNT;
  if (!isReturning) return undefined;
  const { contract_address } = objectText(receipt, 'receipt');
  const declared =
    type === 'DECLARE' ? await state.class(string(class_hash, 'class_hash')) : undefined;
  return {
    ...poolTransaction(hash, string(sender_address ?? contract_address, 'sender'), transaction),
    proofFacts,
    contractClass: await declared?.json(),
  };
}
