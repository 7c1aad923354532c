// Keyboard shortcuts. No single key changes the chain: commands open the palette first.
import { useEffect, useRef, useState } from 'react';
import { areLettersOn, isShortcut, setLetters } from '../navigation/key-events.js';
import { go, type Route, setQuery, to, useRoute } from '../navigation/route.js';
import { Button } from '../parts/button.js';
import { Sheet } from '../parts/dialog.js';
import { Checkbox } from '../parts/inputs.js';
import { nextMode, useMode } from '../parts/table/live-table.js';
import { Fact } from '../parts/values.js';
import { runTask } from '../state/tasks.js';
import { adjacentPage } from './adjacent.js';
import { ENTRIES } from './pages.js';

export interface Opened {
  readonly what: 'palette' | 'keys' | 'instances';
  /** Initial text of the palette. */
  readonly line?: string;
}

/** Letters after the prefix, with the command that each puts into the palette. */
const COMMANDS: Readonly<Record<string, string>> = {
  s: 'snapshot',
  n: 'create block',
  m: 'mint 100 STRK to account 0',
};
const PREFIX_MILLISECONDS = 3_000;
/** Query parameters that are not filters. */
const PLACES = new Set(['mode', 'tab', 'frame', 'columns']);

/** True while the prefix was pressed and its letter is awaited. */
export function useKeys(open: (what: Opened) => void): boolean {
  const mode = useMode();
  const route = useRoute();
  const [isPrefixed, setPrefixed] = useState(false);
  const prefixed = useRef(false);
  useEffect(() => {
    if (!isPrefixed) return;
    prefixed.current = true;
    const timer = setTimeout(() => setPrefixed(false), PREFIX_MILLISECONDS);
    return () => {
      prefixed.current = false;
      clearTimeout(timer);
    };
  }, [isPrefixed]);
  useEffect(() => {
    const { page, query } = route;
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        open({ what: 'palette' });
        return;
      }
      if (event.key === 'Escape') {
        setPrefixed(false);
        if (!event.defaultPrevented) retreat(event, route);
        return;
      }
      if (event.defaultPrevented || !isShortcut(event) || event.key === 'Shift') return;
      if (prefixed.current) {
        setPrefixed(false);
        const line = COMMANDS[event.key];
        if (line !== undefined) {
          event.preventDefault();
          open({ what: 'palette', line });
        }
        return;
      }
      const entry = ENTRIES.find(({ key }) => key === event.key);
      if (entry) go(to(entry.page));
      else if (event.key === '.') setPrefixed(true);
      else if (event.key === '/') {
        event.preventDefault();
        open({ what: 'palette' });
      } else if (event.key === '?') open({ what: 'keys' });
      else if (event.key === 'p') setQuery({ mode: nextMode(mode) });
      else if (event.key === 'f' && page === 'activity') {
        setQuery({ failed: query.get('failed') === '1' ? undefined : '1' });
      } else if (event.key === 'f' && page === 'transactions') {
        setQuery({ status: query.get('status') === 'REVERTED' ? undefined : 'REVERTED' });
      } else if (event.key === '[' || event.key === ']') {
        runTask(
          adjacentPage(route, event.key === '[' ? -1 : 1).then((address) => {
            if (address !== undefined) go(address);
          }),
        );
      } else if (
        (event.key === 'j' || event.key === 'k') &&
        !(event.target instanceof HTMLTableRowElement)
      ) {
        document.querySelector<HTMLElement>('main tr[data-row][tabindex="0"]')?.focus();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [mode, route, open]);
  return isPrefixed;
}

/** Escape closes what is open, then removes filters, then drops the focus. */
function retreat({ target }: KeyboardEvent, { key, query }: Route): void {
  if (target instanceof Element && target.closest('dialog')) return;
  const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  if (query.has('peek')) setQuery({ peek: undefined, tab: undefined, frame: undefined });
  else if (!isField && key === undefined) {
    const filters = [...query.keys()].filter((name) => !PLACES.has(name));
    if (filters.length > 0) {
      setQuery(Object.fromEntries(filters.map((name) => [name, undefined])));
      return;
    }
    if (target instanceof HTMLElement) target.blur();
  } else if (target instanceof HTMLElement) target.blur();
}

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['⌘K or /', 'search and commands'],
  [ENTRIES.flatMap(({ key }) => key ?? []).join(' '), 'pages'],
  ['. then s n m', 'snapshot, new block, mint: Enter confirms'],
  ['j k or ↓ ↑', 'next, previous row'],
  ['Enter or o', 'open the row; with ⌘ or Ctrl in a new tab'],
  ['Space', 'open the row beside the list'],
  ['y', 'copy the hash of the row'],
  ['Home End', 'newest, oldest row'],
  ['[ ]', 'previous, next block or transaction'],
  ['f', 'failed only'],
  ['p', 'paused, live, tail'],
  ['→ ←', 'open, close a frame of the call tree'],
  ['e E x', 'expand a frame, expand all, go to the failure'],
  ['c d g /', 'copy a frame, debug it, show its gas, find frames'],
  ['F8 F10 F11 ⇧F11', 'in the debugger: resume, step over, into, out; with Alt backwards'],
  ['⌘↵', 'simulate or run'],
  ['⇧⌘↵', 'send'],
  ['Esc', 'close, then clear the filter, then drop the focus'],
  ['?', 'this table'],
];

export function Keys({ close }: { readonly close: () => void }) {
  return (
    <Sheet label="Keys" close={close}>
      <div>
        <h2>Keys</h2>
        <dl className="keys">
          {KEYS.map(([keys, does]) => (
            <Fact key={keys} name={<kbd>{keys}</kbd>}>
              {does}
            </Fact>
          ))}
        </dl>
        <div className="line-of">
          <LettersSwitch />
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Sheet>
  );
}

/** Switch for single-letter shortcuts; Enter, arrows, Escape and ⌘K always work. */
export function LettersSwitch() {
  const [isOn, setOn] = useState(areLettersOn);
  return (
    <Checkbox
      checked={isOn}
      change={(isOn) => {
        setLetters(isOn);
        setOn(isOn);
      }}
    >
      single-letter shortcuts
    </Checkbox>
  );
}
