// Parameters by name and by position, refusals and their texts.
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { parse } from '../../src/json/json.js';
import { Schema } from '../../src/rpc/protocol/schema.js';

const FELT = { type: 'string', pattern: '^0x0$', 'x-felt': 'felt' };
const OTHER = {
  components: { schemas: { FELT, ADDRESS: { type: 'string', 'x-felt': 'address' } } },
};
const MAIN = {
  methods: [
    { name: 'none', params: [] },
    {
      name: 'some',
      params: [
        { name: 'a', required: true, schema: { $ref: '#/components/schemas/WORD' } },
        { name: 'b', schema: { type: 'integer' } },
        { name: 'c', required: false, schema: { type: 'array', items: { type: 'boolean' } } },
      ],
    },
    {
      name: 'felts',
      params: [
        { name: 'felt', schema: { $ref: './other.json#/components/schemas/FELT' } },
        { name: 'address', schema: { $ref: './other.json#/components/schemas/ADDRESS' } },
        { name: 'inner', schema: { $ref: '#/components/schemas/INNER' } },
      ],
    },
    {
      name: 'exact',
      params: [
        { name: 'whole', schema: { $ref: '#/components/schemas/U128' } },
        { name: 'amount', schema: { type: 'number', minimum: 0, 'x-exact': true } },
        { name: 'everyday', schema: { type: 'integer', minimum: 0 } },
      ],
    },
    {
      name: 'sizes',
      params: [
        { name: 'few', schema: { type: 'array', maxItems: 2 } },
        { name: 'pair', schema: { type: 'array', minItems: 2, maxItems: 2 } },
        { name: 'many', schema: { type: 'array', minItems: 1 } },
        { name: 'word', schema: { type: 'string', minLength: 1, maxLength: 3 } },
        { name: 'share', schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } },
      ],
    },
    { name: 'tree', params: [{ name: 'tree', schema: { $ref: '#/components/schemas/TREE' } }] },
    {
      name: 'union',
      params: [
        {
          name: 'one',
          schema: {
            oneOf: [
              { $ref: '#/components/schemas/ROUND' },
              { $ref: '#/components/schemas/SQUARE' },
              { type: 'string', enum: ['none', 'any'] },
            ],
          },
        },
      ],
    },
  ],
  components: {
    schemas: {
      WORD: { type: 'string' },
      U128: { type: 'integer', minimum: 1, exclusiveMaximum: 2n ** 128n, 'x-exact': true },
      INNER: {
        type: 'object',
        properties: {
          list: { type: 'array', items: { $ref: './other.json#/components/schemas/FELT' } },
          either: {
            oneOf: [
              { $ref: './other.json#/components/schemas/ADDRESS' },
              { type: 'array', items: { $ref: './other.json#/components/schemas/ADDRESS' } },
              { type: 'null', 'x-wider': 'null is read as absent' },
            ],
          },
        },
      },
      TREE: {
        type: 'object',
        properties: {
          felt: { $ref: './other.json#/components/schemas/FELT' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/TREE' } },
        },
        additionalProperties: false,
      },
      ROUND: {
        type: 'object',
        properties: { type: { enum: ['ROUND'] }, radius: { type: 'integer' }, by: FELT },
        required: ['radius', 'by', 'type'],
        additionalProperties: false,
      },
      SQUARE: {
        type: 'object',
        properties: { type: { enum: ['SQUARE'] }, side: { type: 'integer' }, by: FELT },
        required: ['side', 'by', 'type'],
        additionalProperties: false,
      },
    },
  },
};
const schema = new Schema(
  () => new Map(Object.entries({ 'main.json': MAIN, 'other.json': OTHER })),
);

const read = async (method: string, params?: unknown): Promise<unknown> =>
  (await schema.reader(method))(params);

async function refusal(method: string, params?: unknown): Promise<string> {
  const error = await read(method, params).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof RpcError)) throw new Error(`not refused: ${String(error)}`);
  expect(error).toMatchObject({ code: -32602, data: undefined });
  return error.message;
}

