// Choice of the columns of the transactions, kept in this browser.
import { type Stored, stored } from '../../../navigation/stored.js';
import { Menu } from '../../../parts/menu.js';
import {
  ALWAYS_SHOWN,
  COLUMN_HEADS,
  USUALLY_SHOWN,
} from '../../../parts/transaction/transaction-list.js';

const chosen: Stored<readonly string[]> = stored(
  'localStorage',
  'starkbox.columns.transactions',
  (found) => (Array.isArray(found) ? COLUMN_HEADS.filter((head) => found.includes(head)) : usual()),
);

const usual = (): readonly string[] => COLUMN_HEADS.filter((head) => USUALLY_SHOWN.has(head));

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Heads of the columns to show; the same set until the choice changes. */
export function useColumns(): ReadonlySet<string> {
  const heads = chosen.use();
  const set = sets.get(heads) ?? new Set([...heads, ALWAYS_SHOWN]);
  sets.set(heads, set);
  return set;
}

export function ColumnChoice() {
  const shown = useColumns();
  const toggle = (head: string, isOn: boolean): void =>
    chosen.set(COLUMN_HEADS.filter((one) => (one === head ? isOn : shown.has(one))));
  return (
    <Menu label="Columns">
      {COLUMN_HEADS.filter((head) => head !== ALWAYS_SHOWN).map((head) => (
        <label key={head}>
          <input
            type="checkbox"
            checked={shown.has(head)}
            onChange={({ target }) => toggle(head, target.checked)}
          />
          {head}
        </label>
      ))}
      <button type="button" className="plain" onClick={() => chosen.set(usual())}>
        Usual columns
      </button>
    </Menu>
  );
}
