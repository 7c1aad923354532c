// Generated values: valid by their schema, finite, and of every form that it allows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  paramsValues,
  resultValues,
  Spec,
  type SpecSource,
  schemaValues,
  standardSpec,
  withoutWider,
} from '../conformance/index.js';

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const directory = mkdtempSync(join(tmpdir(), 'starkbox-spec-'));
afterAll(() => rmSync(directory, { recursive: true }));

const FELT = { type: 'string', pattern: '^0x[a-f0-9]+$' };
const SCHEMAS = {
  FELT: { ...FELT, 'x-felt': 'felt' },
  ADDRESS: { ...FELT, 'x-felt': 'address' },
  AMOUNT: { type: 'integer', minimum: 1, exclusiveMaximum: 2 ** 70, 'x-exact': true },
  LIST: {
    type: 'object',
    properties: { value: { type: 'boolean' }, next: { $ref: '#/components/schemas/LIST' } },
    required: ['value'],
  },
  WORD: {
    oneOf: [
      { type: 'string', enum: ['a'] },
      { type: 'null', 'x-wider': 'also nothing' },
    ],
  },
  WORDS: {
    type: 'object',
    properties: {
      word: { $ref: '#/components/schemas/WORD' },
      more: { type: 'null', 'x-wider': 'y' },
    },
    required: ['word'],
    additionalProperties: false,
  },
};
const METHOD = {
  name: 'go',
  params: [
    { name: 'to', required: true, schema: { $ref: '#/components/schemas/ADDRESS' } },
    { name: 'how', required: false, schema: { $ref: '#/components/schemas/WORD' } },
  ],
  result: { name: 'result', schema: { type: 'array', items: { type: 'boolean' } } },
};
writeFileSync(
  join(directory, 'own.json'),
  JSON.stringify({ methods: [METHOD], components: { schemas: SCHEMAS } }),
);

const load = (more: Partial<SpecSource> = {}): Spec =>
  new Spec({ name: 'the spec', directory, files: ['own.json'], ...more });
const sample = <T>(values: fc.Arbitrary<T>): readonly T[] =>
  fc.sample(values, { seed: 1, numRuns: 200 });

describe('made-up values', () => {
  test('fit every schema of the published documents', () => {
    const spec = standardSpec();
    for (const name of spec.schemas) {
      const values = fc.sample(schemaValues(spec, name), { seed: 1, numRuns: 5 });
      expect(
        values.flatMap((value) => spec.checkSchema(name, value)),
        name,
      ).toEqual([]);
    }
  });

  test('fit params and results', () => {
    const spec = load();
    const params = sample(paramsValues(spec, 'go'));
    expect(params.flatMap((value) => spec.checkParams('go', value))).toEqual([]);
    expect(params.some((value) => 'how' in value)).toBe(true);
    expect(params.some((value) => !('how' in value))).toBe(true);
    const results = sample(resultValues(spec, 'go'));
    expect(results.flatMap((value) => spec.checkResult('go', value))).toEqual([]);
  });

  test('of a felt are in its range, and reach its ends', () => {
    const spec = load();
    const felts = sample(schemaValues(spec, 'FELT')).map((felt) => BigInt(String(felt)));
    expect(felts.every((felt) => felt < PRIME)).toBe(true);
    expect(felts).toContain(PRIME - 1n);
    expect(felts).toContain(0n);
    const addresses = sample(schemaValues(spec, 'ADDRESS')).map((felt) => BigInt(String(felt)));
    expect(addresses.every((address) => address < 2n ** 251n)).toBe(true);
  });

  test('of an exact integer are bigints only where a number is not exact', () => {
    const spec = load();
    const amounts = sample(schemaValues(spec, 'AMOUNT'));
    expect(amounts.flatMap((amount) => spec.checkSchema('AMOUNT', amount))).toEqual([]);
    expect(amounts).toContain(2n ** 70n - 1n);
    expect(amounts).toContain(1);
    for (const amount of [0, 1.5, 2n ** 70n, '1', null]) {
      expect(spec.checkSchema('AMOUNT', amount), String(amount)).toHaveLength(1);
    }
  });

  test('of what contains itself end', () => {
    const depth = (value: unknown): number =>
      typeof value === 'object' && value !== null && 'next' in value ? 1 + depth(value.next) : 0;
    const depths = new Set(sample(schemaValues(load(), 'LIST')).map(depth));
    expect([...depths].sort()).toEqual([0, 1, 2, 3]);
  });
});

describe('what is wider than the standard', () => {
  test('is made up and accepted', () => {
    const spec = load();
    expect(new Set(sample(schemaValues(spec, 'WORD')))).toEqual(new Set(['a', null]));
    expect(spec.checkSchema('WORDS', { word: null, more: null })).toEqual([]);
  });

  test('can be left out', () => {
    const spec = load({ prepare: withoutWider });
    expect(new Set(sample(schemaValues(spec, 'WORD')))).toEqual(new Set(['a']));
    expect(spec.checkSchema('WORDS', { word: 'a' })).toEqual([]);
    expect(spec.checkSchema('WORDS', { word: null })).not.toEqual([]);
    expect(spec.checkSchema('WORDS', { word: 'a', more: null })).toHaveLength(1);
  });
});
