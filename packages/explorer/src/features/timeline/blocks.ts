// Knows what is read of the chain to draw a line of it: each block where they are few, samples where they are many.
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { BlockRow } from '../../rpc/queries.js';
import type { Window } from './scale.js';

/** From so many on, blocks are drawn as bars. */
export const MANY = 2_000;
const PAGE = 200;
const MOST_BARS = 64;
const SAMPLE = 40;

export interface Bar {
  readonly first: number;
  readonly last: number;
  /** How many of its blocks were looked at. */
  readonly looked: number;
  /** In those. */
  readonly transactions: number;
  readonly failed: number;
}

export interface Drawn {
  /** Every block of the window, from the first; empty where there are bars. */
  readonly blocks: readonly BlockRow[];
  readonly bars: readonly Bar[];
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** The size of a bar: a power of two, so that the same bars are met again after zooming. */
export function barSize(window: Window): number {
  let size = 1;
  while ((window.last - window.first + 1) / size > MOST_BARS) size *= 2;
  return size;
}

/** Parts of the chain that each need one call; those that are full are never asked for again. */
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
        // The last part grows; what it was is shown until it is read again.
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