describe('names and positions', () => {
  test('both work, and optional ones may be missing or null', async () => {
    await expect(read('some', { a: 'x' })).resolves.toEqual({ a: 'x' });
    await expect(read('some', ['x'])).resolves.toEqual({ a: 'x' });
    await expect(read('some', ['x', null, [true]])).resolves.toEqual({ a: 'x', c: [true] });
    await expect(read('some', { a: 'x', b: null })).resolves.toEqual({ a: 'x' });
    await expect(read('some', { a: 'x', b: undefined })).resolves.toEqual({ a: 'x' });
  });

  test.each([undefined, null, {}, []])('%j is nothing at all', async (params) => {
    await expect(read('none', params)).resolves.toEqual({});
    await expect(read('of no document', params)).resolves.toEqual({});
    expect(await refusal('some', params)).toBe('params.a: missing');
  });

  test('unknown names, too many values and required nulls are refused', async () => {
    expect(await refusal('some', { a: 'x', d: 1 })).toContain('unknown parameter d');
    expect(await refusal('none', { d: 1 })).toContain('unknown parameter d');
    expect(await refusal('some', ['x', 1, [], 1])).toMatch(/at most 3.*got 4/);
    expect(await refusal('none', [null])).toMatch(/at most 0.*got 1/);
    expect(await refusal('some', { a: null })).toBe('params.a: expected a string; got null');
  });

  test('what every object inherits is no parameter', async () => {
    expect(await refusal('some', parse('{"__proto__":{"a":"x"}}'))).toContain('__proto__');
    expect(await refusal('some', { a: 'x', constructor: 1 })).toContain('constructor');
    expect(await refusal('some', Object.create({ a: 'x' }))).toBe('params.a: missing');
  });
});

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

describe('felts', () => {
  test.each([
    ['0x0', '0x0'],
    ['0x00', '0x0'],
    ['0x0aBc', '0xabc'],
    ['0xABC', '0xabc'],
    [`0x${'0'.repeat(64)}`, '0x0'],
    [
      `0x0${hex(PRIME - 1n)
        .slice(2)
        .toUpperCase()}`,
      hex(PRIME - 1n),
    ],
  ])('%s becomes %s', async (felt, canonical) => {
    await expect(read('felts', { felt: felt })).resolves.toEqual({ felt: canonical });
    await expect(read('felts', [felt])).resolves.toEqual({ felt: canonical });
    await expect(read('felts', { inner: { list: ['0x1', felt] } })).resolves.toEqual({
      inner: { list: ['0x1', canonical] },
    });
  });

  test.each<[unknown]>([
    ['0x'],
    ['1'],
    ['0X1'],
    ['0xg'],
    ['0x1 '],
    ['0x1\n'],
    [''],
    [hex(PRIME)],
    [`0x${'f'.repeat(64)}`],
    [`0x${'0'.repeat(64)}1`],
    [1],
    [1n],
    [true],
    [['0x1']],
    [{}],
  ])('%o is none', async (felt) => {
    expect(await refusal('felts', { felt })).toMatch(/^params\.felt: expected 0x/);
  });

  test('an address is below 2^251', async () => {
    const most = hex(2n ** 251n - 1n);
    await expect(read('felts', { address: most })).resolves.toEqual({ address: most });
    expect(await refusal('felts', { address: hex(2n ** 251n) })).toContain('params.address');
  });

  test('they are canonical inside of unions and recursive schemas too', async () => {
    await expect(read('felts', { inner: { either: '0x0A' } })).resolves.toEqual({
      inner: { either: '0xa' },
    });
    await expect(read('felts', { inner: { either: ['0x0A'] } })).resolves.toEqual({
      inner: { either: ['0xa'] },
    });
    const tree = { parts: [{ felt: '0x0A', parts: [{ felt: '0x0B' }] }] };
    await expect(read('tree', { tree })).resolves.toEqual({
      tree: { parts: [{ felt: '0xa', parts: [{ felt: '0xb' }] }] },
    });
  });

  test('the list of parameters itself is left as it was', async () => {
    const params = ['0x0A'];
    await read('felts', params);
    expect(params).toEqual(['0x0A']);
  });
});

