// Filters of transactions as chips: one for each filter in use, and a menu that adds another.
import { canonicalFelt } from '@starkbox/abi';
import { useEffect, useRef, useState } from 'react';
import { useNames } from '../../../format/names.js';
import { setQuery, useRoute } from '../../../navigation/route.js';
import { Button, PlainButton } from '../../../parts/button.js';
import { ChipMenu } from '../../../parts/chips.js';
import { Form, numberIn, TextInput } from '../../../parts/inputs.js';
import { TYPE_NAMES } from '../../../parts/transaction/transaction-list.js';
import { UntrustedText } from '../../../parts/values.js';
import { FILTERS, type FilterName, filterValueText, selectorIn, TYPES } from './filter.js';

interface FilterField {
  readonly label: string;
  /** The only values, with their words. */
  readonly options?: readonly (readonly [value: string, word: string])[];
  readonly placeholder?: string;
  /** Whether the known addresses are offered. */
  readonly isAddress?: boolean;
  /** Why a text cannot be used. */
  readonly fault?: (text: string) => string | undefined;
}

const blockFault = (text: string): string | undefined =>
  numberIn(text) === undefined ? 'A block is a number like 12.' : undefined;

const addressFault = (text: string): string | undefined =>
  canonicalFelt(text) === undefined ? 'An address has 0x and hexadecimal digits.' : undefined;

const FIELDS: Readonly<Record<FilterName, FilterField>> = {
  status: {
    label: 'Status',
    options: [
      ['SUCCEEDED', 'succeeded'],
      ['REVERTED', 'reverted'],
    ],
  },
  type: { label: 'Type', options: TYPES.map((type) => [type, TYPE_NAMES[type] ?? type]) },
  sender: { label: 'Sender', placeholder: '0x…', isAddress: true, fault: addressFault },
  contract: { label: 'Contract', placeholder: '0x…', isAddress: true, fault: addressFault },
  function: {
    label: 'Function',
    placeholder: 'name or 0x…',
    fault: (text) =>
      selectorIn(text) === undefined
        ? 'A function is a name like transfer, or a selector like 0x83af….'
        : undefined,
  },
  block: { label: 'Block', placeholder: '12', fault: blockFault },
  from: { label: 'From block', placeholder: '12', fault: blockFault },
  to: { label: 'To block', placeholder: '12', fault: blockFault },
  panic: { label: 'Failure message', placeholder: 'part of the message' },
};

function faultOf(name: FilterName, value: string): string | undefined {
  const { options, fault } = FIELDS[name];
  if (options) {
    return options.some(([option]) => option === value) ? undefined : `“${value}” is unknown.`;
  }
  return fault?.(value);
}

export function Filters() {
  const { query } = useRoute();
  const names = useNames();
  const bar = useRef<HTMLElement>(null);
  const valueIn = (name: FilterName): string => query.get(name)?.trim() ?? '';
  const used = FILTERS.filter((name) => valueIn(name) !== '');
  const free = FILTERS.filter((name) => valueIn(name) === '');
  /** The chip or field that had the focus is gone. */
  const focusMenu = (): void => {
    requestAnimationFrame(() =>
      bar.current?.querySelector<HTMLElement>('.chip-menu:last-of-type .chip')?.focus(),
    );
  };
  const faults = used.flatMap((name) => faultOf(name, valueIn(name)) ?? []);
  return (
    <search className="chips" ref={bar}>
      {used.map((name) => (
        <ChipMenu
          key={name}
          label={FIELDS[name].label}
          value={filterValueText(name, valueIn(name), names)}
          clear={() => {
            setQuery({ [name]: undefined });
            focusMenu();
          }}
        >
          {(close) => <FilterEditor name={name} value={valueIn(name)} close={close} />}
        </ChipMenu>
      ))}
      {free.length > 0 && (
        <ChipMenu label="Add filter">
          {(close) => (
            <NewFilter
              names={free}
              close={() => {
                close();
                focusMenu();
              }}
            />
          )}
        </ChipMenu>
      )}
      {faults.map((fault) => (
        <span key={fault} className="fail">
          <UntrustedText text={fault} limit={200} />
        </span>
      ))}
    </search>
  );
}

interface NewFilterProps {
  readonly names: readonly FilterName[];
  readonly close: () => void;
}

/** First the name of a filter, then its value. */
function NewFilter({ names, close }: NewFilterProps) {
  const [name, setName] = useState<FilterName | undefined>();
  if (name !== undefined) return <FilterEditor name={name} value="" close={close} isFocused />;
  return names.map((option) => (
    <PlainButton key={option} className="plain menu-item" onClick={() => setName(option)}>
      {FIELDS[option].label}
    </PlainButton>
  ));
}

interface FilterEditorProps {
  readonly name: FilterName;
  readonly value: string;
  readonly close: () => void;
  /** Whether the first control takes the focus. */
  readonly isFocused?: boolean;
}

function FilterEditor({ name, value, close, isFocused = false }: FilterEditorProps) {
  const editor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) editor.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [isFocused]);
  const apply = (text: string): void => {
    setQuery({ [name]: text || undefined });
    close();
  };
  const { options } = FIELDS[name];
  return (
    <div className="filter-editor" ref={editor}>
      {options ? (
        options.map(([option, word]) => (
          <PlainButton
            key={option}
            className="plain menu-item"
            aria-pressed={option === value}
            onClick={() => apply(option)}
          >
            {word}
          </PlainButton>
        ))
      ) : (
        <TextEditor name={name} value={value} apply={apply} />
      )}
    </div>
  );
}

interface TextEditorProps {
  readonly name: FilterName;
  readonly value: string;
  readonly apply: (text: string) => void;
}

const MOST_SUGGESTIONS = 30;

function TextEditor({ name, value, apply }: TextEditorProps) {
  const names = useNames();
  const [text, setText] = useState(value);
  const { label, placeholder, isAddress = false, fault } = FIELDS[name];
  const typed = text.trim();
  const search = typed.toLowerCase();
  const suggestions = isAddress
    ? [...names]
        .filter(([, word]) => word.toLowerCase().includes(search))
        .slice(0, MOST_SUGGESTIONS)
    : [];
  const byName = suggestions.find(([, word]) => word.toLowerCase() === search)?.[0];
  const wrong = typed === '' || byName !== undefined ? undefined : fault?.(typed);
  const id = `filter-${name}`;
  return (
    <>
      <Form
        className="line-of"
        submit={() => {
          if (wrong === undefined) apply(byName ?? typed);
        }}
      >
        <TextInput
          label={label}
          value={text}
          placeholder={isAddress ? 'name or 0x…' : placeholder}
          maxLength={200}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong === undefined ? undefined : id}
          change={setText}
        />
        <Button type="submit" aria-disabled={wrong !== undefined}>
          Apply
        </Button>
      </Form>
      {wrong !== undefined && suggestions.length === 0 && (
        <span id={id} className="fail">
          {wrong}
        </span>
      )}
      {suggestions.length > 0 && (
        <ul className="known-addresses" aria-label="Known addresses">
          {suggestions.map(([address, word]) => (
            <li key={address}>
              <PlainButton
                className="plain menu-item"
                title={address}
                onClick={() => apply(address)}
              >
                <UntrustedText text={word} limit={60} />
              </PlainButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
