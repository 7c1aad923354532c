// As much of `node:timers/promises` as a chain uses.
import { clearTimeout, setTimeout as runLater, setImmediate as runNext } from './system.js';

export function setImmediate(): Promise<void> {
  return new Promise((resolve) => runNext(resolve));
}

export function setTimeout(
  milliseconds: number,
  _value?: unknown,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = runLater(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
