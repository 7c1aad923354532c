// Calls collected for one transaction, from any page.
import type { UserCall } from '@starkbox/abi';
import { useSyncExternalStore } from 'react';

/** A call with the name of its function, where the name is known. */
export interface NamedCall extends UserCall {
  readonly name: string | undefined;
}

export interface Collected extends NamedCall {
  readonly id: number;
}

/** Most calls in a batch. */
export const MOST_CALLS = 100;

let calls: readonly Collected[] = [];
let nextId = 1;
const watchers = new Set<() => void>();

function publish(next: readonly Collected[]): void {
  calls = next;
  for (const watcher of watchers) watcher();
}

export function useBatch(): readonly Collected[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => calls,
  );
}

export function collect(call: NamedCall): void {
  if (calls.length < MOST_CALLS) publish([...calls, { ...call, id: nextId++ }]);
}

export function drop(id: number): void {
  publish(calls.filter((call) => call.id !== id));
}

export function dropAll(): void {
  publish([]);
}

/** Moves a call up or down by one. */
export function move(id: number, by: 1 | -1): void {
  const at = calls.findIndex((call) => call.id === id);
  const one = calls[at];
  const other = calls[at + by];
  if (!one || !other) return;
  publish(calls.map((call, place) => (place === at ? other : place === at + by ? one : call)));
}
