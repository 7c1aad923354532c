// Values that executions have shown, as plain data: a round of runs draws from a fixed set of them.

/** Values seen in storage, calldata, results and events. */
export interface SeenValues {
  /** Below 2^128, or decoded as integers. The newest last. */
  readonly numbers: readonly bigint[];
  /** Felts above: hashes, identifiers, packed words. The newest last. */
  readonly felts: readonly bigint[];
  /** Decoded as addresses. The newest last. */
  readonly addresses: readonly string[];
}

export const NOTHING_SEEN: SeenValues = { numbers: [], felts: [], addresses: [] };
