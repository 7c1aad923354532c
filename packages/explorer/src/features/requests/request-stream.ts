// Stream of recorded calls: what the node has, and what it notifies of.
import { call } from '../../rpc/client.js';
import { openStream } from '../../rpc/stream.js';
import { runTask } from '../../state/tasks.js';
import type { RequestRow } from './group.js';

export interface RecordingState {
  readonly recording: boolean;
  readonly bodies: boolean;
  readonly kept: number;
}

/** How many calls one page has. */
export const PAGE = 200;
/** How many calls are held at most. */
export const MOST = 2_000;
const COLLECT_MILLISECONDS = 100;
const AGAIN_MILLISECONDS = 1_000;
const LATE_MILLISECONDS = 500;

interface Follower {
  readonly onState: (state: RecordingState) => void;
  readonly onError: (error: unknown) => void;
  /** The newest calls, read from the node. */
  readonly onRead: (rows: readonly RequestRow[]) => void;
  /** Calls that came since, newest first. */
  readonly onFresh: (rows: readonly RequestRow[]) => void;
}

/** Reads the newest calls and follows those that come; the function that it returns ends that. */
export function followRequests({ onState, onError, onRead, onFresh }: Follower): () => void {
  let buffer: RequestRow[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {};
  let isOver = false;
  const flush = (): void => {
    timer = undefined;
    if (document.hidden) return;
    const fresh = buffer.reverse();
    buffer = [];
    onFresh(fresh);
  };
  const read = async (): Promise<void> => {
    try {
      const { requests, ...now } = await call('devnet_getRequests', { limit: PAGE });
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
        if (!row || buffer.length >= MOST) return;
        buffer.push(row);
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
