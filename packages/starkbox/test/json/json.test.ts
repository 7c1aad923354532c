// JSON round trips: exact integers, finished text, and harmful input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonText, parse, stringify, type Wire } from '../../src/json/json.js';

describe('reading', () => {
  test.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['340282366920938463463374607431768211455', 2n ** 128n - 1n],
    ['1e21', 10n ** 21n],
    ['1E+23', 10n ** 23n],
    ['1.5e20', 15n * 10n ** 19n],
    ['-2.50e17', -25n * 10n ** 16n],
    ['12345678901234567890.000', 12345678901234567890n],
    ['1234567890123456789012e-2', Number('12345678901234567890.12')],
    ['1234567890123456789000e-2', 12345678901234567890n],
    ['9007199254740993.5', 9007199254740994],
    ['3.9', 3.9],
    ['1e3', 1000],
    ['1e-7', 1e-7],
    ['1234567890.123456789', Number('1234567890.123456789')],
    ['1e400', Number.POSITIVE_INFINITY],
    ['-0', -0],
  ])('%s', (text, value) => {
    expect(parse(text)).toBe(value);
    expect(parse(` [ ${text} , {"a" : ${text}} ] `)).toEqual([value, { a: value }]);
  });

  test('a number of a million digits costs nothing and stays out of range', () => {
    expect(parse('9'.repeat(1_000_000))).toBe(Number.POSITIVE_INFINITY);
    expect(parse('1e999999999')).toBe(Number.POSITIVE_INFINITY);
  });

  test('digits inside of strings are left alone', () => {
    const text =
      '{"12345678901234567890":"a \\" 12345678901234567890, 1e21","n":12345678901234567890}';
    expect(parse(text)).toEqual({
      '12345678901234567890': 'a " 12345678901234567890, 1e21',
      n: 12345678901234567890n,
    });
  });

  test('of a repeated key the last value counts', () => {
    expect(parse('{"a":1,"a":12345678901234567890}')).toEqual({ a: 12345678901234567890n });
  });

  test.each(['{"__proto__":{"x":1},"n":1}', '{"__proto__":{"x":1},"n":12345678901234567890}'])(
    'a prototype cannot be sent: %s',
    (text) => {
      const value = parse(text);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value).not.toHaveProperty('x');
      expect(Object.keys(Object(value))).toContain('__proto__');
    },
  );

  test.each(['', '{ no }', '[1,]', '"\n"', '01', '1e', '[12345678901234567890', '\ufeff1', 'nul'])(
    'what is no JSON is a syntax error: %j',
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );

  test.each([
    '['.repeat(100_000) + ']'.repeat(100_000),
    `${'{"a":'.repeat(100_000)}12345678901234567890${'}'.repeat(100_000)}`,
    '['.repeat(5_000_000),
  ])('endless nesting is a syntax error', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });

  test('nesting that reports may have is read, with exact integers too', () => {
    const text = (value: string): string => '['.repeat(500) + value + ']'.repeat(500);
    expect(stringify(parse(text('1')))).toBe(text('1'));
    expect(stringify(parse(text('12345678901234567890')))).toBe(text('12345678901234567890'));
  });

  test('agrees with JSON.parse on everything but the exactness of long integers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const expected = JSON.parse(text);
        expect(rounded(parse(text))).toEqual(expected);
        // The long integer beside it makes sure that all of it is read by the exact reader.
        expect(rounded(parse(`[9007199254740993,${text}]`))).toEqual([2 ** 53, expected]);
      }),
    );
  });
});

/** The value with every bigint as the nearest number. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}

describe('writing', () => {
  test('integers beyond 2^53 and finished text go out as they are', () => {
    const value: Wire<{ price: bigint; list: readonly string[]; none?: number; nil: null }> = {
      price: 2n ** 100n,
      list: new JsonText('[ "0x1" ]'),
      none: undefined,
      nil: null,
    };
    const price = '1267650600228229401496703205376';
    expect(stringify(value)).toBe(`{"price":${price},"list":[ "0x1" ],"nil":null}`);
    expect(stringify(new JsonText(' 1 '))).toBe(' 1 ');
    expect(stringify([5n, [new JsonText('{}')]])).toBe('[5,[{}]]');
  });

  test('what JSON does not have becomes null, or is left out of objects', () => {
    expect(stringify(undefined)).toBe('null');
    expect(stringify([undefined, Number.NaN, 1n])).toBe('[null,null,1]');
    expect(stringify({ a: undefined, b: 1n })).toBe('{"b":1}');
  });

  test('outside, finished text shows what it says', () => {
    expect(JSON.stringify({ a: new JsonText('[1]') })).toBe('{"a":[1]}');
    expect(() => stringify({ a: [new JsonText('[1]')] })).not.toThrow();
    expect(JSON.stringify({ a: new JsonText('[1]') })).toBe('{"a":[1]}');
  });

  test('agrees with JSON.stringify on everything plain, also beside what is not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(stringify(value)).toBe(text);
        expect(stringify([value, 1n])).toBe(`[${text},1]`);
        expect(stringify({ value, text: new JsonText('[]') })).toBe(`{"value":${text},"text":[]}`);
      }),
    );
  });

  test('comes back exactly', () => {
    const exact = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 130n }),
        fc.integer(),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(exact, (value) => {
        expect(parse(stringify(value))).toEqual(value);
      }),
    );
  });
});
