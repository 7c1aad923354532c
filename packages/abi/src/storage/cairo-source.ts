// Declarations of Cairo sources that say how storage is laid out: structs, enums, packings, constants and names of types.
import { splitAtCommas } from '../type-name.js';
import { type PackedField, packedFields } from './packing.js';

/** A member of a struct. */
export interface SourceMember {
  readonly name: string;
  readonly type: string;
  /** Texts of its attributes, such as `substorage(v0)`. */
  readonly attributes: readonly string[];
}

export interface SourceStruct {
  readonly name: string;
  /** The innermost module around it; that of the file where there is none. */
  readonly module: string;
  readonly attributes: readonly string[];
  readonly members: readonly SourceMember[];
}

/** How a struct is stored as one number. */
export interface SourcePacking {
  /** The type that is stored. */
  readonly as: string;
  /** Undefined where the function that packs is not a plain sum. */
  readonly fields: readonly PackedField[] | undefined;
}

export interface Declarations {
  /** Variables of contracts and components: the members of their structs of storage. */
  readonly storages: readonly SourceStruct[];
  readonly structs: ReadonlyMap<string, SourceStruct>;
  readonly enums: ReadonlyMap<string, readonly SourceMember[]>;
  readonly packings: ReadonlyMap<string, SourcePacking>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** A file of a class. */
export interface SourceFile {
  /** Its path. */
  readonly file: string;
  readonly text: string;
}

/** Longer than what a person writes; what comes behind is not read. */
const MAX_LETTERS = 2 ** 18;
const MAX_HEAD_LENGTH = 1_000;
// Repetitions have bounds: without them, the time to find nothing grows with the square of a text.
const ITEM =
  /((?:#\[[^\]]{0,300}\]\s{0,40}){0,8})(?:pub(?:\([^)]{0,60}\))?\s{1,40})?\b(struct|enum|mod|impl|const|type)\s{1,40}(\w{1,200})/g;

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly attributes: readonly string[];
  /** Where it begins, and where the text behind its name begins. */
  readonly start: number;
  readonly rest: number;
}

/** Reads what the files declare. Where a name is declared twice, the first one counts. */
export function readDeclarations(files: readonly SourceFile[]): Declarations {
  const storages: SourceStruct[] = [];
  const structs = new Map<string, SourceStruct>();
  const enums = new Map<string, readonly SourceMember[]>();
  const packings = new Map<string, SourcePacking>();
  const aliases = new Map<string, string>();
  const addStruct = (struct: SourceStruct): void => {
    if (struct.attributes.includes('storage')) storages.push(struct);
    else addFirst(structs, struct.name, struct);
  };
  const read = files.map(({ file, text }) => ({
    text: withoutComments(text.slice(0, MAX_LETTERS)),
    module: moduleOf(file),
  }));
  const constants = new Map(read.flatMap(({ text }) => constantsIn(text)));
  for (const { text, module } of read) {
    const items = itemsIn(text);
    const braces = bracesIn(text);
    const modules = modulesIn(items, module, (from) => endOfBody(text, from, braces));
    for (const item of items) {
      const { kind, name, attributes, rest } = item;
      if (kind === 'type') {
        const target = /^[^=;]*=\s*([^;]+);/.exec(text.slice(rest, rest + 500))?.[1];
        if (target !== undefined) addFirst(aliases, name, target.trim());
      }
      const body = bodyAt(text, rest, braces);
      if (body === undefined) continue;
      if (kind === 'struct') {
        addStruct({ name, attributes, module: modules(item.start), members: membersOf(body) });
      }
      if (kind === 'enum') addFirst(enums, name, membersOf(body));
      if (kind === 'impl') {
        const packed = packingOf(
          text.slice(rest, Math.min(text.indexOf('{', rest), rest + MAX_HEAD_LENGTH)),
        );
        if (packed) {
          const fields = packedFields(body, constants);
          addFirst(packings, packed.of, { as: packed.as, fields });
        }
      }
    }
  }
  return { storages, structs, enums, packings, aliases };
}

function addFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value);
}

/** `a/b/token.cairo` → `token`; the root of a package and of a folder bears another name. */
function moduleOf(file: string): string {
  const [name = '', folder = ''] = file.split('/').reverse();
  const fileName = name.replace(/\.cairo$/, '');
  return fileName === 'lib' ? folder : fileName;
}

