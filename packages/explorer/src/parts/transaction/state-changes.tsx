// Table of state changes, before and after.
import { selectorOf } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { call } from '../../rpc/client.js';
import type { Result } from '../../rpc/methods.js';
import { type Column, VirtualTable } from '../table/table.js';
import { Address, ClassRef, Felt } from '../values.js';

type Diff =
  Result<'starknet_traceTransaction'> extends infer T
    ? T extends { readonly state_diff?: infer D }
      ? NonNullable<D>
      : never
    : never;

const MOST = 200;
/** The key of a plain storage variable is the hash of its name. */
export const VARIABLES: ReadonlyMap<string, string> = new Map(
  [
    'ERC20_total_supply',
    'total_supply',
    'ERC20_name',
    'ERC20_symbol',
    'Account_public_key',
    'count',
    'owner',
    'Ownable_owner',
    'balance',
    'value',
    'mode',
    'kept',
  ].map((name) => [selectorOf(name), name]),
);

interface Row {
  readonly id: string;
  readonly contract?: string;
  readonly variable: ReactNode;
  readonly was?: string | undefined;
  readonly is?: string;
  readonly becomes?: string;
}

type Slot = { readonly contract: string; readonly key: string };
type ChangedSlot = Slot & { readonly value: string };

/** Value of a slot, or the nonce if there is no key, after a block. */
async function readBefore(block: number, contract: string, key: string | undefined) {
  const at = { block_id: { block_number: block }, contract_address: contract };
  try {
    if (key === undefined) return await call('starknet_getNonce', at);
    const found = await call('starknet_getStorageAt', { ...at, key });
    return typeof found === 'string' ? found : found.value;
  } catch {
    // The contract did not exist, or old states are not available.
    return undefined;
  }
}

/** @param after the block at whose end it is so, where it is not the one right after `before` */
export function StateChanges({
  diff,
  before,
  after,
}: {
  readonly diff: Diff;
  readonly before: number;
  readonly after?: number;
}) {
  const slots = useMemo(
    () =>
      diff.storage_diffs
        .flatMap(({ address, storage_entries }) =>
          storage_entries.map(({ key, value }) => ({ contract: address, key, value })),
        )
        .slice(0, MOST),
    [diff],
  );
  const old = useQuery({
    queryKey: ['before', before, slots, diff.nonces],
    enabled: before >= 0,
    queryFn: () =>
      Promise.all(
        [
          ...slots.map(({ contract, key }): Slot => ({ contract, key })),
          ...diff.nonces.slice(0, MOST).map(({ contract_address: contract }) => ({ contract })),
        ].map((one) => readBefore(before, one.contract, 'key' in one ? one.key : undefined)),
      ),
  });
  const rows = useMemo(() => changedRows(diff, slots, old.data), [diff, slots, old.data]);
  const total = diff.storage_diffs.reduce(
    (sum, { storage_entries }) => sum + storage_entries.length,
    0,
  );
  return (
    <>
      <VirtualTable
        label="State changes"
        // A value that was changed and changed back is not a difference.
        rows={
          after === undefined ? rows : rows.filter(({ was, is }) => was === undefined || was !== is)
        }
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

/** @param old what the slots were, and after them the nonces */
function changedRows(
  diff: Diff,
  slots: readonly ChangedSlot[],
  old: readonly (string | undefined)[] | undefined,
): readonly Row[] {
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
    ...diff.nonces.slice(0, MOST).map(({ contract_address, nonce }, at) => ({
      id: `nonce ${contract_address}`,
      contract: contract_address,
      variable: 'nonce',
      was: old?.[slots.length + at],
      is: nonce,
    })),
    ...slots.map(({ contract, key, value }, at) => ({
      id: `${contract} ${key}`,
      contract,
      variable: VARIABLES.get(key) ?? <Felt of={key} />,
      was: old?.[at],
      is: value,
    })),
  ];
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
    cell: ({ was, is }) => is !== undefined && (was === undefined ? '–' : <Value of={was} />),
  },
  {
    head: 'After',
    width: 'w-state',
    number: true,
    cell: ({ is, becomes }) =>
      is === undefined ? becomes !== undefined && <ClassRef of={becomes} /> : <Value of={is} />,
  },
  {
    head: 'Change',
    width: 'w-state',
    number: true,
    cell: ({ was, is }) => was !== undefined && is !== undefined && <Change from={was} to={is} />,
  },
];

/** Small values are shown as decimal numbers. */
const COUNTABLE = 1n << 96n;

function Value({ of }: { readonly of: string }) {
  const value = BigInt(of);
  return value < COUNTABLE ? <span title={of}>{grouped(value)}</span> : <Felt of={of} />;
}

function Change({ from, to }: { readonly from: string; readonly to: string }) {
  const [was, is] = [BigInt(from), BigInt(to)];
  if (was >= COUNTABLE || is >= COUNTABLE) return null;
  const by = is - was;
  return <span>{by > 0n ? `+${grouped(by)}` : grouped(by)}</span>;
}
