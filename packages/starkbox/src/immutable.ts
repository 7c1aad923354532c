// Persistent collections of the `immutable` package.
import { createRequire } from 'node:module';
import type * as immutable from 'immutable';

// An import of this package delays every start by 40 ms, because Node parses it for its exports.
const loaded: typeof immutable = createRequire(import.meta.url)('immutable');

export const List: typeof immutable.List = loaded.List;
export type List<T> = immutable.List<T>;

export const PersistentMap: typeof immutable.Map = loaded.Map;
export type PersistentMap<K, V> = immutable.Map<K, V>;

export const PersistentSet: typeof immutable.Set = loaded.Set;
export type PersistentSet<T> = immutable.Set<T>;
