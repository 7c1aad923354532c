// State difference of several blocks, made of those of each.
import type { Result } from '../../rpc/methods.js';

export type Diff = Result<'starknet_getStateUpdate'>['state_diff'];

/** Merges consecutive state updates into one. */
export function mergeDiffs(diffs: readonly Diff[]): Diff {
  const slots = new Map<string, Map<string, string>>();
  const nonces = new Map<string, string>();
  const deployed = new Map<string, string>();
  const replaced = new Map<string, string>();
  const declared = new Map<string, string>();
  const old = new Set<string>();
  for (const diff of diffs) {
    for (const { address, storage_entries } of diff.storage_diffs) {
      const entries = slots.get(address) ?? new Map<string, string>();
      slots.set(address, entries);
      for (const { key, value } of storage_entries) entries.set(key, value);
    }
    for (const { contract_address, nonce } of diff.nonces) nonces.set(contract_address, nonce);
    for (const { address, class_hash } of diff.deployed_contracts)
      deployed.set(address, class_hash);
    for (const { contract_address, class_hash } of diff.replaced_classes) {
      // A contract that was deployed in between counts as deployed with its last class.
      (deployed.has(contract_address) ? deployed : replaced).set(contract_address, class_hash);
    }
    for (const { class_hash, compiled_class_hash } of diff.declared_classes) {
      declared.set(class_hash, compiled_class_hash);
    }
    for (const hash of diff.deprecated_declared_classes) old.add(hash);
  }
  return {
    storage_diffs: [...slots].map(([address, entries]) => ({
      address,
      storage_entries: [...entries].map(([key, value]) => ({ key, value })),
    })),
    nonces: [...nonces].map(([contract_address, nonce]) => ({ contract_address, nonce })),
    deployed_contracts: [...deployed].map(([address, class_hash]) => ({ address, class_hash })),
    replaced_classes: [...replaced].map(([contract_address, class_hash]) => ({
      contract_address,
      class_hash,
    })),
    declared_classes: [...declared].map(([class_hash, compiled_class_hash]) => ({
      class_hash,
      compiled_class_hash,
    })),
    deprecated_declared_classes: [...old],
  };
}
