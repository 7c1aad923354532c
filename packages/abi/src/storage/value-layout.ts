// Layouts of values that take several slots.
import type { VALUE_SLOT } from '@starkbox/spec';
import { ADDRESS_BOUND, toFelt } from '../felt.js';
import type { SlotStep } from './slot-name.js';
import type { Cell, StorageType } from './storage-type.js';
import type { StorageHashes, Variable } from './variables.js';

/** A place in storage, before it is reduced to an address. */
export interface StoragePath {
  readonly variable: Variable;
  readonly state: string;
  readonly path: readonly SlotStep[];
  /** The vector whose item it is. */
  readonly vector?: ValueLayout;
}

/** How a value of several slots is stored. */
export interface ValueLayout {
  /** Its first slot. */
  readonly key: string;
  readonly variable: string;
  readonly path: readonly SlotStep[];
  readonly type: string | undefined;
  readonly slots: readonly VALUE_SLOT[];
  /** Of a vector: the place of its length, and the slots of an item. */
  readonly vector?: { readonly state: string; readonly cells: readonly Cell[] };
}

type PlainCells = Extract<StorageType, { kind: 'cells' }>;

/** Whether an item of a vector takes slots that follow each other. */
export const isPlain = (type: StorageType): type is PlainCells =>
  type.kind === 'cells' && type.cells.every((cell) => cell.type !== 'ByteArray');

function slotOfCell(key: bigint, cell: Cell, before: readonly string[] = []): VALUE_SLOT {
  const { members, type, part, fields, variants } = cell;
  return {
    key: toFelt(key),
    members: [...before, ...members],
    ...(type === undefined ? {} : { type }),
    ...(part === undefined ? {} : { part }),
    ...(fields === undefined ? {} : { fields }),
    ...(variants === undefined ? {} : { variants }),
  };
}

/** Undefined for a value of one slot. */
export function cellsLayout(
  { variable, path, state }: StoragePath,
  type: string | undefined,
  cells: readonly Cell[],
  textKeys: readonly (string | undefined)[],
): ValueLayout | undefined {
  if (cells.length < 2 && textKeys[0] === undefined && cells[0]?.variants === undefined) {
    return undefined;
  }
  const begin = BigInt(state) % ADDRESS_BOUND;
  const slots = cells.map((cell, offset) => {
    const textKey = textKeys[offset];
    return {
      ...slotOfCell(begin + BigInt(offset), cell),
      ...(textKey === undefined ? {} : { text_key: textKey }),
    };
  });
  return { key: toFelt(begin), variable: variable.name, path, type, slots };
}

/** The length only: how many items there are differs by contract. */
export function vectorLayout(
  { variable, path, state }: StoragePath,
  type: string,
  cells: readonly Cell[],
): ValueLayout {
  const begin = BigInt(state) % ADDRESS_BOUND;
  const length: Cell = { members: [], type: 'u64', part: 'length' };
  const slots = [slotOfCell(begin, length)];
  return {
    key: toFelt(begin),
    variable: variable.name,
    path,
    type,
    slots,
    vector: { state, cells },
  };
}

/** Items of a vector that is one value; the items of a longer one are values by themselves. */
const MAX_JOINED_ITEMS = 64;
/** Slots for items that may be appended. */
const SPARE_ITEMS = 8;

/**
 * A vector with the slots of its items and of some more; undefined if it is too long for one value.
 *
 * @param length of the vector in the contract
 */
export function withItems(
  layout: ValueLayout,
  length: string,
  pedersen: StorageHashes['pedersen'],
): ValueLayout | undefined {
  const { vector } = layout;
  if (!vector) return layout;
  if (BigInt(length) > BigInt(MAX_JOINED_ITEMS)) return undefined;
  const items = Array.from({ length: Number(BigInt(length)) + SPARE_ITEMS }, (_, at) => {
    const begin = BigInt(pedersen(vector.state, toFelt(BigInt(at)))) % ADDRESS_BOUND;
    return vector.cells.map((cell, offset) =>
      slotOfCell(begin + BigInt(offset), cell, [String(at)]),
    );
  });
  return { ...layout, slots: [...layout.slots, ...items.flat()] };
}
