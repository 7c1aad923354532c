// Checks of parameters that are compiled when the package is bundled. In the work tree there are none.
import type { Parameter } from './documents.js';

/** A method whose parameters need no compiler, unless they are refused. */
export interface Precompiled {
  readonly parameters: readonly Parameter[];
  /** Whether values fit, with felts brought into canonical form; absent if there is nothing to check. */
  readonly accepts?: (params: Record<string, unknown>) => boolean;
}

export type LoadPrecompiled = () => Promise<ReadonlyMap<string, Precompiled>>;

/** By the names of the versions of the specification. `scripts/bundle/bundle.mjs` replaces this module. */
export const PRECOMPILED: Readonly<Record<string, LoadPrecompiled>> = {};
