// Storage variables of a class: declared in its sources, or names that its Sierra program confirms.
import type { NAMED_SLOT } from '@starkbox/spec';
import type { Abi, AbiFunction } from '../abi.js';
import { classNameOf } from '../names.js';
import { shortType } from '../type-name.js';
import {
  type Declarations,
  readDeclarations,
  type SourceFile,
  type SourceStruct,
} from './cairo-source.js';
import { hashedName, type StorageType, TypeReader } from './storage-type.js';
import { WELL_KNOWN } from './well-known.js';

/** Where a name comes from: the source of the class, a table of well-known names, or its ABI. */
export type NameOrigin = NAMED_SLOT['origin'];

export interface Variable {
  readonly name: string;
  /** Hash of the name. */
  readonly base: string;
  readonly type: StorageType;
  readonly origin: NameOrigin;
}

/** What is read of a class to name its slots. */
export interface ClassFacts {
  readonly abi: Abi;
  /** The felts of its Sierra program; undefined for a class of Cairo 0. */
  readonly program: readonly string[] | undefined;
  /** Files of its sources. */
  readonly sources: readonly SourceFile[];
  /** More names to try, such as those of functions in debug information. */
  readonly names?: Iterable<string>;
}

export interface ClassVariables {
  readonly variables: readonly Variable[];
  /** Hashes and names that the program has and that may be members of storage nodes. */
  readonly members: ReadonlyMap<string, string>;
  /** Large numbers of the program: roles, interfaces. */
  readonly constants: readonly string[];
  /** Whether the program has a large number, such as the hash of a variable's name; undefined for a class of Cairo 0. */
  readonly hasConstant: ((felt: string) => boolean) | undefined;
}

/** The three hashes that lead to a slot; the engine has all of them. */
export interface StorageHashes {
  readonly pedersen: (left: string, right: string) => string;
  readonly hades: (felts: readonly [string, string, string]) => readonly string[];
  readonly keccak: (text: string) => string;
}

/** Names that are tried; more than any ABI of use has. */
const MAX_NAMES = 6_000;
const MAX_CONSTANTS = 512;
const WIDE = 2n ** 128n;
const NO_DECLARATIONS: Declarations = readDeclarations([]);

export function variablesOf(facts: ClassFacts, { keccak }: StorageHashes): ClassVariables {
  const constants = facts.program && programConstants(facts.program);
  const variables = new Map<string, Variable>();
  const members = new Map<string, string>();
  const isConfirmed = (base: string): boolean => constants?.has(base) ?? true;
  const add = (name: string, hashed: string, type: StorageType, origin: NameOrigin): void => {
    const base = keccak(hashed);
    if (variables.has(base) || !isConfirmed(base)) return;
    variables.set(base, { name, base, type, origin });
  };
  const declared = readDeclarations(facts.sources);
  const reader = new TypeReader(declared);
  for (const { name, hashed, type } of declaredVariables(declared, classNameOf(facts.abi))) {
    add(name, hashed, reader.read(type), 'source');
  }
  const plain = new TypeReader(NO_DECLARATIONS);
  for (const [name, type] of WELL_KNOWN) {
    add(name, name, plain.read(fittingType(name, type, facts.abi)), 'known');
  }
  // With its storage declared, a class has no other variables than those and its components'.
  if (declared.storages.length === 0) {
    const guesses = guessedNames(facts.abi);
    for (const name of facts.names ?? []) if (!guesses.has(name)) guesses.set(name, undefined);
    let tried = 0;
    for (const [name, type] of guesses) {
      if (++tried > MAX_NAMES) break;
      const hash = keccak(name);
      // An unconfirmed guess would be searched in vain.
      if (constants?.has(hash)) members.set(hash, name);
      if (constants || type !== undefined) {
        add(name, name, type === undefined ? { kind: 'unknown' } : plain.read(type), 'abi');
      }
    }
  }
  const large = new Set([...(constants ?? [])].filter((felt) => BigInt(felt) >= WIDE));
  return {
    variables: [...variables.values()],
    members,
    constants: [...large].slice(0, MAX_CONSTANTS),
    hasConstant: constants && ((felt) => large.has(felt)),
  };
}

