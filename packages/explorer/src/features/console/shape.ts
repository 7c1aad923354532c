// Structure of a JSON schema, as far as the console's form can edit it.
import { listOf, membersOf } from '@starkbox/abi/basics';
import { textOf } from '../../format/json.js';
import { nameIn } from '../../rpc/discovery.js';

export type Schemas = ReadonlyMap<string, unknown>;

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: unknown;
}

export type Shape =
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'number'; readonly minimum: number | undefined }
  | { readonly kind: 'text'; readonly felt: 'felt' | 'address' | undefined }
  | { readonly kind: 'list'; readonly item: unknown }
  | { readonly kind: 'record'; readonly members: readonly Member[] }
  /** Anything else; edited as JSON. */
  | { readonly kind: 'any' };

export interface Option {
  readonly name: string;
  readonly schema: unknown;
}

/** Most references followed in a row, so that a cyclic schema ends. */
const MAX_REFERENCES = 20;

const DECIMAL = '#/components/schemas/DECIMAL';

export function shapeOf(schema: unknown, schemas: Schemas): Shape {
  const fields = resolved(schema, schemas);
  const all = [...listOf(fields['oneOf']), ...listOf(fields['anyOf'])];
  const hasNumber = all.some((variant) => membersOf(variant)['type'] === 'number');
  // Alternatives that the node accepts but that need no control: the control of a number writes all digits.
  const variants = all
    .filter((variant) => membersOf(variant)['x-wider'] === undefined)
    .filter((variant) => !hasNumber || membersOf(variant)['$ref'] !== DECIMAL);
  const [only] = variants;
  if (variants.length === 1) return shapeOf(only, schemas);
  if (variants.length > 1) {
    return { kind: 'choice', options: variants.flatMap((variant) => optionsOf(variant, schemas)) };
  }
  const words = listOf(fields['enum']).filter((word) => typeof word === 'string');
  if (words.length > 0) return { kind: 'word', words };
  if (fields['allOf'] !== undefined || fields['properties'] !== undefined) {
    return { kind: 'record', members: membersInSchema(fields, schemas) };
  }
  switch (fields['type']) {
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
    case 'integer': {
      const { minimum } = fields;
      return { kind: 'number', minimum: typeof minimum === 'number' ? minimum : undefined };
    }
    case 'string': {
      const felt = fields['x-felt'];
      return { kind: 'text', felt: felt === 'felt' || felt === 'address' ? felt : undefined };
    }
    case 'array':
      return fields['items'] === undefined
        ? { kind: 'any' }
        : { kind: 'list', item: fields['items'] };
    default:
      return { kind: 'any' };
  }
}

function resolved(schema: unknown, schemas: Schemas) {
  let fields = membersOf(schema);
  for (let step = 0; step < MAX_REFERENCES; step += 1) {
    const ref = fields['$ref'];
    if (typeof ref !== 'string') return fields;
    fields = membersOf(schemas.get(nameIn(ref)));
  }
  return {};
}

function membersInSchema(
  fields: Readonly<Record<string, unknown>>,
  schemas: Schemas,
): readonly Member[] {
  const members = new Map<string, Member>();
  for (const part of listOf(fields['allOf'])) {
    const shape = shapeOf(part, schemas);
    if (shape.kind !== 'record') continue;
    for (const member of shape.members) members.set(member.name, member);
  }
  const required = new Set(listOf(fields['required']));
  for (const [name, schema] of Object.entries(membersOf(fields['properties']))) {
    members.set(name, {
      name,
      schema,
      required: required.has(name),
      description: textOf(membersOf(schema)['description']),
    });
  }
  return [...members.values()];
}

/** Enum values among other alternatives become alternatives of their own. */
function optionsOf(schema: unknown, schemas: Schemas): readonly Option[] {
  const shape = shapeOf(schema, schemas);
  if (shape.kind !== 'word') return [{ name: optionName(schema, schemas), schema }];
  return shape.words.map((word) => ({ name: word, schema: { enum: [word] } }));
}

