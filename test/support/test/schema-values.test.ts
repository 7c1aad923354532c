// Generated values: valid by their schema, finite, and of every form that it allows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Spec,
  type SpecSource,
  schemaValues,
  standardSpec,
  withoutWider,
} from '../conformance/index.js';

const FELT = { type: 'string', pattern: '^0x[a-f0-9]+$' };
const SCHEMAS = {
  ADDRESS: { ...FELT, 'x-felt': 'address' },
  AMOUNT: { type: 'integer', minimum: 1, exclusiveMaximum: 2 ** 70, 'x-exact': true },
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
const DOCUMENT = { methods: [METHOD], components: { schemas: SCHEMAS } };

const load = (more: Partial<SpecSource> = {}): Spec =>
  new Spec({ name: 'the spec', files: ['own.json'], read: () => DOCUMENT, ...more });
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
