// Unit of the amounts in a form: inputs of a token take `1.5 GLD`.
import type { Draft } from '@starkbox/abi/internal';
import { createContext, useContext } from 'react';
import { readAmount, type Unit } from '../../format/amount.js';

/** The token whose functions a form calls. */
export const AmountUnit = createContext<Unit | undefined>(undefined);

export function useAmountUnit(): Unit | undefined {
  return useContext(AmountUnit);
}

/** The draft with each amount that names the token replaced by its integer. */
export function withoutUnit(draft: Draft, unit: Unit | undefined): Draft {
  if (!unit) return draft;
  if (typeof draft === 'string') return integerText(draft, unit);
  if (Array.isArray(draft)) return draft.map((part: Draft) => withoutUnit(part, unit));
  if ('variant' in draft) return { ...draft, value: withoutUnit(draft.value, unit) };
  return draft;
}

function integerText(text: string, unit: Unit): string {
  const symbol = unit.symbol.toLowerCase();
  const written = text.trim().toLowerCase();
  if (!/^\d/.test(written) || !written.endsWith(symbol)) return text;
  const amount = readAmount(text.trim().slice(0, -symbol.length), unit);
  return amount === undefined ? text : amount.toString();
}
