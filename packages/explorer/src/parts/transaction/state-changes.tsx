// Table of state changes, before and after.
import type { Decoded } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { type Column, VirtualTable } from '../table/table.js';
import { Address, ClassRef } from '../values.js';
import { SlotChange, SlotName, SlotValue, slotValue } from './slot-name.js';
import {
  type KeyHints,
  type NamedSlot,
  type SlotLocation,
  type SlotNames,
  slotId,
  useSlotNames,
} from './slot-names.js';

type Diff =
  Result<'starknet_traceTransaction'> extends infer T
    ? T extends { readonly state_diff?: infer D }
      ? NonNullable<D>
      : never
    : never;

const MOST = 200;

interface Row {
  readonly id: string;
  readonly contract?: string;
  readonly variable: ReactNode;
  readonly name?: NamedSlot | undefined;
  readonly was?: Decoded | undefined;
  readonly is?: Decoded;
  readonly becomes?: string;
}

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

interface StateChangesProps {
  readonly diff: Diff;
  readonly before: number;
  /** The block at whose end it is so, where it is not the one right after `before`. */
  readonly after?: number;
  readonly hints?: KeyHints;
}

export function StateChanges({ diff, before, after, hints }: StateChangesProps) {
  const slots = useMemo(
    () =>
      diff.storage_diffs
        .flatMap(({ address, storage_entries }) =>
          storage_entries.map(({ key, value }) => ({ contract: address, key, value })),
        )
        .slice(0, MOST),
    [diff],
  );
  const names = useSlotNames(slots, hints);
  const old = useQuery({
    queryKey: ['before', before, slots, diff.nonces],
    enabled: before >= 0,
    queryFn: () =>
      Promise.all(
        [
          ...slots.map(({ contract, key }): SlotLocation => ({ contract, key })),
          ...diff.nonces.slice(0, MOST).map(({ contract_address: contract }) => ({ contract })),
        ].map((slot) => readBefore(before, slot.contract, 'key' in slot ? slot.key : undefined)),
      ),
  });
  const halves = useOtherHalves(slots, names, before);
  const rows = useMemo(
    () => changedRows(diff, slots, { old: old.data, names, halves }),
    [diff, slots, old.data, names, halves],
  );
  const total = diff.storage_diffs.reduce(
    (sum, { storage_entries }) => sum + storage_entries.length,
    0,
  );
  return (
    <>
      <VirtualTable
        label="State changes"
        // A value that was changed and changed back is not a difference.
        rows={after === undefined ? rows : rows.filter(({ was, is }) => !isEqual(was, is))}
        columns={COLUMNS}
        idOf={idOf}
        isTallOnPhones
      />
      {total > MOST && (
        <p className="quiet">
          The first {MOST} of {grouped(total)} slots.
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

const bare = (value: Decoded): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}` : inner));

const isEqual = (was: Decoded | undefined, is: Decoded | undefined): boolean =>
  was !== undefined && is !== undefined && bare(was) === bare(is);

/** The slot with the other half of a u256. */
function otherHalf({ contract, key }: SlotLocation, { part }: NamedSlot): SlotLocation | undefined {
  if (part !== 'low' && part !== 'high') return undefined;
  const other = BigInt(key) + (part === 'low' ? 1n : -1n);
  return { contract, key: `0x${other.toString(16)}` };
}

type Values = ReadonlyMap<string, string>;

/** Halves of changed values that did not change themselves, by slot: they are as they were before. */
function useOtherHalves(slots: readonly SlotLocation[], names: SlotNames, before: number): Values {
  const missing = useMemo(() => {
    const changed = new Set(slots.map(slotId));
    return slots.flatMap((slot) => {
      const name = names.get(slotId(slot));
      const other = name && otherHalf(slot, name);
      return other && !changed.has(slotId(other)) ? [other] : [];
    });
  }, [slots, names]);
  const { data } = useQuery({
    queryKey: ['halves', before, missing],
    enabled: before >= 0 && missing.length > 0,
    queryFn: async () => {
      const values = await Promise.all(
        missing.map(({ contract, key }) => readBefore(before, contract, key)),
      );
      return new Map(missing.map((slot, at) => [slotId(slot), values[at] ?? '0x0']));
    },
  });
  return data ?? NO_VALUES;
}

const NO_VALUES: Values = new Map();

interface ChangeContext {
  /** What the slots were, and after them the nonces. */
  readonly old: readonly (string | undefined)[] | undefined;
  readonly names: SlotNames;
  /** Unchanged halves of changed values. */
  readonly halves: Values;
}

function changedRows(
  diff: Diff,
  slots: readonly ChangedSlot[],
  context: ChangeContext,
): readonly Row[] {
  const nonce = (value: string): Decoded => slotValue(undefined, value, undefined);
  return [
    ...diff.declared_classes.map(({ class_hash }) => ({
      id: class_hash,
      variable: 'class declared',
      becomes: class_hash,
    })),
    ...diff.deployed_contracts.map(({ address, class_hash }) => ({
      id: address,
      contract: address,
      variable: 'deployed',
      becomes: class_hash,
    })),
    ...diff.replaced_classes.map(({ contract_address, class_hash }) => ({
      id: `replaced ${contract_address}`,
      contract: contract_address,
      variable: 'class replaced',
      becomes: class_hash,
    })),
    ...diff.nonces.slice(0, MOST).map(({ contract_address, nonce: value }, at) => {
      const was = context.old?.[slots.length + at];
      return {
        id: `nonce ${contract_address}`,
        contract: contract_address,
        variable: 'nonce',
        was: was === undefined ? undefined : nonce(was),
        is: nonce(value),
      };
    }),
    ...slotRows(slots, context),
  ];
}

/** One row for each slot, and for both halves of a u256. */
function slotRows(
  slots: readonly ChangedSlot[],
  { old, names, halves }: ChangeContext,
): readonly Row[] {
  const positions = new Map(slots.map((slot, at) => [slotId(slot), at]));
  return slots.flatMap((slot, at): readonly Row[] => {
    const { contract, key } = slot;
    const name = names.get(slotId(slot));
    const other = name && otherHalf(slot, name);
    const otherAt = other && positions.get(slotId(other));
    // The lower half has the row of both.
    if (name?.part === 'high' && otherAt !== undefined) return [];
    const half = otherAt === undefined ? other && halves.get(slotId(other)) : undefined;
    const changed = { is: slot.value, was: old?.[at] };
    const paired = {
      is: otherAt === undefined ? half : slots[otherAt]?.value,
      was: otherAt === undefined ? half : old?.[otherAt],
    };
    const [low, high] = name?.part === 'high' ? [paired, changed] : [changed, paired];
    const joined = other !== undefined && paired.is !== undefined && low.is !== undefined;
    const joinedName = joined && name ? { ...name, part: 'low' as const } : name;
    const value = (which: 'is' | 'was'): Decoded | undefined => {
      const felt = joined ? low[which] : changed[which];
      return felt === undefined
        ? undefined
        : slotValue(joinedName, felt, joined ? high[which] : undefined);
    };
    const is = value('is');
    return [
      {
        id: slotId(slot),
        contract,
        variable: <SlotName slot={key} name={name} joined={joined} />,
        name,
        was: value('was'),
        ...(is === undefined ? {} : { is }),
      },
    ];
  });
}

const idOf = (row: Row): string => row.id;

const COLUMNS: readonly Column<Row>[] = [
  {
    head: 'Contract',
    width: 'w-name',
    cell: ({ contract }) => contract !== undefined && <Address of={contract} mark />,
  },
  { head: 'Variable', phone: 'main', cell: ({ variable }) => variable },
  {
    head: 'Before',
    width: 'w-state',
    number: true,
    phone: 'none',
    cell: ({ contract = '', name, was, is }) =>
      is !== undefined &&
      (was === undefined ? '–' : <SlotValue contract={contract} name={name} of={was} />),
  },
  {
    head: 'After',
    width: 'w-state',
    number: true,
    cell: ({ contract = '', name, is, becomes }) =>
      is === undefined ? (
        becomes !== undefined && <ClassRef of={becomes} />
      ) : (
        <SlotValue contract={contract} name={name} of={is} />
      ),
  },
  {
    head: 'Change',
    width: 'w-state',
    number: true,
    cell: ({ contract = '', was, is }) =>
      was !== undefined &&
      is !== undefined && <SlotChange contract={contract} from={was} to={is} />,
  },
];
