// Knows every page: its name, where it stands in the rail, which key goes there, and what it is loaded from.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

interface NoProps {
  readonly [prop: string]: never;
}

interface Loaded<Props> {
  readonly Page: LazyExoticComponent<ComponentType<Props>>;
  /** Fetches it before it is wanted. */
  readonly load: () => Promise<unknown>;
}

function loaded<Props>(load: () => Promise<ComponentType<Props>>): Loaded<Props> {
  return { Page: lazy(async () => ({ default: await load() })), load };
}

export interface Entry extends Loaded<NoProps> {
  readonly name: string;
  /** The first part of its address, empty at home. */
  readonly page: string;
  readonly icon: string;
  readonly about: string;
  readonly key?: string;
  /** Pages of one thing that belong to it. */
  readonly also?: readonly string[];
}

export const RAIL: readonly (readonly Entry[])[] = [
  [
    {
      name: 'Activity',
      page: '',
      icon: '◷',
      key: '1',
      about: 'what happens on the chain',
      ...loaded(async () => (await import('./pages/activity.js')).Activity),
    },
    {
      name: 'Blocks',
      page: 'blocks',
      icon: '▤',
      key: '2',
      about: 'from the newest to the first',
      also: ['block'],
      ...loaded(async () => (await import('./pages/blocks.js')).Blocks),
    },
    {
      name: 'Transactions',
      page: 'transactions',
      icon: '⇄',
      key: '3',
      about: 'by kind, outcome, sender and contract',
      also: ['tx'],
      ...loaded(async () => (await import('./pages/transactions.js')).Transactions),
    },
  ],
  [
    {
      name: 'Accounts',
      page: 'accounts',
      icon: '◉',
      key: '6',
      about: 'balances, keys, impersonation',
      ...loaded(async () => (await import('./pages/accounts.js')).Accounts),
    },
    {
      name: 'Contracts',
      page: 'contracts',
      icon: '▣',
      key: '7',
      about: 'what was deployed',
      also: ['contract'],
      ...loaded(async () => (await import('./pages/contracts.js')).Contracts),
    },
    {
      name: 'Classes',
      page: 'classes',
      icon: '◇',
      about: 'what was declared',
      also: ['class'],
      ...loaded(async () => (await import('./pages/contracts.js')).Classes),
    },
  ],
  [
    {
      name: 'Control',
      page: 'control',
      icon: '⚙',
      key: '0',
      about: 'clock, blocks, gas prices, state',
      ...loaded(async () => (await import('./pages/control.js')).Control),
    },
    {
      name: 'Node',
      page: 'node',
      icon: '▦',
      about: 'configuration, limits, addresses',
      ...loaded(async () => (await import('./pages/node.js')).NodePage),
    },
  ],
];

export const ENTRIES: readonly Entry[] = RAIL.flat();

/** What a narrow screen names at its foot; all else is behind More. */
export const BOTTOM: readonly (readonly [name: string, page: string])[] = [
  ['Activity', ''],
  ['Txs', 'transactions'],
  ['Blocks', 'blocks'],
  ['Control', 'control'],
  ['More', 'more'],
];

/** Pages of one thing, which its address names. */
export const THINGS: ReadonlyMap<string, Loaded<{ readonly id: string }>> = new Map([
  ['block', loaded(async () => (await import('./pages/block.js')).BlockPage)],
  ['tx', loaded(async () => (await import('./pages/transaction.js')).TransactionPage)],
  ['contract', loaded(async () => (await import('./pages/contract.js')).ContractPage)],
  ['class', loaded(async () => (await import('./pages/class.js')).ClassPage)],
]);

/** Fetches every page, so that going to one takes no time. */
export function loadAll(): void {
  for (const { load } of [...ENTRIES, ...THINGS.values()]) void load().catch(() => {});
}
