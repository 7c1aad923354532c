// Conversion of OpenRPC schemas to schemas for ajv.
import type { FuncKeywordDefinition, SchemaObject } from 'ajv/dist/2019.js';
import { arrayAt, isObject, type JsonObject, objectAt } from './json.js';

/**
 * Treatment of properties that a schema does not name:
 * - `closed`: forbidden;
 * - `open`: allowed here, because it is a part of a composition and the whole is closed;
 * - `loose`: allowed, here and in all nested schemas.
 */
export type Openness = 'closed' | 'open' | 'loose';

/** Converts a `$ref` of the document to the id of its target in ajv. */
export type Resolve = (ref: string, openness: Openness) => string;

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'description',
  'name',
  'summary',
  'title',
]);

/** Keywords for numbers of any size: ajv's own do not support bigints. */
export const EXACT: FuncKeywordDefinition = {
  keyword: 'x-exact',
  validate: (schema: JsonObject, value: unknown): boolean => {
    if (typeof value !== 'bigint' && typeof value !== 'number') return false;
    if (schema['type'] === 'integer' && typeof value === 'number' && !Number.isInteger(value)) {
      return false;
    }
    const { minimum, exclusiveMaximum } = schema;
    if (typeof minimum === 'number' && value < minimum) return false;
    return !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum);
  },
};

/**
 * A document of Starkbox without its extensions of the standard, which `x-wider` marks: members of
 * unions or properties.
 */
export function withoutWider(document: JsonObject): JsonObject {
  return objectAt(narrow(document), 'document');
}

function narrow(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isWider(item)).map(narrow);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => !isWider(item))
      .map(([key, item]) => [key, narrow(item)]),
  );
}

function isWider(value: unknown): boolean {
  return isObject(value) && 'x-wider' in value;
}

/** @param path location in the documents, for messages */
export function translate(
  schema: unknown,
  openness: Openness,
  resolve: Resolve,
  path: string,
): SchemaObject {
  const source = objectAt(schema, path);
  // A content descriptor in place of a schema, which a validator would ignore.
  if ('schema' in source) return translate(source['schema'], openness, resolve, path);
  if (source['x-exact'] === true) return { 'x-exact': source };

  const inner: Openness = openness === 'loose' ? 'loose' : 'closed';
  const part: Openness = openness === 'loose' ? 'loose' : 'open';
  const nested = (value: unknown, how: Openness, step: string): SchemaObject =>
    translate(value, how, resolve, `${path}/${step}`);
  const list = (value: unknown, how: Openness, step: string): readonly SchemaObject[] =>
    arrayAt(value, `${path}/${step}`).map((item, i) => nested(item, how, `${step}/${i}`));

  const result: SchemaObject = {};
  for (const [key, value] of Object.entries(source)) {
    switch (key) {
      case '$ref':
        result['$ref'] = resolve(String(value), openness);
        break;
      case 'type':
      case 'enum':
      case 'pattern':
      case 'minimum':
      case 'maximum':
      case 'exclusiveMaximum':
      case 'minItems':
      case 'maxItems':
      case 'unevaluatedProperties':
        result[key] = value;
        break;
      case 'required':
        result['required'] = typeof value === 'string' ? [value] : value;
        break;
      case 'additionalProperties':
        result[key] = typeof value === 'boolean' ? value : nested(value, inner, key);
        break;
      case 'items':
        result[key] = nested(value, inner, key);
        break;
      case 'properties':
        result[key] = Object.fromEntries(
          Object.entries(objectAt(value, `${path}/${key}`)).map(([name, property]) => [
            name,
            nested(property, inner, `${key}/${name}`),
          ]),
        );
        break;
      case 'not':
        result[key] = nested(value, 'loose', key);
        break;
      case 'allOf':
        result[key] = list(value, part, key);
        break;
      case 'anyOf':
        result[key] = list(value, isComposed(source) ? part : openness, key);
        break;
      case 'oneOf':
        // `oneOf` needs closed members: an open pre-confirmed block matches every block.
        if (openness === 'closed' && !isComposed(source)) result[key] = list(value, 'closed', key);
        else result['anyOf'] = list(value, part, key);
        break;
      default:
        if (!ANNOTATIONS.has(key) && !key.startsWith('x-'))
          throw new Error(`${path} has the unknown keyword '${key}'`);
    }
  }
  // Without a type, properties apply only to objects, and other values pass.
  if ('properties' in source) result['type'] ??= 'object';
  if (openness === 'closed' && !('additionalProperties' in source)) {
    if (isComposed(source)) result['unevaluatedProperties'] = false;
    else if (isObject(source['properties'])) result['additionalProperties'] = false;
  }
  return result;
}

/** True if the properties of an object are defined in more than one place. */
function isComposed(schema: JsonObject): boolean {
  return 'allOf' in schema || ('oneOf' in schema && 'properties' in schema);
}
