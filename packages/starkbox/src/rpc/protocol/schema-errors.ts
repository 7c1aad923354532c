// Errors of ajv as one line: which value is wrong, and what was expected.
import { joinWords, trust } from '@starkbox/abi/basics';
import type { AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv';
import { parse } from '../../json/json.js';
import { didYouMean, nearest } from './method-suggestions.js';

/** What an explanation needs of the validator. */
export interface Checker {
  /** A validator for one member of a union alone. */
  compile(member: AnySchemaObject): ValidateFunction;
  /** The schema behind a `$ref`. */
  resolve(ref: string): AnySchemaObject;
}

interface Fault {
  /** JSON pointer of the value in question. */
  readonly pointer: string;
  readonly text: string;
  /** How much it speaks against this being the member of a union that was meant. */
  readonly weight: number;
}

const SHOWN = 68; // the quotes, the prefix and all digits of a felt

/** One line: path, colon, fault. */
export function explain(errors: readonly ErrorObject[], root: string, checker: Checker): string {
  const { pointer, text } = toFault(errors, checker);
  return `${toPath(root, pointer)}: ${text}`;
}

/** ajv stops at the first fault, so the last of its errors is the one around all others. */
function toFault(errors: readonly ErrorObject[], checker: Checker): Fault {
  const error = errors.at(-1);
  if (error === undefined) return { pointer: '', text: 'not accepted', weight: 0 };
  return error.keyword === 'oneOf' || error.keyword === 'anyOf'
    ? toUnionFault(error, checker)
    : toLeaf(error, checker);
}

/** The fault of the member that was probably meant; without a single likeliest one, what all of them ask for. */
function toUnionFault(error: ErrorObject, checker: Checker): Fault {
  const { instancePath, data } = error;
  if (!isObjectOrList(data)) return toLeaf(error, checker);
  const union: readonly AnySchemaObject[] = error.parentSchema?.[error.keyword] ?? [];
  const members = union.filter((member) => takesObjects(follow(member, checker), data));
  const clashes = members.map((member) => findClashes(member, data, checker));
  const [shared] = [...(clashes[0]?.keys() ?? [])].filter((key) =>
    clashes.every((clash) => clash.has(key)),
  );
  if (shared !== undefined) {
    const allowed = clashes.flatMap((clash) => clash.get(shared) ?? []);
    const text = expectation(joinWords(allowed.map(show), 'or'), data[shared]);
    return { pointer: `${instancePath}/${shared}`, text, weight: 0 };
  }
  const fewest = Math.min(...clashes.map(({ size }) => size));
  const faults = members
    .filter((_, i) => clashes[i]?.size === fewest)
    .flatMap((member) => {
      const validate = checker.compile(member);
      return validate(data) ? [] : [toFault(validate.errors ?? [], checker)];
    });
  const least = Math.min(...faults.map(({ weight }) => weight));
  const [likely, ...others] = faults.filter(({ weight }) => weight === least);
  if (likely === undefined || others.length > 0) return toLeaf(error, checker);
  // A fault further down does not show which member was meant here.
  return { pointer: instancePath + likely.pointer, text: likely.text, weight: 0 };
}

/** True unless a schema, which refers to no other, is about values of another kind. */
function takesObjects(schema: AnySchemaObject, data: object): boolean {
  if (schema['enum'] !== undefined || schema['x-felt'] !== undefined) return false;
  const kind = Array.isArray(data) ? 'array' : 'object';
  return (schema['type'] ?? kind) === kind;
}

/** Members of an object whose value is none of the few that a schema allows, such as its `type`. */
function findClashes(
  schema: AnySchemaObject,
  data: Readonly<Record<string, unknown>>,
  checker: Checker,
): ReadonlyMap<string, readonly unknown[]> {
  const whole = follow(schema, checker);
  const parts: readonly AnySchemaObject[] = whole['allOf'] ?? [];
  const clashes = new Map(parts.flatMap((part) => [...findClashes(part, data, checker)]));
  const properties: AnySchemaObject = whole['properties'] ?? {};
  for (const [name, property] of Object.entries(properties)) {
    const allowed: readonly unknown[] | undefined = follow(property, checker)['enum'];
    if (allowed && Object.hasOwn(data, name) && !allowed.includes(data[name])) {
      clashes.set(name, allowed);
    }
  }
  return clashes;
}

function toLeaf(error: ErrorObject, checker: Checker): Fault {
  const pointer = error.instancePath;
  const weight = pointer === '' ? 1 : 0;
  switch (error.keyword) {
    case 'required':
      return { pointer, text: `${error.params['missingProperty']} is missing`, weight };
    case 'additionalProperties': {
      const members = Object.keys(error.parentSchema?.['properties'] ?? {});
      const text = unknownMember(String(error.params['additionalProperty']), members);
      return { pointer, text, weight };
    }
    case 'x-closed': {
      const members: readonly string[] = error.parentSchema?.['x-closed'] ?? [];
      const unknown = Object.keys(error.data ?? {}).find((name) => !members.includes(name));
      return { pointer, text: unknownMember(unknown ?? '', members), weight };
    }
    default: {
      const expected = joinWords(
        choices(error.parentSchema ?? {}, checker, isLarge(error.data)),
        'or',
      );
      const size = SIZES.has(error.keyword) ? sizeOf(error.data) : undefined;
      const text =
        size === undefined
          ? expectation(expected, error.data)
          : `expected ${expected}; got ${size}`;
      return { pointer, text, weight: 0 };
    }
  }
}

/** Keywords about how much a value holds. */
const SIZES: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minLength', 'maxLength']);

function sizeOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return withUnit(value.length, 'item');
  // As JSON Schema counts: by code points.
  return typeof value === 'string' ? withUnit([...value].length, 'character') : undefined;
}

