// Methods as the OpenRPC documents describe them: parameters, types, results and errors.

import { readFileSync } from 'node:fs';
import { isObject, listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { canonicalName, METHODS, methodFacts } from '@starkbox/spec';
import { DOCUMENTS } from '@starkbox/spec/documents';

/** A schema, and the document in which its references begin. */
export interface Schema {
  readonly members: Members;
  readonly document: string;
}

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly params: readonly Parameter[];
  readonly result: { readonly description: string; readonly schema: Schema };
  readonly errors: readonly { readonly code: number; readonly message: string }[];
}

/** Every method that a client can call, by its canonical name. */
export const METHOD_NAMES: readonly string[] = Object.keys(METHODS);

const documents = new Map<string, Members>();

function documentOf(name: string): Members {
  const read = documents.get(name);
  if (read !== undefined) return read;
  const parsed: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, DOCUMENTS), 'utf8'));
  documents.set(name, membersOf(parsed));
  return membersOf(parsed);
}

/** The method of a name in any prefix; undefined if there is none. */
export function methodOf(name: string): Method | undefined {
  const canonical = canonicalName(name);
  const document = methodFacts(canonical)?.document;
  if (document === undefined) return undefined;
  const methods = listOf(documentOf(document)['methods']).filter(isObject);
  const method = methods.find((candidate) => candidate['name'] === canonical);
  if (method === undefined) return undefined;
  const schemaOf = (value: unknown): Schema => ({ members: membersOf(value), document });
  const result = membersOf(method['result']);
  return {
    name: canonical,
    summary: textOf(method['summary']),
    description: textOf(method['description']),
    params: listOf(method['params'])
      .map(membersOf)
      .map((param) => ({
        name: textOf(param['name']),
        description: textOf(param['description']),
        isRequired: param['required'] === true,
        schema: schemaOf(param['schema']),
      })),
    result: { description: textOf(result['description']), schema: schemaOf(result['schema']) },
    errors: listOf(method['errors']).map((error) => {
      const { code, message } = resolveSchema(schemaOf(error)).members;
      return { code: Number(code), message: textOf(message) };
    }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The name of the type that a schema refers to. */
export function typeName({ members }: Schema): string | undefined {
  const reference = members['$ref'];
  return typeof reference === 'string' ? reference.replace(/^.*\//, '') : undefined;
}

/** The schema behind references. */
export function resolveSchema(schema: Schema): Schema {
  const reference = schema.members['$ref'];
  if (typeof reference !== 'string') return schema;
  const [file = '', pointer = ''] = reference.split('#');
  const document = file === '' ? schema.document : file.replace(/^\.\/|\.json$/g, '');
  const path = pointer.split('/').filter(Boolean);
  const target = path.reduce<unknown>(
    (value, name) => membersOf(value)[name],
    documentOf(document),
  );
  return resolveSchema({ members: membersOf(target), document });
}

/** The schemas of which a value satisfies one; a schema without alternatives is its only one. */
export function alternatives(schema: Schema): readonly Schema[] {
  const { members, document } = resolveSchema(schema);
  const union = members['oneOf'] ?? members['anyOf'];
  if (!Array.isArray(union)) return [schema];
  return union.map((member) => ({ members: membersOf(member), document }));
}

/** JSON types that a value may have: names as JSON schemas have them, all if the schema allows any. */
export function jsonTypes(schema: Schema): ReadonlySet<string> {
  const options = alternatives(schema);
  const [only] = options;
  if (options.length > 1 || (only !== undefined && only !== schema)) {
    return new Set(options.flatMap((option) => [...jsonTypes(option)]));
  }
  const { members } = resolveSchema(schema);
  const { type, enum: values, allOf } = members;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(values)) return new Set(values.map((value) => typeof value));
  if (Array.isArray(allOf)) return new Set(['object']);
  return new Set(['string', 'integer', 'boolean', 'object', 'array', 'null']);
}

/** Members of an object schema, each with whether it is required. */
export function propertiesOf(
  schema: Schema,
): readonly { readonly name: string; readonly isRequired: boolean; readonly schema: Schema }[] {
  const { members, document } = resolveSchema(schema);
  const parts = listOf(members['allOf']).flatMap((part) =>
    propertiesOf({ members: membersOf(part), document }),
  );
  const required = listOf(members['required']);
  const direct = Object.entries(membersOf(members['properties'])).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    schema: { members: membersOf(property), document },
  }));
  return [...parts, ...direct];
}

/** The schema of the elements of a list. */
export function itemsOf(schema: Schema): Schema {
  const { members, document } = resolveSchema(schema);
  return { members: membersOf(members['items']), document };
}

/** Texts of which at least one fits every pattern of the documents. */
const SAMPLES = [
  '0x1',
  '1000',
  `0x${'1'.repeat(40)}`,
  `0x${'1'.repeat(64)}`,
  '0.0',
  'demand',
  'name',
];

/** A small value that a schema accepts. */
export function sampleOf(schema: Schema): unknown {
  if (typeName(schema) === 'BLOCK_ID') return 'latest';
  const [first] = alternatives(schema);
  if (first !== undefined && first !== schema) return sampleOf(first);
  const { members } = resolveSchema(schema);
  const { type, enum: values, pattern, minimum } = members;
  if (Array.isArray(values)) return values[0];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum ?? 1));
  if (type === 'array') return [sampleOf(itemsOf(schema))];
  if (type === 'string') {
    const isFitting = (text: string): boolean =>
      typeof pattern !== 'string' || new RegExp(pattern).test(text);
    return (typeof pattern === 'string' ? SAMPLES : [...SAMPLES].reverse()).find(isFitting) ?? '';
  }
  const required = propertiesOf(schema).filter(({ isRequired }) => isRequired);
  return Object.fromEntries(required.map(({ name, schema: member }) => [name, sampleOf(member)]));
}
