// Conversion of OpenRPC schemas to schemas for ajv.
import type { FuncKeywordDefinition, SchemaObject } from 'ajv/dist/2019.js';
import { arrayAt, isObject, type JsonObject, objectAt } from './json.js';

/**
 * What a schema says of properties that it does not name:
 * - `closed`: there may be none;
 * - `open`: nothing here, because it is a part of a composition and the whole is closed;
 * - `loose`: nothing, here and in everything below.
 */
export type Openness = 'closed' | 'open' | 'loose';

/** Turns a `$ref` as the document has it into the id under which ajv knows its target. */
export type Resolve = (ref: string, openness: Openness) => string;

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'description',
  'name',
  'summary',
  'title',
]);

/** Numbers of any size, which come as bigints where they are large: ajv's own keywords know none. */
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
 * What a document of ours says in the words of the standard alone. Where `x-wider` stands, it says
 * more: as a member of a union or as a property.
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

/** @param place where the schema stands in the documents, for messages */
export function translate(
  schema: unknown,
  openness: Openness,
  resolve: Resolve,
  place: string,
): SchemaObject {
  const source = objectAt(schema, place);
  // A content descriptor where a schema should be: to a validator it would say nothing at all.
  if ('schema' in source) return translate(source['schema'], openness, resolve, place);
  if (source['x-exact'] === true) return { 'x-exact': source };

  const inner: Openness = openness === 'loose' ? 'loose' : 'closed';
  const part: Openness = openness === 'loose' ? 'loose' : 'open';
  const nested = (value: unknown, how: Openness, step: string): SchemaObject =>
    translate(value, how, resolve, `${place}/${step}`);
  const list = (value: unknown, how: Openness, step: string): readonly SchemaObject[] =>
    arrayAt(value, `${place}/${step}`).map((item, i) => nested(item, how, `${step}/${i}`));

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
          Object.entries(objectAt(value, `${place}/${key}`)).map(([name, property]) => [
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
        // "One" is only true of closed members: an open pre-confirmed block includes every block.
        if (openness === 'closed' && !isComposed(source)) result[key] = list(value, 'closed', key);
        else result['anyOf'] = list(value, part, key);
        break;
      default:
        if (!ANNOTATIONS.has(key) && !key.startsWith('x-'))
          throw new Error(`${place} has the unknown keyword '${key}'`);
    }
  }
  // Without a type, named properties bind only values that happen to be objects.
  if ('properties' in source) result['type'] ??= 'object';
  if (openness === 'closed' && !('additionalProperties' in source)) {
    if (isComposed(source)) result['unevaluatedProperties'] = false;
    else if (isObject(source['properties'])) result['additionalProperties'] = false;
  }
  return result;
}

/** True if what an object may have is said in more than one place. */
function isComposed(schema: JsonObject): boolean {
  return 'allOf' in schema || ('oneOf' in schema && 'properties' in schema);
}
