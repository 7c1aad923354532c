// Density of the timeline: transactions in stretches of blocks, each a bar of some pixels.
import type { BlockRow } from '../../rpc/queries.js';
import type { Bar } from './blocks.js';

/** Narrower stretches are joined. */
const NARROWEST = 6;
const WIDEST = 22;

/** A bar of the chart; places are in pixels. */
export interface Bucket {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly width: number;
  /** Transactions, or transactions per block where blocks were sampled. */
  readonly value: number;
  /** The failed part of the value. */
  readonly failed: number;
}

type X = (number: number) => number;

interface Stretch {
  readonly first: number;
  last: number;
  transactions: number;
  failed: number;
}

/** @param blocks in order */
export function bucketsOf(blocks: readonly BlockRow[], x: X): readonly Bucket[] {
  const stretches: Stretch[] = [];
  for (const { block_number, transaction_count, failed_count } of blocks) {
    const current = stretches.at(-1);
    if (current && x(block_number) - x(current.first) < NARROWEST) {
      current.last = block_number;
      current.transactions += transaction_count;
      current.failed += failed_count;
    } else {
      stretches.push({
        first: block_number,
        last: block_number,
        transactions: transaction_count,
        failed: failed_count,
      });
    }
  }
  const width = stretches.reduce((least, { first }, at) => {
    const next = stretches[at + 1];
    return next ? Math.max(2, Math.min(least, x(next.first) - x(first) - 1)) : least;
  }, WIDEST);
  return stretches.map(({ first, last, transactions, failed }) => {
    const start = (x(first) + x(last) - width) / 2;
    return { first, last, start, width, value: transactions, failed };
  });
}

export function sampledBuckets(bars: readonly Bar[], x: X): readonly Bucket[] {
  return bars.map(({ first, last, looked, transactions, failed }) => ({
    first,
    last,
    start: x(first),
    width: Math.max(1, x(last) - x(first) - 1),
    value: looked === 0 ? 0 : transactions / looked,
    failed: looked === 0 ? 0 : failed / looked,
  }));
}
