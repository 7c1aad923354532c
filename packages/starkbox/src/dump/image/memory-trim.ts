// Return of free memory to the system after large pieces of work.
import { trimMemory } from '@starkbox/engine';

/** By then, collections have freed the buffers of the work. */
const DELAY_MILLISECONDS = 5_000;

let isPlanned = false;

/**
 * Trims once, some seconds after the first of several calls. Buffers of megabytes leave holes in the heaps of the C
 * library, which keeps them.
 */
export function trimMemoryLater(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(trimNow, DELAY_MILLISECONDS).unref();
}

function trimNow(): void {
  isPlanned = false;
  // Without a thread to run on, the memory stays with the process.
  trimMemory().catch(() => undefined);
}
