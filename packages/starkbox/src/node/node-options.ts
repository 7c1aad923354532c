// Options of a node that only a program can pass.
import type { Log } from '../log.js';
import type { WorkDisplay } from '../probe.js';
import type { Output } from '../terminal.js';

export interface NodeOptions {
  readonly log?: Log;
  /** Where `printTraces` prints; the standard output by default. */
  readonly output?: Output;
  /** Shows work that takes long. */
  readonly progress?: WorkDisplay | undefined;
  /** Called when the chain is open, before the node listens. */
  readonly onOpen?: ((opened: OpenedChain) => void) | undefined;
}

/** Where the content of a chain comes from. */
export interface OpenedChain {
  /** The newest block. */
  readonly block: number;
  /** Whether the data directory held the chain already. */
  readonly isContinued: boolean;
  /** Whether the chain is loaded from the dump file. */
  readonly isLoaded: boolean;
  /** The block of the origin that the chain forks after. */
  readonly forkBlock: number | undefined;
}
