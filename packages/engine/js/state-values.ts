// Values that a state takes and gives.
import type { StateSource } from './state-source.js';

/** A state difference as the RPC writes it. Every list may be left out when writing. */
export interface StateDiff {
  readonly storage_diffs: readonly {
    readonly address: string;
    readonly storage_entries: readonly { readonly key: string; readonly value: string }[];
  }[];
  readonly nonces: readonly { readonly contract_address: string; readonly nonce: string }[];
  readonly deployed_contracts: readonly { readonly address: string; readonly class_hash: string }[];
  readonly replaced_classes: readonly {
    readonly contract_address: string;
    readonly class_hash: string;
  }[];
  readonly declared_classes: readonly {
    readonly class_hash: string;
    readonly compiled_class_hash: string;
  }[];
  readonly deprecated_declared_classes: readonly string[];
  /** Only in a difference that migrates. */
  readonly migrated_compiled_classes?: readonly {
    readonly class_hash: string;
    readonly compiled_class_hash: string;
  }[];
}

export interface StateOptions {
  /** Number of the block that is written first. Default 0. */
  readonly version?: number;
  /** Keep what older blocks held. Default true. */
  readonly keepHistory?: boolean;
  readonly source?: StateSource;
}

/** What a slot holds, and the version that wrote it. */
export interface Slot {
  readonly key: string;
  readonly value: string;
  readonly since: number;
}

export interface StateFigures {
  readonly slots: number;
  readonly contracts: number;
  readonly classes: number;
  /** Closed versions and the one being written. */
  readonly versions: number;
  /** Values kept only for history. */
  readonly olderValues: number;
  readonly approximateBytes: number;
}

/** A slot that is written at the start of a version. */
export interface SlotWrite {
  readonly address: string;
  readonly key: string;
  readonly value: string;
}

export interface ClosingOptions {
  readonly parentHash: string;
  /** Written to the next version. */
  readonly firstWrite?: SlotWrite | undefined;
}
