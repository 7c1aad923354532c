// Command palette: search by number, hash, address or name, and commands.
import { canonicalFelt, shortHash } from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { amountText, readAmount, unitOf } from '../format/amount.js';
import { useNames } from '../format/names.js';
import { go, to } from '../navigation/route.js';
import { act } from '../parts/action.js';
import { Sheet } from '../parts/dialog.js';
import { UntrustedText } from '../parts/values.js';
import { canWrite, liveNow } from '../rpc/live-state.js';
import { search } from '../rpc/queries.js';
import { runTask } from '../state/tasks.js';
import { commandRuns } from './command-result.js';
import { ENTRIES } from './pages.js';

type Candidate = Awaited<ReturnType<typeof search>>[number];
const NONE: readonly Candidate[] = [];

interface Choice {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly run: () => void;
}

const KINDS: Readonly<Record<string, string>> = {
  block: 'block',
  transaction: 'tx',
  contract: 'contract',
  class: 'class',
};

/** Commands that match the text. They run when selected, never while typing. */
function commands(
  line: string,
  names: ReadonlyMap<string, string>,
  switchChain: () => void,
): Choice[] {
  if (!canWrite(liveNow().connection)) return [];
  const choices: Choice[] = [];
  const mint = /^mint\s+([\d.,e]+)\s*(strk|eth|fri|wei)?\s+(?:to\s+)?(.+)$/i.exec(line);
  if (mint) {
    const [, number = '', unitName = 'strk', whom = ''] = mint;
    const token = /eth|wei/i.test(unitName) ? 'WEI' : 'FRI';
    const unit = unitOf(token);
    const amount = readAmount(`${number} ${unitName}`, unit);
    const address =
      canonicalFelt(whom) ?? [...names].find(([, name]) => name === whom.trim().toLowerCase())?.[0];
    if (amount !== undefined && address !== undefined) {
      const what = `Mint ${amountText(amount, unit)} to ${names.get(address) ?? shortHash(address)}`;
      choices.push({
        id: 'mint',
        kind: 'command',
        text: what,
        run: () =>
          runTask(
            act(what, 'devnet_mint', { address, amount, unit: token }, ({ tx_hash }) => {
              go(to('tx', tx_hash));
              return 'done';
            }),
          ),
      });
    }
  }
  const jump = /^\+\s*(\d+)\s*(s|min|h|d|day|days|hour|hours)$/i.exec(line);
  if (jump) {
    const [, count = '0', span = 's'] = jump;
    const letter = span[0]?.toLowerCase() ?? 's';
    const seconds = Number(count) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[letter] ?? 1);
    const what = `Move the clock by ${count} ${span}`;
    choices.push({
      id: 'jump',
      kind: 'command',
      text: what,
      run: () => runTask(act(what, 'devnet_increaseTime', { time: seconds }, () => 'done')),
    });
  }
  if (line.length > 1 && 'snapshot'.startsWith(line.toLowerCase())) {
    choices.push({
      id: 'snapshot',
      kind: 'command',
      text: 'Take a snapshot',
      run: () => runTask(act('Take a snapshot', 'devnet_snapshot', {}, (id) => `${id}`)),
    });
  }
  if (line.length > 2 && 'create block'.startsWith(line.toLowerCase())) {
    choices.push({
      id: 'block',
      kind: 'command',
      text: 'Create a block',
      run: () => runTask(act('Create a block', 'devnet_createBlock', {}, () => 'done')),
    });
  }
  const isChains = ['instances', 'branch'].some((word) => word.startsWith(line.toLowerCase()));
  if (line.length > 1 && isChains) {
    choices.push({
      id: 'instances',
      kind: 'command',
      text: 'Branch this chain, or open an instance',
      run: switchChain,
    });
  }
  return choices;
}

