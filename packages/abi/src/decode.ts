// Decoder of calldata, results and events by the types of an ABI; both are untrusted.
import type { Abi, AbiEvent, AbiFunction } from './abi.js';
import { type Build, Decoders, FeltCursor, forEachAbi } from './codec.js';
import { selectorOf } from './selector.js';
import { DEEPEST, withoutLengths } from './shape.js';

export type Decoded =
  | { readonly kind: 'felt'; readonly felt: string }
  | { readonly kind: 'address'; readonly felt: string }
  | { readonly kind: 'class'; readonly felt: string }
  | { readonly kind: 'number'; readonly value: bigint; readonly type: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Decoded[] }
  | { readonly kind: 'record'; readonly type: string; readonly members: readonly NamedValue[] }
  | {
      readonly kind: 'choice';
      readonly type: string;
      readonly variant: string;
      readonly value?: Decoded;
    }
  | { readonly kind: 'unit' };

export interface NamedValue {
  readonly name: string;
  readonly type: string;
  readonly value: Decoded;
}

export interface DecodedEvent {
  readonly name: string;
  readonly members: readonly NamedValue[];
}

const MAX_VALUES = 2_000;

const SHOWN: Build<Decoded> = {
  unit: { kind: 'unit' },
  felt: (felt, kind) => ({ kind: kind === 'eth address' ? 'address' : kind, felt }),
  number: (value, type) => ({ kind: 'number', value, type }),
  bool: (value) => ({ kind: 'bool', value }),
  text: (text) => ({ kind: 'text', text }),
  list: (items) => ({ kind: 'list', items }),
  record: (values, members, type = '') => ({
    kind: 'record',
    type,
    members: members.flatMap((member, at): readonly NamedValue[] => {
      const value = values[at];
      return value ? [{ name: member.name, type: member.type, value }] : [];
    }),
  }),
  choice: (variant, value, type) => ({
    kind: 'choice',
    type,
    variant,
    ...(value === undefined ? {} : { value }),
  }),
};

const decodersOf = forEachAbi((abi) => new Decoders(abi, SHOWN));

/** Reads all of the felts. */
function readWhole<T>(felts: readonly string[], read: (felts: FeltCursor) => T): T {
  const cursor = new FeltCursor(felts, MAX_VALUES);
  const value = read(cursor);
  if (cursor.left > 0) throw new RangeError('There are more felts than the types take');
  return value;
}

/** Undefined when decoding fails; callers then show the raw felts. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The named inputs of a call, or undefined if the calldata does not fit the ABI. */
export function decodeInputs(
  { inputs }: Pick<AbiFunction, 'inputs'>,
  calldata: readonly string[],
  abi: Abi,
): readonly NamedValue[] | undefined {
  return attempt(() =>
    readWhole(calldata, (felts) =>
      withoutLengths(inputs).map(({ name, type }) => ({
        name,
        type,
        value: decodersOf(abi).of(type)(felts),
      })),
    ),
  );
}

/** The values that a call returned, or undefined if they do not fit the ABI. */
export function decodeOutputs(
  { outputs }: Pick<AbiFunction, 'outputs'>,
  result: readonly string[],
  abi: Abi,
): readonly Decoded[] | undefined {
  // In Cairo 0 the length of a list is a value of its own.
  if (outputs.some((type) => type.endsWith('*'))) return undefined;
  return attempt(() =>
    readWhole(result, (felts) => outputs.map((type) => decodersOf(abi).of(type)(felts))),
  );
}

/** One value of a type, or undefined if the felts do not fit it. */
export function decodeAs(type: string, felts: readonly string[], abi: Abi): Decoded | undefined {
  return decodeOutputs({ outputs: [type] }, felts, abi)?.[0];
}

interface Match {
  readonly event: AbiEvent;
  readonly name: string;
  /** Number of leading keys that only select the event. */
  readonly feltCount: number;
}

/** The event with its members, or undefined if no event of the ABI fits. */
export function decodeEvent(
  keys: readonly string[],
  data: readonly string[],
  abi: Abi,
): DecodedEvent | undefined {
  return attempt(() => {
    const match = findEvent(keys, abi);
    if (!match) return undefined;
    const keyFelts = new FeltCursor(keys.slice(match.feltCount), MAX_VALUES);
    const dataFelts = new FeltCursor(data, MAX_VALUES);
    const members = withoutLengths(match.event.fields).map(({ name, type, kind }) => {
      const felts = kind === 'key' ? keyFelts : dataFelts;
      return { name, type, value: decodersOf(abi).of(type)(felts) };
    });
    if (keyFelts.left > 0 || dataFelts.left > 0) return undefined;
    return { name: match.name, members };
  });
}

function findEvent(keys: readonly string[], abi: Abi): Match | undefined {
  const visited = new Set<string>();
  for (const root of abi.roots) {
    const event = abi.events.get(root);
    if (!event) continue;
    if (event.kind === 'struct') {
      const name = lastPart(event.name);
      if (keys[0] === selectorOf(name)) return { event, name, feltCount: 1 };
    } else {
      const match = findVariant(event, keys, 0, abi, visited);
      if (match) return match;
    }
  }
  return undefined;
}

/** `visited` holds key positions with enums: flat enums may contain each other, and one search of each is enough. */
function findVariant(
  choice: AbiEvent,
  keys: readonly string[],
  at: number,
  abi: Abi,
  visited: Set<string>,
): Match | undefined {
  const path = `${at} ${choice.name}`;
  if (at > DEEPEST || visited.has(path)) return undefined;
  visited.add(path);
  for (const { name, type, kind } of choice.fields) {
    const next = abi.events.get(type);
    if (!next) continue;
    if (kind === 'flat') {
      const match = next.kind === 'enum' ? findVariant(next, keys, at, abi, visited) : undefined;
      if (match) return match;
    } else if (keys[at] === selectorOf(name)) {
      if (next.kind === 'struct') return { event: next, name, feltCount: at + 1 };
      const match = findVariant(next, keys, at + 1, abi, visited);
      if (match) return match;
    }
  }
  return undefined;
}

function lastPart(path: string): string {
  return path.split('::').at(-1) ?? path;
}

/** How the single felts of a value are written. */
export interface FeltTexts {
  readonly felt: (felt: string) => string;
  readonly address: (felt: string) => string;
  readonly classHash: (felt: string) => string;
}

/** A value in one line. */
export function valueText(value: Decoded, texts: FeltTexts): string {
  const inner = (of: Decoded): string => valueText(of, texts);
  switch (value.kind) {
    case 'felt':
      return texts.felt(value.felt);
    case 'address':
      return texts.address(value.felt);
    case 'class':
      return texts.classHash(value.felt);
    case 'number':
    case 'bool':
      return String(value.value);
    case 'text':
      return JSON.stringify(value.text);
    case 'list':
      return `[${value.items.map(inner).join(', ')}]`;
    case 'record':
      return `{ ${value.members.map((member) => `${member.name}: ${inner(member.value)}`).join(', ')} }`;
    case 'choice':
      return value.value ? `${value.variant}(${inner(value.value)})` : value.variant;
    case 'unit':
      return '()';
  }
}
