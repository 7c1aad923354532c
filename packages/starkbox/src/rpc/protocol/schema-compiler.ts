// Compiler of the documents' schemas: their form for ajv, and our keywords.

import { createRequire } from 'node:module';
import { isObject, listOf, type Members, memberOf, trust } from '@starkbox/abi/basics';
import type {
  Ajv,
  AnySchemaObject,
  CodeKeywordDefinition,
  KeywordCxt,
  Options,
  ValidateFunction,
} from 'ajv';
import { invalidParams } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import { type Declared, type Documents, referred } from './documents.js';
import { explain } from './schema-errors.js';

/** What is used of ajv. */
type AjvModule = Pick<typeof import('ajv'), 'Ajv' | '_'>;

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

/** Felts in one list unless its schema says otherwise, because the main thread computes hashes over most of them. */
const MAX_FELTS = 10_000;

/** Brings the schemas of the documents into the form that ajv and our two keywords need. */
export class Compiler {
  readonly ajv: Ajv;
  readonly #documents: Documents;
  readonly #components = new Map<string, AnySchemaObject>();

  /** @param options changes to those of an explaining compiler */
  constructor(documents: Documents, options: Options = {}) {
    // Loaded by `require`, late: its 65 files cost as much as a start.
    const ajv: AjvModule = createRequire(import.meta.url)('ajv');
    this.ajv = new ajv.Ajv({ ...OPTIONS, ...options });
    for (const keyword of keywordsFor(ajv)) this.ajv.addKeyword(keyword);
    this.#documents = documents;
  }

  /** Throws -32602 unless the values fit. */
  check(declared: Declared): (params: Record<string, unknown>) => void {
    const validate = this.ajv.compile(this.schemaOf(declared));
    return (params) => {
      if (!validate(params)) invalidParams(explain(validate.errors ?? [], 'params', this));
    };
  }

  /** The schema of all parameters of a method. */
  schemaOf({ file, params }: Declared): AnySchemaObject {
    const properties = Object.fromEntries(
      params.map((param) => [
        String(memberOf(param, 'name')),
        this.#translate(memberOf(param, 'schema'), file),
      ]),
    );
    return { properties };
  }

  compile(member: AnySchemaObject): ValidateFunction {
    return this.ajv.compile(member);
  }

  resolve(ref: string): AnySchemaObject {
    return this.#components.get(ref) ?? {};
  }

  #translate(schema: unknown, file: string): AnySchemaObject {
    const translated: AnySchemaObject = {};
    if (!isObject(schema)) return translated;
    const exact = schema['x-exact'] === true;
    const felt = 'x-felt' in schema;
    // As text, because ajv cannot write bigints into code.
    if (exact) translated['x-exact'] = stringify(pick(schema, NUMERIC));
    // The draft of JSON Schema that ajv reads by default has no such keyword.
    if (schema['unevaluatedProperties'] === false) {
      translated['x-closed'] = this.#membersOf(schema, file);
    }
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$ref') translated[key] = this.#define(String(value), file);
      else if (ONE.has(key) && isObject(value)) translated[key] = this.#translate(value, file);
      else if (SOME.has(key))
        translated[key] = listOf(value).map((part) => this.#translate(part, file));
      else if (NAMED.has(key) && isObject(value))
        translated[key] = this.#translateEach(value, file);
      else if (exact && (NUMERIC.has(key) || key === 'x-exact')) continue;
      // The keyword accepts more than the pattern and less than any string.
      else if (felt && (key === 'pattern' || key === 'type')) continue;
      else if (key !== 'description') translated[key] = value;
    }
    const most = schema['x-max-items'] ?? (this.#isFelt(schema['items'], file) && MAX_FELTS);
    if (typeof most === 'number') translated['maxItems'] ??= most;
    return translated;
  }

