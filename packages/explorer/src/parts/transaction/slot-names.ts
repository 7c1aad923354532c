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

/** By {@link slotId}. */
export type SlotNames = ReadonlyMap<string, NamedSlot>;

/** What leads to the keys of maps. */
export interface KeyHints {
  /** The transaction that wrote the slots. */
  readonly transaction?: string | undefined;
  /** Arguments of one that was only simulated. */
  readonly felts?: readonly string[] | undefined;
}

const NO_NAMES: SlotNames = new Map();
/** Of one contract in a request. */
const MOST_KEYS = 400;
const MOST_FELTS = 400;

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
      const names = new Map<string, NamedSlot>();
      for (const part of contracts) {
        const { slots } = await call('devnet_nameStorage', {
          contracts: part,
          ...(transaction === undefined ? {} : { transaction_hash: transaction }),
          ...(felts === undefined ? {} : { felts: felts.slice(0, MOST_FELTS) }),
        });
        for (const slot of slots) {
          names.set(slotId({ contract: slot.contract_address, key: slot.key }), slot);
        }
      }
      return names;
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
    keys: all.slice(0, MOST_KEYS),
  }));
  const more = [...keys].flatMap(([contract_address, all]) => {
    const parts: (readonly ContractSlots[])[] = [];
    for (let from = MOST_KEYS; from < all.length; from += MOST_KEYS) {
      parts.push([{ contract_address, keys: all.slice(from, from + MOST_KEYS) }]);
    }
    return parts;
  });
  const requests: (readonly ContractSlots[])[] = [];
  for (let from = 0; from < first.length; from += 100) requests.push(first.slice(from, from + 100));
  return [...requests, ...more];
}
