// Paged list that grows at its head: shown rows, held-back rows, older pages.
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runTask } from '../state/tasks.js';
import { useLive } from './live-state.js';
import { type Page, queries } from './queries.js';

export type Mode = 'paused' | 'live' | 'tail';

export interface LiveList<Row> {
  readonly rows: readonly Row[];
  /** Number of held-back rows; further ones may be unread. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  /** Description of older rows that are read only on request. */
  readonly beyond: string | undefined;
  reveal(): void;
  /** Reads older rows, on scrolling or on request. */
  readMore(isWanted?: boolean): void;
  retry(): unknown;
}

type Pages<Row> = InfiniteData<Page<Row>, string | undefined>;

interface LiveListOptions<Row> {
  readonly key: readonly unknown[];
  readonly read: (cursor: string | undefined, isTip?: boolean) => Promise<Page<Row>>;
  readonly idOf: (row: Row) => string;
  readonly mode: Mode;
  /** Whether the list holds still, because the pointer is over it or it is scrolled. */
  readonly isHeld: () => boolean;
}

export function useLiveList<Row>(options: LiveListOptions<Row>): LiveList<Row> {
  const { read, idOf } = options;
  const written = JSON.stringify(options.key);
  const key = useMemo(() => ['list', written], [written]);
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => read(pageParam),
    getNextPageParam: (page: Page<Row>) => page.next,
  });
  const { data, isPending, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const { waiting, reveal } = useNewRows(options, key);

  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const ids = useMemo(() => new Set(rows.map(idOf)), [rows, idOf]);
  const beyond = data?.pages.at(-1)?.beyond;
  const readMore = useCallback(
    (isWanted = false) => {
      if (beyond !== undefined && !isWanted) return;
      if (hasNextPage && !isFetchingNextPage) runTask(fetchNextPage());
    },
    [beyond, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  const isUnknown = useCallback((row: Row) => !ids.has(idOf(row)), [ids, idOf]);
  const count = waiting?.rows.filter(isUnknown).length ?? 0;

  return {
    rows,
    waiting: count,
    hasMoreWaiting: count > 0 && count === waiting?.rows.length,
    isLoading: isPending,
    error,
    hasMore: hasNextPage,
    beyond,
    reveal,
    readMore,
    retry: refetch,
  };
}

/** Rows that have come since: merged into the list, or waiting to be revealed. */
function useNewRows<Row>(options: LiveListOptions<Row>, key: readonly string[]) {
  const { read, idOf, mode, isHeld } = options;
  const beat = useLive((live) => live.beat);
  const flood = useLive((live) => live.flood);
  const [waiting, setWaiting] = useState<Page<Row> | undefined>();
  const busy = useRef(false);
  const again = useRef(false);

  const merge = useCallback(
    (fresh: Page<Row>) => {
      queries.setQueryData<Pages<Row>>(key, (old) => mergePages(old, fresh, idOf));
    },
    [key, idOf],
  );
  const look = useCallback(async (): Promise<void> => {
    if (busy.current) {
      again.current = true;
      return;
    }
    // The first page is still being read and will include this.
    if (queries.getQueryState(key)?.fetchStatus === 'fetching' && !queries.getQueryData(key))
      return;
    busy.current = true;
    try {
      const fresh = await read(undefined, true);
      const pages = queries.getQueryData<Pages<Row>>(key);
      if (!pages || (mode === 'tail' && !flood && !isHeld())) {
        merge(fresh);
        setWaiting(undefined);
      } else {
        const ids = new Set(pages.pages.flatMap((page) => page.rows.map(idOf)));
        const isNew = fresh.rows.some((row) => !ids.has(idOf(row)));
        setWaiting(isNew ? fresh : undefined);
        if (!isNew) merge(fresh);
      }
    } catch {
      // The connection state shows the error; the next change tries again.
    } finally {
      busy.current = false;
      if (again.current) {
        again.current = false;
        runTask(look());
      }
    }
  }, [read, key, mode, flood, isHeld, merge, idOf]);

  const firstBeat = useRef(beat);
  useEffect(() => {
    if (beat === firstBeat.current || mode === 'paused') return;
    firstBeat.current = beat;
    runTask(look());
  }, [beat, mode, look]);

  const reveal = (): void => {
    if (waiting) merge(waiting);
    setWaiting(undefined);
  };
  return { waiting, reveal };
}

function mergePages<Row>(
  old: Pages<Row> | undefined,
  fresh: Page<Row>,
  idOf: (row: Row) => string,
): Pages<Row> {
  if (!old) return { pages: [fresh], pageParams: [undefined] };
  if (fresh.rows.length === 0 && fresh.next !== undefined) return old;
  const ids = new Set(old.pages.flatMap((page) => page.rows.map(idOf)));
  const changed = new Map(fresh.rows.map((row) => [idOf(row), row]));
  const added = fresh.rows.filter((row) => !ids.has(idOf(row)));
  // No overlap means a gap, so the list starts again.
  if (added.length === fresh.rows.length && old.pages.some(({ rows }) => rows.length > 0)) {
    return { pages: [fresh], pageParams: [undefined] };
  }
  const pages = old.pages.map((page) => ({
    ...page,
    rows: page.rows.map((row) => changed.get(idOf(row)) ?? row),
  }));
  const [first, ...rest] = pages;
  if (!first) return { pages: [fresh], pageParams: [undefined] };
  return { ...old, pages: [{ ...first, rows: [...added, ...first.rows] }, ...rest] };
}
