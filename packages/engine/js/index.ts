// Public interface of the engine package.

import { addon, COMPILER, defaultCacheDir } from './addon.js';
import { callNow } from './call.js';

export type { BatchOptions, Turn } from './batch.js';
export {
  type BlockRoom,
  BlockWeights,
  type CapacityFigures,
  type WeightName,
} from './block-weights.js';
export {
  type BuiltinClass,
  builtinClass,
  Class,
  type ClassFigures,
  type ClassLimits,
  type SierraFunction,
  type SierraVariables,
  type UnauditedLibfunc,
} from './class.js';
export { Coverage, type CoveredOffsets } from './coverage.js';
export {
  type DebugAction,
  type DebugLimits,
  type DebugReport,
  type DebugRun,
  DebugTrace,
} from './debug-trace.js';
export { EngineError, type FailureKind } from './error.js';
export type {
  CallFailure,
  CallOutcome,
  Estimated,
  EventData,
  Executed,
  ExecutionFlags,
  Fault,
  Frame,
  Full,
  FunctionCall,
  Gas,
  MessageToL1,
  Printed,
  Receipt,
  ReceiptResources,
  Rejected,
  Rejection,
  RejectionReason,
  Reports,
  Retrace,
  RetracedFrame,
  RetraceOptions,
  Simulated,
} from './execution.js';
export { FileLock } from './file-lock.js';
export * from './hash.js';
export { Invocation, type StorageWrite } from './invocation.js';
export { type AllocatorFigures, allocatorFigures, trimMemory } from './memory.js';
export type {
  FeltQuestion,
  SourceLookup,
  SourceQuestion,
  SourceReader,
} from './source-questions.js';
export {
  type Applied,
  type AppliedWithin,
  type Closed,
  type ExecutedAndClosed,
  State,
} from './state.js';
export { type SourceOptions, StateSource } from './state-source.js';
export type {
  ClosingOptions,
  Slot,
  SlotWrite,
  StateDiff,
  StateFigures,
  StateOptions,
} from './state-values.js';
export { StorageList } from './storage-list.js';
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
  /** Bytes that they may take; those that were not used for longest are removed. Default: 1 GiB. */
  readonly cacheBytes?: number;
  /** Another compiler executable than the one beside the addon. */
  readonly compiler?: string;
}

/** Sets where the compiler and its cache are; the defaults work. */
export function configure(options: EngineOptions = {}): void {
  const compiler = options.compiler ?? COMPILER;
  const cacheDir = options.cacheDir === undefined ? defaultCacheDir() : options.cacheDir;
  callNow(() => addon.configure(compiler, cacheDir, options.cacheBytes));
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
  return callNow(() => addon.versions());
}
