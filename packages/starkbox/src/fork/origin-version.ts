// Versions of the specification that an origin may speak, and questions to one that is older than this node.
import { listOf } from '@starkbox/abi/basics';
import { refuse } from '../errors.js';

/** Major and minor numbers, oldest first; the last one is ours. */
const SPOKEN: readonly string[] = ['0.8', '0.9', '0.10'];

/** Major and minor number only, because providers also serve release candidates. */
function family(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

export function isSpoken(version: string): boolean {
  return SPOKEN.includes(family(version));
}

/** False for a version that is not known, such as that of a lock file. */
export function isOlder(version: string | undefined): version is string {
  return version !== undefined && SPOKEN.slice(0, -1).includes(family(version));
}

/** Parameters that came with 0.10. */
const NEW_PARAMS: readonly string[] = ['response_flags', 'trace_flags', 'simulation_flags'];
/** Flags that change nothing where the origin has no proofs. */
const WITHOUT_EFFECT: ReadonlySet<unknown> = new Set(['INCLUDE_PROOF_FACTS']);
/** Flags of all versions. */
const OLD_FLAGS: ReadonlySet<unknown> = new Set(['SKIP_VALIDATE', 'SKIP_FEE_CHARGE']);

/** Parameters as an origin of an older version takes them; what it cannot answer is refused. */
export function olderParams(
  method: string,
  params: Readonly<Record<string, unknown>>,
  version: string,
): Readonly<Record<string, unknown>> {
  const older = new Map(Object.entries(params));
  for (const name of NEW_PARAMS) {
    const flags = listOf(older.get(name)).filter((flag) => !WITHOUT_EFFECT.has(flag));
    const unknown = flags.find((flag) => !OLD_FLAGS.has(flag));
    if (unknown !== undefined) lacks(version, String(unknown));
    if (name !== 'simulation_flags') older.delete(name);
  }
  if (method === 'starknet_getStateUpdate' && older.has('contract_addresses')) {
    lacks(version, 'contract_addresses');
  }
  return Object.fromEntries(older);
}

function lacks(version: string, what: string): never {
  refuse(`The origin serves JSON-RPC ${version}, which does not support ${what}: leave it out`);
}
