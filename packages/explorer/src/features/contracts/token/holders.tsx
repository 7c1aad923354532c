// Holders of a token, from the storage of its contract: the slots of its balances that the node can name.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { counted, grouped, type Unit } from '../../../format/amount.js';
import { Button } from '../../../parts/button.js';
import { Amount } from '../../../parts/number.js';
import { Empty, Unread } from '../../../parts/page-states.js';
import { type Column, numberColumn, ShortTable } from '../../../parts/table/table.js';
import type { NamedSlot } from '../../../parts/transaction/slot-names.js';
import { Address } from '../../../parts/values.js';
import { call } from '../../../rpc/client.js';
import { useLive } from '../../../rpc/live-state.js';
import type { Result } from '../../../rpc/methods.js';
import { runTask } from '../../../state/tasks.js';

const SLOTS_PER_PAGE = 200;
/** Most holders that are rendered; the largest ones. */
const MAX_SHOWN = 200;
/** Hundredths of a percent. */
const MAX_OF_PART = 9_999n;
const BALANCES = /(?:^|_)balances?$/i;

interface SlotPage {
  readonly slots: Result<'devnet_getStorage'>['entries'];
  readonly names: readonly NamedSlot[];
  readonly next: string | undefined;
}

async function readSlots(contract_address: string, cursor: string | undefined): Promise<SlotPage> {
  const { entries, next } = await call('devnet_getStorage', {
    contract_address,
    limit: SLOTS_PER_PAGE,
    block_id: 'pre_confirmed',
    ...(cursor === undefined ? {} : { cursor }),
  });
  const keys = entries.map(({ key }) => key);
  const names =
    keys.length === 0
      ? []
      : (await call('devnet_nameStorage', { contracts: [{ contract_address, keys }] })).slots;
  return { slots: entries, names, next };
}

export interface Holder {
  readonly address: string;
  readonly balance: bigint;
}

interface LoadedHolders {
  /** By balance, largest first. */
  readonly holders: readonly Holder[];
  readonly slotCount: number;
  readonly unnamedCount: number;
}

/** The only key of a map, where the slot belongs to the balances. */
function holderOf({ variable, path }: NamedSlot): string | undefined {
  const [step, ...further] = path;
  const [key, ...others] = step?.keys ?? [];
  if (!BALANCES.test(variable) || further.length > 0 || others.length > 0) return undefined;
  return key?.felts.length === 1 ? key.felts[0] : undefined;
}

/** Adds up the halves of each balance; a half that is zero has no slot. */
export function holdersIn(pages: readonly SlotPage[]): LoadedHolders {
  const balances = new Map<string, bigint>();
  let slotCount = 0;
  let namedCount = 0;
  for (const { slots, names } of pages) {
    const nameOf = new Map(names.map((name) => [name.key, name]));
    slotCount += slots.length;
    for (const { key, value } of slots) {
      const name = nameOf.get(key);
      if (!name) continue;
      namedCount++;
      const holder = holderOf(name);
      if (holder === undefined) continue;
      const part = BigInt(value) << (name.part === 'high' ? 128n : 0n);
      balances.set(holder, (balances.get(holder) ?? 0n) + part);
    }
  }
  const holders = [...balances]
    .map(([address, balance]) => ({ address, balance }))
    .sort((first, other) => (first.balance < other.balance ? 1 : -1));
  return { holders, slotCount, unnamedCount: slotCount - namedCount };
}

interface HoldersProps {
  readonly address: string;
  readonly unit: Unit;
  readonly supply: bigint | undefined;
}

export function Holders({ address, unit, supply }: HoldersProps) {
  const revision = useLive((live) => live.revision);
  const isFork = useLive(({ fork }) => fork !== undefined);
  const query = useInfiniteQuery({
    queryKey: ['holders', address],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readSlots(address, pageParam),
    getNextPageParam: (page: SlotPage) => page.next,
    staleTime: 0,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after each change
  useEffect(() => {
    if (data) runTask(refetch());
  }, [revision]);
  const loaded = useMemo(() => holdersIn(data?.pages ?? []), [data]);
  const columns = useMemo(() => holderColumns(unit, supply), [unit, supply]);
  if (!data) return <Unread query={query} what="the holders" />;
  const { holders, slotCount, unnamedCount } = loaded;
  return (
    <>
      {holders.length === 0 ? (
        <Empty icon="accounts" title="The storage of this contract has no balances.">
          If its balances have an unusual name, add its artifact with <code>--artifacts</code>.
        </Empty>
      ) : (
        <ShortTable
          label="Holders"
          className="grows"
          rows={holders.slice(0, MAX_SHOWN)}
          columns={columns}
          idOf={({ address: holder }) => holder}
        />
      )}
      <p className="quiet note">
        {counted(holders.length, 'holder')} in{' '}
        {hasNextPage ? `the first ${grouped(slotCount)}` : `all ${grouped(slotCount)}`} storage
        slots, sorted by balance.
        {holders.length > MAX_SHOWN && ` The largest ${MAX_SHOWN} are shown.`}
        {unnamedCount > 0 && ` ${counted(unnamedCount, 'slot')} could not be named.`}
        {isFork && ' Balances that only the origin of the fork wrote are not included.'}
      </p>
      {hasNextPage && (
        <Button aria-disabled={isFetchingNextPage} onClick={() => runTask(fetchNextPage())}>
          Read {SLOTS_PER_PAGE} more slots
        </Button>
      )}
    </>
  );
}

/** Rounded down to two decimals; never 0 or 100 % for a part. */
export function shareText(part: bigint, whole: bigint): string {
  const hundredths = (part * 10_000n) / whole;
  if (hundredths === 0n) return part === 0n ? '0 %' : '< 0.01 %';
  if (hundredths === MAX_OF_PART && part * 10_000n > MAX_OF_PART * whole) return '> 99.99 %';
  const percent = `${grouped(hundredths / 100n)}.${String(hundredths % 100n).padStart(2, '0')}`;
  return `${percent.replace(/\.?0+$/, '')} %`;
}

function holderColumns(unit: Unit, supply: bigint | undefined): readonly Column<Holder>[] {
  return [
    {
      head: 'Holder',
      phone: 'main',
      least: 8,
      cell: ({ address }) => <Address of={address} mark />,
    },
    {
      head: unit.symbol,
      width: 'w-held',
      number: true,
      cellClass: 'wraps',
      phoneHead: unit.symbol,
      cell: ({ balance }) => <Amount of={balance} unit={unit} column whole />,
    },
    ...(supply === undefined || supply === 0n
      ? []
      : [
          numberColumn(
            'Share',
            'w-count',
            ({ balance }: Holder) => shareText(balance, supply),
            'share',
          ),
        ]),
  ];
}
