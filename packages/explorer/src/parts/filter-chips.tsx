// Filters as chips: one for each filter in use, and a menu that adds another. The page's address holds the values.
import type { Names } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { useEffect, useRef, useState } from 'react';
import { useNames } from '../format/names.js';
import { setQuery, useRoute } from '../navigation/route.js';
import { Button, PlainButton } from './button.js';
import { ChipMenu } from './chips.js';
import { Form, numberIn, TextInput } from './inputs.js';
import { UntrustedText } from './values.js';

export interface FilterField<Name extends string> {
  /** Of the parameter in the page's address. */
  readonly name: Name;
  readonly label: string;
  /** The only values, with their words. */
  readonly options?: readonly (readonly [value: string, word: string])[];
  readonly placeholder?: string;
  /** Whether the known addresses are offered. */
  readonly isAddress?: boolean;
  /** Why a text cannot be used. */
  readonly fault?: (text: string) => string | undefined;
}

export const blockFault = (text: string): string | undefined =>
  numberIn(text) === undefined ? 'A block is a number like 12.' : undefined;

export const addressFault = (text: string): string | undefined =>
  canonicalFelt(text) === undefined ? 'An address has 0x and hexadecimal digits.' : undefined;

function faultOf<Name extends string>(
  { options, fault }: FilterField<Name>,
  value: string,
): string | undefined {
  if (options) {
    return options.some(([option]) => option === value) ? undefined : `“${value}” is unknown.`;
  }
  return fault?.(value);
}

interface FilterChipsProps<Name extends string> {
  readonly fields: readonly FilterField<Name>[];
  /** The value of a filter in words. */
  readonly textOf: (name: Name, value: string, names: Names) => string;
}

export function FilterChips<Name extends string>({ fields, textOf }: FilterChipsProps<Name>) {
  const { query } = useRoute();
  const names = useNames();
  const bar = useRef<HTMLElement>(null);
  const valueIn = ({ name }: FilterField<Name>): string => query.get(name)?.trim() ?? '';
  const used = fields.filter((field) => valueIn(field) !== '');
  const free = fields.filter((field) => valueIn(field) === '');
  /** The chip or field that had the focus is gone. */
  const focusMenu = (): void => {
    requestAnimationFrame(() =>
      bar.current?.querySelector<HTMLElement>('.chip-menu:last-of-type .chip')?.focus(),
    );
  };
  const faults = used.flatMap((field) => faultOf(field, valueIn(field)) ?? []);
  return (
    <search className="chips" ref={bar}>
      {used.map((field) => (
        <ChipMenu
          key={field.name}
          label={field.label}
          value={textOf(field.name, valueIn(field), names)}
          clear={() => {
            setQuery({ [field.name]: undefined });
            focusMenu();
          }}
        >
          {(close) => <FilterEditor field={field} value={valueIn(field)} close={close} />}
        </ChipMenu>
      ))}
      {free.length > 0 && (
        <ChipMenu label="Add filter">
          {(close) => (
            <NewFilter
              fields={free}
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
  readonly fields: readonly FilterField<string>[];
  readonly close: () => void;
}

/** First the name of a filter, then its value. */
function NewFilter({ fields, close }: NewFilterProps) {
  const [chosen, setChosen] = useState<FilterField<string> | undefined>();
  if (chosen) return <FilterEditor field={chosen} value="" close={close} isFocused />;
  return fields.map((field) => (
    <PlainButton key={field.name} className="plain menu-item" onClick={() => setChosen(field)}>
      {field.label}
    </PlainButton>
  ));
}

interface FilterEditorProps {
  readonly field: FilterField<string>;
  readonly value: string;
  readonly close: () => void;
  /** Whether the first control takes the focus. */
  readonly isFocused?: boolean;
}

function FilterEditor({ field, value, close, isFocused = false }: FilterEditorProps) {
  const editor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) editor.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [isFocused]);
  const apply = (text: string): void => {
    setQuery({ [field.name]: text || undefined });
    close();
  };
  return (
    <div className="filter-editor" ref={editor}>
      {field.options ? (
        field.options.map(([option, word]) => (
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
        <TextEditor field={field} value={value} apply={apply} />
      )}
    </div>
  );
}

interface TextEditorProps {
  readonly field: FilterField<string>;
  readonly value: string;
  readonly apply: (text: string) => void;
}

const MAX_SUGGESTIONS = 30;

function TextEditor({ field, value, apply }: TextEditorProps) {
  const names = useNames();
  const [text, setText] = useState(value);
  const { name, label, placeholder, isAddress = false, fault } = field;
  const typed = text.trim();
  const search = typed.toLowerCase();
  const suggestions = isAddress
    ? [...names].filter(([, word]) => word.toLowerCase().includes(search)).slice(0, MAX_SUGGESTIONS)
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
