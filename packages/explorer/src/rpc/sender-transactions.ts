// The previous and the next transaction of an account, by their nonces.
import { call } from './client.js';

/** A transaction of an account. */
export interface SentTransaction {
  readonly sender: string;
  readonly nonce: string;
  readonly block: number;
}

/** Blocks that are searched first: most accounts send again soon. */
const NEAR = 200;
/** Pages of a search; each reads a bounded part of the chain. */
const MAX_PAGES = 5;

/** Its hash; undefined if there is none, or none within a bounded search. */
export async function readAdjacentOfSender(
  { sender, nonce, block }: SentTransaction,
  step: -1 | 1,
): Promise<string | undefined> {
  const neighbourNonce = BigInt(nonce) + BigInt(step);
  if (neighbourNonce < 0n) return undefined;
  const filter = { sender, nonce: `0x${neighbourNonce.toString(16)}` };
  if (step < 0) {
    const near = { ...filter, from_block: Math.max(0, block - NEAR), to_block: block };
    return (await search(near)) ?? search({ ...filter, to_block: block });
  }
  const near = { ...filter, from_block: block, to_block: block + NEAR };
  return (await search(near)) ?? search({ ...filter, from_block: block });
}

interface Filter {
  readonly sender: string;
  readonly nonce: string;
  readonly from_block?: number;
  readonly to_block?: number;
}

async function search(filter: Filter): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { transactions, next } = await call('devnet_listTransactions', {
      filter,
      limit: 1,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const [match] = transactions;
    if (match || next === undefined) return match?.transaction_hash;
    cursor = next;
  }
  return undefined;
}
