// Parsing of long texts in slices: equal results, and limits that are enforced.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify, TooManyValues } from '../../src/json/json.js';
import { parseInSlices } from '../../src/json/parse-in-slices.js';

const LIMITS = { depth: 1000, values: 1_000_000 };

const read = async (text: string) => (await parseInSlices(text, LIMITS)).value;

const spaced = (text: string): string => text.replaceAll(/([[\]{},:])/g, ' $1\n\t');

describe('reading in slices', () => {
  test('any JSON text means what it means to parse', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (text) => {
        expect(await read(text)).toEqual(parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('integers stay exact, spaces do not matter', async () => {
    const text = stringify([{ a: 2n ** 200n, b: [-1, 1.5, null, true, false, ''] }, [], {}]);
    expect(await read(spaced(text))).toEqual(parse(text));
    expect(await read('[1e21,12345678901234567890.000]')).toEqual([
      10n ** 21n,
      12345678901234567890n,
    ]);
  });

  test('strings with escapes and quotes', async () => {
    const value = ['"', '\\', '\\"', 'a\\\\"b', '\n\u0001', '😀\ud800', '__proto__'];
    expect(await read(JSON.stringify(value))).toEqual(value);
  });

  test('a prototype cannot be sent', async () => {
    const value = await read('{"__proto__":{"x":1},"n":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(Object(value))).toEqual(['__proto__', 'n']);
  });

  test('what is no JSON is refused, wherever it is cut or changed', async () => {
    const base = '{"a":[1,-2.5e3,"x\\"y",true,null,{"b":{}}],"c":""}';
    await fc.assert(
      fc.asyncProperty(
        fc.nat(base.length - 1),
        fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', '0', '\\', 'n', '\u0001', '\ufeff'),
        async (at, by) => {
          const text = base.slice(0, at) + by + base.slice(at + 1);
          let expected: unknown;
          try {
            expected = parse(text);
          } catch {
            await expect(read(text)).rejects.toThrow(SyntaxError);
            return;
          }
          expect(await read(text)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('values are counted with the names of members', async () => {
    const text = '{"a":[1,"2",null],"b":{}}';
    expect(await parseInSlices(text, LIMITS)).toMatchObject({ values: 8 });
    await expect(parseInSlices(text, { depth: 9, values: 7 })).rejects.toThrow(TooManyValues);
    expect(parse(text, 9, 8)).toEqual(JSON.parse(text));
    expect(() => parse(text, 9, 7)).toThrow(TooManyValues);
  });

  test('depth has the limit that short texts have', async () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    await expect(read(deep(1001))).rejects.toThrow('Nested more than 1000 levels deep');
    expect(await read(deep(1000))).toEqual(parse(deep(1000)));
  });

  test('a storm of values is refused at the limit, not at its end', async () => {
    const storm = `[${'{},'.repeat(5_000_000)}{}]`;
    const limits = { depth: 100, values: 1000 };
    await expect(parseInSlices(storm, limits)).rejects.toThrow(TooManyValues);
    await expect(parseInSlices(`${'['.repeat(10_000_000)}`, limits)).rejects.toThrow('levels deep');
  });

  test('timers run while a long text is read', async () => {
    const text = `[${'"0x123",'.repeat(900_000)}"0x123"]`;
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await read(text);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});
