// Stream of recorded calls: what the node has, and what it notifies of.
import { call } from '../../rpc/client.js';
import { openStream } from '../../rpc/stream.js';
import { runTask } from '../../state/tasks.js';
import { EXPLORER, type RequestRow } from './group.js';

export interface RecordingState {
  readonly recording: boolean;
  readonly bodies: boolean;
  readonly kept: number;
}

/** How many calls one page has. */
export const PAGE = 200;
/** How many calls are held at most. */
export const MAX_COUNT = 2_000;
const COLLECT_MILLISECONDS = 100;
const AGAIN_MILLISECONDS = 1_000;
const LATE_MILLISECONDS = 500;

interface Follower {
  /** Whether to follow the explorer's own calls too. */
  readonly withExplorer: boolean;
  readonly onState: (state: RecordingState) => void;
  readonly onError: (error: unknown) => void;
  /** The newest calls, read from the node. */
  readonly onRead: (rows: readonly RequestRow[]) => void;
  /** Calls that came since the last of these, newest first. */
  readonly onFresh: (rows: readonly RequestRow[]) => void;
}

/** Reads the newest calls and follows those that come; the function that it returns ends that. */
export function followRequests(follower: Follower): () => void {
  const { withExplorer, onState, onError, onRead, onFresh } = follower;
  let buffer: RequestRow[] = [];
  let isOverfull = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {};
  let isOver = false;
  const flush = (): void => {
    timer = undefined;
    if (document.hidden) return;
    const fresh = buffer.reverse();
    buffer = [];
    if (isOverfull) runTask(read());
    else onFresh(fresh);
    isOverfull = false;
  };
  const read = async (): Promise<void> => {
    try {
      const { requests, ...now } = await call('devnet_getRequests', {
        limit: PAGE,
        include_explorer: withExplorer,
      });
      if (isOver) return;
      onState(now);
      onRead(requests);
    } catch (problem) {
      if (!isOver) onError(problem);
    }
  };
  const follow = (): void => {
    stop = openStream({ method: 'devnet_subscribeRequests', params: {} }, 'ui', {
      // Read after subscribing, so that no request is missed in between.
      answered: () => {
        clearTimeout(late);
        runTask(read());
      },
      notified: (_result, text) => {
        const row = rowIn(text);
        if (!row || (row.tag === EXPLORER && !withExplorer)) return;
        if (buffer.length < MAX_COUNT) buffer.push(row);
        else isOverfull = true;
        timer ??= setTimeout(flush, COLLECT_MILLISECONDS);
      },
      ended: () => {
        again = setTimeout(follow, AGAIN_MILLISECONDS);
      },
    });
  };
  const look = (): void => {
    if (!document.hidden && buffer.length > 0) flush();
  };
  // The first page does not wait longer than this for the subscription.
  const late = setTimeout(() => runTask(read()), LATE_MILLISECONDS);
  follow();
  document.addEventListener('visibilitychange', look);
  return () => {
    isOver = true;
    stop();
    clearTimeout(timer);
    clearTimeout(again);
    clearTimeout(late);
    document.removeEventListener('visibilitychange', look);
  };
}

/** Checks a notification of the request subscription. */
function rowIn(text: string): RequestRow | undefined {
  const { params }: { params?: { result?: RequestRow } } = JSON.parse(text);
  return params?.result;
}
