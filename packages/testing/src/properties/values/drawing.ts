// Drawing of values by their Cairo type: boundary values, small numbers, and values that executions have shown.

import type { Abi } from '@starkbox/abi';
import { PRIME } from '@starkbox/abi/basics';
import { rangeOf } from '@starkbox/abi/internal';
import type * as fc from 'fast-check';
import type { StepValue } from '../model/history.js';
import { type CairoType, isUnit, readCairoType } from './cairo-type.js';

/** Values of the steps of one run. */
export interface RecentValues {
  readonly numbers: readonly bigint[];
  readonly felts: readonly bigint[];
  /** Arguments and results of a Cairo type. */
  ofType(type: string): readonly bigint[];
}

/** Values to draw from. The lists of a run grow while it is executed. */
export interface ValuePool {
  /** Shown by this run, the newest last. */
  readonly recent: RecentValues;
  /** Shown by earlier runs. */
  readonly numbers: readonly bigint[];
  readonly felts: readonly bigint[];
  /** Numbers in the code of the classes. */
  readonly constants: readonly bigint[];
  /** Actors, the simplest first. */
  readonly actors: readonly string[];
  readonly contracts: readonly string[];
  /** Addresses that executions have shown. */
  readonly addresses: readonly string[];
  readonly classHashes: readonly string[];
  /** The caller, if the value is an argument. */
  readonly caller: string | undefined;
  /** The time of the chain in seconds. */
  readonly time: bigint;
}

export const EMPTY_POOL: ValuePool = {
  recent: { numbers: [], felts: [], ofType: () => [] },
  numbers: [],
  felts: [],
  constants: [],
  actors: [],
  contracts: [],
  addresses: [],
  classHashes: [],
  caller: undefined,
  time: 0n,
};

/** Draws a value. `depth` counts the lists and enums around it. */
export type Draw = (random: fc.Random, pool: ValuePool, depth: number) => StepValue;

/** Lists in lists end here: a type may contain itself. */
const DEEPEST = 4;
/** Draws of a constant that fits. */
const MAX_ATTEMPTS = 4;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ADDRESSES = 1n << 251n;

/** One of the values, the newest more often. */
function newest<T>(values: readonly T[], random: fc.Random): T | undefined {
  const last = values.length - 1;
  if (last < 0) return undefined;
  return values[Math.max(random.nextInt(0, last), random.nextInt(0, last))];
}

export function anyOf<T>(values: readonly T[], random: fc.Random): T | undefined {
  return values.length === 0 ? undefined : values[random.nextInt(0, values.length - 1)];
}

/** A number that executions have shown, changed as contracts change amounts. */
function drawRelated(random: fc.Random, pool: ValuePool): bigint | undefined {
  const value = shownNumber(random, pool);
  if (value === undefined) return undefined;
  switch (random.nextInt(0, 7)) {
    case 0:
      return value + 1n;
    case 1:
      return value - 1n;
    case 2:
      return value / 2n;
    case 3:
      return value * 2n;
    case 4:
      return value / 10n;
    case 5:
      return value + (shownNumber(random, pool) ?? 0n);
    case 6: {
      const other = shownNumber(random, pool) ?? 0n;
      return value > other ? value - other : other - value;
    }
    default:
      return value * BigInt(random.nextInt(2, 10));
  }
}

function shownNumber(random: fc.Random, pool: ValuePool): bigint | undefined {
  const isRecent = random.nextInt(0, 3) !== 0;
  return (
    newest(isRecent ? pool.recent.numbers : pool.numbers, random) ??
    newest(isRecent ? pool.numbers : pool.recent.numbers, random)
  );
}

/** A constant that is not above a bound. */
export function fittingConstant(
  random: fc.Random,
  { constants }: ValuePool,
  max: bigint,
): bigint | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const value = anyOf(constants, random);
    if (value === undefined || value <= max) return value;
  }
  return undefined;
}

function constant(random: fc.Random, pool: ValuePool, max: bigint): bigint | undefined {
  const value = fittingConstant(random, pool, max);
  return value === undefined ? undefined : value + BigInt(random.nextInt(-1, 1));
}

/** The first identifiers and the smallest amounts come most often. */
function small(random: fc.Random): bigint {
  return BigInt(random.nextInt(0, random.nextInt(0, 10)));
}

