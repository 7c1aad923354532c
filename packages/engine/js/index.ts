// The typed door to the engine: everything that other packages may use of it.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as binding from '../binding.js';
import { now } from './error.js';

export {
  type BuiltinClass,
  builtinClass,
  Class,
  type ClassFigures,
  type ClassLimits,
} from './class.js';
export { EngineError, type FailureKind } from './error.js';
export type {
  CallOutcome,
  EventData,
  Executed,
  ExecutionFlags,
  Fault,
  Frame,
  Gas,
  MessageToL1,
  Receipt,
  Rejected,
  Rejection,
  RejectionReason,
} from './execution.js';
export { FileLock } from './file-lock.js';
export * from './hash.js';
export { Origin, type OriginManners, type OriginQuestion, type OriginReader } from './origin.js';
export {
  type Applied,
  type Slot,
  State,
  type StateDiff,
  type StateFigures,
  type StateOptions,
} from './state.js';
export {
  Block,
  type BlockValues,
  type Price,
  type Seal,
  Transaction,
  type TransactionType,
  type TransactionValues,
} from './transaction.js';

export interface EngineOptions {
  /** Where compiled classes are kept between runs: by default in `XDG_CACHE_HOME`; `null` to keep none. */
  readonly cacheDir?: string | null;
  /** Another compiler executable than the one beside the addon. */
  readonly compiler?: string;
}

/** Changes where the engine looks; it has working defaults. */
export function configure(options: EngineOptions = {}): void {
  const beside = `../starkbox-compiler${process.platform === 'win32' ? '.exe' : ''}`;
  const compiler = options.compiler ?? fileURLToPath(new URL(beside, import.meta.url));
  const cacheDir = options.cacheDir === undefined ? defaultCacheDir() : options.cacheDir;
  now(() => binding.configure(compiler, cacheDir));
}

function defaultCacheDir(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'starkbox', 'casm');
}

configure();

/** Versions of the parts that decide behaviour. */
export interface EngineVersions {
  /** The Sierra compiler. */
  readonly compiler: string;
  /** The newest Sierra that it reads. */
  readonly sierra: string;
  /** The newest protocol version. */
  readonly starknet: string;
}

export function versions(): EngineVersions {
  return now(() => binding.versions());
}
