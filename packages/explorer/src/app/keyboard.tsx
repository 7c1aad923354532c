// Keyboard shortcuts. No single key changes the chain: commands open the palette first.
import { useEffect, useRef, useState } from 'react';
import { areLettersOn, isShortcut, setLetters, shortcutText } from '../navigation/key-events.js';
import { currentRoute, go, type Route, setQuery, to, useRoute } from '../navigation/route.js';
import { Button } from '../parts/button.js';
import { Sheet } from '../parts/dialog.js';
import { Checkbox } from '../parts/inputs.js';
import { unpeek } from '../parts/side-panel.js';
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
const VIEW_PARAMETERS = new Set(['mode', 'tab', 'frame', 'columns']);

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
    const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
      '.': () => setPrefixed(true),
      '/': (event) => {
        event.preventDefault();
        open({ what: 'palette' });
      },
      '?': () => open({ what: 'keys' }),
      p: () => setQuery({ mode: nextMode(mode) }),
      f: () => toggleFailures(route),
      '[': () => goToAdjacent(route, -1),
      ']': () => goToAdjacent(route, 1),
      j: focusFirstRow,
      k: focusFirstRow,
    };
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        open({ what: 'palette' });
        return;
      }
      if (event.key === 'Escape') {
        setPrefixed(false);
        if (!event.defaultPrevented) handleEscape(event, route);
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
      else actions[event.key]?.(event);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [mode, route, open]);
  return isPrefixed;
}

function toggleFailures({ page, query }: Route): void {
  if (page === 'activity') setQuery({ failed: query.get('failed') === '1' ? undefined : '1' });
  if (page === 'transactions') {
    setQuery({ status: query.get('status') === 'REVERTED' ? undefined : 'REVERTED' });
  }
}

function goToAdjacent(route: Route, step: 1 | -1): void {
  runTask(
    adjacentPage(route, step).then((address) => {
      if (address !== undefined) go(address);
    }),
  );
}

/** From outside of a list; its rows have these keys themselves. */
function focusFirstRow({ target }: KeyboardEvent): void {
  if (target instanceof HTMLTableRowElement) return;
  document.querySelector<HTMLElement>('main tr[data-row][tabindex="0"]')?.focus();
}

/** Escape closes what is open, then removes filters, then drops the focus. */
function handleEscape({ target }: KeyboardEvent, { key, query }: Route): void {
  if (target instanceof Element && target.closest('dialog')) return;
  const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  if (currentRoute().query.has('peek')) unpeek();
  else if (!isField && key === undefined) {
    const filters = [...query.keys()].filter((name) => !VIEW_PARAMETERS.has(name));
    if (filters.length > 0) {
      setQuery(Object.fromEntries(filters.map((name) => [name, undefined])));
      return;
    }
    if (target instanceof HTMLElement) target.blur();
  } else if (target instanceof HTMLElement) target.blur();
}

interface KeyGroup {
  readonly name: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

const KEY_GROUPS: readonly KeyGroup[] = [
  {
    name: 'Everywhere',
    keys: [
      [`${shortcutText('Mod+K')} or /`, 'search and commands'],
      [ENTRIES.flatMap(({ key }) => key ?? []).join(' '), 'open a page'],
      ['. then s n m', 'snapshot, new block, mint; Enter confirms'],
      ['Esc', 'close, then clear the filter, then drop the focus'],
      ['?', 'show these keys'],
    ],
  },
  {
    name: 'Lists',
    keys: [
      ['j k or ↓ ↑', 'next, previous row'],
      ['Home End', 'first, last row'],
      ['Enter or o', 'open the row'],
      [shortcutText('Mod+Enter'), 'open the row in a new tab'],
      ['y', 'copy the hash of the row'],
    ],
  },
  {
    name: 'Activity, transactions and blocks',
    keys: [
      ['Space', 'open the row beside the list'],
      ['f', 'show failed transactions only'],
      ['p', 'pause, follow, or follow at the end'],
      ['[ ]', 'on a block or transaction: previous, next'],
    ],
  },
  {
    name: 'Calls of a transaction',
    keys: [
      ['x', 'go to the failure'],
      ['→ ←', 'open, close a frame'],
      ['e E', 'expand a frame, expand all'],
      ['c d g', 'copy a frame, debug it, show its gas'],
      ['/', 'find frames'],
    ],
  },
  {
    name: 'Forms',
    keys: [
      [shortcutText('Mod+Enter'), 'simulate or call'],
      [shortcutText('Shift+Mod+Enter'), 'send'],
    ],
  },
  {
    name: 'Debugger',
    keys: [
      [`F8 F10 F11 ${shortcutText('Shift+F11')}`, 'resume, step over, into, out'],
      [`${shortcutText('Alt')} with these`, 'the same backwards'],
      ['c e w x', 'next call, event, storage write, failure'],
    ],
  },
];

export function Keys({ close }: { readonly close: () => void }) {
  return (
    <Sheet label="Keys" close={close} className="sheet wide">
      <div>
        <h2>Keys</h2>
        <div className="key-groups">
          {KEY_GROUPS.map(({ name, keys }) => (
            <section key={name} aria-label={name}>
              <h3>{name}</h3>
              <dl className="keys">
                {keys.map(([keys, does]) => (
                  <Fact key={keys} name={<kbd>{keys}</kbd>}>
                    {does}
                  </Fact>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <div className="line-of keys-foot">
          <LettersSwitch />
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Sheet>
  );
}

/** Switch for single-letter shortcuts; Enter, arrows, Escape and the search always work. */
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
      Single-letter shortcuts
    </Checkbox>
  );
}
