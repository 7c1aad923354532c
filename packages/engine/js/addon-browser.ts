// The engine for browsers, in the place of addon.ts: WebAssembly that was set up before.
import { load } from '@starkbox/engine-wasm/browser';
import type * as binding from '../binding.js';
import type { HeldLock } from './process-lock.js';
import type { SuspendingBinding, WithoutThreads } from './suspension.js';

const engine = load<typeof binding & SuspendingBinding>();

/** The functions of the engine. */
export const addon: typeof binding = engine.addon;

export const withoutThreads: WithoutThreads = engine.withoutThreads;

export const ADDON: string = 'engine.wasm';

/** There is no compiler apart from the engine. */
export const COMPILER: string = '';

/** There are no files to lock: the binding says so. */
export function takeLock(path: string): HeldLock | null {
  return addon.FileLock.take(path);
}

/** There is no folder for compiled classes. */
export function defaultCacheDir(): null {
  return null;
}

/** A built-in class as it was packed. */
export function readBuiltinClass(name: string): Promise<Uint8Array> {
  return engine.readClass(name);
}
