// Recorded requests: the first page, new ones from a subscription, older pages.
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../rpc/client.js';
import type { RequestRow } from './group.js';
import { followRequests, MAX_COUNT, PAGE, type RecordingState } from './request-stream.js';

export interface Requests {
  /** Undefined until known. */
  readonly state: RecordingState | undefined;
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** New requests that are not shown yet. */
  readonly waiting: readonly RequestRow[];
  readonly error: unknown;
  reveal(): void;
  readOlder(): void;
  /** Reads the list again. */
  reset(): void;
}

interface RequestLists {
  readonly rows: readonly RequestRow[];
  readonly waiting: readonly RequestRow[];
}

const NOTHING: RequestLists = { rows: [], waiting: [] };

interface RequestOptions {
  readonly showsAtOnce: () => boolean;
  /** Whether to read the explorer's own calls too. */
  readonly withExplorer: boolean;
}

export function useRequests({ showsAtOnce, withExplorer }: RequestOptions): Requests {
  const [lists, setLists] = useState<RequestLists>(NOTHING);
  const [state, setState] = useState<RecordingState | undefined>();
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const isShownAtOnce = useRef(showsAtOnce);
  isShownAtOnce.current = showsAtOnce;
  const reading = useRef(false);
  const isAll = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reads the list again
  useEffect(() => {
    isAll.current = false;
    return followRequests({
      withExplorer,
      onState: setState,
      onError: setError,
      onRead: (rows) => {
        setError(undefined);
        setLists((old) => withNewest(old, rows));
      },
      onFresh: (rows) => setLists((old) => withFresh(old, rows, isShownAtOnce.current())),
    });
  }, [turn, withExplorer]);

  const readOlder = useCallback(() => {
    const oldest = lists.rows.at(-1);
    if (!oldest || reading.current || isAll.current || lists.rows.length >= MAX_COUNT) return;
    reading.current = true;
    call('devnet_getRequests', {
      before: oldest.id,
      limit: PAGE,
      include_explorer: withExplorer,
    })
      .then(({ requests }) => {
        if (requests.length < PAGE) isAll.current = true;
        setLists((old) => ({ ...old, rows: merged(old.rows, requests) }));
      }, setError)
      .finally(() => {
        reading.current = false;
      });
  }, [lists.rows, withExplorer]);

  return {
    state,
    rows: lists.rows,
    waiting: lists.waiting,
    error,
    reveal: () => setLists((old) => withFresh({ ...old, waiting: [] }, old.waiting, true)),
    readOlder,
    reset: () => {
      setLists(NOTHING);
      setTurn((last) => last + 1);
    },
  };
}

function withFresh(
  old: RequestLists,
  fresh: readonly RequestRow[],
  isShown: boolean,
): RequestLists {
  if (fresh.length === 0) return old;
  const waiting = merged(old.waiting, fresh);
  if (!isShown) {
    const newest = old.rows[0]?.id ?? 0;
    return { ...old, waiting: waiting.filter(({ id }) => id > newest) };
  }
  return { rows: merged(old.rows, waiting), waiting: [] };
}

/** A whole page without a known row follows a gap, so older rows are read again on demand. */
function withNewest(old: RequestLists, newest: readonly RequestRow[]): RequestLists {
  const newestKnown = old.rows[0]?.id ?? 0;
  const isTorn = newest.length === PAGE && (newest.at(-1)?.id ?? 0) > newestKnown;
  return isTorn ? { rows: newest, waiting: [] } : withFresh(old, newest, true);
}

function merged(old: readonly RequestRow[], more: readonly RequestRow[]): readonly RequestRow[] {
  const ids = new Set(old.map(({ id }) => id));
  const added = more.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return old;
  return [...old, ...added].sort((a, b) => b.id - a.id).slice(0, MAX_COUNT);
}
