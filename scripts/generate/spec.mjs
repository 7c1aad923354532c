// Generator of the wire types, method list and error table of packages/spec, from its OpenRPC documents.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FACTS_TYPE, factProblems, factsOf } from './method-facts.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENTS = join(ROOT, 'packages/spec/documents');
const TARGET = join(ROOT, 'packages/spec/src/spec.ts');

/**
 * @typedef {{
 *   $ref?: string, type?: string, enum?: readonly string[], description?: string,
 *   oneOf?: readonly Schema[], anyOf?: readonly Schema[], allOf?: readonly Schema[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: readonly string[],
 *   additionalProperties?: Schema | boolean,
 *   'x-exact'?: boolean, 'x-always'?: readonly string[],
 * }} Schema
 * @typedef {{ name: string, required: boolean, description: string, schema: Schema }} Param
 * @typedef {{
 *   name: string, summary: string, params: readonly Param[], result?: { schema: Schema },
 * }} Method
 * @typedef {{ code: number, message: string, data?: Schema }} RpcError
 * @typedef {{
 *   info: { version: string }, methods: readonly Method[],
 *   components: { schemas: Record<string, Schema>, errors: Record<string, RpcError> },
 * }} Document
 */

/** @type {[string, Document][]} */
const documents = readdirSync(DOCUMENTS)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => [
    file.replace(/\.json$/, ''),
    JSON.parse(readFileSync(join(DOCUMENTS, file), 'utf8')),
  ]);

/** @param {string | undefined} text */
const doc = (text) => (text === undefined ? '' : `/** ${text} */\n`);

/** @param {string} name */
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** @param {readonly string[]} types */
const union = (types) => [...new Set(types)].map((type) => `(${type})`).join(' | ');

/** @param {readonly { name: string, required: boolean, schema: Schema, text?: string | undefined }[]} members */
function objectOf(members) {
  if (members.length === 0) return 'Record<string, never>';
  const lines = members.map(
    ({ name, required, schema, text }) =>
      `${doc(text)}readonly ${key(name)}${required ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{\n${lines.join('\n')}\n}`;
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '');
  if (schema['x-exact']) return 'bigint | number';
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const members = schema.oneOf ?? schema.anyOf;
  if (members) return union(members.map(typeOf));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items ? `readonly (${typeOf(schema.items)})[]` : 'readonly unknown[]';
    case 'object': {
      if (!schema.properties) {
        const { additionalProperties: values } = schema;
        return `{ readonly [name: string]: ${typeof values === 'object' ? typeOf(values) : 'unknown'} }`;
      }
      // Members that are optional in the standard, but always present in this node.
      const required = new Set([...(schema.required ?? []), ...(schema['x-always'] ?? [])]);
      return objectOf(
        Object.entries(schema.properties).map(([name, property]) => ({
          name,
          required: required.has(name),
          schema: property,
          text: property.description,
        })),
      );
    }
    default:
      throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`);
  }
}

/**
 * Names are shared by all documents, because TypeScript has one namespace for them.
 * @template T
 * @param {(document: Document) => Record<string, T>} pick
 * @returns {[string, T][]}
 */
function collect(pick) {
  /** @type {Map<string, T>} */
  const definitions = new Map();
  for (const [file, document] of documents) {
    for (const [name, value] of Object.entries(pick(document))) {
      if (definitions.has(name)) throw new Error(`${file}.json defines ${name} a second time`);
      definitions.set(name, value);
    }
  }
  return [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
}

const schemas = collect(({ components }) => components.schemas);
const errors = collect(({ components }) => components.errors);
const methods = documents.flatMap(([document, { methods }]) =>
  methods.map((method) => ({ ...method, document })),
);
const calls = methods.filter(({ result }) => result !== undefined);
const problems = calls.flatMap((method) => factProblems(method));
if (problems.length > 0) throw new Error(`Facts of methods:\n${problems.join('\n')}`);
const notifications = methods.filter(({ result }) => result === undefined);
const version = documents.find(([name]) => name === 'read')?.[1].info.version;
const groups = union([...new Set(calls.map(({ document }) => JSON.stringify(document)))]);

const text = `// GENERATED by scripts/generate/spec.mjs from packages/spec/documents/*.json: the wire types, methods and errors.

/** The version of the Starknet JSON-RPC. */
export const SPEC_VERSION = ${JSON.stringify(version)};

${schemas.map(([name, schema]) => `${doc(schema.description)}export type ${name} = ${typeOf(schema)};`).join('\n\n')}

/** What each method takes, by name, and answers. */
export interface Methods {
${calls
  .map(
    ({ name, summary, params, result }) => `${doc(`${summary}.`)}readonly ${key(name)}: {
  readonly params: ${objectOf(params)};
  readonly result: ${typeOf(result?.schema ?? {})};
};`,
  )
  .join('\n')}
}

export type MethodName = keyof Methods;

/** The params of what the node sends to subscribers. */
export interface Notifications {
${notifications.map(({ name, summary, params }) => `${doc(`${summary}.`)}readonly ${key(name)}: ${objectOf(params)};`).join('\n')}
}

export type NotificationName = keyof Notifications;

/** Facts about a method, of which the documents state those that hold in fields that begin with x-. */
export interface MethodFacts {
  /** The document that describes it. */
  readonly document: ${groups};
  /** In the order of their positions. */
  readonly params: readonly { readonly name: string; readonly required?: true }[];
${FACTS_TYPE.slice(1)}

export const METHODS: { readonly [M in MethodName]: MethodFacts } = ${JSON.stringify(
  Object.fromEntries(
    calls.map((method) => [
      method.name,
      {
        document: method.document,
        params: method.params.map(({ name, required }) => ({
          name,
          ...(required && { required }),
        })),
        ...factsOf(method),
      },
    ]),
  ),
)};

const FACTS_BY_NAME = new Map<string, MethodFacts>(Object.entries(METHODS));

/** The facts of a method by its canonical name; undefined for what is no method. */
export function methodFacts(name: string): MethodFacts | undefined {
  return FACTS_BY_NAME.get(name);
}

/** Every error that has a code of its own. */
export const ERRORS = ${JSON.stringify(
  Object.fromEntries(errors.map(([name, { code, message }]) => [name, { code, message }])),
)} as const;

export type ErrorName = keyof typeof ERRORS;

/** What each error says beside its message, where the documents define it. */
export interface ErrorData {
${errors.map(([name, { data }]) => `readonly ${name}: ${data === undefined ? 'unknown' : typeOf(data)};`).join('\n')}
}
`;

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
const formatted = spawnSync(
  process.execPath,
  [biome, 'format', '--stdin-file-path', 'packages/spec/src/spec.ts'],
  { cwd: ROOT, input: text, encoding: 'utf8', maxBuffer: 1 << 28 },
);
if (formatted.status !== 0) throw new Error(`biome could not format spec.ts: ${formatted.stderr}`);
writeFileSync(TARGET, formatted.stdout);
