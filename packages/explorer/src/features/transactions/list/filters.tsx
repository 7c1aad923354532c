// Fields of the filters of transactions.
import { canonicalFelt } from '@starkbox/abi';
import { type KeyboardEvent, useState } from 'react';
import { useNames } from '../../../format/names.js';
import { setQuery, useRoute } from '../../../navigation/route.js';
import { Button } from '../../../parts/button.js';
import { numberIn } from '../../../parts/inputs.js';
import { TYPE_NAMES } from '../../../parts/transaction/transaction-list.js';
import type { TransactionFilter } from '../../../rpc/queries.js';
import { type FilterName, selectorIn, TYPES } from './filter.js';

/** On a phone, the fields fold away below the number of filters that hold. */
export function Filters({ filter }: { readonly filter: TransactionFilter }) {
  const count = Object.keys(filter).length;
  const fields = (
    <search className="filters">
      <Choice name="type" of={TYPES.map((type) => [type, TYPE_NAMES[type] ?? type])} />
      <Choice
        name="status"
        of={[
          ['SUCCEEDED', 'succeeded'],
          ['REVERTED', 'reverted'],
        ]}
      />
      <AddressFilter name="sender" value={filter.sender} />
      <AddressFilter name="contract" value={filter.contract} />
      <TextFilter
        name="function"
        placeholder="name or 0x…"
        fault={(text) =>
          selectorIn(text) === undefined
            ? 'A function is a name like transfer, or a selector like 0x83af….'
            : undefined
        }
      />
      <TextFilter name="from" label="from block" size="tiny" fault={blockFault} />
      <TextFilter name="to" label="to block" size="tiny" fault={blockFault} />
      <TextFilter name="panic" placeholder="part of the failure message" fault={() => undefined} />
      {filter.block_number !== undefined && (
        <Button onClick={() => setQuery({ block: undefined })}>
          block {filter.block_number} ✕
        </Button>
      )}
    </search>
  );
  if (innerWidth >= 640) return fields;
  return (
    <details className="folded">
      <summary>Filters{count > 0 && `: ${count}`}</summary>
      {fields}
    </details>
  );
}

const blockFault = (text: string): string | undefined =>
  numberIn(text) === undefined ? 'A block is a number like 12.' : undefined;

interface ChoiceProps {
  readonly name: FilterName;
  readonly of: readonly (readonly [value: string, word: string])[];
}

function Choice({ name, of }: ChoiceProps) {
  const valueInAddress = useRoute().query.get(name) ?? '';
  return (
    <label>
      {name}:
      <select
        value={of.some(([value]) => value === valueInAddress) ? valueInAddress : ''}
        onChange={(event) => setQuery({ [name]: event.target.value || undefined })}
      >
        <option value="">any</option>
        {of.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextFilterProps {
  readonly name: FilterName;
  readonly label?: string;
  readonly placeholder?: string;
  readonly size?: string;
  /** Why a text cannot be used. */
  readonly fault: (text: string) => string | undefined;
}

/** Typed filter; Enter and leaving the field take it over into the address. */
function TextFilter({ name, label = name, placeholder, size, fault }: TextFilterProps) {
  const valueInAddress = useRoute().query.get(name) ?? '';
  const [draft, setDraft] = useState<{ readonly text: string; readonly of: string }>();
  // A draft is of the value it was begun from; a link may have changed it since.
  const text = draft?.of === valueInAddress ? draft.text : valueInAddress;
  const wrong = text.trim() === '' ? undefined : fault(text.trim());
  const id = `filter-${name}`;
  const commit = (): void => {
    if (wrong !== undefined || text.trim() === valueInAddress) return;
    setQuery({ [name]: text.trim() || undefined });
  };
  return (
    <label className="text-filter">
      {label}:
      <input
        type="search"
        className={size ?? 'medium'}
        value={text}
        placeholder={placeholder}
        maxLength={200}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : id}
        onChange={({ target }) => setDraft({ text: target.value, of: valueInAddress })}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
      {wrong !== undefined && (
        <span id={id} className="fail">
          {wrong}
        </span>
      )}
    </label>
  );
}

interface AddressFilterProps {
  readonly name: FilterName;
  readonly value: string | undefined;
}

/** Address filter: a known address, or a typed one. */
function AddressFilter({ name, value }: AddressFilterProps) {
  const names = useNames();
  const [draft, setDraft] = useState('');
  const labelled = [...names].map(([address, label]) => ({ address, label }));
  const isOther = value !== undefined && !names.has(value);
  const press = (event: KeyboardEvent): void => {
    const address = canonicalFelt(draft);
    if (event.key === 'Enter' && address !== undefined) setQuery({ [name]: address });
  };
  return (
    <label>
      {name}:
      <select
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.target.value || undefined })}
      >
        <option value="">any</option>
        {isOther && <option value={value}>{value}</option>}
        {labelled.map(({ address, label }) => (
          <option key={address} value={address}>
            {label}
          </option>
        ))}
      </select>
      {value === undefined && (
        <input
          className="mono address-input"
          aria-label={`${name} by address`}
          placeholder="0x…"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={press}
        />
      )}
    </label>
  );
}
