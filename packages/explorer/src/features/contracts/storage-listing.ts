// Storage of a contract as far as it is loaded: slots in the order of their keys, their names, and the values that they make up.
import { joinSlots, type ReadSlot, slotsOfValue } from '@starkbox/abi/internal';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type NamedSlot, type SlotNames, slotNamesOf } from '../../parts/transaction/slot-names.js';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { runTask } from '../../state/tasks.js';

export type Slot = Result<'devnet_getStorage'>['entries'][number];
type NamedValue = Result<'devnet_nameStorage'>['values'][number];

/** Slots of the first page and of each later one. */
const FIRST_PAGE = 400;
export const LATER_PAGE = 2_000;
/** Slots of one request. */
const LISTED = 200;
const NAMED = 400;
/** Requests of one page; a page of a node may be empty. */
const MAX_REQUESTS = 40;
/** Further slots of the values of a page, such as the words of a text, that are read one by one. */
const MAX_READ = 1_000;
/** A length is read before the slots behind it. */
const ROUNDS = 3;

interface StoragePage {
  readonly entries: readonly Slot[];
  readonly names: readonly NamedSlot[];
  readonly values: readonly NamedValue[];
  /** Slots of these values that are not among the entries. */
  readonly others: ReadonlyMap<string, string>;
  readonly next: string | undefined;
}

interface NamesOfPage {
  readonly names: readonly NamedSlot[];
  readonly values: readonly NamedValue[];
}

async function listSlots(contract_address: string, from: string | undefined) {
  const size = from === undefined ? FIRST_PAGE : LATER_PAGE;
  const entries: Slot[] = [];
  let next = from;
  for (let at = 0; at < MAX_REQUESTS && entries.length < size; at += 1) {
    const page: Result<'devnet_getStorage'> = await call('devnet_getStorage', {
      contract_address,
      limit: LISTED,
      block_id: 'pre_confirmed',
      ...(next === undefined ? {} : { cursor: next }),
    });
    entries.push(...page.entries);
    next = page.next;
    if (next === undefined) break;
  }
  return { entries, next };
}

/** A node that does not name slots gives none. */
export async function nameSlots(
  contract_address: string,
  keys: readonly string[],
): Promise<NamesOfPage> {
  const names: NamedSlot[] = [];
  const values: NamedValue[] = [];
  for (let from = 0; from < keys.length; from += NAMED) {
    const contracts = [{ contract_address, keys: keys.slice(from, from + NAMED) }];
    const answer = await call('devnet_nameStorage', { contracts }).catch(() => undefined);
    names.push(...(answer?.slots ?? []));
    values.push(...(answer?.values ?? []));
  }
  return { names, values };
}

export async function readSlot(contract_address: string, key: string): Promise<string> {
  const stored = await call('starknet_getStorageAt', {
    block_id: 'pre_confirmed',
    contract_address,
    key,
  });
  return typeof stored === 'string' ? stored : stored.value;
}

/** The slots of values that a reader does not have, read in rounds. */
export async function readOthers(
  contract: string,
  values: readonly NamedValue[],
  read: ReadSlot,
): Promise<ReadonlyMap<string, string>> {
  const others = new Map<string, string>();
  const readBoth: ReadSlot = (key) => read(key) ?? others.get(key);
  for (let round = 0; round < ROUNDS && others.size < MAX_READ; round += 1) {
    const keys = values.flatMap((value) => slotsOfValue(value, readBoth));
    const missing = [...new Set(keys)].filter((key) => readBoth(key) === undefined);
    if (missing.length === 0) break;
    const missingKeys = missing.slice(0, MAX_READ - others.size);
    const felts = await Promise.all(missingKeys.map((key) => readSlot(contract, key)));
    for (const [at, key] of missingKeys.entries()) others.set(key, felts[at] ?? '0x0');
  }
  return others;
}

async function readPage(
  contract: string,
  from: string | undefined,
  isFork: boolean,
): Promise<StoragePage> {
  const { entries, next } = await listSlots(contract, from);
  const { names, values } = await nameSlots(
    contract,
    entries.map(({ key }) => key),
  );
  const listed = new Map(entries.map(({ key, value }) => [key, value]));
  const [first, last] = [from && BigInt(from), next && BigInt(next)];
  const read: ReadSlot = (key) => {
    const felt = listed.get(key);
    // A fork does not list the slots that only its origin wrote.
    if (felt !== undefined || isFork) return felt;
    const number = BigInt(key);
    const isBehind = first === undefined || first === '' || number > first;
    const isBefore = last === undefined || last === '' || number <= last;
    return isBehind && isBefore ? '0x0' : undefined;
  };
  const others = await readOthers(contract, values, read);
  return { entries, names, values, others, next };
}

export interface StorageListing {
  readonly slots: readonly Slot[];
  readonly names: SlotNames;
  /** The felt in a slot; undefined if it is not loaded. */
  readonly read: ReadSlot;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Whether the chain has changed since; a large listing is read again on demand. */
  readonly isOld: boolean;
  readonly loadMore: () => void;
  readonly loadAll: () => void;
  readonly readAgain: () => void;
  readonly error: Error | null;
  readonly isPending: boolean;
}

export function useStorageListing(address: string): StorageListing {
  const revision = useLive((live) => live.revision);
  const isFork = useLive(({ fork }) => fork !== undefined);
  const [version, setVersion] = useState(revision);
  const [wantsAll, setWantsAll] = useState(false);
  const query = useInfiniteQuery({
    queryKey: ['storage', address, version, isFork],
    placeholderData: (old) => old,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readPage(address, pageParam, isFork),
    getNextPageParam: (page: StoragePage) => page.next,
  });
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isLarge = (data?.pages.length ?? 0) > 1;
  useEffect(() => {
    if (!isLarge) setVersion(revision);
  }, [revision, isLarge]);
  useEffect(() => {
    if (wantsAll && hasNextPage && !isFetchingNextPage) runTask(fetchNextPage());
  }, [wantsAll, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const loaded = useMemo(() => merged(data?.pages ?? [], isFork), [data, isFork]);
  return {
    ...loaded,
    hasMore: hasNextPage,
    isLoading: isFetchingNextPage,
    isOld: version !== revision,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) runTask(fetchNextPage());
    },
    loadAll: () => setWantsAll(true),
    readAgain: () => {
      if (isLarge) runTask(refetch());
      else setVersion(revision);
    },
    error,
    isPending,
  };
}

function merged(
  pages: readonly StoragePage[],
  isFork: boolean,
): Pick<StorageListing, 'slots' | 'names' | 'read'> {
  const slots = pages.flatMap(({ entries }) => entries);
  const felts = new Map<string, string>();
  for (const { others } of pages) for (const [key, felt] of others) felts.set(key, felt);
  for (const { key, value } of slots) felts.set(key, value);
  const next = pages.at(-1)?.next;
  const end = next === undefined ? undefined : BigInt(next);
  return {
    slots,
    names: slotNamesOf(
      pages.flatMap(({ names }) => names),
      pages.flatMap(({ values }) => values),
    ),
    read: (key) =>
      felts.get(key) ?? (!isFork && (end === undefined || BigInt(key) <= end) ? '0x0' : undefined),
  };
}

/** The slots of a contract by the values that they are parts of. */
export function valuesOf(
  contract: string,
  { slots, names }: Pick<StorageListing, 'slots' | 'names'>,
) {
  return joinSlots(
    slots,
    (key) => names.nameOf({ contract, key }),
    (key) => names.valueAt({ contract, key }),
  );
}
