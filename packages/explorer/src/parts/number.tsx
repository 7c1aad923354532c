// Numbers: amounts of tokens and other integers, each with its exact value on hover and when it is copied.
import { type ClipboardEvent, Fragment, type ReactNode } from 'react';
import {
  amountText,
  columnAmount,
  exactText,
  grouped,
  type Unit,
  wholeAmount,
} from '../format/amount.js';

interface NumberTextProps {
  /** What a copy of the whole text holds. */
  readonly value: bigint | number;
  readonly title: string;
  readonly children: ReactNode;
}

/** Copies the integer where the selection is the whole number. */
function copyInteger(event: ClipboardEvent<HTMLElement>, value: bigint | number): void {
  const selected = getSelection()?.toString().trim();
  if (selected !== event.currentTarget.innerText.trim()) return;
  event.clipboardData.setData('text/plain', value.toString());
  event.preventDefault();
}

function NumberText({ value, title, children }: NumberTextProps) {
  return (
    <data
      className="number"
      value={value.toString()}
      title={title}
      aria-description={title}
      onCopy={(event) => copyInteger(event, value)}
    >
      {children}
    </data>
  );
}

/** From here on, a number may break between its groups. */
const MAX_UNBROKEN_LENGTH = 24;

/** A long number breaks at its groups only. */
function breakable(text: string): ReactNode {
  if (text.length <= MAX_UNBROKEN_LENGTH) return text;
  return text.split(/(?<=,)/).map((group, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {group}
    </Fragment>
  ));
}

interface AmountProps {
  readonly of: bigint;
  readonly unit: Unit;
  /** In a column whose head names the unit. */
  readonly column?: boolean;
  /** With all decimals, those after the sixth dimmed. */
  readonly whole?: boolean;
  /** With a plus sign above zero. */
  readonly signed?: boolean;
}

/** An amount of a token, with its decimals. */
export function Amount({ of, unit, column = false, whole = false, signed = false }: AmountProps) {
  const sign = signed && of > 0n ? '+' : '';
  if (!whole) {
    const text = column ? columnAmount(of, unit) : amountText(of, unit);
    return (
      <NumberText value={of} title={exactText(of, unit)}>
        {breakable(sign + text)}
      </NumberText>
    );
  }
  const { start, rest, symbol } = wholeAmount(of, unit);
  return (
    <NumberText value={of} title={exactText(of, unit)}>
      {breakable(sign + start)}
      {rest !== '' && (
        <>
          <wbr />
          <span className="soft">{rest}</span>
        </>
      )}
      {symbol !== '' && !column && ` ${symbol}`}
    </NumberText>
  );
}

interface IntegerProps {
  readonly of: bigint | number;
  /** Of the value, shown on hover. */
  readonly type?: string;
  /** With a plus sign above zero. */
  readonly signed?: boolean;
}

/** A whole number in groups of three digits. */
export function Integer({ of, type, signed = false }: IntegerProps) {
  const value = typeof of === 'bigint' ? of : BigInt(Math.trunc(of));
  const size = value < 0n ? -value : value;
  const hex = `${value < 0n ? '−' : ''}0x${size.toString(16)}`;
  const text = grouped(of);
  return (
    <NumberText value={of} title={[type, value.toString(), hex].filter(Boolean).join(' · ')}>
      {breakable(signed && of > 0 ? `+${text}` : text)}
    </NumberText>
  );
}
