// Facts of Starknet's published OpenRPC documents, without their prose: methods, parameters, shapes and errors.
//
//   npm run gen:published-spec -- FOLDER    with the folders v0.8.1, v0.9.0, v0.10.2 and proving of documents
//
// A schema that several versions have is written once. Tests compare our documents and all responses with them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { isMain } from '../processes.mjs';

const TARGET = join(ROOT, 'test/support/conformance/published-spec.json');

/** Folders of documents. */
const VERSIONS = ['v0.8.1', 'v0.9.0', 'v0.10.2', 'proving'];

/** @typedef {Readonly<Record<string, unknown>>} Json */

/** Keywords of prose. */
const PROSE = new Set(['$comment', 'default', 'description', 'name', 'summary', 'title']);
/** Keywords whose values are facts. */
const FACTS = new Set([
  ...['$ref', 'enum', 'maxItems', 'maximum', 'minItems', 'minimum', 'pattern', 'required', 'type'],
]);
/** Keywords whose values are a schema, a list of schemas, or schemas by name. */
const SCHEMAS = new Set(['additionalProperties', 'items', 'not', 'schema']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
const MAPS = new Set(['properties']);

/**
 * @param {unknown} value
 * @param {string} path in messages
 * @returns {Json}
 */
function objectAt(value, path) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${path} is not an object`);
  }
  return { ...value };
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {readonly unknown[]}
 */
function listAt(value, path) {
  if (!Array.isArray(value)) throw new Error(`${path} is not an array`);
  return value;
}

/**
 * @template T
 * @param {unknown} value an object
 * @param {string} path
 * @param {(member: unknown, path: string) => T} convert
 * @returns {Record<string, T>}
 */
function mapOf(value, path, convert) {
  return Object.fromEntries(
    Object.entries(objectAt(value, path)).map(([name, member]) => [
      name,
      convert(member, `${path}/${name}`),
    ]),
  );
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {unknown} the shape that a schema describes
 */
function shapeOf(value, path) {
  if (typeof value === 'boolean') return value;
  /** @type {Record<string, unknown>} */
  const shape = {};
  for (const [key, member] of Object.entries(objectAt(value, path))) {
    const inner = `${path}/${key}`;
    if (FACTS.has(key)) shape[key] = member;
    else if (SCHEMAS.has(key)) shape[key] = shapeOf(member, inner);
    else if (MAPS.has(key)) shape[key] = mapOf(member, inner, shapeOf);
    else if (LISTS.has(key)) {
      shape[key] = listAt(member, inner).map((item, at) => shapeOf(item, `${inner}/${at}`));
    } else if (!PROSE.has(key)) throw new Error(`${inner} is an unknown keyword`);
  }
  return shape;
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {Json}
 */
function errorOf(value, path) {
  const { $ref, code, message, data } = objectAt(value, path);
  if ($ref !== undefined) return { $ref };
  if (data === undefined) return { code, message };
  return { code, message, data: typeof data === 'string' ? data : shapeOf(data, `${path}/data`) };
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {Json}
 */
function methodOf(value, path) {
  const { name, params, result, errors } = objectAt(value, path);
  const inner = `${path}/${name}`;
  return {
    name,
    params: listAt(params, inner).map((param) => {
      const { name: paramName, required, schema } = objectAt(param, inner);
      return {
        name: paramName,
        ...(required === undefined ? {} : { required }),
        schema: shapeOf(schema, `${inner}/${paramName}`),
      };
    }),
    ...(result === undefined
      ? {}
      : { result: { schema: shapeOf(objectAt(result, inner)['schema'], `${inner}/result`) } }),
    ...(errors === undefined
      ? {}
      : { errors: listAt(errors, inner).map((error) => errorOf(error, inner)) }),
  };
}

/**
 * @param {string} file
 * @returns {Record<'methods' | 'schemas' | 'errors', Json>} facts by name
 */
function factsOf(file) {
  const { methods, components } = objectAt(JSON.parse(readFileSync(file, 'utf8')), file);
  const { schemas, errors } = objectAt(components, file);
  const entries = listAt(methods, file).map((method) => {
    const { name, ...facts } = methodOf(method, `${file}#/methods`);
    return [name, facts];
  });
  if (new Set(entries.map(([name]) => name)).size < entries.length) {
    throw new Error(`${file} has a method twice`);
  }
  return {
    methods: Object.fromEntries(entries),
    schemas: mapOf(schemas ?? {}, `${file}#/schemas`, shapeOf),
    errors: mapOf(errors ?? {}, `${file}#/errors`, errorOf),
  };
}

/**
 * @typedef {readonly [name: string, versions: readonly string[], facts: Json]} Row facts that versions have in common
 * @typedef {{ methods: Row[], schemas: Row[], errors: Row[] }} Rows
 */

/**
 * @param {Row[]} rows
 * @param {string} version
 * @param {Json} all facts by name
 */
function addTo(rows, version, all) {
  for (const [name, value] of Object.entries(all)) {
    const facts = objectAt(value, name);
    const text = JSON.stringify(facts);
    const at = rows.findIndex((row) => row[0] === name && JSON.stringify(row[2]) === text);
    if (at < 0) rows.push([name, [version], facts]);
    else rows[at] = [name, [...(rows[at]?.[1] ?? []), version], facts];
  }
}

/**
 * @param {string} folder with a folder of documents for each version
 * @returns {string} the facts of all versions as JSON, a line for each method, schema and error
 */
export function digestOf(folder) {
  /** @type {Record<string, Rows>} */
  const documents = {};
  for (const version of VERSIONS) {
    for (const file of readdirSync(join(folder, version)).sort()) {
      const rows = documents[file] ?? { methods: [], schemas: [], errors: [] };
      documents[file] = rows;
      const facts = factsOf(join(folder, version, file));
      addTo(rows.methods, version, facts.methods);
      addTo(rows.schemas, version, facts.schemas);
      addTo(rows.errors, version, facts.errors);
    }
  }
  const lines = (/** @type {readonly Row[]} */ rows) =>
    `[${rows.map((row) => `\n${JSON.stringify(row)}`).join()}]`;
  const texts = Object.entries(documents).map(([file, { methods, schemas, errors }]) => {
    const members = `"methods": ${lines(methods)},\n"schemas": ${lines(schemas)},\n"errors": ${lines(errors)}`;
    return `"${file}": {\n${members}\n}`;
  });
  return `{\n${texts.join(',\n')}\n}\n`;
}

if (isMain(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('Usage: npm run gen:published-spec -- FOLDER');
    process.exit(2);
  }
  writeFileSync(TARGET, digestOf(folder));
}
