// Entries of the command palette: recent visits, commands, search results and pages.
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { amountText, readAmount, unitOf } from '../format/amount.js';
import { currentRoute, go, to } from '../navigation/route.js';
import { act } from '../parts/action.js';
import type { IconName } from '../parts/icons.js';
import { canWrite, liveNow } from '../rpc/live-state.js';
import type { search } from '../rpc/queries.js';
import { runTask } from '../state/tasks.js';
import { ENTRIES } from './pages.js';
import type { RecentVisit } from './recent.js';

export type Candidate = Awaited<ReturnType<typeof search>>[number];
type Names = ReadonlyMap<string, string>;

export interface Choice {
  readonly id: string;
  readonly group: string;
  readonly icon: IconName;
  readonly text: string;
  readonly detail?: string | undefined;
  /** The effect; of a command that needs Enter once more, the text that it puts into the field. */
  readonly run: (() => void) | string;
}

export const COMMANDS = 'Commands';
const MAX_RECENT = 8;
const MAX_NAMED = 8;

const isConnected = (): boolean => canWrite(liveNow().connection);

/** What an empty line offers. */
export function firstChoices(
  visits: readonly RecentVisit[],
  outcomes: ReadonlyMap<string, string>,
  names: Names,
): readonly Choice[] {
  const recent = visits.slice(0, MAX_RECENT).map(({ page, key }): Choice => {
    const common = { id: `recent ${page} ${key}`, group: 'Recent', run: () => go(to(page, key)) };
    if (page === 'contract') {
      const name = names.get(key);
      const short = shortHash(key);
      return { ...common, icon: 'contracts', text: name ?? short, detail: name && short };
    }
    const text = key.startsWith('0x') ? shortHash(key) : key;
    if (page === 'block') return { ...common, icon: 'blocks', text: `Block ${text}` };
    return {
      ...common,
      icon: 'transactions',
      text: `Transaction ${text}`,
      detail: outcomes.get(key),
    };
  });
  return [...recent, ...knownCommands(), ...pagesFor('')];
}

/** Commands that change the chain fill the field, so that one key more runs them. */
function knownCommands(): readonly Choice[] {
  const { page, key } = currentRoute();
  const debug = page === 'tx' && key !== undefined ? [debugChoice(key)] : [];
  if (!isConnected()) return debug;
  const fills: readonly (readonly [icon: IconName, text: string, line: string])[] = [
    ['blocks', 'Create a block', 'create block'],
    ['snapshot', 'Take a snapshot', 'snapshot'],
    ['mint', 'Mint 100 STRK to account 0', 'mint 100 STRK to account 0'],
    ['recent', 'Move the clock by 1 day', '+1 d'],
    ['instances', 'Branch this chain, or open an instance', 'instances'],
  ];
  return [
    ...debug,
    ...fills.map(
      ([icon, text, line]): Choice => ({
        id: `known ${line}`,
        group: COMMANDS,
        icon,
        text,
        detail: line,
        run: line,
      }),
    ),
  ];
}

const debugChoice = (hash: string): Choice => ({
  id: `debug ${hash}`,
  group: 'Debugger',
  icon: 'debug',
  text: `Debug ${shortHash(hash)}`,
  run: () => go(to('tx', hash, { tab: 'debug' })),
});

/** Commands that match the text. They run when selected, never while typing. */
function commandsFor(line: string, names: Names, switchChain: () => void): readonly Choice[] {
  if (!isConnected()) return [];
  const lower = line.toLowerCase();
  const command = (id: string, icon: IconName, text: string, run: () => void): Choice => ({
    id,
    group: COMMANDS,
    icon,
    text,
    run,
  });
  const choices: Choice[] = [...mintChoice(line, names), ...clockChoice(line)];
  if (line.length > 1 && ('snapshot'.startsWith(lower) || 'take a snapshot'.startsWith(lower))) {
    choices.push(
      command('snapshot', 'snapshot', 'Take a snapshot', () =>
        runTask(act('Take a snapshot', 'devnet_snapshot', {}, (id) => `${id}`)),
      ),
    );
  }
  if (line.length > 2 && ('create block'.startsWith(lower) || 'create a block'.startsWith(lower))) {
    choices.push(
      command('block', 'blocks', 'Create a block', () =>
        runTask(act('Create a block', 'devnet_createBlock', {}, () => 'done')),
      ),
    );
  }
  if (line.length > 1 && ['instances', 'branch'].some((word) => word.startsWith(lower))) {
    const text = 'Branch this chain, or open an instance';
    choices.push(command('instances', 'instances', text, switchChain));
  }
  return choices;
}

function mintChoice(line: string, names: Names): readonly Choice[] {
  const mint = /^mint\s+([\d.,e]+)\s*(strk|eth|fri|wei)?\s+(?:to\s+)?(.+)$/i.exec(line);
  if (!mint) return [];
  const [, number = '', unitName = 'strk', whom = ''] = mint;
  const token = /eth|wei/i.test(unitName) ? 'WEI' : 'FRI';
  const unit = unitOf(token);
  const amount = readAmount(`${number} ${unitName}`, unit);
  const address =
    canonicalFelt(whom) ?? [...names].find(([, name]) => name === whom.trim().toLowerCase())?.[0];
  if (amount === undefined || address === undefined) return [];
  const text = `Mint ${amountText(amount, unit)} to ${names.get(address) ?? shortHash(address)}`;
  const run = (): void =>
    runTask(
      act(text, 'devnet_mint', { address, amount, unit: token }, ({ tx_hash }) => {
        go(to('tx', tx_hash));
        return 'done';
      }),
    );
  return [{ id: 'mint', group: COMMANDS, icon: 'mint', text, run }];
}

