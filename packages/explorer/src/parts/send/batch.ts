// Calls collected for one transaction, from any page.
import type { UserCall } from '@starkbox/abi';
import { createStore, useStore } from '../../state/store.js';

/** A call with the name of its function, where the name is known. */
export interface NamedCall extends UserCall {
  readonly name: string | undefined;
}

export interface Collected extends NamedCall {
  readonly id: number;
}

/** Most calls in a batch. */
export const MAX_CALLS = 100;

const batch = createStore<readonly Collected[]>([]);
let nextId = 1;

export function useBatch(): readonly Collected[] {
  return useStore(batch);
}

export function collect(call: NamedCall): void {
  const calls = batch.get();
  if (calls.length < MAX_CALLS) batch.set([...calls, { ...call, id: nextId++ }]);
}

export function drop(id: number): void {
  batch.set(batch.get().filter((call) => call.id !== id));
}

export function dropAll(): void {
  batch.set([]);
}

/** Moves a call up or down by one. */
export function move(id: number, by: 1 | -1): void {
  const calls = [...batch.get()];
  const from = calls.findIndex((call) => call.id === id);
  const moved = calls[from];
  const displaced = calls[from + by];
  if (!moved || !displaced) return;
  calls[from] = displaced;
  calls[from + by] = moved;
  batch.set(calls);
}
