// Address input by name or hexadecimal digits.
import type { Names } from '@starkbox/abi';
import { shortAddress } from '@starkbox/abi/basics';
import { addressOf, InvalidInput, type Resolve } from '@starkbox/abi/internal';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useOwnNames } from '../../format/names.js';

const MAX_OFFERED = 200;
const BookContext = createContext<{ readonly id: string; readonly resolve: Resolve }>({
  id: '',
  resolve: () => undefined,
});

/** Looks up addresses by name. */
export function resolveIn(names: Names): Resolve {
  const addresses = new Map([...names].map(([address, name]) => [name.toLowerCase(), address]));
  return (name) => addresses.get(name.trim().toLowerCase());
}

export function useResolve(): Resolve {
  const names = useOwnNames();
  return useMemo(() => resolveIn(names), [names]);
}

interface AddressBookProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** Provides the known names to the address fields inside. */
export function AddressBook({ id, children }: AddressBookProps) {
  const names = useOwnNames();
  const resolve = useResolve();
  const book = useMemo(() => ({ id, resolve }), [id, resolve]);
  return (
    <BookContext value={book}>
      <datalist id={id}>
        {[...names].slice(0, MAX_OFFERED).map(([address, name]) => (
          <option key={address} value={name}>
            {shortAddress(address)}
          </option>
        ))}
      </datalist>
      {children}
    </BookContext>
  );
}

export function useBook(): { readonly id: string; readonly resolve: Resolve } {
  return useContext(BookContext);
}

/** The address of a text, or its error. */
export function readAddress(
  text: string,
  resolve: Resolve,
): { readonly address?: string; readonly error?: string } {
  try {
    return { address: addressOf(text.trim(), resolve) };
  } catch (error) {
    return { error: error instanceof InvalidInput ? error.message : 'Enter an address.' };
  }
}
