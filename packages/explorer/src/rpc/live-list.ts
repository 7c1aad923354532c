// Paged list that grows at its head: shown rows, held-back rows, older pages.
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runTask } from '../state/tasks.js';
import { useLive } from './live-state.js';
import { type Page, queries } from './queries.js';

export interface LiveList<Row> {
  readonly rows: readonly Row[];
  /** Number of held-back rows; further ones may be unread. */
  readonly waiting: number;
  readonly hasMoreWaiting: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  /** Description of older rows that are read only on request. */
  readonly olderRowsHint: string | undefined;
  reveal(): void;
  /** Reads older rows, on scrolling or on request. */
  readMore(isWanted?: boolean): void;
  retry(): unknown;
}

type Pages<Row> = InfiniteData<Page<Row>, string | undefined>;

/** Reads a page below a cursor or, as a tip, the rows that came after the newest one. */
export type ReadPage<Row> = (
  cursor: string | undefined,
  isTip?: boolean,
  newest?: Row,
) => Promise<Page<Row>>;

interface LiveListOptions<Row> {
  readonly key: readonly unknown[];
  readonly read: ReadPage<Row>;
  readonly idOf: (row: Row) => string;
  /** Whether new rows are not even counted. */
  readonly isPaused: boolean;
  /** Whether new rows are shown at once, or counted until they are wanted. */
  readonly showsAtOnce: () => boolean;
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
  const { waiting, reveal } = useNewRows(options, key, isPending);

  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const ids = useMemo(() => new Set(rows.map(idOf)), [rows, idOf]);
  const olderRowsHint = data?.pages.at(-1)?.olderRowsHint;
  const readMore = useCallback(
    (isWanted = false) => {
      if (olderRowsHint !== undefined && !isWanted) return;
      if (hasNextPage && !isFetchingNextPage) runTask(fetchNextPage());
    },
    [olderRowsHint, hasNextPage, isFetchingNextPage, fetchNextPage],
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
    olderRowsHint,
    reveal,
    readMore,
    retry: refetch,
  };
}

/** Rows that have come since: merged into the list, or waiting to be revealed. */
function useNewRows<Row>(
  options: LiveListOptions<Row>,
  key: readonly string[],
  isLoading: boolean,
) {
  const { read, idOf, isPaused, showsAtOnce } = options;
  const revision = useLive((live) => live.revision);
  const isBusy = useLive((live) => live.isBusy);
  const [waiting, setWaiting] = useState<Page<Row> | undefined>();
  const busy = useRef(false);
  const again = useRef(false);
  /** A read that follows another one takes the options of its own time. */
  const latest = useRef<() => Promise<void>>(undefined);

  const merge = useCallback(
    (fresh: Page<Row>) => {
      queries.setQueryData<Pages<Row>>(key, (old) => mergePages(old, fresh, idOf));
    },
    [key, idOf],
  );
  const readTip = useCallback(async (): Promise<void> => {
    if (busy.current) {
      again.current = true;
      return;
    }
    busy.current = true;
    try {
      const before = queries.getQueryData<Pages<Row>>(key);
      const fresh = await read(undefined, true, before?.pages[0]?.rows[0]);
      const pages = queries.getQueryData<Pages<Row>>(key);
      if (!pages || (!isBusy && showsAtOnce())) {
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
        runTask(latest.current?.());
      }
    }
  }, [read, key, isBusy, showsAtOnce, merge, idOf]);

  const readRevision = useRef(revision);
  useEffect(() => {
    latest.current = readTip;
    // The first page may have been read by the node before the change.
    if (revision === readRevision.current || isPaused || isLoading) return;
    readRevision.current = revision;
    runTask(readTip());
  }, [revision, isPaused, isLoading, readTip]);

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
