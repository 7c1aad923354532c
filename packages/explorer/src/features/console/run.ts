// Running console call: one request, or a subscription with its notifications.
import { useCallback, useEffect, useRef, useState } from 'react';
import { openStream } from '../../rpc/stream.js';
import { ask, type TimedAnswer } from '../../rpc/timed-call.js';
import { remember } from './history.js';

export interface Notification {
  readonly id: number;
  readonly at: number;
  readonly text: string;
}

export interface Running {
  readonly state: 'idle' | 'waiting' | 'streaming';
  readonly answer: TimedAnswer | Error | undefined;
  /** Newest first, limited to the last ones. */
  readonly notifications: readonly Notification[];
  readonly received: number;
  run(
    method: string,
    params: unknown,
    isSubscription: boolean,
  ): Promise<TimedAnswer | Error | undefined>;
  stop(): void;
  clear(): void;
}

const KEPT = 100;
const COLLECT_MILLISECONDS = 100;

interface Listener {
  readonly onAnswer: (answer: TimedAnswer) => void;
  /** Newest first, with how many there were in all. */
  readonly onNotifications: (fresh: readonly Notification[], count: number) => void;
  readonly onEnd: () => void;
}

/** Subscribes; the function that it returns unsubscribes. */
function followStream(method: string, params: unknown, listener: Listener): () => void {
  let buffer: Notification[] = [];
  let next = 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = performance.now();
  const close = openStream({ method, params }, 'console', {
    answered(text, isRefused) {
      const milliseconds = performance.now() - begin;
      const { result, error } = JSON.parse(text);
      const value: unknown = error ?? result;
      listener.onAnswer({ text, value, isError: isRefused, milliseconds, bytes: text.length });
      remember({ method, params, isError: isRefused, milliseconds });
    },
    notified(_result, text) {
      buffer.push({ id: next, at: Date.now(), text });
      next += 1;
      if (buffer.length > KEPT) buffer.shift();
      timer ??= setTimeout(() => {
        timer = undefined;
        const fresh = buffer.reverse();
        buffer = [];
        listener.onNotifications(fresh, next - 1);
      }, COLLECT_MILLISECONDS);
    },
    ended: listener.onEnd,
  });
  return () => {
    close();
    clearTimeout(timer);
  };
}

export function useRunning(): Running {
  const [state, setState] = useState<Running['state']>('idle');
  const [answer, setAnswer] = useState<TimedAnswer | Error | undefined>();
  const [notifications, setNotifications] = useState<readonly Notification[]>([]);
  const [count, setCount] = useState(0);
  const end = useRef<() => void>(() => {});

  const stop = useCallback(() => {
    end.current();
    end.current = () => {};
    setState('idle');
  }, []);
  useEffect(() => () => end.current(), []);

  const clear = useCallback(() => {
    setAnswer(undefined);
    setNotifications([]);
    setCount(0);
  }, []);

  const follow = useCallback(
    (method: string, params: unknown): void => {
      end.current = followStream(method, params, {
        onAnswer: (answer) => {
          setAnswer(answer);
          if (answer.isError) stop();
          else setState('streaming');
        },
        onNotifications: (fresh, inAll) => {
          setNotifications((old) => [...fresh, ...old].slice(0, KEPT));
          setCount(inAll);
        },
        onEnd: () => {
          setAnswer((old) => old ?? new Error('The connection ended.'));
          setState('idle');
        },
      });
    },
    [stop],
  );

  const run = useCallback<Running['run']>(
    async (method, params, isSubscription) => {
      end.current();
      clear();
      setState('waiting');
      if (isSubscription) {
        follow(method, params);
        return undefined;
      }
      const control = new AbortController();
      end.current = () => control.abort();
      try {
        const answer = await ask(method, params, control.signal);
        remember({
          method,
          params,
          isError: answer.isError,
          milliseconds: answer.milliseconds,
        });
        setAnswer(answer);
        return answer;
      } catch (error) {
        const problem = control.signal.aborted
          ? new Error('Stopped. The node may still finish the call.')
          : error instanceof Error
            ? error
            : new Error(String(error));
        setAnswer(problem);
        return problem;
      } finally {
        setState('idle');
      }
    },
    [clear, follow],
  );

  return { state, answer, notifications, received: count, run, stop, clear };
}
