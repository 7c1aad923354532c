// Decoded values in one line: names for addresses, amounts for token values.
import {
  type Decoded,
  decodeShortString,
  ETH_ADDRESS,
  type Named,
  STRK_ADDRESS,
} from '@starkbox/abi';
import { Fragment, type ReactNode } from 'react';
import { amountText, ETH, exactText, grouped, STRK, type Unit } from '../../format/amount.js';
import { Address, ClassRef, Felt, UntrustedText } from '../values.js';

const ITEMS_IN_LINE = 8;
const DEPTH_IN_LINE = 4;

/** Unit of a known token. */
export function tokenOf(contract: string): Unit | undefined {
  if (contract === STRK_ADDRESS) return STRK;
  return contract === ETH_ADDRESS ? ETH : undefined;
}

interface ValueProps {
  readonly of: Decoded;
  readonly token?: Unit | undefined;
  readonly depth?: number;
}

export function Value({ of, token, depth = 0 }: ValueProps): ReactNode {
  if (depth > DEPTH_IN_LINE) return '…';
  switch (of.kind) {
    case 'felt':
      return <FeltValue felt={of.felt} />;
    case 'address':
      return <Address of={of.felt} />;
    case 'class':
      return <ClassRef of={of.felt} />;
    case 'bool':
      return String(of.value);
    case 'unit':
      return '()';
    case 'text':
      return <UntrustedText text={of.text} quoted limit={80} />;
    case 'number':
      return token !== undefined && of.type === 'u256' ? (
        <span title={exactText(of.value, token)}>{amountText(of.value, token)}</span>
      ) : (
        <span title={`${of.type} 0x${(of.value < 0n ? -of.value : of.value).toString(16)}`}>
          {grouped(of.value)}
        </span>
      );
    case 'list':
      return (
        <>
          [
          {of.items.slice(0, ITEMS_IN_LINE).map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items of a value have no other identity
            <Fragment key={at}>
              {at > 0 && ', '}
              <Value of={item} token={token} depth={depth + 1} />
            </Fragment>
          ))}
          {of.items.length > ITEMS_IN_LINE && `, … ${of.items.length} in all`}]
        </>
      );
    case 'record':
      return (
        <>
          {of.type === '' ? '(' : '{ '}
          <Members of={of.members} token={token} depth={depth + 1} labels={of.type !== ''} />
          {of.type === '' ? ')' : ' }'}
        </>
      );
    case 'choice':
      return (
        <>
          <UntrustedText text={of.variant} limit={40} />
          {of.value && (
            <>
              (<Value of={of.value} token={token} depth={depth + 1} />)
            </>
          )}
        </>
      );
  }
}

/** Small felts are shown as numbers, short strings as text. */
function FeltValue({ felt }: { readonly felt: string }) {
  const text = decodeShortString(felt);
  if (text !== undefined) {
    return (
      <span title={felt}>
        <UntrustedText text={text} quoted limit={40} />
      </span>
    );
  }
  if (felt.length <= 14) return <span title={felt}>{grouped(BigInt(felt))}</span>;
  return <Felt of={felt} />;
}

interface MembersProps {
  readonly of: readonly Named[];
  readonly token?: Unit | undefined;
  readonly depth?: number;
  readonly labels?: boolean;
}

export function Members({ of, token, depth = 0, labels = false }: MembersProps) {
  return of.map(({ name, value }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
    <Fragment key={at}>
      {at > 0 && ', '}
      {labels && !isLong(value) && (
        <span className="soft">
          <UntrustedText text={name} limit={40} />:{' '}
        </span>
      )}
      {isLong(value) && depth === 0 ? (
        <span title={`${value.items.length} items`}>
          <UntrustedText text={name} limit={40} />[{value.items.length}]
        </span>
      ) : (
        <Value of={value} token={token} depth={depth} />
      )}
    </Fragment>
  ));
}

/** A list of structs, shown as its length. */
function isLong(value: Decoded): value is Extract<Decoded, { kind: 'list' }> {
  return (
    value.kind === 'list' && value.items.some(({ kind }) => kind === 'record' || kind === 'list')
  );
}

/** Felts without a type. */
export function RawFelts({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.slice(0, ITEMS_IN_LINE).map((felt, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: felts repeat
        <Fragment key={at}>
          {at > 0 && ', '}
          <Felt of={felt} />
        </Fragment>
      ))}
      {of.length > ITEMS_IN_LINE && `, … ${of.length} in all`}
    </>
  );
}
