// Reader of params: positional or named, validated against the documents, with felts in canonical form.
import { readdirSync, readFileSync } from 'node:fs';
import type {
  Ajv,
  AnySchemaObject,
  CodeKeywordDefinition,
  KeywordCxt,
  ValidateFunction,
} from 'ajv';
import { invalidParams } from '../../errors.js';
import { parse } from '../../json/json.js';
import { didYouMean, nearest } from './method-suggestions.js';
import { explain } from './schema-errors.js';

/** OpenRPC documents by the names of their files, which `$ref`s between them use. */
export type Documents = ReadonlyMap<string, unknown>;

/** Turns what a caller sent into the named parameters of one method, or throws -32602. */
export type ParamsReader = (given: unknown) => Record<string, unknown>;

/** The parameters of a method as their document has them. */
interface Declared {
  readonly file: string;
  readonly params: readonly unknown[];
}

/** What is used of ajv; it is imported late. */
type AjvModule = Pick<typeof import('ajv'), 'Ajv' | '_'>;

interface Parameter {
  readonly name: string;
  readonly required: boolean;
}

/** The documents that this package ships; the path is the same from the sources and from the build. */
export function readDocuments(): Documents {
  const folder = new URL('../../../spec/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file, parse(readFileSync(new URL(file, folder), 'utf8'))]));
}

/**
 * Readers for the methods of some documents. Nothing is read or compiled before its first use, and
 * ajv is loaded then: importing it costs as much as the rest of a start.
 *
 * @example
 * const read = await new Schema(readDocuments).reader('starknet_getNonce');
 * read(['latest', '0x01']); // { block_id: 'latest', contract_address: '0x1' }
 */
export class Schema {
  readonly #load: () => Documents;
  readonly #readers = new Map<string, ParamsReader>();
  #documents: Documents | undefined;
  #methods: ReadonlyMap<string, Declared> | undefined;
  #loading: Promise<Compiler> | undefined;
  #compiler: Compiler | undefined;

  constructor(load: () => Documents) {
    this.#load = load;
  }

  /** Loads what the first call would otherwise wait for. */
  async warm(): Promise<void> {
    await this.#loaded();
  }

  /**
   * The reader of a method; what no document has takes nothing. A promise until everything is loaded,
   * the same for every method, so that calls are served in the order they came.
   */
  reader(method: string): ParamsReader | Promise<ParamsReader> {
    const known = this.#readers.get(method);
    if (known) return known;
    if (this.#compiler) return this.#prepare(method, this.#compiler);
    return this.#loaded().then((compiler) => this.#prepare(method, compiler));
  }

  #prepare(method: string, compiler: Compiler): ParamsReader {
    const declared = this.#index().get(method);
    const parameters = declared?.params.map(toParameter) ?? [];
    const check =
      declared === undefined || parameters.length === 0 ? () => {} : compiler.check(declared);
    const reader = (given: unknown): Record<string, unknown> => {
      const named = toNamed(given, parameters);
      check(named);
      return named;
    };
    this.#readers.set(method, reader);
    return reader;
  }

  #index(): ReadonlyMap<string, Declared> {
    this.#documents ??= this.#load();
    this.#methods ??= new Map(
      [...this.#documents].flatMap(([file, document]) =>
        listAt(document, 'methods').map((method) => [
          String(at(method, 'name')),
          { file, params: listAt(method, 'params') },
        ]),
      ),
    );
    return this.#methods;
  }

  #loaded(): Promise<Compiler> {
    this.#documents ??= this.#load();
    const documents = this.#documents;
    this.#loading ??= import('ajv').then((ajv) => {
      this.#compiler = new Compiler(ajv, documents);
      return this.#compiler;
    });
    return this.#loading;
  }
}

function toParameter(declared: unknown): Parameter {
  return { name: String(at(declared, 'name')), required: at(declared, 'required') === true };
}