function optionName(schema: unknown, schemas: Schemas): string {
  const shape = shapeOf(schema, schemas);
  if (shape.kind === 'record') {
    const type = shape.members.find(({ name }) => name === 'type');
    const word = type && shapeOf(type.schema, schemas);
    const version = shape.members.find(({ name }) => name === 'version');
    const versions = version && shapeOf(version.schema, schemas);
    if (word?.kind === 'word' && word.words.length === 1) {
      const which = versions?.kind === 'word' ? ` ${versions.words[0]}` : '';
      return `${word.words[0]}${which}`;
    }
    const [first] = shape.members.filter(({ required }) => required);
    return first ? `by ${first.name.replaceAll('_', ' ')}` : 'an object';
  }
  if (shape.kind === 'list') return 'a list';
  if (shape.kind === 'text') return shape.felt === 'address' ? 'an address' : 'a string';
  return shape.kind === 'any' ? 'anything' : `a ${shape.kind}`;
}

/** Whether a value has this shape, checked at the top level. */
export function fits(shape: Shape, value: unknown, schemas: Schemas): boolean {
  switch (shape.kind) {
    case 'choice':
      return shape.options.some(({ schema }) => fits(shapeOf(schema, schemas), value, schemas));
    case 'word':
      return typeof value === 'string' && shape.words.includes(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'text':
      return typeof value === 'string';
    case 'list':
      return Array.isArray(value);
    case 'record': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const fields = membersOf(value);
      return shape.members.every(({ name, required, schema }) => {
        if (fields[name] === undefined) return !required;
        const inner = shapeOf(schema, schemas);
        return inner.kind !== 'word' || fits(inner, fields[name], schemas);
      });
    }
    case 'any':
      return true;
  }
}

/** Parameters that are the size of a page, for which the least value says nothing useful. */
const PAGE_SIZES = new Set(['chunk_size', 'limit']);
const PAGE_SIZE = 100;

/**
 * The value that a form begins with.
 * @param name of the member or parameter
 */
export function emptyOf(schema: unknown, schemas: Schemas, name: string = ''): unknown {
  const shape = shapeOf(schema, schemas);
  switch (shape.kind) {
    case 'choice': {
      const isWord = ({ schema: inner }: Option): boolean =>
        shapeOf(inner, schemas).kind === 'word';
      const words = shape.options.filter(isWord);
      const latest = words.find(({ name }) => name === 'latest');
      return emptyOf((latest ?? words[0] ?? shape.options[0])?.schema, schemas);
    }
    case 'word':
      return shape.words[0];
    case 'boolean':
      return false;
    case 'number':
      return PAGE_SIZES.has(name) ? PAGE_SIZE : Math.max(0, shape.minimum ?? 0);
    case 'text':
      return '';
    case 'list':
      return [];
    case 'record':
      return Object.fromEntries(
        shape.members
          .filter(({ required }) => required)
          .map(({ name, schema: inner }) => [name, emptyOf(inner, schemas, name)]),
      );
    case 'any':
      return null;
  }
}

/** The type's name in the API documents. */
export function typeText(schema: unknown, depth = 0): string {
  const fields = membersOf(schema);
  if (typeof fields['$ref'] === 'string') return nameIn(fields['$ref']);
  const variants = [...listOf(fields['oneOf']), ...listOf(fields['anyOf'])].filter(
    (variant) => membersOf(variant)['x-wider'] === undefined,
  );
  if (variants.length > 0) {
    return depth > 2 ? '…' : variants.map((variant) => typeText(variant, depth + 1)).join(' | ');
  }
  const words = listOf(fields['enum']);
  if (words.length > 0) return words.map((word) => `"${String(word)}"`).join(' | ');
  if (fields['type'] === 'array') return `${typeText(fields['items'], depth + 1)}[]`;
  if (fields['allOf'] !== undefined) return 'object';
  return textOf(fields['type']) || 'anything';
}
