// Knows Sierra classes as tests alter them: their parts, their packing, and programs made to hurt.

import { Class, type ClassLimits, EngineError } from '@starkbox/engine';
import { contractText } from './fixture.js';

export interface SierraClass {
  readonly sierra_program: readonly string[];
  readonly contract_class_version: string;
  readonly entry_points_by_type: Readonly<Record<string, readonly unknown[]>>;
  readonly abi?: unknown;
}

export async function contract(name: string): Promise<SierraClass> {
  return JSON.parse(await contractText(name));
}

let serial = 0;

/** A class with the same program and another class hash, so that no living class is shared. */
export function fresh(sierra: SierraClass, changes: object = {}): string {
  serial += 1;
  return JSON.stringify({ ...sierra, abi: `fresh ${serial}`, ...changes });
}

/** The refusal that something ends in; ending well is an error. */
export async function refusal(work: Promise<unknown>): Promise<EngineError> {
  const outcome: unknown = await work.catch((error: unknown) => error);
  if (outcome instanceof EngineError) return outcome;
  throw new Error('it was not refused by the engine', { cause: outcome });
}

export function refused(text: string, limits: ClassLimits = {}): Promise<EngineError> {
  return refusal(Class.compile(text, limits));
}

/** What Python writes, and so what compilers hash. */
export function pythonic(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonic).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, inner]) => `${pythonic(key)}: ${pythonic(inner)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const shortString = (text: string): string => `0x${Buffer.from(text).toString('hex')}`;

/** Sierra version, compiler version; the rest is packed. */
const VERSION_FELTS = 6;
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

function wordsPerFelt(codeSize: bigint): number {
  let words = 0;
  for (let most = codeSize; most < PRIME; most *= codeSize) words += 1;
  return words;
}

/** The values inside a program: many small numbers, packed into felts by a code table. */
export function unpacked(program: readonly string[]): readonly bigint[] {
  const [size = 0, padding = 0, ...rest] = program.slice(VERSION_FELTS).map(BigInt);
  const code = rest.slice(0, Number(size));
  const [length = 0n, ...felts] = rest.slice(Number(size));
  const codeSize = BigInt(size) + BigInt(padding);
  const words = felts.flatMap((felt) =>
    Array.from(
      { length: wordsPerFelt(codeSize) },
      (_, i) => (felt / codeSize ** BigInt(i)) % codeSize,
    ),
  );
  return words.slice(0, Number(length)).map((word) => code[Number(word)] ?? 0n);
}

/** A program of these values, with the version felts of another. */
export function packed(like: readonly string[], values: readonly bigint[]): readonly string[] {
  const code = [...new Set(values)];
  const index = new Map(code.map((value, i) => [value, BigInt(i)]));
  let size = 256;
  while (size < code.length) size *= 2;
  const step = wordsPerFelt(BigInt(size));
  const felts = Array.from({ length: Math.ceil(values.length / step) }, (_, i) =>
    values
      .slice(i * step, (i + 1) * step)
      .reduceRight((sum, value) => sum * BigInt(size) + (index.get(value) ?? 0n), 0n),
  );
  const table = [code.length, size - code.length, ...code, values.length, ...felts];
  return [...like.slice(0, VERSION_FELTS), ...table.map(hex)];
}

const name = (text: string): bigint => BigInt(shortString(text));
const type = (text: string, ...args: readonly (readonly [number, number])[]) => [
  name(text),
  args.length,
  ...args.flat(),
];
const USER = (id: number) => [0, id] as const;
const TYPE = (id: number) => [1, id] as const;
const VALUE = (value: number) => [2, value] as const;
const NEXT = 2n ** 64n - 1n;

interface Parts {
  readonly types: readonly (readonly (number | bigint)[])[];
  readonly libfuncs?: readonly (readonly (number | bigint)[])[];
  readonly statements?: readonly (readonly (number | bigint)[])[];
  readonly functions?: readonly (readonly (number | bigint)[])[];
}

function assembled({ types, libfuncs = [], statements = [], functions = [] }: Parts): SierraClass {
  const values = [types, libfuncs, statements, functions].flatMap((list) => [
    list.length,
    ...list.flat(),
  ]);
  return {
    sierra_program: packed(['0x1', '0x7', '0x0', '0x2', '0xb', '0x0'], values.map(BigInt)),
    contract_class_version: '0.1.0',
    entry_points_by_type: { EXTERNAL: [], L1_HANDLER: [], CONSTRUCTOR: [] },
  };
}

/** Constants, each a pair of the one before; the last stands in a box, `copies` times. */
function doubled(first: readonly (readonly (number | bigint)[])[], times: number, copies: number) {
  const types = [...first];
  for (let i = 0; i < times; i++) {
    const [value, constant] = [types.length - 2, types.length - 1];
    types.push(type('Struct', USER(i + 100), TYPE(value), TYPE(value)));
    types.push(type('Const', TYPE(types.length - 1), TYPE(constant), TYPE(constant)));
  }
  const [value, constant, box] = [types.length - 2, types.length - 1, types.length];
  types.push(type('Box', TYPE(value)));
  const segments = Array.from({ length: copies }, (_, i) => i);
  return assembled({
    types,
    libfuncs: [
      type('drop', TYPE(box)),
      ...segments.map((i) => type('const_as_box', TYPE(constant), VALUE(i))),
    ],
    statements: [
      ...segments.flatMap((i) => [
        [0, i + 1, 0, 1, NEXT, 1, 0],
        [0, 0, 1, 0, 1, NEXT, 0],
      ]),
      [1, 0],
    ],
    functions: [[0, 0, 0]],
  });
}

/** A hundred felts that keep a compiler busy for years: 2^40 empty constants. */
export const endless: SierraClass = doubled(
  [type('Struct', USER(1)), type('Const', TYPE(0))],
  40,
  1,
);

/** Few felts of Sierra, 16,384 felts of bytecode for each copy. */
export function swelling(copies: number): SierraClass {
  return doubled([type('felt252'), type('Const', TYPE(0), VALUE(1))], 14, copies);
}

/** A box of a box of a box. */
export function nested(depth: number): SierraClass {
  const boxes = Array.from({ length: depth }, (_, i) => type('Box', TYPE(i)));
  return assembled({ types: [type('felt252'), ...boxes] });
}