const SPANS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function clockChoice(line: string): readonly Choice[] {
  const jump = /^\+\s*(\d{1,9})\s*(s|min|h|d|day|days|hour|hours)$/i.exec(line);
  if (!jump) return [];
  const [, count = '0', span = 's'] = jump;
  const seconds = Number(count) * (SPANS[span[0]?.toLowerCase() ?? 's'] ?? 1);
  const text = `Move the clock by ${count} ${span}`;
  const run = (): void =>
    runTask(act(text, 'devnet_increaseTime', { time: seconds }, () => 'done'));
  return [{ id: 'jump', group: COMMANDS, icon: 'recent', text, run }];
}

function pagesFor(lower: string): readonly Choice[] {
  return ENTRIES.filter(({ name }) => name.toLowerCase().startsWith(lower)).map(
    ({ name, page, icon, about, key }): Choice => ({
      id: `page ${page}`,
      group: 'Pages',
      icon,
      text: name,
      detail: key === undefined ? about : `${about}, key ${key}`,
      run: () => go(to(page)),
    }),
  );
}

const GROUPS: Readonly<Record<string, readonly [group: string, icon: IconName]>> = {
  block: ['Blocks', 'blocks'],
  transaction: ['Transactions', 'transactions'],
  contract: ['Contracts', 'contracts'],
  class: ['Classes', 'classes'],
  function: ['Functions', 'console'],
  event: ['Events', 'events'],
  error: ['Failed transactions', 'failed'],
  label: ['Contracts', 'contracts'],
  method: ['Methods', 'console'],
};

/** The address of what was found. */
function addressOf({ kind, value, name, contract_address, class_hash }: Candidate): string {
  switch (kind) {
    case 'block':
    case 'class':
      return to(kind, value);
    case 'transaction':
    case 'error':
      return to('tx', value);
    case 'function':
      if (contract_address !== undefined)
        return to('contract', contract_address, { tab: 'interact', f: name ?? '' });
      return to('class', class_hash ?? value);
    case 'event':
      return to('events', undefined, {
        ...(contract_address === undefined ? {} : { address: contract_address }),
        keys: value,
      });
    case 'method':
      return to('console', undefined, { method: value });
    default:
      return to('contract', value);
  }
}

function resultChoice(candidate: Candidate): Choice {
  const { kind, value, name, label, detail } = candidate;
  const [group, icon] = GROUPS[kind] ?? ['Contracts', 'contracts'];
  const short = value.startsWith('0x') ? shortHash(value) : value;
  const text = label ?? name ?? (kind === 'block' ? `Block ${short}` : short);
  const details = [text === short || kind === 'block' ? undefined : short, detail];
  return {
    id: `${kind} ${value}`,
    group,
    icon,
    text,
    detail: details.filter((part) => part !== undefined).join(', ') || undefined,
    run: () => go(addressOf(candidate)),
  };
}

const DEBUG = /^debug\s+/i;

/** The part of a line that the node searches. */
export const searchedText = (query: string): string => query.replace(DEBUG, '');

/** What a line may mean, in groups. */
export function choicesFor(
  query: string,
  switchChain: () => void,
  names: Names,
  candidates: readonly Candidate[],
): readonly Choice[] {
  const hashes = candidates.filter(({ kind }) => kind === 'transaction' || kind === 'error');
  if (DEBUG.test(query)) return hashes.map(({ value }) => debugChoice(value));
  const lower = query.toLowerCase();
  const contracts = [...names]
    .filter(([, name]) => name.toLowerCase().startsWith(lower))
    .slice(0, MAX_NAMED)
    .map(
      ([address, name]): Choice => ({
        id: `name ${address}`,
        group: 'Contracts',
        icon: 'contracts',
        text: name,
        detail: shortHash(address),
        run: () => go(to('contract', address)),
      }),
    );
  const namedFelts = new Set(contracts.map(({ id }) => id.slice('name '.length)));
  const results = candidates.filter(({ value }) => !namedFelts.has(value)).map(resultChoice);
  const [only] = hashes;
  const debug = hashes.length === 1 && only ? [debugChoice(only.value)] : [];
  return grouped([
    ...commandsFor(query, names, switchChain),
    ...results,
    ...contracts,
    ...debug,
    ...pagesFor(lower),
  ]);
}

/** Equal groups together, in the order of their first entries. */
function grouped(choices: readonly Choice[]): readonly Choice[] {
  const groups = new Map<string, Choice[]>();
  for (const choice of choices) {
    const group = groups.get(choice.group);
    if (group) group.push(choice);
    else groups.set(choice.group, [choice]);
  }
  return [...groups.values()].flat();
}
