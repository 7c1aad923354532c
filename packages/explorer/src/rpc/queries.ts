// Cached queries of the chain.
import type { Abi } from '@starkbox/abi';
import type {
  BLOCK_ROW,
  CANDIDATE,
  CLASS_ROW,
  CONTRACT_ROW,
  TRANSACTION_FILTER,
  TRANSACTION_ROW,
} from '@starkbox/spec';
import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
} from '@tanstack/react-query';
import { grouped } from '../format/amount.js';
import { learnNames } from '../format/names.js';
import { runTask } from '../state/tasks.js';
import { readClassAbi, readContractAbi } from './abis.js';
import { call, Unreachable, unlessMissing } from './client.js';
import { useLive } from './live-state.js';
import type { Result } from './methods.js';
import { preloadNames } from './names.js';
import { readOriginBlocks, readOriginTransactions } from './origin-blocks.js';
import { whatIsForked } from './subscriptions.js';

export type TransactionRow = TRANSACTION_ROW;
export type BlockRow = BLOCK_ROW;
export type ContractRow = CONTRACT_ROW;
export type ClassRow = CLASS_ROW;
export type TransactionFilter = TRANSACTION_FILTER;

export const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 300_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
      retry: (count, error) => error instanceof Unreachable && count < 1,
      retryDelay: 300,
    },
  },
});

/** Reads again after each change of the chain, and shows the last answer until the next is there. */
export function useCurrent<T>(
  key: readonly unknown[],
  read: () => Promise<T>,
  { isWanted = true } = {},
): UseQueryResult<T> {
  const revision = useLive((live) => live.revision);
  return useQuery({
    queryKey: [...key, revision],
    enabled: isWanted,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: read,
  });
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
  /** Description of older rows that are read only on request. */
  readonly olderRowsHint?: string;
}

/** Prefix of cursors that are numbers of the origin's blocks. */
const ORIGIN = 'origin ';
const originFrom = (cursor: string | undefined): number | undefined =>
  cursor?.startsWith(ORIGIN) ? Number(cursor.slice(ORIGIN.length)) : undefined;

function originPage<Row>(page: {
  readonly rows: readonly Row[];
  readonly next: number | undefined;
}): Page<Row> {
  return { rows: page.rows, next: page.next === undefined ? undefined : ORIGIN + page.next };
}

/** Last page of local blocks; the next one is of the origin. */
function endAt<Row>(rows: readonly Row[], newestOfOrigin: number): Page<Row> {
  return {
    rows,
    next: ORIGIN + newestOfOrigin,
    olderRowsHint: `Blocks up to ${grouped(newestOfOrigin)} come from the origin of the fork.`,
  };
}

/**
 * The node searches a bounded part of the chain per page, so pages of a filtered list may be empty. Checks for
 * new rows read the first page only.
 */
const MAX_PAGES = 20;

export async function readTransactions(
  filter: TransactionFilter,
  cursor: string | undefined,
  isTip = false,
): Promise<Page<TransactionRow>> {
  const page = await readTransactionRows(filter, cursor, isTip);
  // In the same request as the names.
  for (const { call: called } of page.rows) {
    if (called) runTask(queries.prefetchQuery(abiAtQuery(called.contract_address)));
  }
  await preloadNames(page.rows.flatMap((row) => [row.sender_address, row.call?.contract_address]));
  return page;
}

/** The same without names. */
export async function readTransactionRows(
  filter: TransactionFilter,
  cursor: string | undefined,
  isTip = false,
): Promise<Page<TransactionRow>> {
  const below = originFrom(cursor);
  if (below !== undefined) return originTransactions(filter, below);
  return listTransactions(filter, cursor, isTip);
}

/** Most empty pages in a row before reading on needs a request. */
const MAX_ORIGIN_PAGES = 5;

async function originTransactions(
  filter: TransactionFilter,
  from: number,
): Promise<Page<TransactionRow>> {
  const rows: TransactionRow[] = [];
  let next: number | undefined = from;
  for (let page = 0; page < MAX_ORIGIN_PAGES && next !== undefined && rows.length < 10; page++) {
    const answer = await readOriginTransactions(next, filter);
    rows.push(...answer.rows);
    next = answer.next;
  }
  return originPage({ rows, next });
}

async function listTransactions(
  filter: TransactionFilter,
  cursor: string | undefined,
  isTip: boolean,
): Promise<Page<TransactionRow>> {
  const limit = 50;
  const rows: TransactionRow[] = [];
  let next = cursor;
  for (let page = 0; page < (isTip ? 1 : MAX_PAGES); page++) {
    const answer = await call('devnet_listTransactions', {
      filter,
      limit,
      ...(next === undefined ? {} : { cursor: next }),
    });
    rows.push(...answer.transactions);
    next = answer.next;
    if (next === undefined || rows.length >= limit / 2) break;
  }
  if (next !== undefined) return { rows, next };
  const fork = await whatIsForked();
  if (!fork) return { rows, next };
  const { block_number: only, from_block: oldest = 0, to_block: newest = fork.block } = filter;
  if (only === undefined) {
    return oldest > fork.block ? { rows, next } : endAt(rows, Math.min(newest, fork.block));
  }
  if (only > fork.block) return { rows, next };
  return originTransactions(filter, only);
}

export async function readBlocks(cursor: string | undefined): Promise<Page<BlockRow>> {
  const below = originFrom(cursor);
  if (below !== undefined) return originPage(await readOriginBlocks(below));
  const { blocks, next } = await call('devnet_listBlocks', {
    limit: 50,
    ...(cursor === undefined ? {} : { before: Number(cursor) }),
  });
  if (next !== undefined) return { rows: blocks, next: String(next) };
  const oldest = blocks.at(-1)?.block_number ?? 0;
  return oldest > 0 ? endAt(blocks, oldest - 1) : { rows: blocks, next: undefined };
}

