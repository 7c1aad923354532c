// Addresses of the previous and next block or transaction.
import { type Route, to } from '../navigation/route.js';
import { call } from '../rpc/client.js';
import { liveNow } from '../rpc/live-state.js';
import { readAdjacentOfSender } from '../rpc/sender-transactions.js';

/** The address of the one before (-1) or after (1); undefined at an end of the chain. */
export async function adjacentPage(route: Route, step: -1 | 1): Promise<string | undefined> {
  const { page, key } = route;
  if (key === undefined) return undefined;
  try {
    if (page === 'block') return await besideBlock(key, step);
    return page === 'tx' ? await besideTransaction(key, step) : undefined;
  } catch {
    // A block or transaction that does not exist has no adjacent one.
    return undefined;
  }
}

const head = (): number => liveNow().head?.number ?? 0;

async function besideBlock(key: string, step: number): Promise<string | undefined> {
  const number =
    key === 'pre_confirmed'
      ? head() + 1
      : /^\d+$/.test(key)
        ? Number(key)
        : (await call('starknet_getBlockWithTxHashes', { block_id: { block_hash: key } }))
            .block_number;
  const next = number + step;
  return next >= 0 && next <= head() ? to('block', next) : undefined;
}

/** Most empty blocks that are skipped in search of the next transaction. */
const MAX_EMPTY = 50;

/** Of the same sender; of the chain for a transaction without one. */
async function besideTransaction(hash: string, step: -1 | 1): Promise<string | undefined> {
  const params = { transaction_hash: hash };
  const [transaction, { block_number }] = await Promise.all([
    call('starknet_getTransactionByHash', params),
    call('starknet_getTransactionReceipt', params),
  ]);
  if ('sender_address' in transaction && 'nonce' in transaction) {
    const { sender_address: sender, nonce } = transaction;
    const sent = { sender, nonce, block: block_number };
    const adjacent = await readAdjacentOfSender(sent, step);
    return adjacent === undefined ? undefined : to('tx', adjacent);
  }
  return besideInChain(hash, block_number, step);
}

async function besideInChain(
  hash: string,
  block_number: number,
  step: -1 | 1,
): Promise<string | undefined> {
  const hashesOf = async (number: number): Promise<readonly string[]> =>
    (
      await call('starknet_getBlockWithTxHashes', {
        block_id: number > head() ? 'pre_confirmed' : { block_number: number },
      })
    ).transactions;
  const hashes = await hashesOf(block_number);
  const beside = hashes[hashes.indexOf(hash) + step];
  if (beside !== undefined) return to('tx', beside);
  for (let passed = 1; passed <= MAX_EMPTY; passed++) {
    const number = block_number + passed * step;
    if (number < 0 || number > head() + 1) return undefined;
    const adjacent = (await hashesOf(number)).at(step > 0 ? 0 : -1);
    if (adjacent !== undefined) return to('tx', adjacent);
  }
  return undefined;
}
