// Values in the storage of the browser that components share.
import { useSyncExternalStore } from 'react';

export interface Stored<T> {
  use(): T;
  now(): T;
  set(value: T): void;
}

/** @param read makes a value of what is stored, which is untrusted, or of undefined */
export function stored<T>(
  storage: 'localStorage' | 'sessionStorage',
  key: string,
  read: (found: unknown) => T,
): Stored<T> {
  const watchers = new Set<() => void>();
  let value: T | undefined;
  const now = (): T => {
    value ??= read(parsed(globalThis[storage].getItem(key)));
    return value;
  };
  return {
    now,
    use: () =>
      useSyncExternalStore((watcher) => {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      }, now),
    set(next) {
      value = next;
      try {
        globalThis[storage].setItem(key, JSON.stringify(next));
      } catch {
        // Storage is full or blocked; the value lasts until the page is left.
      }
      for (const watcher of watchers) watcher();
    },
  };
}

function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
