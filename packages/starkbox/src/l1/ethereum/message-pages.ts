// Pages of L1 messages, in block ranges that the node accepts.

import type { Ethereum, Fetched } from './client.js';
import { L1Error } from './l1-error.js';

/** Blocks per request. Public nodes allow between 500 and 10,000. */
const WIDEST_RANGE = 2000;

/** The messages of a range of blocks, in order. A range that the node refuses is halved. */
export async function* messagePages(
  node: Ethereum,
  contract: string,
  fromBlock: number,
  toBlock: number,
): AsyncGenerator<readonly Fetched[]> {
  let width = WIDEST_RANGE;
  for (let block = fromBlock; block <= toBlock; ) {
    const last = Math.min(block + width - 1, toBlock);
    let page: readonly Fetched[];
    try {
      page = await node.fetchMessages(contract, block, last);
    } catch (error) {
      if (!(error instanceof L1Error) || !error.isTooMuch || last === block) throw error;
      width = Math.ceil((last - block + 1) / 2);
      continue;
    }
    yield page;
    block = last + 1;
    width = Math.min(width * 2, WIDEST_RANGE);
  }
}
