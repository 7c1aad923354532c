// Control for each ABI type: inputs for scalars, groups for structs, enums and lists.
import type { Abi } from '@starkbox/abi';
import {
  blankDraft,
  type Draft,
  type Encoded,
  MAX_ITEMS,
  type Shape,
  shapeOf,
  variantDraft,
} from '@starkbox/abi/internal';
import { useId, useState } from 'react';
import { counted, grouped, type Unit } from '../../format/amount.js';
import { useNamesOf } from '../../format/names.js';
import { escapeText } from '../../format/untrusted-text.js';
import { PlainButton } from '../button.js';
import { Icon } from '../icons.js';
import { UntrustedText } from '../values.js';
import { useBook } from './address-book.js';
import { useAmountUnit } from './amount-unit.js';
import { Caption, Felts, Plain } from './caption.js';
import { PasteField } from './paste-field.js';

interface FieldProps {
  readonly name: string;
  readonly type: string;
  readonly abi: Abi;
  readonly draft: Draft;
  readonly encoded: Encoded;
  readonly change: (draft: Draft) => void;
  /** Whether errors of untouched fields are shown too. */
  readonly isJudged: boolean;
}

export function Field(props: FieldProps) {
  const shape = shapeOf(props.type, props.abi);
  switch (shape.kind) {
    case 'list':
      return <ListField {...props} shape={shape} />;
    case 'record':
      return <RecordField {...props} shape={shape} />;
    case 'choice':
      return <ChoiceField {...props} shape={shape} />;
    case 'unit':
      return null;
    default:
      return <SimpleField {...props} shape={shape} />;
  }
}

const HINTS: Readonly<Partial<Record<Shape['kind'], string>>> = {
  felt: "12, 0xc or 'text'",
  address: 'name or 0x…',
  class: '0x…',
  raw: 'felts, with spaces between',
};

/** Only integers of 128 or 256 bits are shown as amounts. */
function hintFor(shape: Shape, unit: Unit | undefined): string | undefined {
  if (shape.kind !== 'integer') return HINTS[shape.kind];
  return shape.bits < 128 ? '12 or 0xc' : `12, 1e18 or 1.5 ${unit?.symbol ?? 'STRK'}`;
}

