// Another class in the place of a contract's, whose storage stays.
import type { Class } from '@starkbox/engine';
import { refuse } from '../errors.js';
import { onlyOriginFailures } from '../fork/fork.js';
import type { Chain } from './chain.js';
import { applyChange, compileClass, type StateChange } from './execution/apply-state-diff.js';
import { closeIfDue } from './steps/close-block.js';
import type { Cause } from './world/cause.js';
import { withDirectWrite } from './world/direct-writes.js';

export interface Replacement {
  readonly address: string;
  /** The hash of a declared class, or a class as a compiler or a node writes it. */
  readonly newClass: string | object;
}

export interface Replaced {
  /** The class before. */
  readonly old: string;
  readonly hash: string;
}

/** Replaces the class in the pending block, which is closed where each transaction has its own. */
export async function replaceClass(
  chain: Chain,
  { address, newClass }: Replacement,
  cause?: Cause,
): Promise<Replaced> {
  const compiled =
    typeof newClass === 'string'
      ? undefined
      : await compileClass(newClass, chain.options.classLimits);
  const hash = typeof newClass === 'string' ? newClass : (compiled?.hash ?? '0x0');
  const change = classChange(address, hash, compiled);
  const classes = compiled ? [compiled] : [];
  if (chain.options.fork) {
    await onlyOriginFailures(applyChange(chain.world.pendingState, change, classes));
  }
  return chain.write(cause, async (world) => {
    const old = await world.pendingState.classHashAt(address);
    const state = await applyChange(world.pendingState, change, classes);
    return [await closeIfDue(withDirectWrite(world, state), chain.options), { old, hash }];
  });
}

/**
 * Another class at an address.
 *
 * @param compiled the class, if the change declares it
 * @param isDeployed whether a contract is there
 */
export function classChange(
  address: string,
  hash: string,
  compiled: Class | undefined,
  isDeployed = true,
): StateChange {
  const { compiledClassHash } = compiled ?? {};
  const contract = isDeployed
    ? { replaced_classes: [{ contract_address: address, class_hash: hash }] }
    : { deployed_contracts: [{ address, class_hash: hash }] };
  if (!compiled) return { state_diff: contract };
  return {
    state_diff: {
      ...contract,
      ...(compiledClassHash === undefined
        ? { deprecated_declared_classes: [hash] }
        : { declared_classes: [{ class_hash: hash, compiled_class_hash: compiledClassHash }] }),
    },
  };
}

/** One of two parameters that exclude each other. */
export function chosenClass(
  hash: string | undefined,
  definition: object | undefined,
): string | object {
  if (hash !== undefined && definition === undefined) return hash;
  if (hash === undefined && definition !== undefined) return definition;
  return refuse('Either class_hash or contract_class must be given');
}