/** Comments and texts become spaces, so that positions stay and braces within are not counted. */
function withoutComments(text: string): string {
  return text.replace(
    /\/\/[^\n]*|"(?:[^"\\\n]|\\.?)*(?:"|$)|'(?:[^'\\\n]|\\.?)*(?:'|$)/gm,
    (text) => (text.startsWith('"') ? text.replace(/[{}[\]();,]/g, ' ') : ' '.repeat(text.length)),
  );
}

function itemsIn(text: string): readonly Item[] {
  return [...text.matchAll(ITEM)].map((item) => ({
    kind: item[2] ?? '',
    name: item[3] ?? '',
    attributes: attributesIn(item[1] ?? ''),
    start: item.index,
    rest: item.index + item[0].length,
  }));
}

const attributesIn = (text: string): readonly string[] =>
  [...text.matchAll(/#\[([^\]]*)\]/g)].map(([, inside = '']) => inside.trim());

/** Finds the innermost module around a place. */
function modulesIn(
  items: readonly Item[],
  file: string,
  endOf: (from: number) => number | undefined,
): (at: number) => string {
  const spans = items.flatMap(({ kind, name, rest }) => {
    if (kind !== 'mod') return [];
    const end = endOf(rest);
    return end === undefined ? [] : [{ name, from: rest, end }];
  });
  return (at) => spans.findLast(({ from, end }) => from <= at && at < end)?.name ?? file;
}

/** Where each brace that opens is closed. */
type Braces = ReadonlyMap<number, number>;

function bracesIn(text: string): Braces {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else {
      const begin = open.pop();
      if (begin !== undefined) ends.set(begin, index);
    }
  }
  return ends;
}

/** The text between the braces that open behind a place, before the next semicolon. */
function bodyAt(text: string, from: number, braces: Braces): string | undefined {
  const end = endOfBody(text, from, braces);
  return end === undefined ? undefined : text.slice(text.indexOf('{', from) + 1, end);
}

function endOfBody(text: string, from: number, braces: Braces): number | undefined {
  const open = text.indexOf('{', from);
  const semicolon = text.indexOf(';', from);
  if (open < 0 || (semicolon >= 0 && semicolon < open)) return undefined;
  return braces.get(open);
}

/** Members of a struct, or variants of an enum; a variant without a type has the type `()`. */
function membersOf(body: string): readonly SourceMember[] {
  return splitAtCommas(body).flatMap((part) => {
    const declaration =
      /^((?:#\[[^\]]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?(\w+)\s*(?::\s*([\s\S]+))?$/.exec(part);
    const [, attributes = '', name = '', type = '()'] = declaration ?? [];
    return name === ''
      ? []
      : [{ name, type: type.replaceAll(/\s+/g, ' '), attributes: attributesIn(attributes) }];
  });
}

/** `of StorePacking<A, B>` in the head of an impl. */
function packingOf(head: string): { readonly of: string; readonly as: string } | undefined {
  const packing = /\bof\s+(?:\w+::)*StorePacking(?:::)?<([\s\S]*)>\s*$/.exec(head.trimEnd());
  const [of, as] = splitAtCommas(packing?.[1] ?? '');
  return of === undefined || as === undefined ? undefined : { of: lastName(of), as };
}

/** `a::b::C<D>` → `C` */
function lastName(type: string): string {
  const path = type.replace(/<[\s\S]*$/, '').replace(/::$/, '');
  return path.split('::').at(-1)?.trim() ?? type;
}

const CONSTANT =
  /\bconst\s{1,40}(\w{1,200})\s{0,40}:[^=;]{0,200}=\s{0,40}(0x[0-9a-fA-F_]{1,100}|\d[\d_]{0,100})[\w\s]{0,40};/g;

function constantsIn(text: string): readonly (readonly [string, bigint])[] {
  const constants = text.matchAll(CONSTANT);
  return [...constants].flatMap(([, name = '', value = '']) => {
    const digits = /^(0x[0-9a-f_]*|[\d_]*)/i.exec(value)?.[1]?.replaceAll('_', '') ?? '';
    return digits === '' || digits === '0x' ? [] : [[name, BigInt(digits)] as const];
  });
}
