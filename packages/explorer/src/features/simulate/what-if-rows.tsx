// Section "What if": rows that override time, block number, prices, balances, storage, classes and nonces.
import { useId } from 'react';
import { PlainButton } from '../../parts/button.js';
import { useBook } from '../../parts/forms/address-book.js';
import { Select } from '../../parts/inputs.js';
import { useChainNow } from '../../parts/values.js';
import {
  isKind,
  KINDS,
  MOST_OVERRIDES,
  newOverride,
  type OverrideDraft,
  RESOURCES,
  readOverride,
} from './what-if.js';

interface WhatIfProps {
  readonly drafts: readonly OverrideDraft[];
  readonly change: (drafts: readonly OverrideDraft[]) => void;
}

export function WhatIf({ drafts, change }: WhatIfProps) {
  return (
    <section className="what-if" aria-labelledby="what-if">
      <h2 id="what-if">What if</h2>
      {drafts.map((draft, at) => (
        <OverrideRow
          key={draft.id}
          draft={draft}
          at={at}
          change={(next) => change(drafts.map((old) => (old.id === draft.id ? next : old)))}
          remove={() => change(drafts.filter(({ id }) => id !== draft.id))}
        />
      ))}
      <PlainButton
        aria-disabled={drafts.length >= MOST_OVERRIDES}
        onClick={() => {
          if (drafts.length < MOST_OVERRIDES) change([...drafts, newOverride()]);
        }}
      >
        + Override time, price, balance, storage or class
      </PlainButton>
    </section>
  );
}

interface OverrideRowProps {
  readonly draft: OverrideDraft;
  readonly at: number;
  readonly change: (draft: OverrideDraft) => void;
  readonly remove: () => void;
}

const FIELDS = ['subject', 'name', 'value'] as const;

function OverrideRow({ draft, at, change, remove }: OverrideRowProps) {
  const id = useId();
  const { resolve, id: book } = useBook();
  const read = readOverride(draft, resolve, useChainNow());
  // An empty row is not a mistake yet.
  const isBlank = draft.value === '' && draft.subject === '';
  const fault = typeof read === 'string' && !isBlank ? read : undefined;
  const fields: Readonly<Partial<Record<string, readonly [string, string]>>> =
    KINDS[draft.kind].fields;
  return (
    <fieldset className="line-of">
      <legend className="unseen">Override {at + 1}</legend>
      <Select
        label={<span className="unseen">kind</span>}
        value={draft.kind}
        change={(kind) => {
          if (isKind(kind)) change({ ...newOverride(kind), id: draft.id });
        }}
      >
        {Object.entries(KINDS).map(([kind, { text }]) => (
          <option key={kind} value={kind}>
            {text}
          </option>
        ))}
      </Select>
      {FIELDS.map((field) => {
        const [label, placeholder] = fields[field] ?? [];
        if (label === undefined) return null;
        const edit = (text: string): void => change({ ...draft, [field]: text });
        if (draft.kind === 'price' && field === 'name') {
          return (
            <Select key={field} label={label} value={draft.name} change={edit}>
              {Object.entries(RESOURCES).map(([name, [text]]) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </Select>
          );
        }
        return (
          <label key={field}>
            {label}
            <input
              value={draft[field]}
              placeholder={placeholder}
              list={field === 'subject' ? book : undefined}
              autoComplete="off"
              spellCheck={false}
              aria-invalid={fault !== undefined}
              aria-describedby={fault === undefined ? undefined : id}
              onChange={({ target }) => edit(target.value)}
            />
          </label>
        );
      })}
      <PlainButton aria-label={`Remove override ${at + 1}`} onClick={remove}>
        <span aria-hidden="true">✕</span>
      </PlainButton>
      {fault !== undefined && (
        <span id={id} className="warn">
          {fault}
        </span>
      )}
    </fieldset>
  );
}

/** The overrides that a result is based on. */
export function AppliedOverrides({ words }: { readonly words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <div className="applied">
      <h3 id="applied">What if: applied overrides</h3>
      <ul aria-labelledby="applied">
        {words.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two overrides may read the same
          <li key={at}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