  /** Whether values by a schema are felts, or can be. */
  #isFelt(schema: unknown, file: string): boolean {
    const ref = memberOf(schema, '$ref');
    if (typeof ref === 'string') {
      const { target, file: home } = referred(this.#documents, ref, file);
      return this.#isFelt(target, home);
    }
    const parts = [...SOME].flatMap((keyword) => listOf(memberOf(schema, keyword)));
    return (
      memberOf(schema, 'x-felt') !== undefined || parts.some((part) => this.#isFelt(part, file))
    );
  }

  /** The names of all members that an object may have by a schema and its parts. */
  #membersOf(schema: unknown, file: string): readonly string[] {
    const ref = memberOf(schema, '$ref');
    if (typeof ref === 'string') {
      const referredSchema = referred(this.#documents, ref, file);
      return this.#membersOf(referredSchema.target, referredSchema.file);
    }
    const properties = memberOf(schema, 'properties');
    const names = isObject(properties) ? Object.keys(properties) : [];
    const parts = listOf(memberOf(schema, 'allOf'));
    return [...names, ...parts.flatMap((part) => this.#membersOf(part, file))];
  }

  #translateEach(schemas: Members, file: string): AnySchemaObject {
    const entries = Object.entries(schemas);
    return Object.fromEntries(
      entries.map(([name, schema]) => [name, this.#translate(schema, file)]),
    );
  }

  /** Makes the target of a `$ref` known to ajv, and returns the id that it has there. */
  #define(ref: string, from: string): string {
    const { target, file } = referred(this.#documents, ref, from);
    const id = `/${file}${ref.slice(ref.indexOf('#') + 1)}`;
    if (!this.#components.has(id)) {
      this.#components.set(id, {}); // a component may refer to itself
      const schema = this.#translate(target, file);
      this.#components.set(id, schema);
      this.ajv.addSchema(schema, id);
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
export function toCanonical(value: unknown, largest: string): string | undefined {
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
 * Our keywords. Each is written out as code, because ajv builds an object and a path for every call of a function, and
 * a class has tens of thousands of felts. Their `code` names the functions of this module where a bundle has them.
 */
function keywordsFor({ _ }: AjvModule): readonly CodeKeywordDefinition[] {
  return [
    {
      // Refuses what is no felt (or no address), and writes the canonical form back.
      keyword: 'x-felt',
      code(cxt: KeywordCxt): void {
        const { gen, data, schema, it } = cxt;
        const canonical = gen.scopeValue('func', { ref: toCanonical, code: _`toCanonical` });
        const largest = LARGEST[schema] ?? '0x0';
        const felt = gen.const('felt', _`${canonical}(${data}, ${largest})`);
        cxt.fail(_`${felt} === undefined`);
        // At the root, where the members of a union are checked alone, there is no parent.
        gen.if(_`${felt} !== ${data} && typeof ${it.parentData} == "object"`, () =>
          gen.assign(_`${it.parentData}[${it.parentDataProperty}]`, felt),
        );
      },
    },
    {
      // The numeric keywords, for numbers and bigints alike.
      keyword: 'x-exact',
      code(cxt: KeywordCxt): void {
        const { gen, data, schema } = cxt;
        const text = String(schema);
        const value = { ref: toExactCheck(text), key: text, code: _`toExactCheck(${text})` };
        cxt.pass(_`${gen.scopeValue('func', value)}(${data})`);
      },
    },
    {
      // No members but these.
      keyword: 'x-closed',
      code(cxt: KeywordCxt): void {
        const { gen, data, schema } = cxt;
        const text = stringify(schema);
        const value = { ref: toClosedCheck(text), key: text, code: _`toClosedCheck(${text})` };
        cxt.pass(_`${gen.scopeValue('func', value)}(${data})`);
      },
    },
  ];
}

interface NumericKeywords {
  readonly type?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly exclusiveMinimum?: number | bigint;
  readonly exclusiveMaximum?: number | bigint;
}

/** @param text the numeric keywords, which may contain integers beyond 2^53 */
export function toExactCheck(text: string): (value: unknown) => boolean {
  const {
    type,
    minimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
    exclusiveMinimum,
    exclusiveMaximum,
  } = trust<NumericKeywords>(parse(text));
  return (value) => {
    if (typeof value !== 'bigint') {
      if (typeof value !== 'number' || !Number.isFinite(value)) return false;
      if (type === 'integer' && !Number.isInteger(value)) return false;
    }
    return (
      !(value < minimum) &&
      !(value > maximum) &&
      !(exclusiveMinimum !== undefined && value <= exclusiveMinimum) &&
      !(exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    );
  };
}

/** @param text the list of names */
export function toClosedCheck(text: string): (value: unknown) => boolean {
  const members = new Set(listOf(parse(text)));
  return (value) => !isObject(value) || Object.keys(value).every((name) => members.has(name));
}

function pick(record: Members, keys: ReadonlySet<string>): AnySchemaObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));
}
