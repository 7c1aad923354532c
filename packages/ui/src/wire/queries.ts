// Knows how pages read the chain: what is kept, for how long, and what the node is asked where a method is missing.
import { QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { type Abi, readAbi } from '../abi/abi.js';
import { learn } from '../names.js';
import type { Params, Result } from './methods.js';
import { call, isMissing, Unreachable } from './rpc.js';

export type TransactionRow = Result<'devnet_listTransactions'>['transactions'][number];
export type BlockRow = Result<'devnet_listBlocks'>['blocks'][number];
export type TransactionFilter = NonNullable<
  NonNullable<Params<'devnet_listTransactions'>>['filter']
>;

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

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/**
 * The node looks at a bounded part of the chain for each page, so some pages of a filtered list are empty.
 * Who only looks for what is new is content with the first.
 */
const MOST_PAGES = 20;

export async function readTransactions(
  filter: TransactionFilter,
  cursor: string | undefined,
  isTip = false,
): Promise<Page<TransactionRow>> {
  const limit = 50;
  const rows: TransactionRow[] = [];
  let next = cursor;
  for (let page = 0; page < (isTip ? 1 : MOST_PAGES); page++) {
    const answer = await call('devnet_listTransactions', {
      filter,
      limit,
      ...(next === undefined ? {} : { cursor: next }),
    });
    rows.push(...answer.transactions);
    next = answer.next;
    if (next === undefined || rows.length >= limit / 2) break;
  }
  return { rows, next };
}

export async function readBlocks(cursor: string | undefined): Promise<Page<BlockRow>> {
  const { blocks, next } = await call('devnet_listBlocks', {
    limit: 50,
    ...(cursor === undefined ? {} : { before: Number(cursor) }),
  });
  return { rows: blocks, next: next === undefined ? undefined : String(next) };
}

/** Classes by hash never change, and only their ABI is kept. */
const classQuery = (hash: string) => ({
  queryKey: ['class', hash],
  queryFn: async (): Promise<Abi> => {
    const { abi } = await call('starknet_getClass', {
      block_id: 'pre_confirmed',
      class_hash: hash,
    });
    const read = readAbi(abi);
    learn(read);
    return read;
  },
  retry: false,
});

export function useClasses(hashes: readonly string[]): ReadonlyMap<string, Abi> {
  return useQueries({
    queries: hashes.map(classQuery),
    combine: (results) => {
      const found = new Map<string, Abi>();
      results.forEach(({ data }, at) => {
        const hash = hashes[at];
        if (data && hash !== undefined) found.set(hash, data);
      });
      return found;
    },
  });
}

/**
 * Reads the classes of contracts, so that functions in lists have names; a name follows from a selector alone.
 * Gives how many are known, so that a list is drawn again when one more is.
 */
export function useContractsKnown(addresses: readonly string[]): number {
  return useQueries({
    queries: addresses.map((address) => ({
      queryKey: ['class-at', address],
      queryFn: async (): Promise<boolean> => {
        const { abi } = await call('starknet_getClassAt', {
          block_id: 'pre_confirmed',
          contract_address: address,
        });
        learn(readAbi(abi));
        return true;
      },
      retry: false,
    })),
    combine: (results) => results.filter(({ data }) => data).length,
  });
}

export function useTransaction(hash: string) {
  return useQuery({
    queryKey: ['transaction', hash],
    queryFn: async () => {
      const asked = { transaction_hash: hash };
      const [transaction, receipt, trace] = await Promise.allSettled([
        call('starknet_getTransactionByHash', asked),
        call('starknet_getTransactionReceipt', asked),
        call('starknet_traceTransaction', asked),
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

/** Predeployed accounts without their private keys, which are asked for one by one when wanted. */
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
    queryFn: async () => {
      try {
        return (await call('devnet_getLabels')).labels;
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  });
}
