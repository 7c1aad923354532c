// Table of pages: name, address, shortcut and lazily loaded component.
import { type Loaded, loaded } from '../navigation/lazy-page.js';
import type { IconName } from '../parts/icons.js';

interface NoProps {
  readonly [prop: string]: never;
}

export interface Entry extends Loaded<NoProps> {
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

export const RAIL: readonly (readonly Entry[])[] = [
  [
    {
      name: 'Overview',
      page: '',
      icon: 'overview',
      key: '1',
      about: 'the newest blocks, failures, busy contracts',
      ...loaded(async () => (await import('../features/overview/overview-page.js')).OverviewPage),
    },
    {
      name: 'Activity',
      page: 'activity',
      icon: 'activity',
      key: 'a',
      about: 'transactions and sandbox changes',
      ...loaded(
        async () => (await import('../features/transactions/activity-page.js')).ActivityPage,
      ),
    },
    {
      name: 'Blocks',
      page: 'blocks',
      icon: 'blocks',
      key: '2',
      about: 'from the newest to the first',
      also: ['block'],
      ...loaded(async () => (await import('../features/blocks/blocks-page.js')).BlocksPage),
    },
    {
      name: 'Transactions',
      page: 'transactions',
      icon: 'transactions',
      key: '3',
      about: 'by kind, outcome, sender and contract',
      also: ['tx'],
      ...loaded(
        async () =>
          (await import('../features/transactions/list/transactions-page.js')).TransactionsPage,
      ),
    },
    {
      name: 'Events',
      page: 'events',
      icon: 'events',
      key: '4',
      about: 'what contracts emitted',
      ...loaded(async () => (await import('../features/events/events-page.js')).EventsPage),
    },
    {
      name: 'Messages',
      page: 'messages',
      icon: 'messages',
      key: '5',
      about: 'between L1 and L2',
      ...loaded(async () => (await import('../features/messages/messages-page.js')).MessagesPage),
    },
  ],
  [
    {
      name: 'Accounts',
      page: 'accounts',
      icon: 'accounts',
      key: '6',
      about: 'balances, keys, impersonation',
      ...loaded(async () => (await import('../features/accounts/accounts-page.js')).AccountsPage),
    },
    {
      name: 'Contracts',
      page: 'contracts',
      icon: 'contracts',
      key: '7',
      about: 'deployed contracts',
      also: ['contract'],
      ...loaded(
        async () => (await import('../features/contracts/contracts-page.js')).ContractsPage,
      ),
    },
    {
      name: 'Classes',
      page: 'classes',
      icon: 'classes',
      about: 'declared classes',
      also: ['class'],
      ...loaded(async () => (await import('../features/contracts/contracts-page.js')).ClassesPage),
    },
  ],
  [
    {
      name: 'Timeline',
      page: 'timeline',
      icon: 'timeline',
      key: '8',
      about: 'snapshots and reverting',
      ...loaded(async () => (await import('../features/timeline/timeline-page.js')).TimelinePage),
    },
    {
      name: 'Instances',
      page: 'instances',
      icon: 'instances',
      about: 'branches of the chain',
      ...loaded(
        async () => (await import('../features/instances/instances-page.js')).InstancesPage,
      ),
    },
    {
      name: 'Mempool',
      page: 'mempool',
      icon: 'mempool',
      about: 'transactions that wait',
      mode: 'mempool',
      ...loaded(async () => (await import('../features/control/mempool-page.js')).MempoolPage),
    },
    {
      name: 'Simulate',
      page: 'simulate',
      icon: 'simulate',
      key: '9',
      about: 'transactions that are not sent',
      ...loaded(async () => (await import('../features/simulate/simulate-page.js')).SimulatePage),
    },
    {
      name: 'Console',
      page: 'console',
      icon: 'console',
      about: 'every method of the node',
      ...loaded(async () => (await import('../features/console/console-page.js')).ConsolePage),
    },
    {
      name: 'Requests',
      page: 'requests',
      icon: 'requests',
      about: 'calls of clients and their answers',
      ...loaded(async () => (await import('../features/requests/requests-page.js')).RequestsPage),
    },
    {
      name: 'Gas',
      page: 'gas',
      icon: 'gas',
      about: 'by function and call',
      ...loaded(async () => (await import('../features/gas/gas-page.js')).GasPage),
    },
    {
      name: 'Rules',
      page: 'rules',
      icon: 'rules',
      about: 'what a public network would have refused',
      ...loaded(async () => (await import('../features/node/rules-page.js')).RulesPage),
    },
    {
      name: 'Control',
      page: 'control',
      icon: 'control',
      key: '0',
      about: 'clock, blocks, gas prices, state',
      ...loaded(async () => (await import('../features/control/control-page.js')).ControlPage),
    },
    {
      name: 'Node',
      page: 'node',
      icon: 'node',
      about: 'configuration, limits, addresses',
      ...loaded(async () => (await import('../features/node/node-page.js')).NodePage),
    },
  ],
];

export const ENTRIES: readonly Entry[] = RAIL.flat();

/** Entries of the bottom bar on narrow screens. */
export const BOTTOM: readonly (readonly [name: string, page: string])[] = [
  ['Overview', ''],
  ['Txs', 'transactions'],
  ['Contracts', 'contracts'],
  ['Timeline', 'timeline'],
  ['More', 'more'],
];

/** Detail pages, with the id in their path. */
export const THINGS: ReadonlyMap<string, Loaded<{ readonly id: string }>> = new Map([
  ['block', loaded(async () => (await import('../features/blocks/block-page.js')).BlockPage)],
  [
    'tx',
    loaded(
      async () => (await import('../features/transactions/transaction-page.js')).TransactionPage,
    ),
  ],
  [
    'contract',
    loaded(async () => (await import('../features/contracts/contract-page.js')).ContractPage),
  ],
  ['class', loaded(async () => (await import('../features/contracts/class-page.js')).ClassPage)],
]);

/** Loads the code of one page before the first rendering. */
export async function loadPage(page: string, key: string | undefined): Promise<void> {
  const wanted =
    key === undefined ? ENTRIES.find((entry) => entry.page === page) : THINGS.get(page);
  // Rendering the page reports the same error.
  await wanted?.load().catch(() => {});
}

/** Loads the code of all pages in the background; opening a page reports the same error. */
export function loadAll(): void {
  for (const { load } of [...ENTRIES, ...THINGS.values()]) load().catch(() => {});
}
