// Name of a storage slot with links for its keys, and its value by type.
import type { Decoded } from '@starkbox/abi';
import { decodeScalar, decodeSlot, type SlotKey, slotPartText } from '@starkbox/abi/internal';
import { Fragment } from 'react';
import { isInBaseUnit } from '../../format/amount.js';
import { useNames } from '../../format/names.js';
import { useToken } from '../../rpc/tokens.js';
import { Amount, Integer } from '../number.js';
import { Address, Felt, UntrustedText } from '../values.js';
import { isAmountType, Value } from './decoded-value.js';
import type { NamedSlot } from './slot-names.js';

interface SlotNameProps {
  readonly slot: string;
  /** Undefined if it was not found. */
  readonly name: Pick<NamedSlot, 'variable' | 'path' | 'part' | 'offset'> | undefined;
  /** Whether the slot is shown by its whole key. */
  readonly whole?: boolean;
  /** Whether a head above names the variable; then only the path is visible. */
  readonly isInGroup?: boolean;
}

/** The name first, the slot dimmed beside it. */
export function SlotName({ slot, name, whole = false, isInGroup = false }: SlotNameProps) {
  if (!name) {
    return whole ? (
      <code className="whole-key" title={slot} data-eq={slot}>
        {slot}
      </code>
    ) : (
      <Felt of={slot} />
    );
  }
  const part = slotPartText(name);
  const isSlotOfKey = name.path.some(({ keys }) => keys?.some(({ felts }) => felts[0] === slot));
  return (
    <span className="slot-name">
      <span className={isInGroup && name.path.length > 0 ? 'unseen' : 'variable'}>
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
      {part !== undefined && <span className="soft"> {part}</span>}
      {!isSlotOfKey && (
        <>
          {' '}
          <span className="quiet slot-hash">
            <Felt of={slot} />
          </span>
        </>
      )}
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

/** What a slot holds, by its type where the name tells it. */
export function slotValue(
  name: NamedSlot | undefined,
  value: string,
  high?: string | undefined,
): Decoded {
  if (name?.type !== undefined) return decodeSlot(name, value, high);
  return decodeScalar(undefined, value);
}

interface SlotValueProps {
  readonly contract: string;
  /** Undefined for a slot without a name, whose value is no amount. */
  readonly name: Pick<NamedSlot, 'variable'> | undefined;
  readonly of: Decoded;
  readonly fold?: boolean;
}

/** What a slot or value holds, with the decimals of the contract's token. */
export function SlotValue({ contract, name, of, fold = false }: SlotValueProps) {
  const token = useToken(contract);
  return <Value of={of} token={name === undefined ? undefined : token} fold={fold} whole />;
}

interface SlotChangeProps {
  readonly contract: string;
  readonly name: Pick<NamedSlot, 'variable'> | undefined;
  readonly from: Decoded;
  readonly to: Decoded;
}

/** By how much a number changed. */
export function SlotChange({ contract, name, from, to }: SlotChangeProps) {
  const token = useToken(contract);
  if (from.kind !== 'number' || to.kind !== 'number') return null;
  const by = to.value - from.value;
  return name !== undefined && token !== undefined && isAmountType(to.type) ? (
    <Amount of={by} unit={token} signed whole={!isInBaseUnit(by, token)} />
  ) : (
    <Integer of={by} signed />
  );
}
