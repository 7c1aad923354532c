// Parts of a stored value: its slots as a tree of members, items, variants and single values.
import type { NAMED_SLOT, STORED_VALUE, VALUE_SLOT } from '@starkbox/spec';
import type { TypedField } from './storage-type.js';

/** A value of one or more slots, as the node describes it. */
export type StoredValue = Pick<STORED_VALUE, 'key' | 'variable' | 'path' | 'type' | 'slots'>;

export type ValuePart =
  | { readonly kind: 'scalar'; readonly key: string; readonly type: string | undefined }
  | { readonly kind: 'u256'; readonly low: string; readonly high: string }
  | { readonly kind: 'text'; readonly key: string; readonly textKey: string }
  | { readonly kind: 'packed'; readonly type: string; readonly slots: readonly PackedSlot[] }
  | {
      readonly kind: 'choice';
      readonly key: string;
      readonly type: string;
      readonly variants: readonly string[];
      readonly of: ValuePart | undefined;
    }
  | { readonly kind: 'record'; readonly type: string; readonly members: readonly MemberPart[] }
  | { readonly kind: 'list'; readonly items: readonly ValuePart[] }
  /** A list whose length is stored; `items` may be more than it has. */
  | { readonly kind: 'vector'; readonly key: string; readonly items: readonly ValuePart[] };

export interface MemberPart {
  readonly name: string;
  readonly part: ValuePart;
}

export interface PackedSlot {
  readonly key: string;
  readonly fields: readonly TypedField[];
}

/** Words of a byte array in one run of slots. */
export const MAX_WORDS = 256;
export const WORD_BYTES = 31;

const partCache = new WeakMap<StoredValue, ValuePart>();

export function partsOf(value: StoredValue): ValuePart {
  const cached = partCache.get(value);
  if (cached) return cached;
  const part = partAt(value.slots, 0, value.type ?? '');
  partCache.set(value, part);
  return part;
}

/** @param depth how many members lead to these slots */
function partAt(slots: readonly VALUE_SLOT[], depth: number, type: string): ValuePart {
  const [first, second] = slots;
  if (!first) return { kind: 'record', type: '', members: [] };
  if (first.members.length > depth) return membersAt(slots, depth, type);
  const { key } = first;
  if (first.fields) {
    const packed = slots.flatMap(({ key, fields }) => (fields ? [{ key, fields }] : []));
    return { kind: 'packed', type: first.type ?? type, slots: packed };
  }
  if (first.part === 'variant') {
    const rest = slots.slice(1);
    return {
      kind: 'choice',
      key,
      type: first.type ?? type,
      variants: first.variants ?? [],
      of: rest.length === 0 ? undefined : partAt(rest, depth, ''),
    };
  }
  if (first.part === 'low' && second?.part === 'high') {
    return { kind: 'u256', low: key, high: second.key };
  }
  if (first.part === 'length' && first.text_key !== undefined) {
    return { kind: 'text', key, textKey: first.text_key };
  }
  if (first.part === 'length' && slots.length > 1) {
    const items = groupByMember(slots.slice(1), depth).map(([, item]) =>
      partAt(item, depth + 1, ''),
    );
    return { kind: 'vector', key, items };
  }
  return { kind: 'scalar', key, type: first.part === 'length' ? 'u64' : scalarType(first) };
}

const scalarType = ({ part, type }: VALUE_SLOT): string | undefined =>
  part === 'low' || part === 'high' ? 'u128' : type;

function membersAt(slots: readonly VALUE_SLOT[], depth: number, type: string): ValuePart {
  const groups = groupByMember(slots, depth);
  const isList = groups.every(([name], at) => name === String(at)) && !type.startsWith('(');
  if (isList) return { kind: 'list', items: groups.map(([, item]) => partAt(item, depth + 1, '')) };
  const isTuple = groups.every(([name], at) => name === String(at));
  return {
    kind: 'record',
    type: isTuple ? '' : type === '' ? 'struct' : type,
    members: groups.map(([name, member]) => ({ name, part: partAt(member, depth + 1, '') })),
  };
}

/** Slots by the member at a depth, in order. */
function groupByMember(
  slots: readonly VALUE_SLOT[],
  depth: number,
): readonly (readonly [string, readonly VALUE_SLOT[]])[] {
  const groups: [string, VALUE_SLOT[]][] = [];
  for (const slot of slots) {
    const name = slot.members[depth] ?? '';
    const last = groups.at(-1);
    if (last?.[0] === name) last[1].push(slot);
    else groups.push([name, [slot]]);
  }
  return groups;
}

/** A slot that is a value by itself; without a name, a plain felt. */
export function valueOfSlot(key: string, name?: NAMED_SLOT): StoredValue {
  const { variable = '', path = [], type, part, fields } = name ?? {};
  const slot = {
    key,
    members: [],
    ...(type === undefined ? {} : { type }),
    ...(part === undefined ? {} : { part }),
    ...(fields === undefined ? {} : { fields }),
  };
  return { key, variable, path, ...(type === undefined ? {} : { type }), slots: [slot] };
}

/** Slots that belong to one value. */
export interface JoinedSlots<Slot> {
  readonly value: StoredValue;
  /** Undefined where no name was found. */
  readonly name: NAMED_SLOT | undefined;
  readonly slots: readonly Slot[];
}

/** Slots of one contract by the values that they are parts of, in the order of their first slots. */
export function joinSlots<Slot extends { readonly key: string }>(
  slots: readonly Slot[],
  nameOf: (key: string) => NAMED_SLOT | undefined,
  valueAt: (key: string) => StoredValue | undefined,
): readonly JoinedSlots<Slot>[] {
  const joined = new Map<
    string,
    { value: StoredValue; name: NAMED_SLOT | undefined; slots: Slot[] }
  >();
  for (const slot of slots) {
    const name = nameOf(slot.key);
    const whole = name?.value_key === undefined ? undefined : valueAt(name.value_key);
    const id = whole?.key ?? slot.key;
    const entry = joined.get(id);
    if (entry) entry.slots.push(slot);
    else joined.set(id, { value: whole ?? valueOfSlot(slot.key, name), name, slots: [slot] });
  }
  return [...joined.values()];
}