describe('numbers', () => {
  test.each([1, 2 ** 53 - 1, 2n ** 53n, 2n ** 128n - 1n])('%s fits exactly', async (whole) => {
    await expect(read('exact', { whole })).resolves.toEqual({ whole });
  });

  test.each([0, -1, 2n ** 128n, -(2n ** 60n), 1.5, '1', Number.POSITIVE_INFINITY, true, {}])(
    '%s does not',
    async (whole) => {
      const text = 'an integer of at least 1 and below 340282366920938463463374607431768211456';
      expect(await refusal('exact', { whole })).toContain(`params.whole: expected ${text}`);
    },
  );

  test('a number that need not be whole may have a fraction', async () => {
    await expect(read('exact', { amount: 3.9 })).resolves.toEqual({ amount: 3.9 });
    await expect(read('exact', { amount: 10n ** 21n })).resolves.toEqual({ amount: 10n ** 21n });
    expect(await refusal('exact', { amount: -0.5 })).toContain('a number of at least 0');
  });

  test('where exactness is not asked for, a long integer is refused', async () => {
    expect(await refusal('exact', { everyday: 2n ** 60n })).toBe(
      'params.everyday: expected an integer from 0 to 9007199254740991; got 1152921504606846976',
    );
  });

  test('a number beyond all bounds is named as such', async () => {
    expect(await refusal('exact', { everyday: Number.POSITIVE_INFINITY })).toBe(
      'params.everyday: expected an integer from 0 to 9007199254740991; got a number above 1.7976931348623157e+308',
    );
    expect(await refusal('exact', { amount: Number.NEGATIVE_INFINITY })).toContain(
      'got a number below -1.7976931348623157e+308',
    );
  });
});

describe('refusals name the place and what was expected', () => {
  test.each<[string, unknown, string]>([
    ['some', { a: 'x', b: '1' }, 'params.b: expected an integer; got "1"'],
    ['some', { a: 'x', c: [true, 0] }, 'params.c[1]: expected true or false; got 0'],
    ['some', { a: 'x', c: {} }, 'params.c: expected a list; got an object'],
    ['sizes', { few: [1, 2, 3] }, 'params.few: expected a list of at most 2 items; got 3 items'],
    ['sizes', { few: 'x' }, 'params.few: expected a list of at most 2 items; got "x"'],
    ['sizes', { pair: [1] }, 'params.pair: expected a list of 2 items; got 1 item'],
    ['sizes', { many: [] }, 'params.many: expected a list of at least 1 item; got 0 items'],
    [
      'sizes',
      { word: '🙂🙂🙂🙂' },
      'params.word: expected a string of 1 to 3 characters; got 4 characters',
    ],
    [
      'sizes',
      { word: '' },
      'params.word: expected a string of 1 to 3 characters; got 0 characters',
    ],
    ['sizes', { share: 0 }, 'params.share: expected a number above 0 and below 1; got 0'],
    [
      'tree',
      { tree: { parts: [{}, { felt: '0x1', more: 1 }] } },
      'params.tree.parts[1]: unknown member more; expected felt, parts',
    ],
    ['union', { one: { type: 'ROUND', by: '0x1' } }, 'params.one: radius is missing'],
    [
      'union',
      { one: { type: 'SQUARE', by: '0x1', side: 1.5 } },
      'params.one.side: expected an integer; got 1.5',
    ],
    [
      'union',
      { one: { type: 'ROUND', by: '0x1', radius: 1, side: 1 } },
      'params.one: unknown member side; expected type, radius, by',
    ],
    [
      'union',
      { one: { type: 'FLAT', by: '0x1' } },
      'params.one.type: expected "ROUND" or "SQUARE"; got "FLAT"',
    ],
    [
      'union',
      { one: 'all' },
      'params.one: expected an object with radius, by, type, an object with side, by, type, "none" or "any"; got "all"',
    ],
  ])('%s %j', async (method, params, message) => {
    expect(await refusal(method, params)).toBe(message);
  });

  test('long values are cut', async () => {
    expect((await refusal('some', { a: 'x', b: 'y'.repeat(1e6) })).length).toBeLessThan(150);
  });
});
