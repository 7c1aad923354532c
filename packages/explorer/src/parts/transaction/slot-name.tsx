// Name of a storage slot with links for its keys, and its value by type.
import { type Decoded, decodeSlot, type SlotKey, slotPartText } from '@starkbox/abi';
import { Fragment } from 'react';
import { amountText, grouped } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { Address, Felt, UntrustedText } from '../values.js';
import { tokenOf, Value } from './decoded-value.js';
import type { NamedSlot } from './slot-names.js';

interface SlotNameProps {
  readonly slot: string;
  /** Undefined if it was not found. */
  readonly name: NamedSlot | undefined;
  /** Whether both halves of a u256 are shown together. */
  readonly joined?: boolean;
}

/** The name first, the slot dimmed beside it. */
export function SlotName({ slot, name, joined = false }: SlotNameProps) {
  if (!name) return <Felt of={slot} />;
  const part = joined ? undefined : slotPartText(name);
  return (
    <span className="slot-name">
      <span className="variable">
        <UntrustedText text={name.variable} limit={60} />
      </span>
      {name.path.map(({ keys, member }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity
        <Fragment key={at}>
          {keys ? (
            <>
              [
              {keys.map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a key may repeat
                <Fragment key={index}>
                  {index > 0 && ', '}
                  <MapKey of={key} />
                </Fragment>
              ))}
              ]
            </>
          ) : (
            <>
              .<UntrustedText text={member ?? ''} limit={60} />
            </>
          )}
        </Fragment>
      ))}
      {part !== undefined && <span className="soft"> {part}</span>}{' '}
      <span className="quiet slot-hash">
        <Felt of={slot} />
      </span>
    </span>
  );
}

function MapKey({ of }: { readonly of: SlotKey }) {
  const names = useNames();
  const [felt = '0x0', high] = of.felts;
  if (of.type === 'felt252' && names.has(felt)) return <Address of={felt} />;
  const key = high === undefined ? { type: of.type } : { type: of.type, part: 'low' as const };
  return <Value of={decodeSlot({ ...key, variable: '', path: [], origin: 'abi' }, felt, high)} />;
}

/** Numbers up to here are shown in digits where no type is known. */
const COUNTABLE = 1n << 96n;

/** What a slot holds, by its type where the name tells it. */
export function slotValue(
  name: NamedSlot | undefined,
  value: string,
  high: string | undefined,
): Decoded {
  if (name?.type !== undefined) return decodeSlot(name, value, high);
  const number = BigInt(value);
  return number < COUNTABLE
    ? { kind: 'number', value: number, type: 'felt252' }
    : { kind: 'felt', felt: value };
}

interface SlotValueProps {
  readonly contract: string;
  readonly name: NamedSlot | undefined;
  readonly of: Decoded;
}

export function SlotValue({ contract, name, of }: SlotValueProps) {
  return <Value of={of} token={name === undefined ? undefined : tokenOf(contract)} />;
}

interface SlotChangeProps {
  readonly contract: string;
  readonly from: Decoded;
  readonly to: Decoded;
}

/** By how much a number changed. */
export function SlotChange({ contract, from, to }: SlotChangeProps) {
  if (from.kind !== 'number' || to.kind !== 'number') return null;
  const by = to.value - from.value;
  const unit = to.type === 'u256' ? tokenOf(contract) : undefined;
  const text = unit ? amountText(by, unit) : grouped(by);
  return (
    <span className="nowrap" title={unit ? grouped(by) : undefined}>
      {by > 0n ? `+${text}` : text}
    </span>
  );
}
