// Figures of the allocators, and the return of free memory to the system.

import { addon } from './addon.js';
import { callNow, callWorker } from './call.js';

/** In bytes. */
export interface AllocatorFigures {
  /** Memory that the engine's allocator has committed, in use or free. */
  readonly engineCommitted: number;
  /** Memory in use that came from the C library: Node's buffers, among others. 0 where it has no such figure. */
  readonly systemUsed: number;
  /** Memory that the C library keeps for later use. */
  readonly systemFree: number;
}

export function allocatorFigures(): AllocatorFigures {
  return callNow(() => addon.allocatorFigures());
}

/** Returns free memory of the C library to the system; does nothing where the C library is not glibc. */
export async function trimMemory(): Promise<void> {
  await callWorker(() => addon.trimMemory());
}