function withUnit(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : `${unit}s`}`;
}

function unknownMember(name: string, members: readonly string[]): string {
  const expected = `${members.join(', ')}${didYouMean(nearest(name, members))}`;
  return `unknown member ${name.slice(0, SHOWN)}; expected ${expected}`;
}

function expectation(expected: string, got: unknown): string {
  const isOldTag = got === 'pending' && expected.includes('"pre_confirmed"');
  return `expected ${expected}; got ${show(got)}${isOldTag ? OLD_TAG : ''}`;
}

/** Clients of RPC 0.8 and before, such as starknet.js 6 and 7, send the tag `pending`. */
const OLD_TAG = '; RPC 0.10 calls it pre_confirmed: use starknet.js 8 or later';

/** Beyond what JavaScript counts in: then even an integer without a bound has one. */
function isLarge(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !isSmall(value));
}

function isSmall(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function follow(schema: AnySchemaObject, checker: Checker): AnySchemaObject {
  return typeof schema['$ref'] === 'string'
    ? follow(checker.resolve(schema['$ref']), checker)
    : schema;
}

/** What a schema asks for, in a few words for each choice. */
function choices(
  reference: AnySchemaObject,
  checker: Checker,
  isForLarge: boolean,
): readonly string[] {
  const schema = follow(reference, checker);
  const union: readonly AnySchemaObject[] | undefined = schema['oneOf'] ?? schema['anyOf'];
  if (union !== undefined) return union.flatMap((choice) => choices(choice, checker, isForLarge));
  const values: readonly unknown[] | undefined = schema['enum'];
  if (values !== undefined) return values.map(show);
  const parts: readonly AnySchemaObject[] | undefined = schema['allOf'];
  if (parts === undefined) return [describe(schema, isForLarge)];
  return [parts.map((part) => joinWords(choices(part, checker, isForLarge), 'or')).join(' and ')];
}

function describe(schema: AnySchemaObject, isForLarge: boolean): string {
  if (schema['x-felt'] === 'address') return '0x and hexadecimal digits, below 2^251';
  if (schema['x-felt'] !== undefined) {
    return '0x and hexadecimal digits, below the prime 2^251 + 17 * 2^192 + 1';
  }
  const text: string | undefined = schema['x-exact'];
  const exact = text === undefined ? undefined : trust<AnySchemaObject>(parse(text));
  switch (exact?.['type'] ?? schema['type']) {
    case 'object': {
      const required: readonly string[] = schema['required'] ?? [];
      return required.length > 0 ? `an object with ${required.join(', ')}` : 'an object';
    }
    case 'array':
      return `a list${size(schema['minItems'], schema['maxItems'], 'item')}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'integer':
      return `an integer${bounds(exact ?? (isForLarge ? { maximum: Number.MAX_SAFE_INTEGER, ...schema } : schema))}`;
    case 'number':
      return `a number${bounds(exact ?? schema)}`;
    case 'string': {
      const length = size(schema['minLength'], schema['maxLength'], 'character');
      const pattern = schema['pattern'] === undefined ? '' : ` like ${schema['pattern']}`;
      return `a string${length}${pattern}`;
    }
    default:
      return 'something else';
  }
}

function bounds(schema: AnySchemaObject): string {
  const low = schema['minimum'];
  const high = schema['maximum'];
  const above = schema['exclusiveMinimum'];
  const below = schema['exclusiveMaximum'];
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  const parts = [
    low === undefined ? '' : ` of at least ${low}`,
    above === undefined ? '' : ` above ${above}`,
    high === undefined ? '' : ` of at most ${high}`,
    below === undefined ? '' : ` below ${below}`,
  ];
  return parts.filter((part) => part !== '').join(' and');
}

function size(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) {
    return least === most
      ? ` of ${withUnit(most, unit)}`
      : ` of ${least} to ${withUnit(most, unit)}`;
  }
  if (least !== undefined) return ` of at least ${withUnit(least, unit)}`;
  return most === undefined ? '' : ` of at most ${withUnit(most, unit)}`;
}

function isObjectOrList(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObjectOrList(value)) return 'an object';
  if (value === Number.POSITIVE_INFINITY) return `a number above ${Number.MAX_VALUE}`;
  if (value === Number.NEGATIVE_INFINITY) return `a number below -${Number.MAX_VALUE}`;
  const text = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function toPath(root: string, pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) return `${path}[${name}]`;
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
  }, root);
}
