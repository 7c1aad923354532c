// Editors of stored values: a field in the row for a value of one part, a dialog for values with members or items.
import {
  encodeStored,
  type FieldError,
  fieldId,
  fieldsOfValue,
  type ReadSlot,
  type SlotWrite,
  type StoredValue,
  type ValueField,
  vectorLength,
} from '@starkbox/abi/internal';
import { useId, useMemo, useState } from 'react';
import { amountText, readAmount, type Unit } from '../../format/amount.js';
import { Button } from '../../parts/button.js';
import { Sheet } from '../../parts/dialog.js';
import { useResolve } from '../../parts/forms/address-book.js';
import { Form } from '../../parts/inputs.js';
import { isAmountType } from '../../parts/transaction/decoded-value.js';
import { UntrustedText } from '../../parts/values.js';
import { useToken } from '../../rpc/tokens.js';

export interface EditorProps {
  readonly address: string;
  readonly value: StoredValue;
  /** The name of the value, for screen readers and the head of the dialog. */
  readonly title: string;
  /** With the felts that are staged already. */
  readonly read: ReadSlot;
  readonly stage: (writes: readonly SlotWrite[]) => void;
  readonly close: () => void;
}

/** Whether the value is edited in one field. */
export function hasOneField(value: StoredValue, read: ReadSlot): boolean {
  const fields = fieldsOfValue(value, read);
  return fields?.length === 1 && fields[0]?.path.length === 0;
}

/** `1.5 GLD` in the token's contract becomes its integer. */
function withoutUnit(text: string, type: string, unit: Unit | undefined): string {
  if (!unit || !isAmountType(type) || !/[a-z”]\s*$/i.test(text)) return text;
  const symbol = unit.symbol.replaceAll(/[“”]/g, '');
  const plain = text.replaceAll(/[“”]/g, '');
  return readAmount(plain, { ...unit, symbol })?.toString() ?? text;
}

interface Encoder {
  readonly encode: (
    texts: ReadonlyMap<string, string>,
    count?: number,
  ) => {
    readonly writes: readonly SlotWrite[];
    readonly errors: readonly FieldError[];
  };
  readonly unit: Unit | undefined;
}

function useEncoder({ address, value, read }: EditorProps, fields: readonly ValueField[]): Encoder {
  const unit = useToken(address);
  const resolve = useResolve();
  const types = new Map(fields.map(({ path, type }) => [fieldId(path), type]));
  return {
    unit,
    encode: (texts, count) => {
      const plain = new Map(
        [...texts].map(([id, text]) => [id, withoutUnit(text, types.get(id) ?? '', unit)]),
      );
      return encodeStored(value, plain, read, { count, resolve });
    },
  };
}

/** Focuses itself when it appears. */
const take = (element: HTMLInputElement | null): void => {
  element?.focus();
  element?.select();
};

/** The field of a value in its row. */
export function InlineEditor(props: EditorProps) {
  const { value, title, read, stage, close } = props;
  const id = useId();
  const fields = useMemo(() => fieldsOfValue(value, read) ?? [], [value, read]);
  const [field] = fields;
  const [text, setText] = useState(field?.text ?? '');
  const { encode, unit } = useEncoder(props, fields);
  const { writes, errors } = encode(new Map([['', text]]));
  const [error] = errors;
  const keep = (): void => {
    if (error) return;
    stage(writes);
    close();
  };
  return (
    <span className="cell-editor">
      <input
        ref={take}
        className="mono cell-input"
        value={text}
        aria-label={`New value of ${title}`}
        aria-invalid={error !== undefined}
        aria-describedby={id}
        onChange={(event) => setText(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter') keep();
          if (event.key === 'Escape') close();
        }}
      />
      <span id={id} className={error ? 'fail' : 'quiet'} role="status">
        {error?.message ?? <Hint type={field?.type ?? ''} writes={writes} unit={unit} />}
      </span>
    </span>
  );
}

interface HintProps {
  readonly type: string;
  readonly writes: readonly SlotWrite[];
  readonly unit: Unit | undefined;
}

/** The type, or the amount that the digits are. */
function Hint({ type, writes, unit }: HintProps) {
  if (!unit || !isAmountType(type)) return <UntrustedText text={type} limit={60} />;
  const [low, high] = writes;
  const value = BigInt(low?.value ?? '0x0') + (BigInt(high?.value ?? '0x0') << 128n);
  return `= ${amountText(value, unit)}`;
}

/** The dialog of a value with members or items. */
export function EditorSheet(props: EditorProps) {
  const { value, title, read, stage, close } = props;
  const vector = vectorLength(value, read);
  const [count, setCount] = useState(vector?.length);
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const [isJudged, setJudged] = useState(false);
  const fields = fieldsOfValue(value, read, count) ?? [];
  const { encode } = useEncoder(props, fields);
  const all = new Map(
    fields.map(({ path, text }) => [fieldId(path), texts.get(fieldId(path)) ?? text]),
  );
  const { writes, errors } = encode(all, count);
  const errorOf = (id: string): string | undefined =>
    errors.find(({ path }) => fieldId(path) === id)?.message;
  const submit = (): void => {
    setJudged(true);
    if (errors.length > 0) return;
    stage(writes);
    close();
  };
  return (
    <Sheet label={`Edit ${title}`} close={close} className="sheet wide">
      <Form className="value-form" submit={submit}>
        <h2>
          Edit <UntrustedText text={title} limit={100} />
        </h2>
        {value.type !== undefined && (
          <p className="quiet">
            <UntrustedText text={value.type} limit={100} />
          </p>
        )}
        {fields.map((field) => {
          const id = fieldId(field.path);
          return (
            <FieldInput
              key={id}
              field={field}
              text={all.get(id) ?? ''}
              error={isJudged || texts.has(id) ? errorOf(id) : undefined}
              change={(text) => setTexts(new Map([...texts, [id, text]]))}
            />
          );
        })}
        {vector && count !== undefined && (
          <div className="line-of">
            <Button
              aria-disabled={count >= vector.most}
              onClick={() => setCount(Math.min(vector.most, count + 1))}
            >
              Add an item
            </Button>
            <Button aria-disabled={count === 0} onClick={() => setCount(Math.max(0, count - 1))}>
              Remove the last item
            </Button>
          </div>
        )}
        <div className="line-of">
          <Button type="submit" className="button primary">
            Stage
          </Button>
          <Button onClick={close}>Cancel</Button>
        </div>
      </Form>
    </Sheet>
  );
}

interface FieldInputProps {
  readonly field: ValueField;
  readonly text: string;
  readonly error: string | undefined;
  readonly change: (text: string) => void;
}

function FieldInput({ field: { path, type, variants }, text, error, change }: FieldInputProps) {
  const id = useId();
  const label = path.length === 0 ? 'variant' : path.join('.');
  return (
    <div className="value-field">
      <label htmlFor={id}>
        <UntrustedText text={label} limit={80} />{' '}
        <span className="quiet">
          <UntrustedText text={type} limit={60} />
        </span>
      </label>
      {variants || type === 'bool' ? (
        <select id={id} value={text} onChange={({ target }) => change(target.value)}>
          {(variants ?? ['true', 'false']).map((variant) => (
            <option key={variant} value={variant}>
              {variant}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className="mono"
          value={text}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-error`}
          onChange={({ target }) => change(target.value)}
        />
      )}
      <span id={`${id}-error`} className="fail" role="status">
        {error}
      </span>
    </div>
  );
}
