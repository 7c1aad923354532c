// Reader of state diffs from a disk or another node.
import type { DECLARED_CLASS_ITEM, STATE_DIFF } from '@starkbox/spec';
import { felt, list, object, string } from './reader.js';

/** @throws TypeError for JSON that is no state diff with canonical felts */
export function checkedStateDiff(text: string): STATE_DIFF {
  return readMembers(JSON.parse(text), felt, undefined);
}

/** The members that the engine reads. Lists may be missing, and the engine checks the felts. */
export function originStateDiff(value: unknown): STATE_DIFF {
  return readMembers(value ?? {}, string, []);
}

function readMembers(
  value: unknown,
  readFelt: (value: unknown, where: string) => string,
  missing: readonly never[] | undefined,
): STATE_DIFF {
  const diff = object(value, 'state diff');
  const items = <T>(name: string, read: (item: unknown, where: string) => T): readonly T[] =>
    list(diff[name] ?? missing, `state diff.${name}`, read);
  const member = (item: unknown, where: string, name: string): string =>
    readFelt(object(item, where)[name], `${where}.${name}`);
  const compiledHash = (item: unknown, where: string): DECLARED_CLASS_ITEM => ({
    class_hash: member(item, where, 'class_hash'),
    compiled_class_hash: member(item, where, 'compiled_class_hash'),
  });
  return {
    storage_diffs: items('storage_diffs', (item, where) => {
      const slots = `${where}.storage_entries`;
      return {
        address: member(item, where, 'address'),
        storage_entries: list(object(item, where)['storage_entries'], slots, (slot, path) => ({
          key: member(slot, path, 'key'),
          value: member(slot, path, 'value'),
        })),
      };
    }),
    nonces: items('nonces', (item, where) => ({
      contract_address: member(item, where, 'contract_address'),
      nonce: member(item, where, 'nonce'),
    })),
    deployed_contracts: items('deployed_contracts', (item, where) => ({
      address: member(item, where, 'address'),
      class_hash: member(item, where, 'class_hash'),
    })),
    replaced_classes: items('replaced_classes', (item, where) => ({
      contract_address: member(item, where, 'contract_address'),
      class_hash: member(item, where, 'class_hash'),
    })),
    declared_classes: items('declared_classes', compiledHash),
    deprecated_declared_classes: items('deprecated_declared_classes', readFelt),
    ...(Array.isArray(diff['migrated_compiled_classes']) && {
      migrated_compiled_classes: items('migrated_compiled_classes', compiledHash),
    }),
  };
}
