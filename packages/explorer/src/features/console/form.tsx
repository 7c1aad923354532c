// Knows how a value is filled in by hand, with one control for each kind of thing that a schema allows.
import { type ReactNode, useId, useState } from 'react';
import { parseJson, writeJson } from '../../format/json.js';
import { useNames } from '../../format/names.js';
import { Hostile } from '../../parts/values.js';
import { fieldsOf } from '../../rpc/discovery.js';
import { emptyOf, fits, type Member, type Schemas, type Shape, shapeOf } from './shape.js';

interface FieldProps {
  readonly schema: unknown;
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly label: string;
  readonly depth?: number;
}

/** Deeper than any parameter of ours. */
const DEEPEST = 12;
const MOST_ITEMS = 50;

/** The parameters of a method. */
export function SchemaForm({
  members,
  schemas,
  value,
  change,
}: {
  readonly members: readonly Member[];
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}) {
  return (
    <RecordFields members={members} schemas={schemas} value={value} change={change} depth={0} />
  );
}

function RecordFields({
  members,
  schemas,
  value,
  change,
  depth,
}: {
  readonly members: readonly Member[];
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly depth: number;
}) {
  const given = fieldsOf(value);
  const set = (name: string, part: unknown): void => {
    // In the order of the document, whichever was filled in first.
    const next = { ...given, [name]: part };
    const known = members.map((member) => member.name);
    const others = Object.keys(next).filter((one) => !known.includes(one));
    change(
      Object.fromEntries(
        [...known, ...others]
          .filter((one) => next[one] !== undefined)
          .map((one) => [one, next[one]]),
      ),
    );
  };
  const absent = members.filter(({ name, required }) => !required && given[name] === undefined);
  return (
    <div className="schema-fields">
      {members.map(({ name, required, schema, description }) => {
        if (given[name] === undefined && !required) return null;
        return (
          <div key={name} className="schema-field">
            <Field
              label={name}
              schema={schema}
              schemas={schemas}
              value={given[name]}
              change={(part) => set(name, part)}
              depth={depth + 1}
            />
            {description !== '' && depth === 0 && <p className="quiet">{description}</p>}
            {!required && (
              <button type="button" className="plain" onClick={() => set(name, undefined)}>
                Leave out {name}
              </button>
            )}
          </div>
        );
      })}
      {absent.length > 0 && (
        <p className="line-of">
          {absent.map(({ name, schema }) => (
            <button
              key={name}
              type="button"
              className="plain"
              onClick={() => set(name, emptyOf(schema, schemas))}
            >
              + {name}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function Field(props: FieldProps) {
  const { schema, schemas, value, change, label, depth = 0 } = props;
  const shape = depth > DEEPEST ? ANY : shapeOf(schema, schemas);
  switch (shape.kind) {
    case 'choice':
      return <ChoiceField {...props} shape={shape} />;
    case 'word':
      // There is nothing to choose.
      if (isOneWord(shape) && shape.words[0] === value) {
        return (
          <p className="only-word">
            <span className="soft">{label}</span> {shape.words[0]}
          </p>
        );
      }
      return (
        <Labelled label={label}>
          {(id) => (
            <select
              id={id}
              value={typeof value === 'string' ? value : ''}
              onChange={(event) => change(event.target.value)}
            >
              {!shape.words.includes(String(value)) && <option value="">choose</option>}
              {shape.words.map((word) => (
                <option key={word} value={word}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      );
    case 'boolean':
      return (
        <label className="line-of">
          <input
            type="checkbox"
            checked={value === true}
            onChange={(event) => change(event.target.checked)}
          />
          {label}
        </label>
      );
    case 'number':
      return <NumberField {...props} />;
    case 'text':
      return <TextField {...props} felt={shape.felt} />;
    case 'list':
      return <ListField {...props} item={shape.item} />;
    case 'record':
      return (
        <fieldset className="schema-group">
          <legend>{label}</legend>
          <RecordFields
            members={shape.members}
            schemas={schemas}
            value={value}
            change={change}
            depth={depth}
          />
        </fieldset>
      );
    case 'any':
      return <AnyField {...props} />;
  }
}

const ANY: Shape = { kind: 'any' };

function Labelled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="schema-line">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

function ChoiceField({
  shape,
  schemas,
  value,
  change,
  label,
  depth = 0,
}: FieldProps & { readonly shape: Extract<Shape, { kind: 'choice' }> }) {
  const found = shape.options.findIndex(({ schema }) =>
    fits(shapeOf(schema, schemas), value, schemas),
  );
  const [chosen, setChosen] = useState(Math.max(0, found));
  // What stands there tells, unless it would do as several.
  const isStill = fits(shapeOf(shape.options[chosen]?.schema, schemas), value, schemas);
  const at = isStill || found < 0 ? chosen : found;
  const option = shape.options[at];
  return (
    <div className="schema-choice">
      <Labelled label={label}>
        {(id) => (
          <select
            id={id}
            value={at}
            onChange={(event) => {
              const next = Number(event.target.value);
              setChosen(next);
              change(emptyOf(shape.options[next]?.schema, schemas));
            }}
          >
            {shape.options.map(({ name }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
              <option key={index} value={index}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {option && (
        <Chosen
          key={at}
          schema={option.schema}
          schemas={schemas}
          value={value}
          change={change}
          label={`${label}: ${option.name}`}
          depth={depth + 1}
        />
      )}
    </div>
  );
}

/** What was chosen has its name above already. */
function Chosen(props: FieldProps) {
  const { schema, schemas, value, change, depth = 0 } = props;
  const shape = shapeOf(schema, schemas);
  if (isOneWord(shape)) return null;
  if (shape.kind !== 'record') return <Field {...props} />;
  return (
    <div className="chosen">
      <RecordFields
        members={shape.members}
        schemas={schemas}
        value={value}
        change={change}
        depth={depth}
      />
    </div>
  );
}

function isOneWord(shape: Shape): boolean {
  return shape.kind === 'word' && shape.words.length === 1;
}

const INTEGER = /^-?\d+$/;

function NumberField({ value, change, label }: FieldProps) {
  const [draft, setDraft] = useState<string | undefined>();
  const shown = draft ?? (value === undefined ? '' : String(value));
  const isWrong = shown !== '' && Number.isNaN(Number(shown));
  return (
    <Labelled label={label}>
      {(id) => (
        <>
          <input
            id={id}
            className="mono"
            inputMode="numeric"
            value={shown}
            aria-invalid={isWrong}
            onBlur={() => {
              if (!isWrong) setDraft(undefined);
            }}
            onChange={(event) => {
              const text = event.target.value.trim();
              setDraft(text);
              if (INTEGER.test(text)) change(safe(text));
              else if (text !== '' && !Number.isNaN(Number(text))) change(Number(text));
            }}
          />
          {isWrong && <span className="fail">a number is needed</span>}
        </>
      )}
    </Labelled>
  );
}

/** No digit is lost. */
function safe(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const HEX = /^0x[0-9a-f]{1,64}$/i;

function TextField({
  value,
  change,
  label,
  felt,
}: FieldProps & { readonly felt: 'felt' | 'address' | undefined }) {
  const names = useNames();
  const book = useId();
  const text = typeof value === 'string' ? value : value === undefined ? '' : writeJson(value);
  const isWrong = felt !== undefined && text !== '' && !HEX.test(text);
  const isSecret = SECRET.test(label);
  const name = felt === 'address' ? names.get(text) : undefined;
  return (
    <Labelled label={label}>
      {(id) => (
        <>
          <input
            id={id}
            className="mono"
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            spellCheck={false}
            placeholder={felt === undefined ? undefined : '0x…'}
            list={felt === 'address' ? book : undefined}
            value={text}
            aria-invalid={isWrong}
            onChange={(event) => change(event.target.value)}
          />
          {felt === 'address' && (
            <datalist id={book}>
              {[...names].map(([address, known]) => (
                <option key={address} value={address}>
                  {known}
                </option>
              ))}
            </datalist>
          )}
          {name !== undefined && (
            <span className="quiet">
              <Hostile text={name} limit={40} />
            </span>
          )}
          {isWrong && <span className="fail">0x and up to 64 hexadecimal digits</span>}
        </>
      )}
    </Labelled>
  );
}

export const SECRET: RegExp =
  /private_?key|secret|password|passphrase|mnemonic|^token$|auth_token/i;

function ListField({
  item,
  schemas,
  value,
  change,
  label,
  depth = 0,
}: FieldProps & { readonly item: unknown }) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset className="schema-group">
      <legend>
        {label} <span className="quiet">{items.length}</span>
      </legend>
      {items.slice(0, MOST_ITEMS).map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other identity than their place
        <div key={at} className="schema-item">
          <Field
            label={`${label}[${at}]`}
            schema={item}
            schemas={schemas}
            value={one}
            change={(part) => change(items.map((old, index) => (index === at ? part : old)))}
            depth={depth + 1}
          />
          <button
            type="button"
            className="plain"
            aria-label={`Remove ${label}[${at}]`}
            onClick={() => change(items.filter((_, index) => index !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      {items.length > MOST_ITEMS && (
        <p className="quiet">{items.length - MOST_ITEMS} more are in the JSON beside.</p>
      )}
      <button
        type="button"
        className="plain"
        onClick={() => change([...items, emptyOf(item, schemas)])}
      >
        + add to {label}
      </button>
    </fieldset>
  );
}

/** For what no other control can say. */
function AnyField({ value, change, label }: FieldProps) {
  const [draft, setDraft] = useState<string | undefined>();
  const [isWrong, setWrong] = useState(false);
  return (
    <Labelled label={label}>
      {(id) => (
        <>
          <textarea
            id={id}
            className="mono"
            rows={3}
            value={draft ?? writeJson(value ?? null)}
            aria-invalid={isWrong}
            onChange={(event) => {
              setDraft(event.target.value);
              try {
                change(parseJson(event.target.value));
                setWrong(false);
              } catch {
                setWrong(true);
              }
            }}
          />
          {isWrong && <span className="fail">this is no JSON</span>}
        </>
      )}
    </Labelled>
  );
}
