// Generators of values that match a schema, for property tests and fuzzing.
import fc from 'fast-check';
import { arrayAt, isArray, isObject, type JsonObject, objectAt, stringAt } from './json.js';
import type { LocatedSchema, Spec } from './spec-documents.js';

/** Maximum nesting of recursive components. */
const NESTING = 4;
const LIST_LENGTH = 3;
/** 32 bytes and the prefix: no number is longer, though some patterns are unbounded. */
const PATTERN_LENGTH = 66;

const PRIME: bigint = 2n ** 251n + 17n * 2n ** 192n + 1n;
/** The largest value of each kind of felt that all its patterns accept. */
const FELTS: Readonly<Record<string, bigint>> = { felt: PRIME - 1n, address: 2n ** 251n - 1n };
const HUGE: bigint = 2n ** 256n;

/** Values of any schema. */
export function valuesOf(spec: Spec, located: LocatedSchema): fc.Arbitrary<unknown> {
  return possible(makerOf(spec).make(located, NESTING), located.file);
}

/** Values of a component; for the name see {@link Spec.checkSchema}. */
export function schemaValues(spec: Spec, name: string): fc.Arbitrary<unknown> {
  const { file } = spec.schema(name);
  return valuesOf(spec, {
    file,
    schema: { $ref: `#/components/schemas/${name.replace(/^.*#/, '')}` },
  });
}

/** Results of a method. */
export function resultValues(spec: Spec, method: string): fc.Arbitrary<unknown> {
  return valuesOf(spec, spec.result(method));
}

/**
 * Params of a method by name, the optional ones sometimes absent.
 *
 * @example
 * fc.assert(fc.asyncProperty(paramsValues(spec, 'starknet_getNonce'), async (params) => {
 *   await node.request('starknet_getNonce', params).catch(expectRpcError);
 * }));
 */
export function paramsValues(spec: Spec, method: string): fc.Arbitrary<Record<string, unknown>> {
  const maker = makerOf(spec);
  const members = [...spec.params(method)].map(([name, located]): [string, Values] => [
    name,
    possible(maker.make(located, NESTING), `${method} ${name}`),
  ]);
  const required = spec.methods.get(method)?.params.filter((param) => param.required) ?? [];
  return objects(new Map(members), new Set(required.map(({ name }) => name)));
}

function possible<T>(values: fc.Arbitrary<T> | undefined, what: string): fc.Arbitrary<T> {
  if (values === undefined) throw new Error(`${what} has no value of finite size`);
  return values;
}

/** Cache of generators, because components are many and slow to analyse. */
const makers: WeakMap<Spec, Maker> = new WeakMap();

function makerOf(spec: Spec): Maker {
  const maker = makers.get(spec) ?? new Maker(spec);
  makers.set(spec, maker);
  return maker;
}

type Values = fc.Arbitrary<unknown>;

