// Knows how a schema of the published documents becomes one that ajv can hold an answer against.
import type { SchemaObject } from 'ajv/dist/2019.js';
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

/**
 * Components that cannot be taken at their word, because correct answers break them.
 * The rest of the blemishes (`schema` around a schema, `required` as a string, no `type` beside
 * `properties`, unions of which one member includes another) can be told by their form, and
 * {@link translate} deals with them.
 */
const REPAIRS: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  // Meant is "below 2^251"; written is "begins with 0 to 7", which refuses 0x9.
  'starknet_api_openrpc.json#STORAGE_KEY': () => ({
    type: 'string',
    pattern: '^0x(0|[1-7][a-fA-F0-9]{0,62}|[89a-fA-F][a-fA-F0-9]{0,61})$',
  }),
  // Offsets from the frame pointer are negative for arguments.
  'starknet_executables.json#CellRef': withoutMinimum,
  'starknet_executables.json#DoubleDeref': withoutMinimum,
};

export function repair(file: string, name: string, schema: JsonObject): JsonObject {
  return REPAIRS[`${file}#${name}`]?.(schema) ?? schema;
}

function withoutMinimum(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'minimum' ? undefined : value,
  );
  return objectAt(JSON.parse(text), 'repaired schema');
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
      case 'minItems':
      case 'maxItems':
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
      case 'oneOf':
        // "One" is only true of closed members: an open pre-confirmed block includes every block.
        if (openness === 'closed' && !isComposed(source)) result[key] = list(value, 'closed', key);
        else result['anyOf'] = list(value, part, key);
        break;
      default:
        if (!ANNOTATIONS.has(key)) throw new Error(`${place} has the unknown keyword '${key}'`);
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
