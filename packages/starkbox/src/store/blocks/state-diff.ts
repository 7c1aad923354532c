// Reader of state diffs on disk.
import type { StateDiff } from '@starkbox/engine';
import { felt, felts, list, object } from '../../json/reader.js';

const WHERE = 'state diff';

/** @throws TypeError for JSON that is no state diff */
export function checkedStateDiff(text: string): StateDiff {
  const diff = object(JSON.parse(text), WHERE);
  const entries = <T>(name: string, read: (item: unknown, where: string) => T): readonly T[] =>
    list(diff[name], `${WHERE}.${name}`, read);
  return {
    storage_diffs: entries('storage_diffs', (item, where) => {
      const { address, storage_entries } = object(item, where);
      return {
        address: felt(address, `${where}.address`),
        storage_entries: list(storage_entries, `${where}.storage_entries`, slot),
      };
    }),
    nonces: entries('nonces', (item, where) => {
      const { contract_address, nonce } = object(item, where);
      return {
        contract_address: felt(contract_address, `${where}.contract_address`),
        nonce: felt(nonce, `${where}.nonce`),
      };
    }),
    deployed_contracts: entries('deployed_contracts', (item, where) => {
      const { address, class_hash } = object(item, where);
      return {
        address: felt(address, `${where}.address`),
        class_hash: felt(class_hash, `${where}.class_hash`),
      };
    }),
    replaced_classes: entries('replaced_classes', (item, where) => {
      const { contract_address, class_hash } = object(item, where);
      return {
        contract_address: felt(contract_address, `${where}.contract_address`),
        class_hash: felt(class_hash, `${where}.class_hash`),
      };
    }),
    declared_classes: entries('declared_classes', (item, where) => {
      const { class_hash, compiled_class_hash } = object(item, where);
      return {
        class_hash: felt(class_hash, `${where}.class_hash`),
        compiled_class_hash: felt(compiled_class_hash, `${where}.compiled_class_hash`),
      };
    }),
    deprecated_declared_classes: felts(
      diff['deprecated_declared_classes'],
      `${WHERE}.deprecated_declared_classes`,
    ),
  };
}

function slot(item: unknown, where: string): { readonly key: string; readonly value: string } {
  const { key, value } = object(item, where);
  return { key: felt(key, `${where}.key`), value: felt(value, `${where}.value`) };
}