/** Undefined if every value exceeds the allowed nesting. */
class Maker {
  readonly #spec: Spec;
  readonly #made: Map<string, Values | undefined> = new Map();
  readonly #reached: Map<string, ReadonlySet<string>> = new Map();

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  make({ file, schema }: LocatedSchema, nesting: number): Values | undefined {
    const inner = (value: unknown): Values | undefined =>
      this.make({ file, schema: objectAt(value, file) }, nesting);
    const each = (value: unknown): readonly Values[] =>
      arrayAt(value, file).flatMap((member) => inner(member) ?? []);

    if (schema['$ref'] !== undefined) {
      return this.#component(this.#spec.follow(stringAt(schema['$ref'], file), file), nesting);
    }
    // A content descriptor where a schema should be.
    if ('schema' in schema) return inner(schema['schema']);
    if (isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
    if (schema['x-exact'] === true) return exactNumbers(schema);
    const felt = FELTS[String(schema['x-felt'])];
    if (felt !== undefined) return felts(felt);

    const union = schema['oneOf'] ?? schema['anyOf'];
    if (isArray(schema['allOf'])) {
      if (union !== undefined) throw new Error(`${file} has a union beside an allOf`);
      return this.#all(schema['allOf'], inner);
    }
    if (union !== undefined) {
      if ('properties' in schema) {
        return this.#all(
          [{ ...schema, oneOf: undefined, anyOf: undefined }, { oneOf: union }],
          inner,
        );
      }
      const members = each(union);
      return members.length === 0 ? undefined : fc.oneof(...members);
    }
    if ('properties' in schema) return this.#object(schema, inner);
    switch (schema['type']) {
      case 'string':
        return strings(schema);
      case 'integer':
        return fc.integer({
          min: numberOr(schema['minimum'], -(2 ** 31)),
          max: numberOr(schema['maximum'], Number.MAX_SAFE_INTEGER),
        });
      case 'number':
        return fc.double({
          min: numberOr(schema['minimum'], -(2 ** 31)),
          max: numberOr(schema['maximum'], 2 ** 31),
          noNaN: true,
        });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array': {
        const items = schema['items'] === undefined ? fc.jsonValue() : inner(schema['items']);
        const minLength = numberOr(schema['minItems'], 0);
        const maxLength = numberOr(schema['maxItems'], LIST_LENGTH);
        if (items === undefined) return minLength === 0 ? fc.constant([]) : undefined;
        return fc.array(items, { minLength, maxLength });
      }
      case 'object': {
        const { additionalProperties: of } = schema;
        const values = isObject(of) ? inner(of) : fc.jsonValue();
        return fc.dictionary(fc.string(), values ?? fc.jsonValue(), {
          maxKeys: values ? LIST_LENGTH : 0,
          noNullPrototype: true,
        });
      }
      default:
        throw new Error(`${file} has a schema of unknown form: ${JSON.stringify(schema)}`);
    }
  }

  #component(name: string, nesting: number): Values | undefined {
    const levels = this.#reach(name).has(name) ? nesting - 1 : nesting;
    if (levels < 0) return undefined;
    const key = `${name} ${levels}`;
    if (!this.#made.has(key)) this.#made.set(key, this.make(this.#spec.schema(name), levels));
    return this.#made.get(key);
  }

  #object(schema: JsonObject, inner: (value: unknown) => Values | undefined): Values | undefined {
    const { required } = schema;
    const needed = new Set(
      typeof required === 'string' ? [required] : isArray(required) ? required : [],
    );
    const members = new Map<string, Values>();
    for (const [name, property] of Object.entries(objectAt(schema['properties'], 'properties'))) {
      const values = inner(property);
      if (values !== undefined) members.set(name, values);
      else if (needed.has(name)) return undefined;
    }
    return objects(members, needed);
  }

  #all(
    parts: readonly unknown[],
    inner: (value: unknown) => Values | undefined,
  ): Values | undefined {
    const refused: unknown[] = [];
    const accepted: Values[] = [];
    for (const part of parts) {
      const not = isObject(part) ? part['not'] : undefined;
      if (not !== undefined) {
        refused.push(...arrayAt(objectAt(not, 'not')['enum'], 'not/enum'));
        continue;
      }
      const values = inner(part);
      if (values === undefined) return undefined;
      accepted.push(values);
    }
    const [only, ...more] = accepted;
    if (only === undefined) throw new Error('an allOf without a schema');
    if (more.length === 0) return only.filter((value) => !refused.includes(value));
    return fc
      .tuple(...accepted)
      .map((values): unknown =>
        Object.assign({}, ...values.map((value) => objectAt(value, 'part'))),
      );
  }

  /** The components that one can contain. */
  #reach(name: string): ReadonlySet<string> {
    const cached = this.#reached.get(name);
    if (cached !== undefined) return cached;
    const reachable = new Set<string>();
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { file, schema } = this.#spec.schema(next);
      for (const ref of references(schema)) {
        const target = this.#spec.follow(ref, file);
        if (reachable.has(target)) continue;
        reachable.add(target);
        open.push(target);
      }
    }
    this.#reached.set(name, reachable);
    return reachable;
  }
}

/** All subsets of optional members are equally likely; absent members find most mistakes. */
function objects(
  members: ReadonlyMap<string, Values>,
  needed: ReadonlySet<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const names = [...members.keys()];
  return fc
    .tuple(
      fc.record(Object.fromEntries(members), { noNullPrototype: true }),
      fc.subarray(names.filter((name) => !needed.has(name))),
    )
    .map(([whole, chosen]) =>
      Object.fromEntries(
        Object.entries(whole).filter(([name]) => needed.has(name) || chosen.includes(name)),
      ),
    );
}

function references(value: unknown): readonly string[] {
  if (isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : references(item),
  );
}

function strings(schema: JsonObject): fc.Arbitrary<string> {
  const { pattern } = schema;
  if (typeof pattern !== 'string') return fc.string();
  return fc.stringMatching(new RegExp(pattern), { maxLength: PATTERN_LENGTH });
}

function felts(max: bigint): fc.Arbitrary<string> {
  return fc
    .oneof(fc.bigInt(0n, 1000n), fc.bigInt(0n, max), fc.constantFrom(0n, 1n, max))
    .map((value) => `0x${value.toString(16)}`);
}

/** As the JSON codec of the node returns them: bigints only where a number is not exact. */
function exactNumbers({ minimum, exclusiveMaximum }: JsonObject): fc.Arbitrary<bigint | number> {
  const min = BigInt(numberOr(minimum, 0));
  const max = typeof exclusiveMaximum === 'number' ? BigInt(exclusiveMaximum) - 1n : HUGE;
  return fc
    .oneof(fc.bigInt(min, min + 1000n), fc.bigInt(min, max), fc.constantFrom(min, max))
    .map((value) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
