// Rows of the storage tab: values by variable, grouped and filtered.
import { type Decoded, type FeltTexts, valueText } from '@starkbox/abi';
import { decodeShortString } from '@starkbox/abi/basics';
import { decodeStored, type ReadSlot, type StoredValue } from '@starkbox/abi/internal';
import { grouped } from '../../format/amount.js';
import { NAME_ORDER } from '../../format/names.js';
import type { NamedSlot } from '../../parts/transaction/slot-names.js';
import { type StorageListing, valuesOf } from './storage-listing.js';

/** A value of one or more slots. */
export interface ValueRow {
  readonly kind: 'value';
  readonly id: string;
  readonly value: StoredValue;
  /** Undefined if none was found. */
  readonly name: Pick<NamedSlot, 'variable' | 'path' | 'part' | 'offset'> | undefined;
  /** The name as text, or the key. */
  readonly title: string;
  /** Undefined if a slot of it is not loaded. */
  readonly decoded: Decoded | undefined;
  /** The last block that changed it. */
  readonly block: number | undefined;
  readonly isInGroup: boolean;
}

/** The head of several values of one variable. */
export interface GroupRow {
  readonly kind: 'group';
  readonly id: string;
  /** Undefined for slots without a name. */
  readonly variable: string | undefined;
  readonly count: number;
  readonly isOpen: boolean;
}

export type StorageRow = ValueRow | GroupRow;

/** A larger group is folded at first. */
const MAX_UNFOLDED = 20;

/** All values that are loaded, by variable and key; slots without a name come last. */
export function sortedValues(
  address: string,
  listing: Pick<StorageListing, 'slots' | 'names' | 'read'>,
): readonly ValueRow[] {
  const rows = valuesOf(address, listing).map(({ value, name, slots }): ValueRow => {
    const whole =
      name?.value_key === undefined
        ? undefined
        : listing.names.valueAt({ contract: address, key: name.value_key });
    return {
      kind: 'value',
      id: value.key,
      value,
      name: name && (whole ?? name),
      title: whole?.name ?? name?.name ?? value.key,
      decoded: decodeStored(value, listing.read),
      block: slots.reduce<number | undefined>(
        (last, slot) => Math.max(last ?? 0, slot.last_update_block),
        undefined,
      ),
      isInGroup: false,
    };
  });
  const [named, unnamed] = [
    rows.filter(({ name }) => name !== undefined),
    rows.filter(({ name }) => name === undefined),
  ];
  return [...named.sort((a, b) => NAME_ORDER.compare(a.title, b.title)), ...unnamed];
}

/** The values with a head for each variable that has several. */
export function groupedRows(
  values: readonly ValueRow[],
  toggled: ReadonlyMap<string, boolean>,
  isFiltered: boolean,
): readonly StorageRow[] {
  const groups = new Map<string | undefined, ValueRow[]>();
  for (const row of values) {
    const variable = row.name?.variable;
    const group = groups.get(variable);
    if (group) group.push(row);
    else groups.set(variable, [row]);
  }
  return [...groups].flatMap(([variable, rows]): readonly StorageRow[] => {
    // Slots without a name need no head where there is nothing else.
    if (rows.length === 1 || (variable === undefined && groups.size === 1)) return rows;
    const id = groupId(variable);
    const isOpen = toggled.get(id) ?? (isFiltered || rows.length <= MAX_UNFOLDED);
    const head: GroupRow = { kind: 'group', id, variable, count: rows.length, isOpen };
    return isOpen ? [head, ...rows.map((row) => ({ ...row, isInGroup: true }))] : [head];
  });
}

const groupId = (variable: string | undefined): string => `group ${variable ?? ''}`;

const TEXTS: FeltTexts = {
  felt: (felt) => [felt, decodeShortString(felt), BigInt(felt).toString()].join(' '),
  address: (felt) => felt,
  classHash: (felt) => felt,
};

function searchText({ title, value, decoded }: ValueRow): string {
  const numbers = decoded?.kind === 'number' ? grouped(decoded.value) : '';
  const text = decoded ? valueText(decoded, TEXTS) : '';
  return `${title} ${value.type ?? ''} ${value.key} ${text} ${numbers}`.toLowerCase();
}

/** Values whose variable, key or content has all words. */
export function filteredValues(values: readonly ValueRow[], filter: string): readonly ValueRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return values;
  return values.filter((row) => {
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
}

/** A reader in which staged felts stand for the stored ones. */
export function withWrites(
  read: ReadSlot,
  writes: readonly { readonly key: string; readonly value: string }[],
): ReadSlot {
  const staged = new Map(writes.map(({ key, value }) => [key, value]));
  return (key) => staged.get(key) ?? read(key);
}
