// Files in a folder, lines in a file and lines in a function stay within the limits.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findOversized, LIMITS } from './architecture/sizes.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GENERATED = new Set([
  'packages/starkbox/src/spec.ts',
  'packages/starkbox/src/l1/ethereum/messaging-contract.ts',
  'packages/engine/binding.js',
]);
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'target', '.git', 'transcripts']);

function readSources(): Map<string, string> {
  const sources = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) walk(path);
        continue;
      }
      const name = relative(ROOT, path).split(sep).join('/');
      if (!/\.(tsx?|mjs)$/.test(name) || name.endsWith('.d.ts') || GENERATED.has(name)) continue;
      sources.set(name, readFileSync(path, 'utf8'));
    }
  };
  for (const folder of ['packages', 'bench', 'scripts', 'test']) walk(join(ROOT, folder));
  return sources;
}

test('the sources and tests stay within the limits of size', () => {
  const sources = readSources();
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
