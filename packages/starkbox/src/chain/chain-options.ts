// Options of a chain.
import type { Probe } from '../probe.js';
import type { Genesis } from './genesis/genesis.js';
import type { FirstBlock } from './steps/close-block.js';
import type { ExecutionLimits } from './steps/executions.js';
import type { MempoolRules } from './steps/mempool-steps.js';
import type { ProofMode } from './steps/mock-proof.js';
import type { NetworkRules } from './steps/network-rules.js';
import type { ObserverErrorHandler } from './writer.js';

export interface ChainOptions extends FirstBlock, MempoolRules, ExecutionLimits {
  readonly genesis: Genesis;
  readonly proofMode: ProofMode;
  /** The rules of a public network that submissions are held to. */
  readonly rules?: NetworkRules | undefined;
  /** Whether calls that change the chain are kept in its journal. */
  readonly keepsJournal?: boolean;
  /** Whether distinct calls are kept, for the coverage. */
  readonly recordsCalls?: boolean;
  /** How many snapshots there may be. */
  readonly maximumSnapshots?: number;
  /** How many seconds a change or an execution may wait in its queue. */
  readonly patience?: number;
  readonly probe?: Probe;
  /** Runs when an observer of a change fails. */
  readonly onObserverError?: ObserverErrorHandler;
}
