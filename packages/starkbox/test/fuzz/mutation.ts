// Mutations of a JSON value in one place, and values that programs often mishandle.
import { JsonText, stringify } from '../../src/json/json.js';
import { chance, type Dice, pick } from './random.js';

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** Felts, addresses and hashes at their bounds, and beside them. */
const FELTS: readonly [string, ...string[]] = [
  hex(PRIME - 1n),
  hex(PRIME),
  hex(PRIME + 1n),
  hex(2n ** 251n - 257n),
  hex(2n ** 251n - 256n),
  hex(2n ** 251n - 1n),
  hex(2n ** 251n),
  hex(2n ** 252n),
  hex(2n ** 256n - 1n),
  hex(2n ** 128n),
  hex(2n ** 128n - 1n),
  hex(2n ** 64n),
  hex(2n ** 64n - 1n),
  hex(2n ** 160n),
  '0x',
  '0X1',
  '0x0',
  '0x00',
  '0x1',
  '0x2',
  `0x${'0'.repeat(63)}1`,
  `0x${'0'.repeat(64)}1`,
  `0x${'f'.repeat(64)}`,
  `0x${'1'.repeat(65)}`,
  '0xABCDEF',
  '0xg',
  '0x-1',
  '0x 1',
  '0x1_0',
  '-0x1',
  '1234',
  '0b1',
];

const STRINGS: readonly [string, ...string[]] = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  'null',
  'latest',
  'pre_confirmed',
  'pending',
  'l1_accepted',
  'INVOKE',
  'DECLARE',
  'DEPLOY_ACCOUNT',
  'L1_HANDLER',
  'L1',
  'FRI',
  'SKIP_VALIDATE',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  '\ud800',
  'ünïcödé',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢',
  '\u202e\u2028',
  '"\\\n\t',
];

/** Numbers as they are written, because some of them no other program would write so. */
const NUMBERS: readonly [string, ...string[]] = [
  '0',
  '-0',
  '1',
  '-1',
  '0.5',
  '1.0',
  '-1.5',
  '1e2',
  '1E400',
  '-1e400',
  '1e-400',
  '2147483648',
  '4294967295',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '340282366920938463463374607431768211455',
  '340282366920938463463374607431768211456',
  '1e38',
  '1e77',
  '1e78',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
];

const NAMES: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  'type',
  'version',
  'block_hash',
  'block_number',
  'sender_address',
  'calldata',
  'x',
  '',
  '0',
];

function longText(roll: Dice): string {
  const length = pick(roll, [100, 1000, 20_000, 100_000]);
  return pick(roll, ['a', '0', '"', '\\', 'é', '𝔘', '\u0000', '[']).repeat(length);
}

/** So deep that what recurses may break; more than a thousand levels are refused as text. */
function nested(roll: Dice): JsonText {
  const depth = pick(roll, [20, 200, 900, 1100, 50_000]);
  return chance(roll, 50)
    ? new JsonText(`${'['.repeat(depth)}1${']'.repeat(depth)}`)
    : new JsonText(`${'{"error":'.repeat(depth)}"0x1"${'}'.repeat(depth)}`);
}

/** Any value at all. */
export function oddValue(roll: Dice, depth = 0): unknown {
  switch (roll(depth > 3 ? 6 : 10)) {
    case 0:
      return null;
    case 1:
      return chance(roll, 50);
    case 2:
    case 3:
      return new JsonText(pick(roll, NUMBERS));
    case 4:
      return pick(roll, STRINGS);
    case 5:
      return pick(roll, FELTS);
    case 6:
      return chance(roll, 70) ? pick(roll, FELTS) : longText(roll);
    case 7:
      return chance(roll, 70) ? [] : nested(roll);
    case 8:
      return Array.from({ length: roll(4) }, () => oddValue(roll, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: roll(4) }, () => [pick(roll, NAMES), oddValue(roll, depth + 1)]),
      );
  }
}

type Path = readonly (string | number)[];

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonText)
  );
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The ways to all places in a value; of long lists only some, so that the rest has a chance. */
function places(value: unknown, path: Path = [], paths: Path[] = []): readonly Path[] {
  paths.push(path);
  if (isList(value)) {
    for (const [index, item] of value.slice(0, 12).entries()) places(item, [...path, index], paths);
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) places(item, [...path, name], paths);
  }
  return paths;
}

