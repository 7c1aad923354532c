// Values that components share: in memory, or also in the storage of the browser.
import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get(): T;
  /** Sets the value, and calls the listeners if it is another one. */
  set(value: T): void;
  /** Calls the listener after each change; returns the function that ends this. */
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store, or a part of it; the component renders when that changes. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, Part>(store: Store<T>, select: (value: T) => Part): Part;
export function useStore<T>(store: Store<T>, select?: (value: T) => unknown): unknown {
  return useSyncExternalStore(store.subscribe, () =>
    select === undefined ? store.get() : select(store.get()),
  );
}

/** @param read returns a value for the parsed JSON in storage, which is untrusted, or for undefined */
export function createBrowserStore<T>(
  storage: 'localStorage' | 'sessionStorage',
  key: string,
  read: (stored: unknown) => T,
): Store<T> {
  const store = createStore(read(parsed(globalThis[storage].getItem(key))));
  return {
    ...store,
    set(next) {
      try {
        globalThis[storage].setItem(key, JSON.stringify(next));
      } catch {
        // Storage is full or blocked; the value lasts until the page is left.
      }
      store.set(next);
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
