// Blocks, transactions and contracts that were opened last on this chain.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { chainPath } from '../format/chain-path.js';
import { useRoute } from '../navigation/route.js';
import { call, RpcFailure } from '../rpc/client.js';
import { createBrowserStore, type Store, useStore } from '../state/store.js';

const PAGES = ['block', 'tx', 'contract'] as const;
type RecentPage = (typeof PAGES)[number];

export interface RecentVisit {
  readonly page: RecentPage;
  /** A block number, a hash or an address. */
  readonly key: string;
}

const MAX_COUNT = 20;
const KEY = /^(0x[0-9a-f]{1,64}|\d{1,15})$/i;

const isPage = (value: unknown): value is RecentPage => PAGES.some((page) => page === value);

/** The browser's storage can hold any text, so that each entry is checked. */
const recent: Store<readonly RecentVisit[]> = createBrowserStore(
  'localStorage',
  `starkbox.recent${chainPath()}`,
  (stored) => (Array.isArray(stored) ? stored.flatMap(readVisit).slice(0, MAX_COUNT) : []),
);

function readVisit(stored: unknown): readonly RecentVisit[] {
  if (typeof stored !== 'object' || stored === null) return [];
  if (!('page' in stored && 'key' in stored)) return [];
  const { page, key } = stored;
  return isPage(page) && typeof key === 'string' && KEY.test(key) ? [{ page, key }] : [];
}

const without = ({ page, key }: RecentVisit): readonly RecentVisit[] =>
  recent.get().filter((visit) => visit.page !== page || visit.key !== key);

/** Remembers each block, transaction and contract whose page is opened. */
export function useRecentRecorder(): void {
  const { page, key } = useRoute();
  useEffect(() => {
    for (const visit of readVisit({ page, key }))
      recent.set([visit, ...without(visit)].slice(0, MAX_COUNT));
  }, [page, key]);
}

/** The last visits, newest first, and outcomes of transactions among them. What is gone is removed. */
export function useRecent(): {
  readonly visits: readonly RecentVisit[];
  readonly outcomes: ReadonlyMap<string, string>;
} {
  const visits = useStore(recent);
  const { data } = useQuery({
    queryKey: ['recent'],
    gcTime: 0,
    staleTime: 0,
    queryFn: async () => new Map((await Promise.all(recent.get().map(checkVisit))).flat()),
  });
  return { visits, outcomes: data ?? NONE };
}

const NONE: ReadonlyMap<string, string> = new Map();

async function checkVisit(visit: RecentVisit): Promise<readonly (readonly [string, string])[]> {
  try {
    const outcome = await readOutcome(visit);
    return outcome === undefined ? [] : [[visit.key, outcome]];
  } catch (error) {
    if (error instanceof RpcFailure) recent.set(without(visit));
    return [];
  }
}

async function readOutcome({ page, key }: RecentVisit): Promise<string | undefined> {
  if (page === 'block') {
    const block_id = key.startsWith('0x') ? { block_hash: key } : { block_number: Number(key) };
    await call('starknet_getBlockTransactionCount', { block_id });
    return undefined;
  }
  if (page === 'contract') {
    await call('starknet_getClassHashAt', { block_id: 'pre_confirmed', contract_address: key });
    return undefined;
  }
  const status = await call('starknet_getTransactionStatus', { transaction_hash: key });
  return status.execution_status?.toLowerCase();
}
