// Router: addresses of pages, the current one, and navigation.
import { createContext, useContext } from 'react';
import { chainPath, pagesPath } from '../format/chain-path.js';
import { createStore, useStore } from '../state/store.js';

const BASE = chainPath() + pagesPath();

export interface Route {
  /** First path segment below the base, empty for the home page. */
  readonly page: string;
  /** Second path segment, if any. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
}

/** Whether this is rendered in the panel beside another page. */
export const BesideContext = createContext(false);

const route = createStore(read());
addEventListener('popstate', () => route.set(read()));

function read(): Route {
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

export function currentRoute(): Route {
  return route.get();
}

/** Routes of pages below a panel; the panel takes the tab and the frame of the address. */
const routesBelow = new WeakMap<Route, Route>();

function below(whole: Route): Route {
  const { page, key, query } = whole;
  if (!query.has('peek')) return whole;
  const routeBelow = routesBelow.get(whole) ?? { page, key, query: queryBelow(query) };
  routesBelow.set(whole, routeBelow);
  return routeBelow;
}

function queryBelow(query: URLSearchParams): URLSearchParams {
  const below = new URLSearchParams(query);
  const tab = below.get('under');
  for (const name of ['peek', 'under', 'tab', 'frame']) below.delete(name);
  if (tab !== null) below.set('tab', tab);
  return below;
}

export function useRoute(): Route {
  const isBeside = useContext(BesideContext);
  const whole = useStore(route);
  return isBeside ? whole : below(whole);
}

/** The address as it is, with what belongs to a panel. */
export function useWholeRoute(): Route {
  return useStore(route);
}

/** The address of a page of this chain. */
export function to(page: string, key?: string | number, query?: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return pathOf(BASE, page, key) + (search === '' ? '' : `?${search}`);
}

/** The address of a page of another chain, which is loaded anew; an empty path is the node's own chain. */
export function toChain(path: string, page: string, key?: string): string {
  return pathOf(path + pagesPath(), page, key);
}

function pathOf(base: string, page: string, key: string | number | undefined): string {
  if (page === '') return `${base}/`;
  return [base, page, ...(key === undefined ? [] : [encodeURIComponent(key)])].join('/');
}

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  route.set(read());
  if (!replace) scrollTo(0, 0);
}

/** Changes query parameters; undefined removes one. The browser's Back button returns to the address before `push`. */
export function setQuery(
  change: Readonly<Record<string, string | undefined>>,
  { push = false } = {},
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  const address = location.pathname + (search === '' ? '' : `?${search}`) + location.hash;
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  route.set(read());
}
