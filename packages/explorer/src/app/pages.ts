// Table of pages: name, address, shortcut and lazily loaded component; and which of them the node's mode has use for.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { hasUrl } from '../format/chain-path.js';
import { type LazyPage, lazyPage } from '../navigation/lazy-page.js';
import type { IconName } from '../parts/icons.js';
import { call } from '../rpc/client.js';
import { useLive } from '../rpc/live-state.js';
import { queries } from '../rpc/queries.js';
import { runTask } from '../state/tasks.js';

interface NoProps {
  readonly [prop: string]: never;
}

export interface NavigationEntry extends LazyPage<NoProps> {
  readonly name: string;
  /** First segment of its path, empty for the home page. */
  readonly page: string;
  readonly icon: IconName;
  readonly about: string;
  readonly key?: string;
  /** Left out of the navigation while the node is in another mode. */
  readonly mode?: 'mempool';
  /** Detail pages that highlight this entry. */
  readonly also?: readonly string[];
}

export const NAVIGATION: readonly (readonly NavigationEntry[])[] = [
  [
    {
      name: 'Overview',
      page: '',
      icon: 'overview',
      key: '1',
      about: 'the newest blocks, failures, busy contracts',
      ...lazyPage(async () => (await import('../features/overview/overview-page.js')).OverviewPage),
    },
    {
      name: 'Activity',
      page: 'activity',
      icon: 'activity',
      key: 'a',
      about: 'transactions and sandbox changes',
      ...lazyPage(
        async () => (await import('../features/transactions/activity-page.js')).ActivityPage,
      ),
    },
    {
      name: 'Blocks',
      page: 'blocks',
      icon: 'blocks',
      key: '2',
      about: 'newest first',
      also: ['block'],
      ...lazyPage(async () => (await import('../features/blocks/blocks-page.js')).BlocksPage),
    },
    {
      name: 'Transactions',
      page: 'transactions',
      icon: 'transactions',
      key: '3',
      about: 'by kind, outcome, sender and contract',
      also: ['tx'],
      ...lazyPage(
        async () =>
          (await import('../features/transactions/list/transactions-page.js')).TransactionsPage,
      ),
    },
    {
      name: 'Events',
      page: 'events',
      icon: 'events',
      key: '4',
      about: 'emitted by contracts',
      ...lazyPage(async () => (await import('../features/events/events-page.js')).EventsPage),
    },
    {
      name: 'Messages',
      page: 'messages',
      icon: 'messages',
      key: '5',
      about: 'between L1 and L2',
      ...lazyPage(async () => (await import('../features/messages/messages-page.js')).MessagesPage),
    },
  ],
  [
    {
      name: 'Accounts',
      page: 'accounts',
      icon: 'accounts',
      key: '6',
      about: 'balances, keys, impersonation',
      ...lazyPage(async () => (await import('../features/accounts/accounts-page.js')).AccountsPage),
    },
    {
      name: 'Contracts',
      page: 'contracts',
      icon: 'contracts',
      key: '7',
      about: 'deployed contracts',
      also: ['contract', 'token'],
      ...lazyPage(
        async () => (await import('../features/contracts/contracts-page.js')).ContractsPage,
      ),
    },
    {
      name: 'Classes',
      page: 'classes',
      icon: 'classes',
      about: 'declared classes',
      also: ['class'],
      ...lazyPage(async () => (await import('../features/contracts/classes-page.js')).ClassesPage),
    },
  ],
  [
    {
      name: 'Timeline',
      page: 'timeline',
      icon: 'timeline',
      key: '8',
      about: 'snapshots and reverting',
      ...lazyPage(async () => (await import('../features/timeline/timeline-page.js')).TimelinePage),
    },
    {
      name: 'Instances',
      page: 'instances',
      icon: 'instances',
      about: 'branches of the chain',
      ...lazyPage(
        async () => (await import('../features/instances/instances-page.js')).InstancesPage,
      ),
    },
    {
      name: 'Mempool',
      page: 'mempool',
      icon: 'mempool',
      about: 'transactions that wait',
      mode: 'mempool',
      ...lazyPage(async () => (await import('../features/control/mempool-page.js')).MempoolPage),
    },
    {
      name: 'Simulate',
      page: 'simulate',
      icon: 'simulate',
      key: '9',
      about: 'transactions that are not sent',
      ...lazyPage(async () => (await import('../features/simulate/simulate-page.js')).SimulatePage),
    },
    {
      name: 'Console',
      page: 'console',
      icon: 'console',
      about: 'every method of the node',
      ...lazyPage(async () => (await import('../features/console/console-page.js')).ConsolePage),
    },
    {
      name: 'Requests',
      page: 'requests',
      icon: 'requests',
      about: 'client calls and responses',
      ...lazyPage(async () => (await import('../features/requests/requests-page.js')).RequestsPage),
    },
    {
      name: 'Gas',
      page: 'gas',
      icon: 'gas',
      about: 'by function and call',
      ...lazyPage(async () => (await import('../features/gas/gas-page.js')).GasPage),
    },
    {
      name: 'Rules',
      page: 'rules',
      icon: 'rules',
      about: 'transactions that a public network would have rejected',
      ...lazyPage(async () => (await import('../features/node/rules-page.js')).RulesPage),
    },
    {
      name: 'Control',
      page: 'control',
      icon: 'control',
      key: '0',
      about: 'clock, blocks, gas prices, state',
      ...lazyPage(async () => (await import('../features/control/control-page.js')).ControlPage),
    },
    {
      name: 'Node',
      page: 'node',
      icon: 'node',
      about: 'configuration, limits, addresses',
      ...lazyPage(async () => (await import('../features/node/node-page.js')).NodePage),
    },
  ],
];

