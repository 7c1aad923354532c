// Settings of the following blocks that can be changed while the chain runs.
import type { BlockGeneration } from '../../block-generation.js';

export interface BlockSettings {
  /** Undefined: as the chain was started. */
  readonly generation: BlockGeneration | undefined;
  /** Recipient of the fees. Undefined: the usual one. */
  readonly sequencer: string | undefined;
}

export const USUAL_BLOCKS: BlockSettings = { generation: undefined, sequencer: undefined };