function SimpleField(props: FieldProps & { readonly shape: Shape }) {
  const { name, type, draft, encoded, change, isJudged, shape } = props;
  const id = useId();
  const [wasLeft, setWasLeft] = useState(false);
  const book = useBook();
  const unit = useAmountUnit();
  const text = typeof draft === 'string' ? draft : '';
  const error = wasLeft || isJudged ? encoded.error : undefined;
  const common = {
    id,
    value: text,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-says`,
    onBlur: () => setWasLeft(true),
  };
  const [felt] = encoded.felts;
  const address = shape.kind === 'address' ? felt : undefined;
  const names = useNamesOf(address === undefined ? [] : [address]);
  const called = address === undefined ? undefined : names.get(address);
  return (
    <div className="abi-field">
      <label htmlFor={id}>
        <Caption name={name} type={type} />
      </label>
      <div className="control">
        {shape.kind === 'bool' ? (
          <select {...common} onChange={(event) => change(event.target.value)}>
            <option value="false">false</option>
            <option value="true">true</option>
          </select>
        ) : shape.kind === 'text' || shape.kind === 'raw' ? (
          <textarea
            {...common}
            rows={shape.kind === 'raw' ? 2 : 1}
            className={shape.kind === 'raw' ? 'mono' : undefined}
            placeholder={hintFor(shape, unit)}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <input
            {...common}
            className={shape.kind === 'address' ? undefined : 'mono'}
            list={shape.kind === 'address' && book.id !== '' ? book.id : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={hintFor(shape, unit)}
            onChange={(event) => change(event.target.value)}
          />
        )}
        <span id={`${id}-says`} className="says">
          {error !== undefined ? (
            <span className="fail">{error}</span>
          ) : encoded.error !== undefined || (shape.kind === 'text' && text === '') ? (
            ''
          ) : (
            <>
              {shape.kind === 'raw' && <span className="warn">{shape.why} </span>}
              {shape.kind === 'text' && (
                <>{grouped(new TextEncoder().encode(text).length)} bytes </>
              )}
              {shape.kind === 'integer' && (
                <Plain
                  felts={encoded.felts}
                  text={text}
                  unit={shape.bits < 128 ? undefined : unit}
                />
              )}
              {called !== undefined && called !== text.trim() && (
                <>
                  <UntrustedText text={called} limit={40} />{' '}
                </>
              )}
              = <Felts of={encoded.felts} />
            </>
          )}
        </span>
      </div>
    </div>
  );
}

function RecordField(props: FieldProps & { readonly shape: Extract<Shape, { kind: 'record' }> }) {
  const { name, type, abi, draft, encoded, change, isJudged, shape } = props;
  const parts = Array.isArray(draft) ? draft : [];
  return (
    <fieldset className="abi-group">
      <legend>
        <Caption name={name} type={type} />
      </legend>
      {shape.members.map((member, at) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
          key={at}
          name={member.name}
          type={member.type}
          abi={abi}
          draft={parts[at] ?? ''}
          encoded={encoded.parts?.[at] ?? NOTHING}
          isJudged={isJudged}
          change={(part) =>
            change(shape.members.map((_, index) => (index === at ? part : (parts[index] ?? ''))))
          }
        />
      ))}
    </fieldset>
  );
}

const NOTHING: Encoded = { felts: [], isWrong: false };

function ChoiceField(props: FieldProps & { readonly shape: Extract<Shape, { kind: 'choice' }> }) {
  const { name, type, abi, draft, encoded, change, isJudged, shape } = props;
  const id = useId();
  const chosen =
    typeof draft === 'object' && 'variant' in draft ? draft : { variant: shape.first, value: '' };
  const variant = shape.variants[chosen.variant];
  return (
    <fieldset className="abi-group">
      <legend className="unseen">
        <Caption name={name} type={type} />
      </legend>
      <div className="abi-field">
        <label htmlFor={id}>
          <Caption name={name} type={type} />
        </label>
        <div className="control">
          <select
            id={id}
            value={chosen.variant}
            onChange={(event) => change(variantDraft(shape, Number(event.target.value), abi))}
          >
            {shape.variants.map((option, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
              <option key={at} value={at}>
                {escapeText(option.name, 80).text}
              </option>
            ))}
          </select>
          {variant?.type === '()' && (
            <span className="says">
              = <Felts of={encoded.felts} />
            </span>
          )}
        </div>
      </div>
      {variant && (
        <Field
          key={chosen.variant}
          name={variant.name}
          type={variant.type}
          abi={abi}
          draft={chosen.value}
          encoded={encoded.parts?.[0] ?? NOTHING}
          isJudged={isJudged}
          change={(value) => change({ variant: chosen.variant, value })}
        />
      )}
    </fieldset>
  );
}

/** Most items that are rendered; all of them are encoded. */
const ROWS_SHOWN = 50;

function ListField(props: FieldProps & { readonly shape: Extract<Shape, { kind: 'list' }> }) {
  const { name, type, abi, draft, encoded, change, isJudged, shape } = props;
  const [isPasting, setPasting] = useState(false);
  const items = Array.isArray(draft) ? draft : [];
  const isFixed = shape.length !== undefined;
  const label = escapeText(name === '' ? 'value' : name, 40).text;
  return (
    <fieldset className="abi-group">
      <legend>
        <Caption name={name} type={type} />{' '}
        <span className="quiet">{counted(items.length, 'item')}</span>
      </legend>
      {items.slice(0, ROWS_SHOWN).map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: list items have no other identity
        <div key={at} className="abi-row">
          <Field
            name={String(at)}
            type={shape.of}
            abi={abi}
            draft={item}
            encoded={encoded.parts?.[at] ?? NOTHING}
            isJudged={isJudged}
            change={(part) =>
              change(items.map((element, index) => (index === at ? part : element)))
            }
          />
          {!isFixed && (
            <PlainButton
              aria-label={`Remove item ${at} of ${label}`}
              onClick={() => change(items.filter((_, index) => index !== at))}
            >
              <Icon name="cross" />
            </PlainButton>
          )}
        </div>
      ))}
      {items.length > ROWS_SHOWN && (
        <p className="quiet">
          … and {grouped(items.length - ROWS_SHOWN)} more, which are encoded as well.
        </p>
      )}
      {encoded.error !== undefined && <p className="fail">{encoded.error}</p>}
      <div className="line-of">
        {!isFixed && (
          <AddItem
            to={label}
            isFull={items.length >= MAX_ITEMS}
            add={() => change([...items, blankDraft(shape.of, abi)])}
          />
        )}
        <PlainButton
          aria-expanded={isPasting}
          aria-label={`Paste ${label} as JSON or CSV`}
          onClick={() => setPasting(!isPasting)}
        >
          Paste…
        </PlainButton>
      </div>
      {isPasting && (
        <PasteField
          type={type}
          abi={abi}
          fill={(filled) => {
            change(filled);
            setPasting(false);
          }}
        />
      )}
    </fieldset>
  );
}

interface AddItemProps {
  readonly to: string;
  readonly isFull: boolean;
  readonly add: () => void;
}

function AddItem({ to, isFull, add }: AddItemProps) {
  return (
    <PlainButton
      aria-label={`Add an item to ${to}`}
      aria-disabled={isFull}
      onClick={() => {
        if (!isFull) add();
      }}
    >
      + Add
    </PlainButton>
  );
}