/** The value with another one in one place. */
export function changed(value: unknown, path: Path, change: (here: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (isList(value)) {
    return value.map((item, index) => (index === step ? changed(item, rest, change) : item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === step ? changed(item, rest, change) : item,
    ]),
  );
}

/** A value spoiled in one place. */
export function mutated(value: unknown, roll: Dice): unknown {
  const path = pick(roll, places(value)) ?? [];
  return changed(value, path, (here) => spoiled(here, roll));
}

function spoiled(value: unknown, roll: Dice): unknown {
  if (chance(roll, 25)) return oddValue(roll);
  if (isList(value)) return spoiledList(value, roll);
  if (isRecord(value)) return spoiledRecord(value, roll);
  if (typeof value === 'string') return spoiledText(value, roll);
  if (typeof value === 'number' || typeof value === 'bigint') return spoiledNumber(value, roll);
  return oddValue(roll);
}

function spoiledText(value: string, roll: Dice): unknown {
  const digits = value.slice(2);
  switch (roll(value.startsWith('0x') ? 12 : 5)) {
    case 0:
      return pick(roll, STRINGS);
    case 1:
      return [value];
    case 2:
      return chance(roll, 50) ? value.toUpperCase() : value.toLowerCase();
    case 3:
      return `${value}${pick(roll, STRINGS)}`;
    case 4:
      return value.slice(0, roll(value.length + 1));
    case 5:
      return `0x${digits.toUpperCase()}`;
    case 6:
      return `0x${digits.padStart(pick(roll, [63, 64, 65]), '0')}`;
    case 7:
      return new JsonText(/^[0-9a-f]+$/i.test(digits) ? BigInt(value).toString() : '1');
    case 8:
      return digits;
    default:
      return pick(roll, FELTS);
  }
}

function spoiledNumber(value: number | bigint, roll: Dice): unknown {
  switch (roll(6)) {
    case 0:
      return new JsonText(`-${value}`);
    case 1:
      return new JsonText(`${value}.5`);
    case 2:
      return `${value}`;
    case 3:
      return hex(BigInt(Math.trunc(Number(value))) % 2n ** 64n);
    default:
      return new JsonText(pick(roll, NUMBERS));
  }
}

function spoiledList(value: readonly unknown[], roll: Dice): unknown {
  const index = roll(value.length + 1);
  const here = value[index] ?? oddValue(roll);
  switch (roll(7)) {
    case 0:
      return [...value.slice(0, index), ...value.slice(index + 1)];
    case 1:
      return [...value.slice(0, index), oddValue(roll), ...value.slice(index)];
    case 2:
      return [...value, ...value];
    case 3: {
      const length = pick(roll, [10, 100, 2000]);
      return Array.from({ length }, () => (stringify(here).length < 200 ? here : '0x1'));
    }
    case 4:
      return { ...value };
    case 5:
      return here;
    default:
      return [];
  }
}

function spoiledRecord(value: Readonly<Record<string, unknown>>, roll: Dice): unknown {
  const entries = Object.entries(value);
  const name = pick(roll, entries)?.[0];
  const others = entries.filter(([other]) => other !== name);
  switch (roll(8)) {
    case 0:
    case 1:
      return Object.fromEntries(others);
    case 2:
      return Object.fromEntries([...others, [pick(roll, NAMES), value[name ?? '']]]);
    case 3:
      return Object.fromEntries([...entries, [pick(roll, NAMES), oddValue(roll)]]);
    case 4:
      return Object.values(value);
    case 5:
      return [value];
    case 6: {
      // Twice the same name: the last one counts, which a reader that checks the first would miss.
      const inner = stringify(value).slice(1, -1);
      const again = `${JSON.stringify(name ?? 'x')}:${stringify(oddValue(roll))}`;
      return new JsonText(`{${inner === '' ? again : `${inner},${again}`}}`);
    }
    default:
      return Object.fromEntries([...others, [name ?? 'x', null]]);
  }
}

/** Bytes cut, changed, doubled or put in, wherever. */
export function smeared(text: string, roll: Dice): Buffer {
  const bytes = Buffer.from(text);
  const at = roll(bytes.length + 1);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (roll(7)) {
    case 0:
      return head;
    case 1:
      return tail;
    case 2:
      return Buffer.concat([head, tail.subarray(1 + roll(4))]);
    case 3:
      return Buffer.concat([head, Buffer.of(roll(256)), tail]);
    case 4:
      return Buffer.concat([head, Buffer.of((tail[0] ?? 0) ^ (1 << roll(8))), tail.subarray(1)]);
    case 5:
      return Buffer.concat([head, bytes.subarray(roll(bytes.length), at), tail]);
    default: {
      const piece = pick(roll, [
        '"',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '\\',
        '\\u',
        'e',
        '\ufeff',
        '-',
      ]);
      return Buffer.concat([head, Buffer.from(piece), tail]);
    }
  }
}
