// Block ranges that were undone while this tab was open.
import { createStore, useStore } from '../state/store.js';
import { liveNow, onLive } from './live-state.js';

export interface UndoneRange {
  readonly first: number;
  readonly last: number;
  /** In milliseconds of the system clock. */
  readonly at: number;
}

/** The last change of the past. */
export interface PastChange {
  /** In milliseconds of the system clock. */
  readonly at: number;
  readonly why: string | undefined;
}

const KEPT = 20;
let lastChange: PastChange | undefined;
let epoch = liveNow().epoch;
const undone = createStore<readonly UndoneRange[]>([]);
let head = liveNow().head?.number;

onLive(() => {
  const { epoch: current, pastChange } = liveNow();
  if (current !== epoch) {
    epoch = current;
    lastChange = { at: Date.now(), why: pastChange };
  }
  const now = liveNow().head?.number;
  if (now === undefined || now === head) return;
  if (head !== undefined && now < head) {
    const range = { first: now + 1, last: head, at: Date.now() };
    undone.set([range, ...undone.get()].slice(0, KEPT));
  }
  head = now;
});

/** Newest first. */
export function useUndone(): readonly UndoneRange[] {
  return useStore(undone);
}

export function lastPastChange(): PastChange | undefined {
  return lastChange;
}
