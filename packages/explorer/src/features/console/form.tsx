// Form for the parameters of a method, made from their JSON schemas.
import { membersOf } from '@starkbox/abi/basics';
import { useState } from 'react';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { Checkbox } from '../../parts/inputs.js';
import { emptyOf, fits, type Member, type Schemas, type Shape, shapeOf } from './shape.js';
import { AnyField, type FieldProps, Labelled, NumberField, TextField } from './single-fields.js';

/** Deeper than any parameter of this node. */
const DEEPEST = 12;
const MAX_ITEMS = 50;

interface SchemaFormProps {
  readonly members: readonly Member[];
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

/** The parameters of a method. */
export function SchemaForm({ members, schemas, value, change }: SchemaFormProps) {
  return (
    <RecordFields members={members} schemas={schemas} value={value} change={change} depth={0} />
  );
}

interface RecordFieldsProps {
  readonly members: readonly Member[];
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly depth: number;
}

function RecordFields({ members, schemas, value, change, depth }: RecordFieldsProps) {
  const fields = membersOf(value);
  const set = (name: string, part: unknown): void => {
    // In the order of the schema, independent of the order of typing.
    const next = { ...fields, [name]: part };
    const memberNames = members.map((member) => member.name);
    const others = Object.keys(next).filter((name) => !memberNames.includes(name));
    change(
      Object.fromEntries(
        [...memberNames, ...others]
          .filter((name) => next[name] !== undefined)
          .map((name) => [name, next[name]]),
      ),
    );
  };
  const absent = members.filter(({ name, required }) => !required && fields[name] === undefined);
  return (
    <div className="schema-fields">
      {members.map(({ name, required, schema, description }) => {
        if (fields[name] === undefined && !required) return null;
        return (
          <div key={name} className="schema-field">
            <Field
              label={name}
              schema={schema}
              schemas={schemas}
              value={fields[name]}
              change={(part) => set(name, part)}
              depth={depth + 1}
            />
            {description !== '' && depth === 0 && <p className="quiet">{description}</p>}
            {!required && (
              <PlainButton onClick={() => set(name, undefined)}>Omit {name}</PlainButton>
            )}
          </div>
        );
      })}
      {absent.length > 0 && (
        <p className="line-of">
          {absent.map(({ name, schema }) => (
            <PlainButton key={name} onClick={() => set(name, emptyOf(schema, schemas, name))}>
              <Icon name="plus" /> {name}
            </PlainButton>
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
        <Checkbox className="line-of" checked={value === true} change={change}>
          {label}
        </Checkbox>
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

function ChoiceField(props: FieldProps & { readonly shape: Extract<Shape, { kind: 'choice' }> }) {
  const { shape, schemas, value, change, label, depth = 0 } = props;
  const fitting = shape.options.findIndex(({ schema }) =>
    fits(shapeOf(schema, schemas), value, schemas),
  );
  const [chosen, setChosen] = useState(Math.max(0, fitting));
  // The value decides which option is shown, unless it fits the selected one as well.
  const isStill = fits(shapeOf(shape.options[chosen]?.schema, schemas), value, schemas);
  const at = isStill || fitting < 0 ? chosen : fitting;
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

/** The value of the selected option, without repeating its name. */
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

function ListField(props: FieldProps & { readonly item: unknown }) {
  const { item, schemas, value, change, label, depth = 0 } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset className="schema-group">
      <legend>
        {label} <span className="quiet">{items.length}</span>
      </legend>
      {items.slice(0, MAX_ITEMS).map((element, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their index
        <div key={at} className="schema-item">
          <Field
            label={`${label}[${at}]`}
            schema={item}
            schemas={schemas}
            value={element}
            change={(part) => change(items.map((old, index) => (index === at ? part : old)))}
            depth={depth + 1}
          />
          <PlainButton
            aria-label={`Remove ${label}[${at}]`}
            onClick={() => change(items.filter((_, index) => index !== at))}
          >
            <Icon name="close" />
          </PlainButton>
        </div>
      ))}
      {items.length > MAX_ITEMS && (
        <p className="quiet">Edit the other {items.length - MAX_ITEMS} in the JSON.</p>
      )}
      <PlainButton onClick={() => change([...items, emptyOf(item, schemas)])}>
        <Icon name="plus" /> Add to {label}
      </PlainButton>
    </fieldset>
  );
}
