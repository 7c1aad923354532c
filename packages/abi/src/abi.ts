// ABI of a class, old or new, read from untrusted JSON.
import { selectorOf } from './selector.js';

export interface Parameter {
  readonly name: string;
  readonly type: string;
}

export interface AbiFunction {
  readonly name: string;
  readonly kind: 'external' | 'view' | 'constructor' | 'l1_handler';
  readonly inputs: readonly Parameter[];
  readonly outputs: readonly string[];
  /** The interface that declares it, if any. */
  readonly group?: string;
}

export interface EventField extends Parameter {
  readonly kind: 'key' | 'data' | 'nested' | 'flat';
}

/** An event is a struct, or an enum of other events. */
export interface AbiEvent {
  readonly name: string;
  readonly kind: 'struct' | 'enum';
  readonly fields: readonly EventField[];
}

export interface Abi {
  /** By selector. */
  readonly functions: ReadonlyMap<string, AbiFunction>;
  readonly constructor_: AbiFunction | undefined;
  readonly events: ReadonlyMap<string, AbiEvent>;
  /** Names of the events that are not variants of another event. */
  readonly roots: readonly string[];
  readonly structs: ReadonlyMap<string, readonly Parameter[]>;
  readonly enums: ReadonlyMap<string, readonly Parameter[]>;
}

/** Limits far above any real ABI; entries beyond them are ignored. */
const MAX_ITEMS = 5_000;
const MAX_LETTERS = 2_000;

type Entry = Readonly<Record<string, unknown>>;

/** Reads the `abi` member of a class: a JSON text in Sierra classes, a list in Cairo 0 classes. */
export function readAbi(source: unknown): Abi {
  const functions = new Map<string, AbiFunction>();
  const events = new Map<string, AbiEvent>();
  const structs = new Map<string, readonly Parameter[]>();
  const enums = new Map<string, readonly Parameter[]>();
  let constructor_: AbiFunction | undefined;

  const take = (entry: Entry, group?: string): void => {
    const name = text(entry['name']);
    if (name === undefined) return;
    switch (entry['type']) {
      case 'function':
      case 'l1_handler':
        functions.set(selectorOf(name), readFunction(entry, name, group));
        break;
      case 'constructor':
        constructor_ = readFunction(entry, name, group);
        break;
      case 'interface':
        for (const item of entries(entry['items'])) take(item, name);
        break;
      case 'struct':
        structs.set(name, parameters(entry['members']));
        break;
      case 'enum':
        enums.set(name, parameters(entry['variants']));
        break;
      case 'event':
        events.set(name, readEvent(entry, name));
        break;
    }
  };
  for (const entry of entries(parseSource(source))) take(entry);

  const parts = new Set<string>();
  for (const event of events.values()) {
    if (event.kind === 'enum') for (const field of event.fields) parts.add(field.type);
  }
  const roots = [...events.keys()].filter((name) => !parts.has(name));
  return { functions, constructor_, events, roots, structs, enums };
}

function parseSource(source: unknown): unknown {
  if (typeof source !== 'string') return source;
  try {
    return JSON.parse(source);
  } catch {
    return [];
  }
}

function entries(value: unknown): Entry[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).filter(isEntry);
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_LETTERS ? value : undefined;
}

function parameters(value: unknown): Parameter[] {
  return entries(value).map((entry) => ({
    name: text(entry['name']) ?? '',
    type: text(entry['type']) ?? 'felt',
  }));
}

function readFunction(entry: Entry, name: string, group: string | undefined): AbiFunction {
  const isView = entry['state_mutability'] === 'view' || entry['stateMutability'] === 'view';
  const kind =
    entry['type'] === 'constructor' || entry['type'] === 'l1_handler'
      ? entry['type']
      : isView
        ? 'view'
        : 'external';
  return {
    name,
    kind,
    inputs: parameters(entry['inputs']),
    outputs: entries(entry['outputs']).map((output) => text(output['type']) ?? 'felt'),
    ...(group === undefined ? {} : { group }),
  };
}

/** Cairo 0 events list keys and data, Cairo 1.0 events inputs, later ones members or variants with a kind. */
function readEvent(entry: Entry, name: string): AbiEvent {
  if (entry['kind'] === 'enum') {
    return { name, kind: 'enum', fields: fields(entry['variants'], 'nested') };
  }
  if (entry['kind'] === 'struct') {
    return { name, kind: 'struct', fields: fields(entry['members'], 'data') };
  }
  return {
    name,
    kind: 'struct',
    fields: [
      ...fields(entry['keys'], 'key'),
      ...fields(entry['data'], 'data'),
      ...fields(entry['inputs'], 'data'),
    ],
  };
}

function fields(value: unknown, otherwise: EventField['kind']): EventField[] {
  return entries(value).map((entry) => {
    const kind = entry['kind'];
    return {
      name: text(entry['name']) ?? '',
      type: text(entry['type']) ?? 'felt',
      kind:
        kind === 'key' || kind === 'data' || kind === 'nested' || kind === 'flat'
          ? kind
          : otherwise,
    };
  });
}
