// State changes of a transaction, a block or several blocks: before, after and the difference, by contract.
import type { Decoded } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { useNamesOf } from '../../format/names.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { Integer } from '../number.js';
import { ClassRef } from '../values.js';
import { changedValues, type Felts, joinedValues, missingSlots } from './changed-values.js';
import {
  type KeyHints,
  type SlotLocation,
  type SlotNames,
  slotId,
  useSlotNames,
} from './slot-names.js';
import { type OtherChange, ValueTable } from './value-table.js';

type Diff =
  Result<'starknet_traceTransaction'> extends infer T
    ? T extends { readonly state_diff?: infer D }
      ? NonNullable<D>
      : never
    : never;

const MAX_COUNT = 200;
/** Further slots of the changed values that are read. */
const MAX_READ = 1_000;
/** A length is read before the slots behind it. */
const ROUNDS = 3;

type ChangedSlot = SlotLocation & { readonly value: string };

/** Value of a slot, or the nonce if there is no key, after a block. */
async function readBefore(block: number, contract: string, key: string | undefined) {
  const at = { block_id: { block_number: block }, contract_address: contract };
  try {
    if (key === undefined) return await call('starknet_getNonce', at);
    const stored = await call('starknet_getStorageAt', { ...at, key });
    return typeof stored === 'string' ? stored : stored.value;
  } catch {
    // The contract did not exist, or old states are not available.
    return undefined;
  }
}

async function readSlots(block: number, slots: readonly SlotLocation[]): Promise<Felts> {
  const felts = await Promise.all(
    slots.map(({ contract, key }) => readBefore(block, contract, key)),
  );
  return new Map(
    slots.flatMap((slot, at) => {
      const felt = felts[at];
      return felt === undefined ? [] : [[slotId(slot), felt] as const];
    }),
  );
}

const slotsOf = (diff: Diff | undefined): readonly ChangedSlot[] =>
  (diff?.storage_diffs ?? [])
    .flatMap(({ address, storage_entries }) =>
      storage_entries.map(({ key, value }) => ({ contract: address, key, value })),
    )
    .slice(0, MAX_COUNT);

/** Reads what the changes of a transaction show, before their tab is shown, in the same request as the ABIs. */
export function usePreparedChanges(diff: Diff | undefined, before: number, hints: KeyHints): void {
  const slots = useMemo(() => slotsOf(diff), [diff]);
  useNamesOf(useMemo(() => [...new Set(slots.map(({ contract }) => contract))], [slots]));
  useFelts(slots, useSlotNames(slots, hints), before);
}

interface StateChangesProps {
  readonly diff: Diff;
  readonly before: number;
  /** The block at whose end it is so, where it is not the one right after `before`. */
  readonly after?: number;
  readonly hints?: KeyHints;
}

export function StateChanges({ diff, before, after, hints }: StateChangesProps) {
  const slots = useMemo(() => slotsOf(diff), [diff]);
  const names = useSlotNames(slots, hints);
  const { was, is } = useFelts(slots, names, before);
  const values = useMemo(() => {
    const created = new Set(diff.deployed_contracts.map(({ address }) => address));
    const rows = changedValues(joinedValues(slots, names), was, is, created);
    // A value that was changed and changed back is not a difference.
    return after === undefined ? rows : rows.filter((row) => !isEqual(row.was, row.is));
  }, [diff, slots, names, was, is, after]);
  const others = useOtherChanges(diff, before);
  const total = diff.storage_diffs.reduce(
    (sum, { storage_entries }) => sum + storage_entries.length,
    0,
  );
  return (
    <>
      <ValueTable
        label="State changes"
        values={values}
        others={others}
        sides={SIDES}
        difference="Change"
      />
      {total > MAX_COUNT && (
        <p className="quiet">
          The first {MAX_COUNT} of {grouped(total)} slots.
        </p>
      )}
      <p className="quiet">
        “Before” is the value at the end of{' '}
        {after === undefined ? 'the block before' : `block ${before}`}
        {after !== undefined && `, “after” at the end of block ${after}`}.
      </p>
    </>
  );
}

const SIDES = ['Before', 'After'] as const;

const bare = (value: Decoded): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}` : inner));

const isEqual = (was: Decoded | undefined, is: Decoded | undefined): boolean =>
  was !== undefined && is !== undefined && bare(was) === bare(is);

const NO_FELTS: Felts = new Map();

/** The changed slots and all other slots of their values, before and after. */
function useFelts(
  slots: readonly ChangedSlot[],
  names: SlotNames,
  before: number,
): { readonly was: Felts; readonly is: Felts } {
  const changed = useMemo(
    (): Felts => new Map(slots.map((slot) => [slotId(slot), slot.value])),
    [slots],
  );
  const first = useQuery({
    queryKey: ['before', before, slots],
    enabled: before >= 0 && slots.length > 0,
    queryFn: () => readSlots(before, slots),
  });
  const old = first.data;
  const values = useMemo(() => joinedValues(slots, names), [slots, names]);
  const more = useQuery({
    queryKey: ['before', 'values', before, values.map(({ value }) => value.key), slots],
    enabled: old !== undefined && values.some(({ name }) => name?.value_key !== undefined),
    placeholderData: (read: Felts | undefined) => read,
    queryFn: async (): Promise<Felts> => {
      let felts: Felts = new Map(old);
      for (let round = 0; round < ROUNDS; round += 1) {
        const missing = missingSlots(values, felts, new Map([...felts, ...changed]));
        if (missing.length === 0 || felts.size > MAX_READ) break;
        felts = new Map([...felts, ...(await readSlots(before, missing.slice(0, MAX_READ)))]);
      }
      return felts;
    },
  });
  return useMemo(() => {
    const was = more.data ?? old ?? NO_FELTS;
    return { was, is: new Map([...was, ...changed]) };
  }, [more.data, old, changed]);
}

/** Classes and nonces. */
function useOtherChanges(diff: Diff, before: number): readonly OtherChange[] {
  const nonces = useMemo(() => diff.nonces.slice(0, MAX_COUNT), [diff]);
  const { data: old } = useQuery({
    queryKey: ['before', 'nonces', before, nonces],
    enabled: before >= 0 && nonces.length > 0,
    queryFn: () =>
      Promise.all(
        nonces.map(({ contract_address }) => readBefore(before, contract_address, undefined)),
      ),
  });
  return useMemo(
    () => [
      ...diff.declared_classes.map(({ class_hash }) => ({
        id: class_hash,
        contract: undefined,
        title: 'class declared',
        was: null,
        is: <ClassRef of={class_hash} />,
      })),
      ...diff.deployed_contracts.map(({ address, class_hash }) => ({
        id: address,
        contract: address,
        title: 'deployed',
        was: null,
        is: <ClassRef of={class_hash} />,
      })),
      ...diff.replaced_classes.map(({ contract_address, class_hash }) => ({
        id: `replaced ${contract_address}`,
        contract: contract_address,
        title: 'class replaced',
        was: null,
        is: <ClassRef of={class_hash} />,
      })),
      ...nonces.map(({ contract_address, nonce }, at) =>
        nonceChange(contract_address, old?.[at], nonce),
      ),
    ],
    [diff, nonces, old],
  );
}

function nonceChange(contract: string, was: string | undefined, is: string): OtherChange {
  return {
    id: `nonce ${contract}`,
    contract,
    title: 'nonce',
    was: was === undefined ? <span className="quiet">–</span> : <Integer of={BigInt(was)} />,
    is: <Integer of={BigInt(is)} />,
    ...(was === undefined ? {} : { change: <Integer of={BigInt(is) - BigInt(was)} signed /> }),
  };
}
