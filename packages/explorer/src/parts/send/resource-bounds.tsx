// Fields for the resource bounds of a transaction.
import type { Bounds } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { mostFee } from '@starkbox/abi/internal';
import { useState } from 'react';
import { STRK } from '../../format/amount.js';
import { PlainButton } from '../button.js';
import { Amount } from '../number.js';

const KINDS: readonly (readonly [keyof Bounds, string])[] = [
  ['l1_gas', 'l1 gas'],
  ['l1_data_gas', 'l1 data gas'],
  ['l2_gas', 'l2 gas'],
];
const LIMITS = { max_amount: 1n << 64n, max_price_per_unit: 1n << 128n };

interface BoundsFieldsProps {
  readonly of: Bounds | undefined;
  readonly isEdited: boolean;
  readonly change: (bounds: Bounds | undefined) => void;
}

export function BoundsFields({ of, isEdited, change }: BoundsFieldsProps) {
  if (!of) return null;
  return (
    <details className="bounds">
      <summary>
        Bounds: at most <Amount of={mostFee(of)} unit={STRK} />{' '}
        {isEdited ? 'as set by you' : 'simulation × 1.5, plus validation'}
      </summary>
      <div className="bounds-grid">
        <span />
        <span className="quiet">amount</span>
        <span className="quiet">price in fri</span>
        {KINDS.map(([kind, name]) => (
          <BoundRow
            key={kind}
            name={name}
            of={of[kind]}
            change={(bound) => change({ ...of, [kind]: bound })}
          />
        ))}
      </div>
      {isEdited && (
        <PlainButton onClick={() => change(undefined)}>Reset to the simulation</PlainButton>
      )}
    </details>
  );
}

interface BoundRowProps {
  readonly name: string;
  readonly of: Bounds['l1_gas'];
  readonly change: (bound: Bounds['l1_gas']) => void;
}

function BoundRow({ name, of, change }: BoundRowProps) {
  return (
    <>
      <span>{name}</span>
      <NumberBox
        label={`most ${name}`}
        of={of.max_amount}
        limit={LIMITS.max_amount}
        change={(max_amount) => change({ ...of, max_amount })}
      />
      <NumberBox
        label={`highest price of ${name}`}
        of={of.max_price_per_unit}
        limit={LIMITS.max_price_per_unit}
        change={(max_price_per_unit) => change({ ...of, max_price_per_unit })}
      />
    </>
  );
}

interface NumberBoxProps {
  readonly label: string;
  readonly of: string;
  readonly limit: bigint;
  readonly change: (felt: string) => void;
}

function NumberBox({ label, of, limit, change }: NumberBoxProps) {
  const [draft, setDraft] = useState<string | undefined>();
  const isWrong = draft !== undefined && !(/^\d{1,39}$/.test(draft) && BigInt(draft) < limit);
  return (
    <input
      className="mono"
      inputMode="numeric"
      aria-label={label}
      aria-invalid={isWrong}
      value={draft ?? BigInt(of).toString()}
      onChange={(event) => {
        const text = event.target.value.trim();
        setDraft(text);
        if (/^\d{1,39}$/.test(text) && BigInt(text) < limit) change(toFelt(BigInt(text)));
      }}
      onBlur={() => setDraft(undefined)}
    />
  );
}
