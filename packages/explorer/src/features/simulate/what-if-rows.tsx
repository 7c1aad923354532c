// Section "What if": rows that override time, block number, prices, balances, storage, classes and nonces.
import { canonicalFelt, shortAddress } from '@starkbox/abi/basics';
import { useId } from 'react';
import { useNames } from '../../format/names.js';
import { PlainButton } from '../../parts/button.js';
import { useBook } from '../../parts/forms/address-book.js';
import { Icon } from '../../parts/icons.js';
import { Select } from '../../parts/inputs.js';
import { useChainNow } from '../../parts/values.js';
import {
  isKind,
  KINDS,
  MAX_OVERRIDES,
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
    <section className="panel card what-if" aria-labelledby="what-if">
      <h2 id="what-if">What if</h2>
      <p className="quiet">Override values of the chain for this simulation.</p>
      {drafts.map((draft, at) => (
        <OverrideRow
          key={draft.id}
          draft={draft}
          at={at}
          change={(next) => change(drafts.map((old) => (old.id === draft.id ? next : old)))}
          remove={() => change(drafts.filter(({ id }) => id !== draft.id))}
        />
      ))}
      <fieldset className="override-kinds">
        <legend className="unseen">Add an override</legend>
        {Object.entries(KINDS).map(([kind, { text }]) => (
          <button
            key={kind}
            type="button"
            className="chip"
            aria-label={`Override ${text}`}
            aria-disabled={drafts.length >= MAX_OVERRIDES}
            onClick={() => {
              if (drafts.length < MAX_OVERRIDES && isKind(kind))
                change([...drafts, newOverride(kind)]);
            }}
          >
            <Icon name="plus" /> {text}
          </button>
        ))}
      </fieldset>
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
    <fieldset className="override">
      <legend>
        {at + 1}. Override {KINDS[draft.kind].text}
      </legend>
      <div className="fields">
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
          <Icon name="close" />
        </PlainButton>
      </div>
      {fault !== undefined && (
        <span id={id} className="warn">
          {fault}
        </span>
      )}
    </fieldset>
  );
}

/** The overrides that a result is based on. */
const ADDRESS = /0x[0-9a-f]{40,64}/gi;

export function AppliedOverrides({ words }: { readonly words: readonly string[] }) {
  const names = useNames();
  if (words.length === 0) return null;
  const withNames = (text: string): string =>
    text.replace(ADDRESS, (address) => {
      const felt = canonicalFelt(address) ?? address;
      return names.get(felt) ?? shortAddress(felt);
    });
  return (
    <div className="applied">
      <h3 id="applied">Applied overrides</h3>
      <ul aria-labelledby="applied">
        {words.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two overrides may read the same
          <li key={at}>{withNames(text)}</li>
        ))}
      </ul>
    </div>
  );
}
