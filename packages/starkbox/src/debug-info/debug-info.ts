// Debug information of a class: functions and locations in the source of its Sierra statements, and names.
import { isObject, memberOf } from '@starkbox/abi/basics';
import type { SourceLine } from '@starkbox/abi/internal';
import type { DEBUG_SOURCE } from '@starkbox/spec';
import { count, list, object, optional, pair, string } from '../json/reader.js';
import { ANNOTATIONS } from './artifact.js';

/** More statements than the largest class that a network takes. */
const MAX_STATEMENTS = 1_000_000;

/** Texts that occur often, held once. */
class Texts {
  readonly #numbers = new Map<string, number>();
  readonly all: string[] = [];

  number(text: string): number {
    const number = this.#numbers.get(text);
    if (number !== undefined) return number;
    this.all.push(text);
    this.#numbers.set(text, this.all.length - 1);
    return this.all.length - 1;
  }
}

/** Numbers of one entry: function, file, line, column; -1 where there is none; and 1 for code that a macro wrote. */
const WIDTH = 5;

/** Debug information of one class, in a compact form. */
export class DebugInfo {
  readonly #texts: readonly string[];
  /** Where the entries of each statement begin; one more at the end. */
  readonly #starts: Uint32Array;
  readonly #entries: Int32Array;
  readonly #names: ReadonlyMap<number, string>;
  readonly #symbols: Symbols;
  /** The files that it names. */
  readonly files: ReadonlySet<string>;
  /** Bytes that it takes, roughly. */
  readonly size: number;

  /** Use {@link DebugInfo.read}. */
  constructor(
    texts: readonly string[],
    starts: Uint32Array,
    entries: Int32Array,
    names: ReadonlyMap<number, string>,
    symbols: Symbols = NO_SYMBOLS,
  ) {
    this.#texts = texts;
    this.#starts = starts;
    this.#entries = entries;
    this.#names = names;
    this.#symbols = symbols;
    const files = new Set<string>();
    for (let at = 1; at < entries.length; at += WIDTH) {
      const file = texts[entries[at] ?? -1];
      if (file !== undefined) files.add(file);
    }
    this.files = files;
    this.size =
      starts.byteLength +
      entries.byteLength +
      sizeOfTexts(texts) +
      sizeOfTexts(names.values()) +
      sizeOfSymbols(symbols);
  }

  /**
   * Reads a class as a compiler writes it.
   *
   * @returns undefined if it carries no debug information
   * @throws TypeError if what it carries is malformed
   */
  static read(artifact: unknown): DebugInfo | undefined {
    const info = isObject(artifact) ? artifact['sierra_program_debug_info'] : undefined;
    if (!isObject(info)) return undefined;
    const names = readNames(info['user_func_names']);
    const annotations = optional(info['annotations'], 'annotations', object) ?? {};
    const functions = member(annotations, 'functions');
    const locations = member(annotations, 'locations');
    if (names.size === 0 && functions.size === 0 && locations.size === 0) return undefined;
    const texts = new Texts();
    const variables = readVariables(annotations, texts);
    const types = readTypes(info['type_names'], annotations);
    const symbols = { types, ...(variables ? { variables } : {}) };
    return DebugInfo.#of(functions, locations, { names, symbols, texts });
  }

