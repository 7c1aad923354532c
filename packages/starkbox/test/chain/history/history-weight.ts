// Memory of a block with one transfer, measured in its own process with `gc` exposed.

import { History } from '../../../src/chain/history/history.js';
import { packing, packNow } from '../../../src/chain/history/packed-texts.js';
import { closedBlock, type Sample, Transfers } from '../../support/transfers.js';

export interface Weight {
  /** Bytes of a block: header, transaction, receipt, trace, and its share of all indexes. */
  readonly block: number;
  /** Characters of text that waited to be packed, at most. */
  readonly waited: number;
}

function memory(): number {
  for (let times = 0; times < 4; times += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Each transfer has a sender and a receiver of its own: the worst case for an index of events. */
export async function weigh(samples: readonly Sample[], count: number): Promise<Weight> {
  const transfers = new Transfers(samples);
  let waited = 0;

  async function grown(blocks: number): Promise<History> {
    let history = History.startingAt(0);
    for (let number = 0; number < blocks; number += 1) {
      const { record, events } = transfers.make(number);
      const parentHash = history.latest?.hash ?? '0x0';
      history = history.append(closedBlock(number, [record], { parentHash }), [events]);
      waited = Math.max(waited, packing().characters);
      if (number % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    packNow();
    return history;
  }

  // Code takes memory when it is first used.
  await grown(500);
  const before = memory();
  const history = await grown(count);
  const block = (memory() - before) / count;
  if (history.next !== count) throw new Error('the history is gone');
  return { block, waited };
}
