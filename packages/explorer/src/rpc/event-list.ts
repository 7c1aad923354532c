// Live list of events: older pages on demand, new events from a subscription.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runTask } from '../state/tasks.js';
import { type EventFilter, subscribedFilters } from './event-filter.js';
import {
  type Emitted,
  type EventPage,
  type EventRow,
  idOf,
  readEvents,
  withClasses,
} from './event-pages.js';
import type { Mode } from './live-list.js';
import { useLive } from './live-state.js';
import { listenToEvents } from './subscriptions.js';

const COLLECT = 100;
/** Most new events that are held back; beyond that the list is read again. */
const MAX_FRESH = 500;

type EventBlocks = ReadonlyMap<string, number | undefined>;

export interface EventList {
  readonly rows: readonly EventRow[];
  readonly waiting: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  reveal(): void;
  readMore(): void;
  retry(): void;
}

function isEmitted(value: unknown): value is Emitted {
  return (
    typeof value === 'object' &&
    value !== null &&
    'from_address' in value &&
    'transaction_hash' in value &&
    'keys' in value
  );
}

/** New rows before old ones, each event once. */
function newestFirst(rows: readonly EventRow[], old: readonly EventRow[]): readonly EventRow[] {
  const ids = new Set(rows.map(idOf));
  return [...rows, ...old.filter((row) => !ids.has(idOf(row)))];
}

/** Delivers new events in batches, newest first; the function that it returns ends that. */
function followEvents(
  filter: EventFilter,
  listed: () => EventBlocks | undefined,
  onAdded: (rows: readonly EventRow[]) => void,
): () => void {
  let collected: Emitted[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deliver = async (): Promise<void> => {
    timer = undefined;
    const shownAt = listed();
    // The first notification repeats the current head, which is being read anyway.
    if (shownAt === undefined) {
      timer = setTimeout(() => runTask(deliver()), COLLECT);
      return;
    }
    const isNews = (event: Emitted): boolean =>
      !shownAt.has(idOf(event)) || shownAt.get(idOf(event)) !== event.block_number;
    const latest = new Map(collected.filter(isNews).map((event) => [idOf(event), event]));
    const added = [...latest.values()].slice(-MAX_FRESH).reverse();
    collected = [];
    if (added.length === 0) return;
    onAdded(await withClasses(added));
  };
  const stop = listenToEvents({
    filters: subscribedFilters(filter),
    receive: (result) => {
      if (!isEmitted(result)) return;
      collected.push(result);
      timer ??= setTimeout(() => runTask(deliver()), COLLECT);
    },
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

export function useEvents(filter: EventFilter, mode: Mode, isHeld: () => boolean): EventList {
  const epoch = useLive((live) => live.epoch);
  const head = useLive((live) => live.head?.number);
  const written = JSON.stringify(filter);
  const [attempt, setAttempt] = useState(0);
  const [fresh, setFresh] = useState<readonly EventRow[]>([]);
  const [waiting, setWaiting] = useState<readonly EventRow[]>([]);
  const headNow = useRef(head);
  headNow.current = head;
  /** Block of each listed event; undefined until the first page is read. */
  const listedBlocks = useRef<EventBlocks | undefined>(undefined);

  const query = useInfiniteQuery({
    queryKey: ['events', written, epoch, attempt],
    enabled: head !== undefined,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) => readEvents(filter, pageParam, headNow.current ?? 0),
    getNextPageParam: (page: EventPage) => page.next,
  });
  const { data, isPending, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has other new events
  useEffect(() => {
    setFresh([]);
    setWaiting([]);
  }, [written, epoch, attempt]);

  const isOpenEnded = filter.to === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is compared by its text
  useEffect(() => {
    if (mode === 'paused' || !isOpenEnded) return;
    return followEvents(
      filter,
      () => listedBlocks.current,
      (added) => {
        const add = (old: readonly EventRow[]): readonly EventRow[] =>
          newestFirst(added, old).slice(0, MAX_FRESH);
        if (mode === 'tail' && !isHeld()) setFresh(add);
        else setWaiting(add);
      },
    );
  }, [written, mode, isOpenEnded, isHeld]);

  const rows = useMemo(
    () => newestFirst(fresh, data?.pages.flatMap((page) => page.rows) ?? []),
    [data, fresh],
  );
  const blockOf = useMemo(() => new Map(rows.map((row) => [idOf(row), row.block_number])), [rows]);
  listedBlocks.current = data ? blockOf : undefined;
  const isBelow = filter.from === undefined || head === undefined || head >= filter.from;

  return {
    rows,
    waiting: waiting.filter((row) => !blockOf.has(idOf(row))).length,
    hasMore: hasNextPage,
    isLoading: isPending && isBelow,
    error,
    reveal: useCallback(() => {
      if (waiting.length >= MAX_FRESH) {
        setAttempt((count) => count + 1);
        return;
      }
      setFresh((old) => newestFirst(waiting, old));
      setWaiting([]);
    }, [waiting]),
    readMore: () => {
      if (hasNextPage && !isFetchingNextPage) runTask(fetchNextPage());
    },
    retry: () => setAttempt((count) => count + 1),
  };
}