export const ENTRIES: readonly NavigationEntry[] = NAVIGATION.flat();

/** Entries of the bottom bar on narrow screens. */
export const BOTTOM: readonly (readonly [name: string, page: string, icon: IconName])[] = [
  ['Overview', '', 'overview'],
  ['Transactions', 'transactions', 'transactions'],
  ['Contracts', 'contracts', 'contracts'],
  ['Timeline', 'timeline', 'timeline'],
  ['More', 'more', 'more'],
];

/** Detail pages, with the id in their path. */
export const DETAIL_PAGES: ReadonlyMap<string, LazyPage<{ readonly id: string }>> = new Map([
  ['block', lazyPage(async () => (await import('../features/blocks/block-page.js')).BlockPage)],
  [
    'tx',
    lazyPage(
      async () => (await import('../features/transactions/transaction-page.js')).TransactionPage,
    ),
  ],
  [
    'contract',
    lazyPage(async () => (await import('../features/contracts/contract-page.js')).ContractPage),
  ],
  ['class', lazyPage(async () => (await import('../features/contracts/class-page.js')).ClassPage)],
  [
    'token',
    lazyPage(async () => (await import('../features/contracts/token/token-page.js')).TokenPage),
  ],
]);

/** Loads the code of one page before the first rendering. */
export async function loadPage(page: string, key: string | undefined): Promise<void> {
  const loadable =
    key === undefined ? ENTRIES.find((entry) => entry.page === page) : DETAIL_PAGES.get(page);
  // Rendering the page reports the same error.
  await loadable?.load().catch(() => {});
}

/** Loads the code of all pages in the background; opening a page reports the same error. */
export function loadAll(): void {
  for (const { load } of [...ENTRIES, ...DETAIL_PAGES.values()]) load().catch(() => {});
}

const MEMPOOL_KEY = ['has-mempool'];

/** Only operations of a user change the mode, so it is not read again for new blocks. */
export function useUseful(): (entry: NavigationEntry) => boolean {
  const operation = useLive((live) => live.operations[0]?.id ?? 0);
  const { data: hasMempool = false } = useQuery({
    queryKey: MEMPOOL_KEY,
    queryFn: async () => (await call('devnet_getStatus')).mempool_tx_count !== undefined,
  });
  useEffect(() => {
    if (operation > 0) runTask(queries.invalidateQueries({ queryKey: MEMPOOL_KEY }));
  }, [operation]);
  // Another instance has a page of its own, which a frame cannot load.
  return ({ mode, page }) =>
    (mode === undefined || hasMempool) && (hasUrl() || page !== 'instances');
}
