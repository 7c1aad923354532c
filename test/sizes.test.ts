// Functions stay within 80 lines, tables aside.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/sizes.mjs', import.meta.url));

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });

test('no function of the repository is too long', () => {
  const { stdout, stderr, status } = run('--check');
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});

test('the report lists folders, files and functions', () => {
  const { stdout, status } = run('--rows', '2');
  expect(status).toBe(0);
  const tables = stdout.trim().split('\n\n');
  expect(tables).toHaveLength(5);
  for (const table of tables.slice(0, 4)) {
    const rows = table.split('\n').slice(1);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/^ +\d+ {2}\S+/);
  }
});

describe('the check', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'starkbox-sizes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const lines = (count: number): string => 'void 0;\n'.repeat(count);
  /** The functions that are reported, without the path of the file. */
  const check = (source: string): string[] => {
    const file = join(folder, 'planted.ts');
    writeFileSync(file, source);
    const { stdout, status } = run('--check', file);
    const reports = stdout.split('\n').filter(Boolean);
    expect(status).toBe(reports.length > 0 ? 1 : 0);
    return reports.map((report) => report.slice(file.length));
  };

  test('finds a function that is too long, wherever it is', () => {
    expect(check(`function f() {\n${lines(78)}}`)).toEqual([]);
    expect(check(`function f() {\n${lines(79)}}`)).toEqual([':1 f has 81 lines, limit 80']);
    expect(check(`\nexport const f = () => {\n${lines(79)}};`)).toEqual([
      ':2 function has 81 lines, limit 80',
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
