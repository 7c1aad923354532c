// Name of a storage slot as a value and as text, and what the slot holds.
import type { NAMED_SLOT, SLOT_STEP } from '@starkbox/spec';
import type { Decoded, NamedValue } from '../decode.js';
import { decodeShortString, PRIME } from '../felt.js';
import type { TypedField } from './storage-type.js';

/** One key of a map; a u256 has two felts, the low one first. */
export type SlotKey = NonNullable<SLOT_STEP['keys']>[number];

/** A step from a variable to a value: the keys of one map, or a member. */
export type SlotStep = SLOT_STEP;

export type SlotName = Omit<NAMED_SLOT, 'contract_address' | 'key' | 'name' | 'value_key'>;

/** How felts of keys are written. */
export interface KeyTexts {
  readonly address: (felt: string) => string;
  readonly felt: (felt: string) => string;
}

/** `ERC20_balances[account 2]`, without the part of the value that the slot holds. */
export function slotText(
  { variable, path }: Pick<SlotName, 'variable' | 'path'>,
  texts: KeyTexts,
): string {
  const steps = path.map(({ keys, member }) =>
    keys ? `[${keys.map((key) => keyText(key, texts)).join(', ')}]` : `.${member}`,
  );
  return `${variable}${steps.join('')}`;
}

/** What of the value the slot holds, such as `high` or `+ 1`; undefined if it holds all of it. */
export function slotPartText({
  part,
  offset,
}: Pick<SlotName, 'part' | 'offset'>): string | undefined {
  if (part === undefined) return offset === undefined ? undefined : `+ ${offset}`;
  return part === 'text' && offset !== undefined && offset > 0 ? `text ${offset + 1}` : part;
}

/** Whether a felt is written as that of an address. */
export const isAddressType = (type: string | undefined): boolean =>
  type === 'ContractAddress' || type === 'EthAddress';

export function keyText(key: SlotKey, texts: KeyTexts): string {
  const [felt = '0x0', high] = key.felts;
  if (isAddressType(key.type)) return texts.address(felt);
  if (high !== undefined) return String((BigInt(high) << 128n) + BigInt(felt));
  if (key.type === 'bool') return String(BigInt(felt) === 1n);
  if (/^[ui]\d+$/.test(key.type)) return String(integerOf(BigInt(felt), key.type));
  return texts.felt(felt);
}

/** Small numbers in decimal digits, short strings in quotes, names of addresses, else the felt itself. */
export function plainFeltText(felt: string, addressName: (felt: string) => string): string {
  const name = addressName(felt);
  if (name !== felt) return name;
  const text = decodeShortString(felt);
  if (text !== undefined && /^[\w .:-]{3,}$/.test(text)) return `'${text}'`;
  return felt.length <= 14 ? String(BigInt(felt)) : felt;
}

const integerOf = (value: bigint, type: string): bigint =>
  type.startsWith('i') && value > PRIME / 2n ? value - PRIME : value;

/**
 * The value of a slot by its type.
 *
 * @param high the slot behind it, which has the upper half of a u256
 */
export function decodeSlot(name: SlotName, value: string, high?: string): Decoded {
  if (name.fields) return packedValue(name, name.fields, BigInt(value));
  if (name.part === 'low' && high !== undefined) {
    return { kind: 'number', value: (BigInt(high) << 128n) + BigInt(value), type: 'u256' };
  }
  if (name.part === 'length') {
    return { kind: 'number', value: BigInt(value), type: 'u32' };
  }
  if (name.part === 'text') return textOf(value);
  if (name.part !== undefined) return { kind: 'number', value: BigInt(value), type: 'u128' };
  return scalar(name.type, value);
}

function scalar(type: string | undefined, felt: string): Decoded {
  if (isAddressType(type)) return { kind: 'address', felt };
  if (type === 'ClassHash') return { kind: 'class', felt };
  const value = BigInt(felt);
  if (type === 'bool' && value <= 1n) return { kind: 'bool', value: value === 1n };
  if (type !== undefined && /^[ui]\d+$/.test(type)) {
    return { kind: 'number', value: integerOf(value, type), type };
  }
  return { kind: 'felt', felt };
}

function textOf(felt: string): Decoded {
  const text = decodeShortString(felt);
  return text === undefined ? { kind: 'felt', felt } : { kind: 'text', text };
}

function packedValue(
  { type = '' }: SlotName,
  fields: readonly TypedField[],
  value: bigint,
): Decoded {
  return { kind: 'record', type, members: unpackFields(fields, value) };
}

/** The fields of a packed number. */
export function unpackFields(fields: readonly TypedField[], value: bigint): readonly NamedValue[] {
  return fields.map((field) => {
    const rest = value >> BigInt(field.shift);
    const part = field.bits === undefined ? rest : rest & ((1n << BigInt(field.bits)) - 1n);
    return {
      name: field.name,
      type: field.type,
      value: scalar(field.type, `0x${part.toString(16)}`),
    };
  });
}

/** Numbers up to here are shown in digits where no type is known. */
const COUNTABLE = 1n << 96n;

/** The value of one slot by its type. */
export function decodeScalar(type: string | undefined, felt: string): Decoded {
  if (type !== undefined) return scalar(type, felt);
  const value = BigInt(felt);
  return value < COUNTABLE ? { kind: 'number', value, type: 'felt252' } : { kind: 'felt', felt };
}