/** Different felts of a program. The compiler writes each once in a table, and numbers of entries packed behind it. */
function programConstants(program: readonly string[]): ReadonlySet<string> {
  const HEADER = 6;
  const count = Number(program[HEADER] ?? 0);
  const padding = Number(program[HEADER + 1] ?? 0);
  const isTable =
    count > 0 &&
    count + HEADER + 2 <= program.length &&
    count + padding >= 256 &&
    Number.isInteger(Math.log2(count + padding));
  const felts = isTable ? program.slice(HEADER + 2, HEADER + 2 + count) : program;
  return new Set(felts);
}

interface Declared {
  readonly name: string;
  readonly hashed: string;
  readonly type: string;
}

/** The variables of all structs of storage, those of the class's own module first. */
function declaredVariables(
  { storages, structs }: Declarations,
  className: string | undefined,
): readonly Declared[] {
  const rank = (struct: SourceStruct): number => (struct.module === className ? 0 : 1);
  const ordered = storages.toSorted((a, b) => rank(a) - rank(b));
  return ordered.flatMap(({ members }) =>
    members.flatMap((member): readonly Declared[] => {
      const { name, type, attributes } = member;
      const isFlat = attributes.some((text) => /^(substorage\(|flat$)/.test(text));
      if (!isFlat) return [{ name, hashed: hashedName(member), type }];
      const inner = structs.get(shortType(type))?.members ?? [];
      return inner.map((field) => ({
        name: field.name,
        hashed: hashedName(field),
        type: field.type,
      }));
    }),
  );
}

/** Older releases keep texts in one felt: then the function that returns it says so. */
function fittingType(name: string, type: string, { functions }: Abi): string {
  if (type !== 'ByteArray') return type;
  const ending = name.slice(name.indexOf('_') + 1);
  const getter = [...functions.values()].find((abiFunction) => abiFunction.name === ending);
  const [output] = getter?.outputs ?? [];
  return output !== undefined && /felt(252)?$/.test(output) ? 'felt252' : type;
}

/** Types that are stored as they are passed; a struct may be packed, so that its slots are not known. */
const PLAIN_TYPE =
  /^(felt|felt252|bool|u256|Uint256|[ui](8|16|32|64|128)|ContractAddress|EthAddress|ClassHash|ByteArray|bytes31)$/;

/** Names that variables may have, by what an ABI names, with a type where it tells one. */
function guessedNames(abi: Abi): Map<string, string | undefined> {
  const types = new Map<string, string | undefined>();
  const add = (name: string, type: string | undefined): void => {
    for (const form of formsOf(name)) {
      if (types.get(form) === undefined) types.set(form, type);
    }
  };
  const functions = [...abi.functions.values(), ...(abi.constructor_ ? [abi.constructor_] : [])];
  for (const abiFunction of functions) add(abiFunction.name, functionType(abiFunction));
  const fields = [
    ...functions.flatMap(({ inputs }) => inputs),
    ...[...abi.structs.values()].flat(),
    ...[...abi.events.values()].flatMap((event) => event.fields),
  ];
  // A parameter may as well be one value of a map, so that its type says nothing of a plural.
  for (const { name } of fields) add(name, undefined);
  for (const name of [...abi.structs.keys(), ...abi.events.keys()]) {
    add(snakeCase(name.split('::').at(-1) ?? name), undefined);
  }
  return types;
}

/** A function that returns one value by some keys, as a map does. */
function functionType({ kind, inputs, outputs }: AbiFunction): string | undefined {
  const [output] = outputs.map(shortType);
  if (kind !== 'view' || output === undefined || outputs.length > 1) return undefined;
  const keys = inputs.map(({ type }) => shortType(type));
  if (![output, ...keys].every((type) => PLAIN_TYPE.test(type)) || keys.includes('ByteArray')) {
    return undefined;
  }
  return keys.length === 0 ? output : `Map<(${keys.join(', ')}), ${output}>`;
}

const snakeCase = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/** A name and its parts, in singular and plural: `get_balance_of` → `balance`, `balances`, … */
function formsOf(name: string): ReadonlySet<string> {
  const words = name.split('_').filter((word) => word !== '');
  const forms = new Set([name]);
  if (words.length > 6) return forms;
  for (let from = 0; from < words.length; from += 1) {
    for (let to = words.length; to > from; to -= 1) {
      const part = words.slice(from, to).join('_');
      for (const form of [part, ...numbersOf(part)]) forms.add(form).add(`_${form}`);
    }
  }
  return forms;
}

function numbersOf(word: string): readonly string[] {
  if (word.endsWith('s')) return [word.slice(0, -1), `${word}es`];
  return word.endsWith('y') ? [`${word}s`, `${word.slice(0, -1)}ies`] : [`${word}s`];
}
