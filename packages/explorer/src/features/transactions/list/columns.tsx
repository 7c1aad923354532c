// Choice of the columns of the transactions, kept in this browser.
import { PlainButton } from '../../../parts/button.js';
import { Checkbox } from '../../../parts/inputs.js';
import { Menu } from '../../../parts/menu.js';
import {
  ALWAYS_SHOWN,
  COLUMN_HEADS,
  USUALLY_SHOWN,
} from '../../../parts/transaction/transaction-list.js';
import { createBrowserStore, useStore } from '../../../state/store.js';

const usual = (): readonly string[] => COLUMN_HEADS.filter((head) => USUALLY_SHOWN.has(head));

const chosen = createBrowserStore('localStorage', 'starkbox.columns.transactions', (stored) =>
  Array.isArray(stored) ? COLUMN_HEADS.filter((head) => stored.includes(head)) : usual(),
);

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Heads of the columns to show; the same set until the choice changes. */
export function useColumns(): ReadonlySet<string> {
  const heads = useStore(chosen);
  const set = sets.get(heads) ?? new Set([...heads, ALWAYS_SHOWN]);
  sets.set(heads, set);
  return set;
}

export function ColumnChoice() {
  const columns = useColumns();
  const toggle = (head: string, isOn: boolean): void =>
    chosen.set(COLUMN_HEADS.filter((column) => (column === head ? isOn : columns.has(column))));
  return (
    <Menu label="Columns">
      {COLUMN_HEADS.filter((head) => head !== ALWAYS_SHOWN).map((head) => (
        <Checkbox key={head} checked={columns.has(head)} change={(isOn) => toggle(head, isOn)}>
          {head}
        </Checkbox>
      ))}
      <PlainButton onClick={() => chosen.set(usual())}>Usual columns</PlainButton>
    </Menu>
  );
}