function boundary(random: fc.Random, max: bigint): bigint {
  switch (random.nextInt(0, 5)) {
    case 0:
      return max;
    case 1:
      return max - 1n;
    case 2:
      return max / 2n;
    case 3:
      return max / 2n + 1n;
    default: {
      const bits = random.nextInt(1, bitsOf(max));
      // The widths of types come as often as all others.
      const width = random.nextInt(0, 1) === 0 ? bits : Math.max(8, bits & ~7);
      const power = 1n << BigInt(width);
      return power + BigInt(random.nextInt(-1, 1));
    }
  }
}

const widths = new Map<bigint, number>();

function bitsOf(max: bigint): number {
  let width = widths.get(max);
  if (width === undefined) {
    width = max.toString(2).length;
    widths.set(max, width);
  }
  return width;
}

/** Amounts as people write them: a digit and zeros. */
function round(random: fc.Random): bigint {
  return BigInt(random.nextInt(1, 9)) * 10n ** BigInt(random.nextInt(1, 21));
}

function ofAnySize(random: fc.Random, max: bigint): bigint {
  const bits = random.nextInt(1, bitsOf(max));
  return random.nextBigInt(0n, (1n << BigInt(bits)) - 1n);
}

const WIDEST_IDENTIFIER = 1n << 64n;

interface IntegerType {
  readonly name: string;
  readonly min: bigint;
  readonly max: bigint;
}

/** Weights by their number: of the same type, shown, related, small, constants, time, round, boundary, any. */
function candidate(
  random: fc.Random,
  pool: ValuePool,
  { name, max }: IntegerType,
): bigint | undefined {
  // Narrow integers are mostly identifiers and indexes.
  if (random.nextInt(0, 3) < (max < WIDEST_IDENTIFIER ? 2 : 1)) {
    const typed = newest(pool.recent.ofType(name), random);
    if (typed !== undefined) return typed;
  }
  const choice = random.nextInt(0, 23);
  if (choice < 6) return shownNumber(random, pool);
  if (choice < 10) return drawRelated(random, pool);
  if (choice < 14) return small(random);
  if (choice < 16) return constant(random, pool, max);
  if (choice === 16) return timeNumber(random, pool);
  if (choice < 19) return round(random);
  if (choice < 22) return boundary(random, max);
  return ofAnySize(random, max);
}

/** A time close to now, or a constant away from it. */
function timeNumber(random: fc.Random, pool: ValuePool): bigint {
  const distance = random.nextInt(0, 1) === 0 ? undefined : anyOf(pool.constants, random);
  return pool.time + (distance ?? BigInt(random.nextInt(-1, 100)));
}

/** Most felts with a name have at most 16 letters. */
const LARGEST_NAME = 1n << 128n;
const FELT = 'core::felt252';

/** A felt that is compared as a whole, such as a role or a hash. */
function identifier(random: fc.Random, pool: ValuePool): bigint | undefined {
  const choice = random.nextInt(0, 7);
  if (choice < 1) return newest(pool.recent.felts, random) ?? anyOf(pool.felts, random);
  // Constants above are mostly addresses of variables and selectors of events.
  if (choice < 5) return fittingConstant(random, pool, LARGEST_NAME);
  return choice === 5 ? newest(pool.recent.ofType(FELT), random) : undefined;
}

function drawInteger(type: IntegerType): Draw {
  const { min, max } = type;
  const isSigned = min < 0n;
  const isFelt = max === PRIME - 1n;
  return (random, pool) => {
    if (isFelt) {
      const felt = identifier(random, pool);
      if (felt !== undefined) return felt;
    }
    const number = candidate(random, pool, type) ?? BigInt(random.nextInt(0, 1000));
    const fitting = number > max ? number % (max + 1n) : number;
    if (isSigned && random.nextInt(0, 1) === 1) return -fitting < min ? min : -fitting;
    return fitting < min ? min : fitting;
  };
}

const drawAddress: Draw = (random, pool) => {
  const choice = random.nextInt(0, 15);
  const address =
    choice < 8
      ? anyOf(pool.actors, random)
      : choice < 10
        ? pool.caller
        : choice < 13
          ? anyOf(pool.contracts, random)
          : choice < 15
            ? seenAddress(random, pool)
            : undefined;
  return address ?? (choice === 15 ? '0x0' : (anyOf(pool.actors, random) ?? '0x1'));
};

