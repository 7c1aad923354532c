// Decoded values: as text, and compared with what a test expects.
import { type Decoded, type FeltTexts, type NamedValue, valueText } from '@starkbox/abi';
import { decodeShortString, shortAddress } from '@starkbox/abi/basics';

/** An expected value: numbers in any form, strings, booleans, lists, records. */
export type Expected = bigint | number | string | boolean | readonly Expected[] | ExpectedMembers;

/** A member that is named without a value, by a mistake, has none that is equal. */
export interface ExpectedMembers {
  readonly [member: string]: Expected | undefined;
}

const TEXTS: FeltTexts = {
  felt: (felt) => {
    const text = decodeShortString(felt);
    return text === undefined ? felt : `'${text}'`;
  },
  address: shortAddress,
  classHash: shortAddress,
};

export function textOf(value: Decoded): string {
  return valueText(value, TEXTS);
}

export function membersText(members: readonly NamedValue[]): string {
  return members.map(({ name, value }) => `${name}: ${textOf(value)}`).join(', ');
}

/** Whether the members that a test names have the values that it expects. */
export function membersMatch(members: readonly NamedValue[], expected: ExpectedMembers): boolean {
  return Object.entries(expected).every(([name, expectedValue]) => {
    const member = members.find((field) => field.name === name);
    return (
      member !== undefined && expectedValue !== undefined && matches(member.value, expectedValue)
    );
  });
}

function matches(value: Decoded, expected: Expected): boolean {
  switch (value.kind) {
    case 'felt':
    case 'address':
    case 'class':
      return isNumber(expected, BigInt(value.felt)) || decodeShortString(value.felt) === expected;
    case 'number':
      return isNumber(expected, value.value);
    case 'bool':
      return value.value === expected;
    case 'text':
      return value.text === expected;
    case 'list':
      return itemsMatch(value.items, expected);
    case 'record':
      return isRecord(expected)
        ? membersMatch(value.members, expected)
        : value.type === '' &&
            itemsMatch(
              value.members.map((member) => member.value),
              expected,
            );
    case 'choice':
      if (typeof expected === 'string') return value.variant === expected;
      return (
        isRecord(expected) &&
        value.value !== undefined &&
        membersMatch([{ name: value.variant, type: '', value: value.value }], expected)
      );
    case 'unit':
      return false;
  }
}

function itemsMatch(items: readonly Decoded[], expected: Expected): boolean {
  return (
    Array.isArray(expected) &&
    expected.length === items.length &&
    items.every((item, at) => matches(item, expected[at]))
  );
}

function isRecord(expected: Expected): expected is ExpectedMembers {
  return typeof expected === 'object' && !Array.isArray(expected);
}

function isNumber(expected: Expected, value: bigint): boolean {
  if (typeof expected === 'bigint' || typeof expected === 'number') {
    return BigInt(expected) === value;
  }
  return (
    typeof expected === 'string' &&
    /^(0x[0-9a-f]+|\d+)$/i.test(expected) &&
    BigInt(expected) === value
  );
}

export function expectedText(expected: ExpectedMembers): string {
  const text = (value: Expected | undefined): string => {
    if (value === undefined) return 'undefined';
    if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
    if (isRecord(value)) return `{ ${expectedText(value)} }`;
    return String(value);
  };
  return Object.entries(expected)
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join(', ');
}
