// Values of contracts as JSON: results and events decoded by an ABI.
import type { Decoded, NamedValue } from '@starkbox/abi';

/** A decoded value as JSON; numbers are texts, because JSON numbers lose digits. */
export function jsonOf(value: Decoded): unknown {
  switch (value.kind) {
    case 'felt':
    case 'address':
    case 'class':
      return value.felt;
    case 'number':
      return String(value.value);
    case 'bool':
      return value.value;
    case 'text':
      return value.text;
    case 'list':
      return value.items.map(jsonOf);
    case 'record':
      return membersJson(value.members);
    case 'choice':
      return value.value === undefined ? value.variant : { [value.variant]: jsonOf(value.value) };
    case 'unit':
      return null;
  }
}

export function membersJson(members: readonly NamedValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map(({ name, value }) => [name, jsonOf(value)]));
}
