// Calls of the binding, which throw typed errors.
import { withoutThreads } from './addon.js';
import { type EngineError, toEngineError, toPanicError } from './error.js';
import { SuspendedCalls } from './suspension.js';

/** Of an engine without threads. */
export const suspendedCalls: SuspendedCalls | undefined =
  withoutThreads && new SuspendedCalls(withoutThreads);

/** A panic of WebAssembly, or an overflow of its stack. */
function isTrap(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'RuntimeError' || error.name === 'RangeError');
}

function failure(error: unknown): EngineError {
  if (withoutThreads && isTrap(error)) return toPanicError(withoutThreads.takePanic(), error);
  return toEngineError(error);
}

/** Calls a function of the binding that returns at once. */
export function callNow<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw failure(error);
  }
}

/** Calls a function of the binding that runs on a worker thread. */
export async function callWorker<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await (suspendedCalls === undefined ? call() : suspendedCalls.run(call));
  } catch (error) {
    throw failure(error);
  }
}
