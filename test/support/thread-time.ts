// Time that the work of other processes and threads does not lengthen.
import { readFileSync } from 'node:fs';

/** Milliseconds that this thread has computed; where the system does not count them, the time. */
export function threadMilliseconds(): number {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}
