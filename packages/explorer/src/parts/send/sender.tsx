// Field for the sending account, and whether the node has its key.
import { shortAddress } from '@starkbox/abi/basics';
import { useId } from 'react';
import { useNames } from '../../format/names.js';
import { useAccounts } from '../../rpc/queries.js';
import { readAddress, useBook } from '../forms/address-book.js';
import { UntrustedText } from '../values.js';
import { useImported } from './keys.js';

export interface Sender {
  readonly address: string | undefined;
  readonly error: string | undefined;
  /** Whether the node or this browser has its private key. */
  readonly isOurs: boolean;
  /** `account 1`, or short hexadecimal. */
  readonly name: string;
}

export function useSender(text: string): Sender {
  const { resolve } = useBook();
  const names = useNames();
  const accounts = useAccounts();
  const { address, error } = readAddress(text, resolve);
  const imported = useImported();
  const isOurs =
    address !== undefined &&
    (imported.includes(address) ||
      (accounts.data?.some((account) => account.address === address) ?? false));
  const name = address === undefined ? '' : (names.get(address) ?? shortAddress(address));
  return { address, error, isOurs, name };
}

interface SenderFieldProps {
  readonly text: string;
  readonly sender: Sender;
  readonly change: (text: string) => void;
}

export function SenderField({ text, sender, change }: SenderFieldProps) {
  const id = useId();
  const { id: book } = useBook();
  return (
    <span className="line-of">
      <label htmlFor={id} className="label-name">
        sender
      </label>
      <input
        id={id}
        className="sender"
        value={text}
        list={book === '' ? undefined : book}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={sender.error !== undefined}
        aria-describedby={`${id}-says`}
        onChange={(event) => change(event.target.value)}
      />
      <span id={`${id}-says`} className="quiet">
        {sender.error !== undefined ? (
          <span className="fail">{sender.error}</span>
        ) : (
          <>
            {sender.name !== text.trim() && <UntrustedText text={sender.name} limit={40} />}
            {!sender.isOurs && ' impersonated'}
          </>
        )}
      </span>
    </span>
  );
}