  static #of(
    functions: ReadonlyMap<number, unknown>,
    locations: ReadonlyMap<number, unknown>,
    { names: functionNames, symbols, texts }: NamesOfClass,
  ): DebugInfo {
    let last = -1;
    for (const statement of [...functions.keys(), ...locations.keys()]) {
      last = Math.max(last, statement);
    }
    const starts = new Uint32Array(last + 2);
    const entries: number[] = [];
    for (let statement = 0; statement <= last; statement += 1) {
      const where = `statement ${statement}`;
      const names = list(functions.get(statement) ?? [], where, string);
      const statementLocations = list(locations.get(statement) ?? [], where, readLocation);
      // Both begin with the innermost function. One that has several locations has its own first.
      const surplus = Math.max(0, statementLocations.length - names.length);
      for (const [index, name] of names.entries()) {
        const location = statementLocations[index === 0 ? 0 : index + surplus];
        entries.push(texts.number(name));
        entries.push(
          location ? texts.number(location.file) : -1,
          location?.line ?? -1,
          location?.column ?? -1,
        );
        entries.push(location?.isGenerated ? 1 : 0);
      }
      if (names.length === 0) {
        for (const { file, line, column, isGenerated } of statementLocations) {
          entries.push(-1, texts.number(file), line, column, isGenerated ? 1 : 0);
        }
      }
      starts[statement + 1] = entries.length / WIDTH;
    }
    return new DebugInfo(texts.all, starts, Int32Array.from(entries), functionNames, symbols);
  }

  /** The lines of a statement, that of the innermost function first; all but the last are inlined. */
  linesAt(statement: number): readonly SourceLine[] {
    const first = this.#starts[statement] ?? 0;
    const end = this.#starts[statement + 1] ?? first;
    const lines: SourceLine[] = [];
    for (let entry = first; entry < end; entry += 1) {
      const [name = -1, file = -1, line = -1, column = -1] = this.#entries.subarray(
        entry * WIDTH,
        (entry + 1) * WIDTH,
      );
      const path = this.#texts[file];
      lines.push({
        function: this.#texts[name] ?? '',
        ...(path === undefined ? {} : { file: path, line: line + 1, column: column + 1 }),
        ...(entry < end - 1 ? { inlined: true } : {}),
      });
    }
    return lines;
  }

  /** The written lines that a statement is code of, in each function around it; none for code of macros. */
  *writtenAt(statement: number): Generator<{ readonly file: string; readonly line: number }> {
    const first = this.#starts[statement] ?? 0;
    const end = this.#starts[statement + 1] ?? first;
    for (let entry = first; entry < end; entry += 1) {
      const [, file = -1, line = -1, , generated] = this.#entries.subarray(
        entry * WIDTH,
        (entry + 1) * WIDTH,
      );
      const path = this.#texts[file];
      if (path !== undefined && generated === 0) yield { file: path, line: line + 1 };
    }
  }

  /** Numbers and names of the functions of the Sierra program. */
  get functions(): Iterable<readonly [id: number, name: string]> {
    return this.#names;
  }

  /** Statements with the functions that each is of, innermost first; those of none are left out. */
  *statements(): Generator<readonly [statement: number, functions: readonly string[]]> {
    for (let statement = 0; statement + 1 < this.#starts.length; statement += 1) {
      const names = this.linesAt(statement).flatMap(({ function: name }) => name || []);
      if (names.length > 0) yield [statement, names];
    }
  }

  /** The name of a function of the Sierra program. */
  functionName(id: number): string | undefined {
    return this.#names.get(id);
  }

  /** All of it, as debuggers read it. */
  get wire(): DEBUG_SOURCE {
    return {
      texts: this.#texts,
      location_starts: [...this.#starts],
      locations: [...this.#entries],
      functions: Array.from(this.#names, ([id, name]) => ({ id, name })),
      ...this.#symbols,
    };
  }
}

/** Names of types and of variables. */
type Symbols = Pick<DEBUG_SOURCE, 'types' | 'variables'>;
const NO_SYMBOLS: Symbols = { types: [] };

/** A short object, such as the head of a string or of a list. */
const OBJECT_BYTES = 32;

function sizeOfTexts(texts: Iterable<string>): number {
  let size = 0;
  for (const { length } of texts) size += OBJECT_BYTES + 2 * length;
  return size;
}

function sizeOfSymbols({ types, variables = [] }: Symbols): number {
  let size = 0;
  for (const { name, members = [] } of types) {
    size += 2 * OBJECT_BYTES + sizeOfTexts([name, ...members]);
  }
  for (const { names } of variables) size += 4 * OBJECT_BYTES + 8 * names.length;
  return size;
}

interface NamesOfClass {
  readonly names: ReadonlyMap<number, string>;
  readonly symbols: Symbols;
  readonly texts: Texts;
}

/** Names of Sierra types; those of structs and enums with their members or variants. */
function readTypes(names: unknown, annotations: object): DEBUG_SOURCE['types'] {
  const types = new Map<number, DEBUG_SOURCE['types'][number]>();
  for (const [id, name] of readNames(names, 'type_names')) types.set(id, { id, name });
  for (const kind of ['structs', 'enums'] as const) {
    for (const [id, value] of member(annotations, kind)) {
      const where = `${kind}[${id}]`;
      const type = object(value, where);
      const parts = type[kind === 'structs' ? 'members' : 'variants'];
      types.set(id, {
        id,
        name: string(type['name'], `${where}.name`),
        members: list(parts, where, string),
      });
    }
  }
  return [...types.values()];
}

type FunctionVariables = NonNullable<DEBUG_SOURCE['variables']>;

/** Names of variables by function; undefined if the artifact was compiled without them. */
function readVariables(annotations: object, texts: Texts): FunctionVariables | undefined {
  const functions = member(annotations, 'variables');
  if (functions.size === 0) return undefined;
  return Array.from(functions, ([id, value]) => {
    const where = `functions_info[${id}]`;
    const info = object(value, where);
    const variables = object(info['sierra_to_cairo_variable'], `${where}.sierra_to_cairo_variable`);
    const names = Object.entries(variables).flatMap(([key, item]) => {
      const variable = count(/^\d{1,9}$/.test(key) ? Number(key) : key, `${where}: variable`);
      const [name, span] = pair(item, `${where}[${key}]`, string, readSpan);
      return [variable, texts.number(name), ...span];
    });
    const file = string(info['function_file_path'], `${where}.function_file_path`);
    const span = readSpan(info['function_code_span'], `${where}.function_code_span`);
    return { file: texts.number(withoutMarks(file)), span, names };
  });
}

type Span = readonly [number, number, number, number];

function readSpan(value: unknown, where: string): Span {
  const { start, end } = object(value, where);
  const first = object(start, `${where}.start`);
  const last = object(end, `${where}.end`);
  return [
    position(first['line'], `${where}.start.line`),
    position(first['col'], `${where}.start.col`),
    position(last['line'], `${where}.end.line`),
    position(last['col'], `${where}.end.col`),
  ];
}

/** The values of an annotation by their numbers of statements, functions or types. */
function member(annotations: object, kind: keyof typeof ANNOTATIONS): ReadonlyMap<number, unknown> {
  const { tool, member: name } = ANNOTATIONS[kind];
  const values = optional(memberOf(annotations, tool), tool, object)?.[name];
  const isOfStatements = kind === 'functions' || kind === 'locations';
  const byNumber = new Map<number, unknown>();
  for (const [key, value] of Object.entries(optional(values, name, object) ?? {})) {
    const isNumber = /^\d{1,20}$/.test(key);
    if (!isNumber || (isOfStatements && Number(key) >= MAX_STATEMENTS)) {
      const expected = isOfStatements ? 'statement' : 'number';
      throw new TypeError(`${name}: ${JSON.stringify(key)} is no ${expected}`);
    }
    byNumber.set(Number(key), value);
  }
  return byNumber;
}

interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly isGenerated: boolean;
}

/** The file, the begin and end in it, and in newer versions whether a macro wrote it. */
function readLocation(value: unknown, where: string): SourceLocation {
  if (!Array.isArray(value)) throw new TypeError(`${where}: expected a list`);
  const { start } = object(value[1], `${where}[1]`);
  const { line, col } = object(start, `${where}[1].start`);
  const path = string(value[0], `${where}[0]`);
  return {
    file: withoutMarks(path),
    isGenerated: value[2] === true || path.endsWith(']'),
    line: position(line, `${where}[1].start.line`),
    column: position(col, `${where}[1].start.col`),
  };
}

/** Older compilers mark code that a macro wrote by words in brackets behind the path. */
function withoutMarks(path: string): string {
  let file = path;
  while (file.endsWith(']')) {
    const begin = file.lastIndexOf('[');
    if (begin < 0) break;
    file = file.slice(0, begin);
  }
  return file;
}

function position(value: unknown, where: string): number {
  const number = count(value, where);
  if (number >= 2 ** 31 - 1) throw new TypeError(`${where}: ${number} is too large`);
  return number;
}

function readNames(value: unknown, member = 'user_func_names'): ReadonlyMap<number, string> {
  const pairs = optional(value, member, (names, where) =>
    list(names, where, (nameOfNumber, at) => pair(nameOfNumber, at, numberOf, string)),
  );
  return new Map(pairs ?? []);
}

/** A function's number, in some versions within an object. */
function numberOf(value: unknown, where: string): number {
  return isObject(value) ? count(value['id'], `${where}.id`) : count(value, where);
}
