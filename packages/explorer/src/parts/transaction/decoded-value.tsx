// Decoded values: names for addresses, amounts for token values, folds for long lists and structs.
import type { Decoded, NamedValue } from '@starkbox/abi';
import { decodeShortString } from '@starkbox/abi/basics';
import { Fragment, type ReactNode, useState } from 'react';
import type { Unit } from '../../format/amount.js';
import { useToken } from '../../rpc/tokens.js';
import { PlainButton } from '../button.js';
import { Amount, Integer } from '../number.js';
import { Address, ClassRef, Felt, UntrustedText } from '../values.js';

const ITEMS_IN_LINE = 8;
const DEPTH_IN_LINE = 4;
const MEMBERS_IN_LINE = 6;
/** Letters of a text that are shown at once. */
const TEXT_IN_LINE = 80;

interface ValueProps {
  readonly of: Decoded;
  /** Of the contract that holds, takes or returns the value. */
  readonly token?: Unit | undefined;
  readonly depth?: number;
  /** Whether long values can be unfolded; not in rows of a fixed height. */
  readonly fold?: boolean;
  /** Whether amounts have all their decimals. */
  readonly whole?: boolean;
}

/** Types that hold amounts of a token. */
export const isAmountType = (type: string): boolean => type === 'u256' || type === 'u128';

export function Value({ of, token, depth = 0, fold = false, whole = false }: ValueProps) {
  if (depth > DEPTH_IN_LINE && !fold) return '…';
  const inner = { token, fold, whole, depth: depth + 1 };
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
      return <TextValue text={of.text} fold={fold} />;
    case 'number':
      return token !== undefined && isAmountType(of.type) ? (
        <Amount of={of.value} unit={token} whole={whole} />
      ) : (
        <Integer of={of.value} type={of.type} />
      );
    case 'list':
      return <ListValue items={of.items} {...inner} />;
    case 'record':
      return <RecordValue type={of.type} members={of.members} {...inner} />;
    case 'choice':
      return (
        <>
          <UntrustedText text={of.variant} limit={40} />
          {of.value && (
            <>
              (<Value of={of.value} {...inner} />)
            </>
          )}
        </>
      );
  }
}

interface ContractValueProps extends Omit<ValueProps, 'token'> {
  readonly contract: string;
}

/** A value that a contract holds, takes or returns: amounts have the decimals of its token. */
export function ContractValue({ contract, ...value }: ContractValueProps) {
  return <Value {...value} token={useToken(contract)} />;
}

function TextValue({ text, fold }: { readonly text: string; readonly fold: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > TEXT_IN_LINE;
  return (
    <>
      {isOpen ? (
        <UntrustedText text={text} quoted />
      ) : (
        <UntrustedText text={text} quoted limit={TEXT_IN_LINE} />
      )}
      {isLong && fold && <FoldButton isOpen={isOpen} change={setOpen} what="the string" />}
    </>
  );
}

interface FoldButtonProps {
  readonly isOpen: boolean;
  readonly change: (isOpen: boolean) => void;
  readonly what: string;
}

function FoldButton({ isOpen, change, what }: FoldButtonProps) {
  return (
    <>
      {' '}
      <PlainButton
        className="plain fold-value"
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation();
          change(!isOpen);
        }}
      >
        {isOpen ? `Fold ${what}` : `Show ${what}`}
      </PlainButton>
    </>
  );
}

type InnerProps = Required<Omit<ValueProps, 'of' | 'token'>> & Pick<ValueProps, 'token'>;

function ListValue({ items, ...inner }: InnerProps & { readonly items: readonly Decoded[] }) {
  const [isOpen, setOpen] = useState(false);
  const { fold } = inner;
  const isLong = items.length > ITEMS_IN_LINE || items.some(isCompound);
  if (isOpen) {
    return (
      <>
        <FoldButton isOpen change={setOpen} what="items" />
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a value have no other identity
          <span key={at} className="value-item">
            <span className="soft">{at}</span> <Value of={item} {...inner} />
          </span>
        ))}
      </>
    );
  }
  const shown = items.slice(0, fold && items.some(isCompound) ? 1 : ITEMS_IN_LINE);
  return (
    <>
      [
      {shown.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a value have no other identity
        <Fragment key={at}>
          {at > 0 && ', '}
          <Value of={item} {...inner} />
        </Fragment>
      ))}
      {items.length > shown.length && ', …'}]
      {fold && isLong && items.length > 1 && (
        <FoldButton isOpen={false} change={setOpen} what={`${items.length} items`} />
      )}
      {!fold && items.length > shown.length && ` ${items.length} in all`}
    </>
  );
}

const isCompound = ({ kind }: Decoded): boolean => kind === 'record' || kind === 'list';

interface RecordProps extends InnerProps {
  readonly type: string;
  readonly members: readonly NamedValue[];
}

/** A struct in one line, or one line for each member. */
function RecordValue({ type, members, ...inner }: RecordProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = members.length > MEMBERS_IN_LINE;
  const isTuple = type === '';
  if (isOpen) {
    return (
      <>
        <FoldButton isOpen change={setOpen} what="members" />
        {members.map(({ name, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
          <span key={at} className="value-item">
            <span className="soft">
              <UntrustedText text={name} limit={40} />:
            </span>{' '}
            <Value of={value} {...inner} />
          </span>
        ))}
      </>
    );
  }
  const shown = inner.fold && isLong ? members.slice(0, MEMBERS_IN_LINE) : members;
  return (
    <>
      {isTuple ? '(' : '{ '}
      <Members of={shown} {...inner} labels={!isTuple} />
      {shown.length < members.length && ', …'}
      {isTuple ? ')' : ' }'}
      {shown.length < members.length && (
        <FoldButton isOpen={false} change={setOpen} what={`${members.length} members`} />
      )}
    </>
  );
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
  if (felt.length <= 14) return <Integer of={BigInt(felt)} type="felt252" />;
  return <Felt of={felt} />;
}

interface MembersProps {
  readonly of: readonly NamedValue[];
  readonly token?: Unit | undefined;
  readonly depth?: number;
  readonly labels?: boolean;
  readonly fold?: boolean;
  readonly whole?: boolean;
}

export function Members(props: MembersProps): ReactNode {
  const { of, token, depth = 0, labels = false, fold = false, whole = false } = props;
  return of.map(({ name, value }, at) => {
    const isCounted = isLong(value) && depth === 0 && !fold;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a forged ABI may repeat names
      <Fragment key={at}>
        {at > 0 && ', '}
        {labels && !isCounted && (
          <span className="soft member-name">
            <UntrustedText text={name} limit={40} />:{' '}
          </span>
        )}
        {isCounted ? (
          <span title={`${value.items.length} items`}>
            <UntrustedText text={name} limit={40} />[{value.items.length}]
          </span>
        ) : (
          <Value of={value} token={token} depth={depth} fold={fold} whole={whole} />
        )}
      </Fragment>
    );
  });
}

/** A list of structs, which a line of a fixed height shows as its length. */
function isLong(value: Decoded): value is Extract<Decoded, { kind: 'list' }> {
  return value.kind === 'list' && value.items.some(isCompound);
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