export async function readContracts(
  cursor: string | undefined,
  limit = 50,
): Promise<Page<ContractRow>> {
  const params = cursor === undefined ? { limit } : { limit, cursor };
  const { contracts, next } = await call('devnet_listContracts', params);
  return { rows: contracts, next };
}

export async function readClasses(cursor: string | undefined): Promise<Page<ClassRow>> {
  const { classes, next } = await call(
    'devnet_listClasses',
    cursor === undefined ? {} : { cursor },
  );
  return { rows: classes, next };
}

export async function search(line: string): Promise<readonly CANDIDATE[]> {
  return (await call('devnet_search', { query: line })).candidates;
}

/** A class never changes; only its ABI is cached. */
const classQuery = (hash: string) => ({
  queryKey: ['class', hash],
  queryFn: async (): Promise<Abi> => learnNames(await readClassAbi(hash)),
  retry: false,
});

/** ABI of the current class at an address. */
export async function readAbiAt(address: string): Promise<Abi> {
  return learnNames(await readContractAbi(address));
}

const abiAtQuery = (address: string) => ({
  queryKey: ['abi-at', address],
  queryFn: () => readAbiAt(address),
  retry: false,
});

/** The ABIs that have been read, by class hash or by address. */
function useAbisBy(keys: readonly string[], queryOf: typeof abiAtQuery): ReadonlyMap<string, Abi> {
  return useQueries({
    queries: keys.map(queryOf),
    combine: (results) => {
      const abis = new Map<string, Abi>();
      results.forEach(({ data }, at) => {
        const key = keys[at];
        if (data && key !== undefined) abis.set(key, data);
      });
      return abis;
    },
  });
}

export function useClasses(hashes: readonly string[]): ReadonlyMap<string, Abi> {
  return useAbisBy(hashes, classQuery);
}

/** ABIs of the current classes, by contract address. */
export function useAbis(addresses: readonly string[]): ReadonlyMap<string, Abi> {
  return useAbisBy(addresses, abiAtQuery);
}

/**
 * Reads the classes of contracts, so that functions in lists have names. Returns the number of known classes,
 * so that a list renders again when it grows.
 */
export function useContractsKnown(addresses: readonly string[]): number {
  return useQueries({
    queries: addresses.map(abiAtQuery),
    combine: (results) => results.filter(({ data }) => data).length,
  });
}

export function useTransaction(hash: string) {
  return useQuery({
    queryKey: ['transaction', hash],
    queryFn: async () => {
      const params = { transaction_hash: hash };
      const [transaction, receipt, trace] = await Promise.allSettled([
        call('starknet_getTransactionByHash', params),
        call('starknet_getTransactionReceipt', params),
        call('starknet_traceTransaction', params),
      ]);
      if (transaction.status === 'rejected') throw transaction.reason;
      if (receipt.status === 'rejected') throw receipt.reason;
      return {
        transaction: transaction.value,
        receipt: receipt.value,
        trace: trace.status === 'fulfilled' ? trace.value : undefined,
        traceError: trace.status === 'rejected' ? trace.reason : undefined,
      };
    },
  });
}

/** The node's explanation of a reverted transaction; null where it gives none. */
export function useExplained(hash: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['explained', hash],
    enabled: isWanted,
    queryFn: () =>
      unlessMissing(call('devnet_explainTransaction', { transaction_hash: hash }), null),
  });
}

/** Lines of the source that a transaction ran; none where the node does not tell. */
export function useExecutedLines(hash: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['executed lines', hash],
    enabled: isWanted,
    queryFn: () =>
      unlessMissing(call('devnet_executedLines', { transaction_hash: hash }), { files: [] }),
  });
}

/** Reads current values again. A first read that is under way predates the change and is cancelled. */
export async function refreshCurrent(): Promise<void> {
  await queries.cancelQueries({ queryKey: ['now'] });
  await queries.invalidateQueries({ queryKey: ['now'] });
}

export function useStatus() {
  return useQuery({ queryKey: ['now', 'status'], queryFn: () => call('devnet_getStatus') });
}

export function useConfig() {
  return useQuery({ queryKey: ['config'], queryFn: () => call('devnet_getConfig') });
}

export interface KnownAccount {
  readonly address: string;
  readonly publicKey: string;
}

/** Predeployed accounts without private keys, which are read one by one on request. */
export function useAccounts() {
  return useQuery({
    queryKey: ['accounts'],
    queryFn: async (): Promise<readonly KnownAccount[]> => {
      const accounts = await call('devnet_getPredeployedAccounts', { with_balance: false });
      return accounts.map(({ address, public_key }) => ({ address, publicKey: public_key }));
    },
  });
}

export async function readPrivateKey(address: string): Promise<string | undefined> {
  const accounts = await call('devnet_getPredeployedAccounts', { with_balance: false });
  return accounts.find((account) => account.address === address)?.private_key;
}

export function useLabels() {
  return useQuery({
    queryKey: ['labels'],
    queryFn: async () => (await unlessMissing(call('devnet_getLabels'), { labels: [] })).labels,
  });
}

export type Header = Result<'starknet_getBlockWithTxHashes'>;

export function useHeader(
  of: { readonly block_number: number; readonly finality_status: string } | undefined,
): UseQueryResult<Header> {
  const isOpen = of?.finality_status === 'PRE_CONFIRMED';
  return useQuery({
    queryKey: ['header', of?.block_number, isOpen],
    enabled: of !== undefined,
    queryFn: () =>
      call('starknet_getBlockWithTxHashes', {
        block_id: isOpen ? 'pre_confirmed' : { block_number: of?.block_number ?? 0 },
      }),
  });
}
