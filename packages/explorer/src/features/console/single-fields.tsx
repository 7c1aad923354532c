// Controls of a schema form for single values: numbers, texts, felts, and JSON for anything else.
import { type ReactNode, useId, useState } from 'react';
import { parseJson, writeJson } from '../../format/json.js';
import { useNames } from '../../format/names.js';
import { UntrustedText } from '../../parts/values.js';
import type { Schemas } from './shape.js';

export interface FieldProps {
  readonly schema: unknown;
  readonly schemas: Schemas;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly label: string;
  readonly depth?: number;
}

/** Labels of values that are hidden while typed and left out of the history. */
export const SECRET: RegExp =
  /private_?key|secret|password|passphrase|mnemonic|^token$|auth_token/i;

interface LabelledProps {
  readonly label: string;
  readonly children: (id: string) => ReactNode;
}

export function Labelled({ label, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="schema-line">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

const INTEGER = /^-?\d+$/;

export function NumberField({ value, change, label }: FieldProps) {
  const [draft, setDraft] = useState<string | undefined>();
  const text = draft ?? (value === undefined ? '' : String(value));
  const isWrong = text !== '' && Number.isNaN(Number(text));
  return (
    <Labelled label={label}>
      {(id) => (
        <>
          <input
            id={id}
            className="mono"
            inputMode="numeric"
            value={text}
            aria-invalid={isWrong}
            onBlur={() => {
              if (!isWrong) setDraft(undefined);
            }}
            onChange={(event) => {
              const text = event.target.value.trim();
              setDraft(text);
              if (INTEGER.test(text)) change(exactInteger(text));
              else if (text !== '' && !Number.isNaN(Number(text))) change(Number(text));
            }}
          />
          {isWrong && <span className="fail">write a number</span>}
        </>
      )}
    </Labelled>
  );
}

/** A bigint where a number would lose digits. */
function exactInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const HEX = /^0x[0-9a-f]{1,64}$/i;

export function TextField(props: FieldProps & { readonly felt: 'felt' | 'address' | undefined }) {
  const { value, change, label, felt } = props;
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
              {[...names].map(([address, label]) => (
                <option key={address} value={address}>
                  {label}
                </option>
              ))}
            </datalist>
          )}
          {name !== undefined && (
            <span className="quiet">
              <UntrustedText text={name} limit={40} />
            </span>
          )}
          {isWrong && <span className="fail">0x and up to 64 hexadecimal digits</span>}
        </>
      )}
    </Labelled>
  );
}

/** JSON, for schemas that have no other control. */
export function AnyField({ value, change, label }: FieldProps) {
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
          {isWrong && <span className="fail">not valid JSON</span>}
        </>
      )}
    </Labelled>
  );
}
