// Knows state differences of one entry, to be spread into larger ones.

import { type Class, State, type StateDiff } from '@starkbox/engine';

export const NO_DIFF: StateDiff = {
  storage_diffs: [],
  nonces: [],
  deployed_contracts: [],
  replaced_classes: [],
  declared_classes: [],
  deprecated_declared_classes: [],
};

export const slotDiff = (address: string, key: string, value: string): Partial<StateDiff> => ({
  storage_diffs: [{ address, storage_entries: [{ key, value }] }],
});
export const nonceDiff = (contract_address: string, nonce: string): Partial<StateDiff> => ({
  nonces: [{ contract_address, nonce }],
});
export const deployDiff = (address: string, class_hash: string): Partial<StateDiff> => ({
  deployed_contracts: [{ address, class_hash }],
});
export const replaceDiff = (contract_address: string, class_hash: string): Partial<StateDiff> => ({
  replaced_classes: [{ contract_address, class_hash }],
});

/** Block after block on top of a state, each with one write of the same slot. */
export async function chainOf(values: readonly string[], start = State.create()): Promise<State> {
  let state = start;
  for (const value of values) state = (await state.apply(slotDiff('0xa', '0x1', value))).advance();
  return state;
}

/** Classes as a difference lists them, by their kind. */
export const declareDiff = (classes: readonly Class[]): Partial<StateDiff> => ({
  declared_classes: classes.flatMap(({ hash, compiledClassHash }) =>
    compiledClassHash ? [{ class_hash: hash, compiled_class_hash: compiledClassHash }] : [],
  ),
  deprecated_declared_classes: classes
    .filter(({ kind }) => kind === 'cairo0')
    .map(({ hash }) => hash),
});
