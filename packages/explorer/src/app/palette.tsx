// Command palette: recent visits, commands, and search by number, hash, address, name, function or error.
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useNamesOf } from '../format/names.js';
import { Sheet } from '../parts/dialog.js';
import { Icon } from '../parts/icons.js';
import { UntrustedText } from '../parts/values.js';
import { search } from '../rpc/queries.js';
import { commandRuns } from './command-result.js';
import {
  type Candidate,
  type Choice,
  COMMANDS,
  choicesFor,
  firstChoices,
  searchedText,
} from './palette-choices.js';
import { useRecent } from './recent.js';

const NONE: readonly Candidate[] = [];

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
    queryFn: () => search(searchedText(settled).slice(0, 200)),
  });
  const isSettled = settled === query;
  return {
    candidates: (isSettled ? matches.data : undefined) ?? NONE,
    isWaiting: query !== '' && (!isSettled || matches.isFetching),
  };
}

interface PaletteProps {
  readonly close: () => void;
  /** Opens the dialog of instances. */
  readonly switchChain: () => void;
  /** Initial text. */
  readonly start?: string;
}

export function Palette({ close, start = '', switchChain }: PaletteProps) {
  const { visits, outcomes } = useRecent();
  const contracts = useMemo(
    () => visits.flatMap(({ page, key }) => (page === 'contract' ? [key] : [])),
    [visits],
  );
  const names = useNamesOf(contracts);
  const [line, setLine] = useState(start);
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const query = line.trim();
  const { candidates, isWaiting } = useFound(query);
  const choices = useMemo(
    () =>
      query === ''
        ? firstChoices(visits, outcomes, names)
        : choicesFor(query, switchChain, names, candidates),
    [query, switchChain, names, candidates, visits, outcomes],
  );

  const edit = (text: string): void => {
    setLine(text);
    setActive(0);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, choices.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    // A matching command comes before search results.
    else if (event.key === 'Enter' && (!isWaiting || choices[active]?.group === COMMANDS))
      choose(choices[active]);
    else return;
    event.preventDefault();
  };
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    if (typeof choice.run === 'string') {
      edit(choice.run);
      // A click has moved the focus to the option, which goes.
      field.current?.focus();
      return;
    }
    close();
    if (choice.group === COMMANDS) commandRuns();
    choice.run();
  };
  return (
    <Sheet label="Search and commands" close={close} className="palette">
      <input
        ref={field}
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={choices[active] ? `choice-${active}` : undefined}
        placeholder="Search names, functions, errors, hashes, or type a command"
        value={line}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => edit(event.target.value)}
        onKeyDown={press}
      />
      <Choices of={choices} active={active} activate={setActive} choose={choose} />
      {query !== '' && choices.length === 0 && (
        <p role="status">
          {isWaiting
            ? 'Searching…'
            : 'Nothing found. Search by name, function, error, block number, or 6 digits of a hash.'}
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
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#choice-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const groups = [...new Set(choices.map(({ group }) => group))];
  return (
    <div ref={list} role="listbox" id="palette-choices" aria-label="Results">
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a list box allows groups of options only
        <div key={group} role="group" aria-label={group}>
          <p className="palette-group" aria-hidden="true">
            {group}
          </p>
          {choices.map(
            (choice, at) =>
              choice.group === group && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
                <div
                  key={choice.id}
                  id={`choice-${at}`}
                  className="palette-choice"
                  role="option"
                  tabIndex={-1}
                  aria-selected={at === active}
                  onClick={() => choose(choice)}
                  onPointerMove={() => activate(at)}
                >
                  <Icon name={choice.icon} />
                  <span className="what">
                    <UntrustedText text={choice.text} limit={160} />
                  </span>
                  {choice.detail !== undefined && (
                    <span className="palette-detail">
                      <UntrustedText text={choice.detail} limit={120} />
                    </span>
                  )}
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  );
}
