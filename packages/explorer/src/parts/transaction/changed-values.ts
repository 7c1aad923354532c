// Values before and after, each of one or more slots that were read.
import type { Decoded } from '@starkbox/abi';
import {
  decodeStored,
  type JoinedSlots,
  joinSlots,
  type ReadSlot,
  type StoredValue,
  slotsOfValue,
  valueOfSlot,
} from '@starkbox/abi/internal';
import { type NamedSlot, type SlotLocation, type SlotNames, slotId } from './slot-names.js';

/** What a value was and is. */
export interface ChangedValue {
  readonly id: string;
  readonly contract: string;
  readonly key: string;
  /** Undefined if none was found. */
  readonly name: Pick<NamedSlot, 'variable' | 'path' | 'part' | 'offset'> | undefined;
  /** Undefined where it cannot be read. */
  readonly was: Decoded | undefined;
  readonly is: Decoded | undefined;
}

/** Felts by {@link slotId}. */
export type Felts = ReadonlyMap<string, string>;

export type JoinedValue = JoinedSlots<SlotLocation> & { readonly contract: string };

/** Slots by the values that they are parts of. */
export function joinedValues(
  slots: readonly SlotLocation[],
  names: SlotNames,
): readonly JoinedValue[] {
  const byContract = new Map<string, SlotLocation[]>();
  for (const slot of slots) {
    const list = byContract.get(slot.contract);
    if (list) list.push(slot);
    else byContract.set(slot.contract, [slot]);
  }
  return [...byContract].flatMap(([contract, list]) =>
    joinSlots(
      list,
      (key) => names.nameOf({ contract, key }),
      (key) => names.valueAt({ contract, key }),
    ).map((joined) => ({ contract, ...joined })),
  );
}

/** Slots of the values that are neither given nor read yet; a second round may have more, after lengths. */
export function missingSlots(
  values: readonly JoinedValue[],
  ...felts: readonly Felts[]
): readonly SlotLocation[] {
  const missing = new Map<string, SlotLocation>();
  for (const { contract, value } of values) {
    for (const known of felts) {
      const read: ReadSlot = (key) => known.get(slotId({ contract, key }));
      for (const key of slotsOfValue(value, read)) {
        if (read(key) === undefined) missing.set(slotId({ contract, key }), { contract, key });
      }
    }
  }
  return [...missing.values()];
}

const NO_CONTRACTS: ReadonlySet<string> = new Set();

/**
 * One row for each value; slots of a value that is not read completely have rows of their own.
 *
 * @param created contracts that did not exist before, whose other slots are zero
 */
export function changedValues(
  values: readonly JoinedValue[],
  was: Felts,
  is: Felts,
  created: ReadonlySet<string> = NO_CONTRACTS,
): readonly ChangedValue[] {
  return values.flatMap(({ contract, value, name, slots }): readonly ChangedValue[] => {
    const zero = created.has(contract) ? '0x0' : undefined;
    const readWas: ReadSlot = (key) => was.get(slotId({ contract, key }));
    const readIs: ReadSlot = (key) => is.get(slotId({ contract, key })) ?? zero;
    const row = (of: StoredValue, ofName: ChangedValue['name']): ChangedValue => ({
      id: slotId({ contract, key: of.key }),
      contract,
      key: of.key,
      name: ofName,
      was: decodeStored(of, readWas),
      is: decodeStored(of, readIs),
    });
    const isSingle = name?.value_key === undefined;
    const whole = row(value, name && (isSingle ? name : value));
    if (isSingle || whole.is !== undefined) return [whole];
    return slots.map(({ key }) => {
      const slotName = slots.length === 1 ? name : undefined;
      return row(valueOfSlot(key, slotName), slotName ?? name);
    });
  });
}
