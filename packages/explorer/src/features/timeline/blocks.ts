// Blocks of the timeline: each one in a short range, samples in a long one.
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Window } from './scale.js';

/** Ranges with more blocks are drawn as bars. */
export const MANY = 2_000;
const PAGE = 200;
const MAX_BARS = 64;
const SAMPLE = 40;

export interface Bar {
  readonly first: number;
  readonly last: number;
  /** Number of sampled blocks. */
  readonly looked: number;
  /** Transactions in the sampled blocks. */
  readonly transactions: number;
  readonly failed: number;
}

export interface Drawn {
  /** Every block of the window in order; empty when bars are drawn. */
  readonly blocks: readonly BlockRow[];
  readonly bars: readonly Bar[];
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** Size of a bar: a power of two, so that zooming reuses the same bars. */
export function barSize(window: Window): number {
  let size = 1;
  while ((window.last - window.first + 1) / size > MAX_BARS) size *= 2;
  return size;
}

/** Ranges of one request each; complete ones are never read again. */
export function useBlocksIn(window: Window | undefined, head: number): Drawn {
  const epoch = useLive((live) => live.epoch);
  const isMany = window !== undefined && window.last - window.first + 1 >= MANY;
  const size = window === undefined ? PAGE : isMany ? barSize(window) : PAGE;
  const parts: number[] = [];
  if (window) {
    const last = Math.min(window.last, head);
    for (let part = Math.floor(window.first / size); part * size <= last; part++) parts.push(part);
  }
  const limit = isMany ? SAMPLE : PAGE;
  const { pages, isLoading, error } = useQueries({
    queries: parts.map((part) => {
      const end = (part + 1) * size;
      const isFull = end <= head;
      return {
        queryKey: ['line', epoch, size, limit, part, isFull ? 'full' : head],
        queryFn: async (): Promise<readonly BlockRow[]> => {
          const { blocks } = await call('devnet_listBlocks', { before: end, limit });
          return blocks.filter(({ block_number }) => block_number >= part * size);
        },
        // The last range grows; its old data is shown until it is read again.
        placeholderData: (
          old: readonly BlockRow[] | undefined,
          before: { readonly queryKey: readonly unknown[] } | undefined,
        ) => (before?.queryKey[1] === epoch && before.queryKey[4] === part ? old : undefined),
      };
    }),
    combine: (results) => ({
      pages: results.map(({ data }) => data),
      isLoading: results.some(({ isPending }) => isPending),
      error: results.find((result) => result.error)?.error ?? null,
    }),
  });
  const from = window?.first ?? 0;
  const to = window?.last ?? 0;
  return useMemo(() => {
    if (isMany) {
      const bars = pages.flatMap((rows, at): Bar[] => {
        const first = (Math.floor(from / size) + at) * size;
        if (!rows) return [];
        return [
          {
            first,
            last: Math.min(first + size - 1, head),
            looked: rows.length,
            transactions: rows.reduce((sum, row) => sum + row.transaction_count, 0),
            failed: rows.reduce((sum, row) => sum + row.failed_count, 0),
          },
        ];
      });
      return { blocks: [], bars, isLoading, error };
    }
    const blocks = pages
      .flatMap((rows) => [...(rows ?? [])].reverse())
      .filter(({ block_number }) => block_number >= from && block_number <= to);
    return { blocks, bars: [], isLoading, error };
  }, [pages, isMany, size, head, from, to, isLoading, error]);
}
