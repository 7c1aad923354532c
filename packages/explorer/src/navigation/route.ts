// Router: addresses of pages, the current one, and navigation.
import { useSyncExternalStore } from 'react';

export const BASE = '/ui';

export interface Place {
  /** First path segment below the base, empty for the home page. */
  readonly page: string;
  /** Second path segment, if any. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
}

const CHANGE = 'starkbox:place';
let current = read();

function read(): Place {
  const parts = location.pathname.slice(BASE.length).split('/').filter(Boolean);
  const key = parts[1];
  return {
    page: parts.length > 2 ? 'unknown' : (parts[0] ?? ''),
    key: key === undefined ? undefined : decode(key),
    query: new URLSearchParams(location.search),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(listener: () => void): () => void {
  const changed = (): void => {
    current = read();
    listener();
  };
  addEventListener('popstate', changed);
  addEventListener(CHANGE, changed);
  return () => {
    removeEventListener('popstate', changed);
    removeEventListener(CHANGE, changed);
  };
}

export function placeNow(): Place {
  return current;
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => current);
}

/** The address of a page. */
export function to(page: string, key?: string | number, query?: Record<string, string>): string {
  const path = [BASE, page, key === undefined ? '' : encodeURIComponent(key)]
    .filter((part) => part !== '')
    .join('/');
  const search = new URLSearchParams(query).toString();
  return (page === '' ? `${BASE}/` : path) + (search === '' ? '' : `?${search}`);
}

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  dispatchEvent(new Event(CHANGE));
  if (!replace) scrollTo(0, 0);
}

/** Changes query parameters; undefined removes one. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  go(location.pathname + (search === '' ? '' : `?${search}`) + location.hash, { replace: true });
}