function seenAddress(random: fc.Random, pool: ValuePool): string | undefined {
  const address = anyOf(pool.addresses, random);
  if (address !== undefined) return address;
  const felt = anyOf(pool.felts, random);
  return felt !== undefined && felt < ADDRESSES ? `0x${felt.toString(16)}` : undefined;
}

const drawClassHash: Draw = (random, pool) => {
  const hash = anyOf(pool.classHashes, random);
  if (hash !== undefined && random.nextInt(0, 7) !== 0) return hash;
  const felt = anyOf(pool.felts, random);
  return `0x${(felt ?? BigInt(random.nextInt(0, 1))).toString(16)}`;
};

const drawText: Draw = (random) => {
  // A word holds 31 bytes.
  const length = random.nextInt(0, 7) === 0 ? random.nextInt(30, 63) : random.nextInt(0, 8);
  let text = '';
  for (let at = 0; at < length; at++) text += LETTERS[random.nextInt(0, LETTERS.length - 1)];
  return text;
};

/** Compiles the drawing of the types of one ABI. */
export class Draws {
  readonly #abi: Abi;
  readonly #draws = new Map<string, Draw>();

  constructor(abi: Abi) {
    this.#abi = abi;
  }

  /** @throws TypeError if the ABI does not define the type */
  of(name: string): Draw {
    const compiled = this.#draws.get(name);
    if (compiled) return compiled;
    let draw: Draw | undefined;
    // A type may contain itself.
    this.#draws.set(name, (random, pool, depth) => draw?.(random, pool, depth) ?? []);
    draw = this.#compile(name, readCairoType(name, this.#abi));
    this.#draws.set(name, draw);
    return draw;
  }

  #compile(name: string, type: CairoType): Draw {
    switch (type.kind) {
      case 'felt':
      case 'integer': {
        const { min, max } = rangeOf(type);
        return drawInteger({ name, min, max });
      }
      case 'bool':
        return (random) => random.nextInt(0, 1) === 1;
      case 'address':
        return drawAddress;
      case 'class':
        return drawClassHash;
      case 'text':
        return drawText;
      case 'unit':
        return () => [];
      case 'list':
        return drawList(this.of(type.of), type.length);
      case 'record': {
        const parts = type.members.map(({ name, type: of }) => [name, this.of(of)] as const);
        if (!type.isTuple) return drawStruct(parts);
        return (random, pool, depth) => parts.map(([, part]) => part(random, pool, depth));
      }
      case 'choice':
        return drawEnum(
          type.variants.map((variant) => ({
            name: variant.name,
            draw: isUnit(variant) ? undefined : this.of(variant.type),
          })),
        );
    }
  }
}

function drawList(item: Draw, length: number | undefined): Draw {
  return (random, pool, depth) => {
    const count = length ?? (depth >= DEEPEST ? 0 : random.nextInt(0, random.nextInt(0, 5)));
    const items: StepValue[] = [];
    for (let at = 0; at < count; at++) {
      // A repeated item is a case of its own, for example a claim that is listed twice.
      const isRepeated = at > 0 && random.nextInt(0, 4) === 0;
      const before = isRepeated ? items[random.nextInt(0, at - 1)] : undefined;
      items.push(before ?? item(random, pool, depth + 1));
    }
    return items;
  };
}

function drawStruct(members: readonly (readonly [string, Draw])[]): Draw {
  return (random, pool, depth) => {
    const value: Record<string, StepValue> = {};
    for (const [name, draw] of members) value[name] = draw(random, pool, depth);
    return value;
  };
}

function drawEnum(
  variants: readonly { readonly name: string; readonly draw: Draw | undefined }[],
): Draw {
  const plain = variants.filter(({ draw }) => draw === undefined);
  return (random, pool, depth) => {
    const choices = depth >= DEEPEST && plain.length > 0 ? plain : variants;
    const variant = anyOf(choices, random);
    if (!variant) return [];
    return variant.draw ? { [variant.name]: variant.draw(random, pool, depth + 1) } : variant.name;
  };
}
