// Files in a folder, lines in a file and lines in a function stay within the limits.
import { extname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { findOversized, LIMITS } from './architecture/sizes.js';
import { readSources } from './architecture/sources.js';

const GENERATED = [
  'packages/starkbox/src/spec.ts',
  'packages/starkbox/src/l1/ethereum/messaging-contract.ts',
  'packages/engine/binding.d.ts',
];
const EXTENSIONS = ['.css', '.mjs', '.rs', '.ts', '.tsx'];

test('the sources and tests stay within the limits of size', () => {
  const sources = readSources(['packages', 'bench', 'scripts', 'test'], /\.(tsx?|mjs|css|rs)$/);
  for (const file of GENERATED) expect(sources.delete(file)).toBe(true);
  expect(sources.size).toBeGreaterThan(500);
  expect([...new Set([...sources.keys()].map(extname))].sort()).toEqual(EXTENSIONS);
  expect(findOversized(sources)).toEqual([]);
});

describe('the check', () => {
  const lines = (count: number): string => 'void 0;\n'.repeat(count);
  const check = (source: string): string[] => findOversized(new Map([['a/b.ts', source]]));

  test.each([
    ['packages/explorer/src/format', '.ts'],
    ['packages/explorer/src/parts', '.tsx'],
    ['packages/explorer/src/styles', '.css'],
    ['packages/engine/core/src/state', '.rs'],
    ['scripts', '.mjs'],
  ])('finds too many files in %s, and one of them that is too long', (folder, extension) => {
    const paths = Array.from(
      { length: LIMITS.filesInFolder + 1 },
      (_, at) => `${folder}/${at}${extension}`,
    );
    expect(findOversized(new Map(paths.map((path) => [path, ''])))).toEqual([
      `${folder} has 21 files`,
    ]);
    expect(findOversized(new Map(paths.slice(1).map((path) => [path, ''])))).toEqual([]);
    const path = `${folder}/a${extension}`;
    expect(findOversized(new Map([[path, '\n'.repeat(500)]]))).toEqual([]);
    expect(findOversized(new Map([[path, '\n'.repeat(501)]]))).toEqual([`${path} has 501 lines`]);
  });

  test('counts files of different languages in one folder together', () => {
    const paths = Array.from({ length: 21 }, (_, at) => `a/${at}${EXTENSIONS[at % 5]}`);
    expect(findOversized(new Map(paths.map((path) => [path, ''])))).toEqual(['a has 21 files']);
  });

  test('finds a file that is too long', () => {
    expect(check(lines(500))).toEqual([]);
    expect(check(lines(501))).toEqual(['a/b.ts has 501 lines']);
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
