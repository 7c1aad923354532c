// What the overview shows, read in one request when something has changed, at most twice a second.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';
import { type BlockRow, queries, type TransactionRow } from '../../rpc/queries.js';
import { runTask } from '../../state/tasks.js';

/** Rows are counted, so that nothing grows with the chain. */
const MAX_BLOCKS = 48;
const MAX_TRANSACTIONS = 100;
/** Equal ones are grouped. */
const MAX_FAILURES = 50;
const LEAST_MILLISECONDS = 500;

export interface ChainSummary {
  /** The newest ones, oldest first. */
  readonly blocks: readonly BlockRow[];
  /** The newest ones, newest first. */
  readonly transactions: readonly TransactionRow[];
  readonly failures: readonly TransactionRow[];
  /** Whether older blocks may have further failures. */
  readonly hasOlder: boolean;
  readonly status: Result<'devnet_getStatus'> | undefined;
  readonly settings: Result<'devnet_getBlockSettings'> | undefined;
  /** Undefined unless the chain imitates a network. */
  readonly network: Network | undefined;
}

export type Network = Result<'devnet_getNetworkConditions'>;

const KEY = ['overview'];

type Lists = Omit<ChainSummary, 'status' | 'settings' | 'network'>;

async function readLists(): Promise<Lists> {
  const limit = MAX_TRANSACTIONS;
  const [{ blocks }, { transactions }, failed] = await Promise.all([
    call('devnet_listBlocks', { limit: MAX_BLOCKS }),
    call('devnet_listTransactions', { limit }),
    call('devnet_listTransactions', { limit: MAX_FAILURES, filter: { status: 'REVERTED' } }),
  ]);
  return {
    blocks: [...blocks].reverse(),
    transactions,
    failures: failed.transactions,
    hasOlder: failed.next !== undefined,
  };
}

async function readSummary(): Promise<ChainSummary> {
  const [lists, status, settings, network] = await Promise.all([
    readLists(),
    optional(call('devnet_getStatus')),
    optional(call('devnet_getBlockSettings', {})),
    optional(call('devnet_getNetworkConditions', {})),
  ]);
  return {
    ...lists,
    status,
    settings,
    network: network && network.conditions !== null ? network : undefined,
  };
}

/** A node may refuse what is shown beside the lists. */
function optional<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined);
}

export function useChainSummary() {
  const revision = useLive((live) => live.revision);
  const query = useQuery({ queryKey: KEY, queryFn: readSummary });
  const lastRevision = useRef(revision);
  const isReading = useRef(false);
  const isAwaited = useRef(false);
  useEffect(() => {
    if (revision === lastRevision.current) return;
    lastRevision.current = revision;
    isAwaited.current = true;
    if (isReading.current) return;
    isReading.current = true;
    runTask(
      readWhile(isAwaited).finally(() => {
        isReading.current = false;
      }),
    );
  }, [revision]);
  return query;
}

/** A change during a read is read afterwards; reads are never cancelled, so a slow node still answers. */
async function readWhile(isAwaited: { current: boolean }): Promise<void> {
  while (isAwaited.current) {
    // An answer that is under way may predate the change.
    isAwaited.current = queries.getQueryState(KEY)?.fetchStatus === 'fetching';
    await queries.refetchQueries({ queryKey: KEY }, { cancelRefetch: false });
    await new Promise((resolve) => setTimeout(resolve, LEAST_MILLISECONDS));
  }
}