/** What the node finds for a line, once typing pauses. */
function useFound(query: string): {
  readonly candidates: readonly Candidate[];
  readonly isWaiting: boolean;
} {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), 80);
    return () => clearTimeout(timer);
  }, [query]);
  const matches = useQuery({
    queryKey: ['search', settled],
    enabled: settled !== '',
    gcTime: 0,
    queryFn: () => search(settled.slice(0, 200)),
  });
  const isSettled = settled === query;
  return {
    candidates: (isSettled ? matches.data : undefined) ?? NONE,
    isWaiting: query !== '' && (!isSettled || matches.isFetching),
  };
}

/** Pages, names, commands and search results that a line may mean. */
function choicesFor(
  query: string,
  switchChain: () => void,
  names: ReadonlyMap<string, string>,
  candidates: readonly Candidate[],
): readonly Choice[] {
  const lower = query.toLowerCase();
  const pages = ENTRIES.filter(({ name }) => name.toLowerCase().startsWith(lower)).map(
    ({ name, page }): Choice => ({
      id: `page ${page}`,
      kind: 'page',
      text: name,
      run: () => go(to(page)),
    }),
  );
  if (query === '') return pages;
  const labelled = [...names]
    .filter(([, name]) => name.toLowerCase().startsWith(lower))
    .slice(0, 8)
    .map(
      ([address, name]): Choice => ({
        id: `name ${address}`,
        kind: 'contract',
        text: `${name}  ${shortHash(address)}`,
        run: () => go(to('contract', address)),
      }),
    );
  const labelledFelts = new Set(labelled.map(({ id }) => id.slice(5)));
  const answers = candidates
    .filter(({ kind, value }) => kind !== 'method' && !labelledFelts.has(value))
    .map(({ kind, value, label, detail }): Choice => {
      const page = KINDS[kind] ?? 'contract';
      return {
        id: `${kind} ${value}`,
        kind,
        text: [label, value, detail].filter((part) => part !== undefined).join('  '),
        run: () => go(to(page, value)),
      };
    });
  return [...commands(query, names, switchChain), ...answers, ...labelled, ...pages];
}

interface PaletteProps {
  readonly close: () => void;
  /** Opens the dialog of instances. */
  readonly switchChain: () => void;
  /** Initial text. */
  readonly start?: string;
}

export function Palette({ close, start = '', switchChain }: PaletteProps) {
  const names = useNames();
  const [line, setLine] = useState(start);
  const [active, setActive] = useState(0);
  const query = line.trim();
  const { candidates, isWaiting } = useFound(query);
  const choices = useMemo(
    () => choicesFor(query, switchChain, names, candidates),
    [query, switchChain, names, candidates],
  );

  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    // A matching command comes before search results.
    else if (event.key === 'Enter' && (!isWaiting || choices[active]?.kind === 'command'))
      choose(choices[active]);
    else return;
    event.preventDefault();
  };
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    close();
    if (choice.kind === 'command') commandRuns();
    choice.run();
  };
  return (
    <Sheet label="Search and commands" close={close} className="palette">
      <input
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={choices[active] ? `choice-${active}` : undefined}
        placeholder="Block, hash, address, name, or: mint 100 STRK to account 3, +1 d, snapshot"
        value={line}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setLine(event.target.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <Choices of={choices} active={active} activate={setActive} choose={choose} />
      {query !== '' && choices.length === 0 && !isWaiting && (
        <p role="status">
          Nothing found: no block, transaction, contract, class, label or command matches.
        </p>
      )}
    </Sheet>
  );
}

interface ChoicesProps {
  readonly of: readonly Choice[];
  readonly active: number;
  readonly activate: (at: number) => void;
  readonly choose: (choice: Choice) => void;
}

function Choices({ of: choices, active, activate, choose }: ChoicesProps) {
  return (
    <ul role="listbox" id="palette-choices" aria-label="Results">
      {choices.map((choice, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
        <li
          key={choice.id}
          id={`choice-${at}`}
          role="option"
          aria-selected={at === active}
          onClick={() => choose(choice)}
          onPointerMove={() => activate(at)}
        >
          <span className="kind">{choice.kind}</span>
          <span className="what">
            <UntrustedText text={choice.text} limit={160} />
          </span>
        </li>
      ))}
    </ul>
  );
}