/** Presence and names; a new object, so that the caller's is not changed. */
function toNamed(given: unknown, parameters: readonly Parameter[]): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const take = ({ name, required }: Parameter, value: unknown): void => {
    if (value !== undefined && (required || value !== null)) named[name] = value;
    else if (required) invalidParams(`params.${name}: missing`);
  };
  if (Array.isArray(given)) {
    const most = parameters.length;
    if (given.length > most) {
      invalidParams(`params: expected at most ${most} in the list; got ${given.length}`);
    }
    parameters.forEach((parameter, i) => {
      take(parameter, given[i]);
    });
    return named;
  }
  for (const name of Object.keys(given ?? {})) {
    if (parameters.every((parameter) => parameter.name !== name)) {
      const known = parameters.map((parameter) => parameter.name);
      const expected = known.join(', ') || 'no parameters';
      const suggestion = didYouMean(nearest(name, known));
      invalidParams(`params: unknown parameter ${name}; expected ${expected}${suggestion}`);
    }
  }
  for (const parameter of parameters) {
    take(
      parameter,
      isRecord(given) && Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined,
    );
  }
  return named;
}

const OPTIONS = {
  strict: false,
  strictNumbers: true, // 1e400 is read as an infinity, which is no integer
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  verbose: true, // to explain an error, the schema and the value beside it are needed
} as const;

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames']);
const SOME = new Set(['oneOf', 'anyOf', 'allOf']);
const NAMED = new Set(['properties', 'patternProperties']);
const NUMERIC = new Set(['type', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/** Brings the schemas of the documents into the form that ajv and our two keywords need. */
class Compiler {
  readonly #ajv: Ajv;
  readonly #documents: Documents;
  readonly #components = new Map<string, AnySchemaObject>();

  constructor(ajv: AjvModule, documents: Documents) {
    this.#ajv = new ajv.Ajv(OPTIONS)
      .addKeyword(feltKeyword(ajv))
      .addKeyword({ keyword: 'x-exact', errors: false, compile: toExactCheck })
      .addKeyword({ keyword: 'x-closed', errors: false, compile: toClosedCheck });
    this.#documents = documents;
  }

  /** Throws -32602 unless the values fit. */
  check({ file, params }: Declared): (named: Record<string, unknown>) => void {
    const properties = Object.fromEntries(
      params.map((param) => [
        String(at(param, 'name')),
        this.#translate(at(param, 'schema'), file),
      ]),
    );
    const validate = this.#ajv.compile({ properties });
    return (named) => {
      if (!validate(named)) invalidParams(explain(validate.errors ?? [], 'params', this));
    };
  }

  compile(member: AnySchemaObject): ValidateFunction {
    return this.#ajv.compile(member);
  }

  resolve(ref: string): AnySchemaObject {
    return this.#components.get(ref) ?? {};
  }

  #translate(schema: unknown, file: string): AnySchemaObject {
    const found: AnySchemaObject = {};
    if (!isRecord(schema)) return found;
    const exact = schema['x-exact'] === true;
    const felt = 'x-felt' in schema;
    if (exact) found['x-exact'] = pick(schema, NUMERIC);
    // The draft of JSON Schema that ajv reads by default has no such keyword.
    if (schema['unevaluatedProperties'] === false) {
      found['x-closed'] = this.#membersOf(schema, file);
    }
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$ref') found[key] = this.#define(String(value), file);
      else if (ONE.has(key) && isRecord(value)) found[key] = this.#translate(value, file);
      else if (SOME.has(key)) found[key] = toList(value).map((part) => this.#translate(part, file));
      else if (NAMED.has(key) && isRecord(value)) found[key] = this.#translateEach(value, file);
      else if (exact && (NUMERIC.has(key) || key === 'x-exact')) continue;
      // The keyword accepts more than the pattern and less than any string.
      else if (felt && (key === 'pattern' || key === 'type')) continue;
      else if (key !== 'description') found[key] = value;
    }
    return found;
  }

  /** The names of all members that an object may have by a schema and its parts. */
  #membersOf(schema: unknown, file: string): readonly string[] {
    const ref = at(schema, '$ref');
    if (typeof ref === 'string') {
      const { target, targetFile } = this.#find(ref, file);
      return this.#membersOf(target, targetFile);
    }
    const properties = at(schema, 'properties');
    const own = isRecord(properties) ? Object.keys(properties) : [];
    return [...own, ...listAt(schema, 'allOf').flatMap((part) => this.#membersOf(part, file))];
  }

  #find(ref: string, from: string): { readonly target: unknown; readonly targetFile: string } {
    const [path = '', pointer = ''] = ref.split('#');
    const targetFile = path === '' ? from : path.replace(/^\.\//, '');
    const steps = pointer.split('/').slice(1);
    return { target: steps.reduce<unknown>(at, this.#documents.get(targetFile)), targetFile };
  }

  #translateEach(schemas: Record<string, unknown>, file: string): AnySchemaObject {
    const entries = Object.entries(schemas);
    return Object.fromEntries(entries.map(([name, one]) => [name, this.#translate(one, file)]));
  }

  /** Makes the target of a `$ref` known to ajv, and returns the id that it has there. */
  #define(ref: string, from: string): string {
    const { target, targetFile } = this.#find(ref, from);
    const id = `/${targetFile}${ref.slice(ref.indexOf('#') + 1)}`;
    if (!this.#components.has(id)) {
      this.#components.set(id, {}); // a component may refer to itself
      const schema = this.#translate(target, targetFile);
      this.#components.set(id, schema);
      this.#ajv.addSchema(schema, id);
    }
    return id;
  }
}

const FELT = /^0x[0-9a-fA-F]{1,64}$/;
const CANONICAL = /^0x(?:0|[1-9a-f][0-9a-f]{0,62})$/;
/** The largest values; each has 63 digits, so that texts of that length compare as numbers do. */
const LARGEST: Readonly<Record<string, string>> = {
  felt: '0x800000000000011000000000000000000000000000000000000000000000000',
  address: '0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
};

/** The canonical form of a felt; undefined if it is none. Most are canonical and short already. */
function toCanonical(value: unknown, largest: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (CANONICAL.test(value)) return isWithin(value, largest) ? value : undefined;
  if (!FELT.test(value)) return undefined;
  const canonical = value.toLowerCase().replace(/^0x0+(?=.)/, '0x');
  return isWithin(canonical, largest) ? canonical : undefined;
}

function isWithin(canonical: string, largest: string): boolean {
  const longer = canonical.length - largest.length;
  return longer < 0 || (longer === 0 && canonical <= largest);
}

/**
 * `x-felt`: refuses what is no felt (or no address), and writes the canonical form back. Written out
 * as code, because ajv builds an object and a path for every call of a function, and a class has
 * tens of thousands of felts.
 */
function feltKeyword({ _ }: AjvModule): CodeKeywordDefinition {
  return {
    keyword: 'x-felt',
    code(cxt: KeywordCxt): void {
      const { gen, data, schema, it } = cxt;
      const canonical = gen.scopeValue('func', { ref: toCanonical });
      const largest = gen.scopeValue('keyword', { ref: LARGEST[schema] ?? '0x0' });
      const felt = gen.const('felt', _`${canonical}(${data}, ${largest})`);
      cxt.fail(_`${felt} === undefined`);
      // At the root, where only unions are asked for their opinion, there is no parent.
      gen.if(_`${felt} !== ${data} && typeof ${it.parentData} == "object"`, () =>
        gen.assign(_`${it.parentData}[${it.parentDataProperty}]`, felt),
      );
    },
  };
}

/** `x-exact`: the numeric keywords, for numbers and bigints alike. */
function toExactCheck(bounds: AnySchemaObject): (value: unknown) => boolean {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  return (value) => {
    if (typeof value !== 'bigint') {
      if (typeof value !== 'number' || !Number.isFinite(value)) return false;
      if (type === 'integer' && !Number.isInteger(value)) return false;
    }
    return (
      !(value < minimum) &&
      !(value > maximum) &&
      !(value <= exclusiveMinimum) &&
      !(value >= exclusiveMaximum)
    );
  };
}

/** `x-closed`: no members but these. */
function toClosedCheck(names: readonly string[]): (value: unknown) => boolean {
  const known = new Set(names);
  return (value) => !isRecord(value) || Object.keys(value).every((name) => known.has(name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function at(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  return toList(at(value, key));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pick(record: Record<string, unknown>, keys: ReadonlySet<string>): AnySchemaObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));
}
