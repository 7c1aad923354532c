// Label of a field with its type, and a preview of the encoded value.

import { shortHash } from '@starkbox/abi/basics';
import { shortType } from '@starkbox/abi/internal';
import { amountText, grouped, type Unit } from '../../format/amount.js';
import { UntrustedText } from '../values.js';

export function Caption({ name, type }: { readonly name: string; readonly type: string }) {
  return (
    <span className="caption">
      <UntrustedText text={name === '' ? 'value' : name} limit={60} />{' '}
      <span className="quiet">
        <UntrustedText text={shortType(type)} limit={120} />
      </span>
    </span>
  );
}

const FELTS_SHOWN = 4;

/** The encoded felts. */
export function Felts({ of }: { readonly of: readonly string[] }) {
  return (
    <span className="mono" title={of.slice(0, 50).join(' ')}>
      {of.length === 0 ? 'not a felt' : of.slice(0, FELTS_SHOWN).map(shortHash).join(' ')}
      {of.length > FELTS_SHOWN && ` … ${grouped(of.length)} felts`}
    </span>
  );
}

interface PlainProps {
  readonly felts: readonly string[];
  readonly text: string;
  /** Of an amount of a token. */
  readonly unit: Unit | undefined;
}

/** The number in decimal digits, if it was typed in another notation, and the amount that it is. */
export function Plain({ felts, text, unit }: PlainProps) {
  const [low = '0x0', high = '0x0'] = felts;
  const value = BigInt(low) + (BigInt(high) << 128n);
  const isNegative = text.trim().startsWith('-');
  const isPlain = /^\d{0,5}$/.test(text.trim());
  if (isNegative || felts.length === 0) return null;
  return (
    <>
      {!isPlain && <>= {grouped(value)} </>}
      {unit && value > 0n && <>= {amountText(value, unit)} </>}
    </>
  );
}
