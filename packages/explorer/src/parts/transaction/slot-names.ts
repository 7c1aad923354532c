// Names of storage slots as the node tells them.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';

export type NamedSlot = Result<'devnet_nameStorage'>['slots'][number];

export interface SlotLocation {
  readonly contract: string;
  readonly key: string;
}

type NamedValue = Result<'devnet_nameStorage'>['values'][number];

/** Names of slots, and the values that they are parts of. */
export interface SlotNames {
  readonly nameOf: (slot: SlotLocation) => NamedSlot | undefined;
  /** The value that begins at a slot, where it has several. */
  readonly valueAt: (slot: SlotLocation) => NamedValue | undefined;
}

export function slotNamesOf(slots: readonly NamedSlot[], values: readonly NamedValue[]): SlotNames {
  const id = ({ contract_address: contract, key }: NamedSlot | NamedValue) =>
    slotId({ contract, key });
  const namesById = new Map(slots.map((slot) => [id(slot), slot]));
  const valuesById = new Map(values.map((value) => [id(value), value]));
  return {
    nameOf: (slot) => namesById.get(slotId(slot)),
    valueAt: (slot) => valuesById.get(slotId(slot)),
  };
}

/** What leads to the keys of maps. */
export interface KeyHints {
  /** The transaction that wrote the slots. */
  readonly transaction?: string | undefined;
  /** Arguments of one that was only simulated. */
  readonly felts?: readonly string[] | undefined;
}

/** Of one contract in a request. */
const MAX_KEYS = 400;
const MAX_FELTS = 400;

export const slotId = ({ contract, key }: SlotLocation): string => `${contract} ${key}`;

/** Names come after the slots are shown; a node without the method gives none. */
export function useSlotNames(slots: readonly SlotLocation[], hints: KeyHints = {}): SlotNames {
  const contracts = useMemo(() => byContract(slots), [slots]);
  const { transaction, felts } = hints;
  const { data } = useQuery({
    queryKey: ['slot-names', transaction, felts, contracts],
    enabled: contracts.length > 0,
    placeholderData: (old: SlotNames | undefined) => old,
    retry: false,
    queryFn: async (): Promise<SlotNames> => {
      const named: NamedSlot[] = [];
      const values: NamedValue[] = [];
      for (const part of contracts) {
        const answer = await call('devnet_nameStorage', {
          contracts: part,
          ...(transaction === undefined ? {} : { transaction_hash: transaction }),
          ...(felts === undefined ? {} : { felts: felts.slice(0, MAX_FELTS) }),
        });
        named.push(...answer.slots);
        values.push(...(answer.values ?? []));
      }
      return slotNamesOf(named, values);
    },
  });
  return data ?? NO_NAMES;
}

interface ContractSlots {
  readonly contract_address: string;
  readonly keys: readonly string[];
}

/** The slots by contract; those of a contract with very many in requests of their own. */
function byContract(slots: readonly SlotLocation[]): readonly (readonly ContractSlots[])[] {
  const keys = new Map<string, string[]>();
  for (const { contract, key } of slots) {
    const slotKeys = keys.get(contract);
    if (slotKeys) slotKeys.push(key);
    else keys.set(contract, [key]);
  }
  const first = [...keys].map(([contract_address, all]) => ({
    contract_address,
    keys: all.slice(0, MAX_KEYS),
  }));
  const more = [...keys].flatMap(([contract_address, all]) => {
    const parts: (readonly ContractSlots[])[] = [];
    for (let from = MAX_KEYS; from < all.length; from += MAX_KEYS) {
      parts.push([{ contract_address, keys: all.slice(from, from + MAX_KEYS) }]);
    }
    return parts;
  });
  const requests: (readonly ContractSlots[])[] = [];
  for (let from = 0; from < first.length; from += 100) requests.push(first.slice(from, from + 100));
  return [...requests, ...more];
}

const NO_NAMES: SlotNames = slotNamesOf([], []);
