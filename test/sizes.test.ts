// Files in a folder, lines in a file and lines in a function stay within the limits.
import { describe, expect, test } from 'vitest';
import { findOversized, LIMITS } from './architecture/sizes.js';
import { readSources } from './architecture/sources.js';

const GENERATED = [
  'packages/starkbox/src/spec.ts',
  'packages/starkbox/src/l1/ethereum/messaging-contract.ts',
];

test('the sources and tests stay within the limits of size', () => {
  const folders = ['packages', 'bench', 'scripts', 'test'];
  const sources = readSources(folders, /\.(tsx?|mjs)(?<!\.d\.ts)$/);
  for (const file of GENERATED) expect(sources.delete(file)).toBe(true);
  expect(sources.size).toBeGreaterThan(500);
  expect(findOversized(sources)).toEqual([]);
});

describe('the check', () => {
  const lines = (count: number): string => 'void 0;\n'.repeat(count);
  const check = (source: string): string[] => findOversized(new Map([['a/b.ts', source]]));

  test('finds a folder with too many files', () => {
    const files = Array.from({ length: LIMITS.filesInFolder + 1 }, (_, at) => `a/${at}.ts`);
    expect(findOversized(new Map(files.map((file) => [file, ''])))).toEqual(['a has 16 files']);
    expect(findOversized(new Map(files.slice(1).map((file) => [file, ''])))).toEqual([]);
  });

  test('finds a file that is too long', () => {
    expect(check(lines(400))).toEqual([]);
    expect(check(lines(401))).toEqual(['a/b.ts has 401 lines']);
  });

  test('finds a function that is too long, wherever it is', () => {
    expect(check(`function f() {\n${lines(78)}}`)).toEqual([]);
    expect(check(`function f() {\n${lines(79)}}`)).toEqual(['a/b.ts:1 f has 81 lines']);
    expect(check(`\nexport const f = () => {\n${lines(79)}};`)).toEqual([
      'a/b.ts:2 function has 81 lines',
    ]);
    expect(check(`class A { m() {\n${lines(79)}} }`)).toHaveLength(1);
    expect(check(`test('t', () => {\n${lines(79)}});`)).toHaveLength(1);
  });

  test('does not count a returned table or a group of tests', () => {
    const table = '1,\n'.repeat(90);
    expect(check(`const f = () => {\nreturn [\n${table}];\n};`)).toEqual([]);
    expect(check(`const f = () => ({\na: [\n${table}],\n});`)).toEqual([]);
    expect(check(`describe('g', () => {\n${lines(90)}});`)).toEqual([]);
    expect(check(`describe.each([1])('g', () => {\n${lines(90)}});`)).toEqual([]);
    const handler = `m() {\n${lines(80)}}`;
    expect(check(`const f = () => ({\n${handler},\n});`)).toHaveLength(1);
  });
});
