// The check of names counts every kind of binding, and fails above its limit.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/check-names.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-names-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function check(source: string): { status: number | null; names: string[]; last: string } {
  const file = join(folder, 'planted.ts');
  writeFileSync(file, source);
  const run = spawnSync(process.execPath, [SCRIPT, '--list', file], { encoding: 'utf8' });
  const lines = run.stdout.split('\n');
  const listed = lines.filter((line) => line.startsWith(`${file}:`));
  return {
    status: run.status,
    names: listed.map((line) => line.slice(file.length + 1)),
    last: lines.find((line) => line.includes(' limit ')) ?? run.stderr,
  };
}

/** Each line has one binding without meaning. */
const BINDINGS = [
  'const one = 1;',
  'for (const found of []) {}',
  'function read(given: string) {}',
  'read((known) => 1);',
  'class Reader { read(own: string) {} }',
  'type Read = (wanted: string) => void;',
  'const withDefault = (shown = 1) => 1;',
  'const { a: kept } = record;',
  'const { held = 1 } = record;',
  'const [, ...left] = list;',
  'const [{ a: { taken } }] = list;',
  'try {} catch (thing) {}',
];

test('variables, parameters, parts of patterns and caught errors are bindings', () => {
  const { status, names } = check(BINDINGS.join('\n'));
  const lines = names.map((name) => Number(name.split(':')[0]));
  expect(lines.toSorted((a, b) => a - b)).toEqual(BINDINGS.map((_, index) => index + 1));
  expect(status).toBe(1);
});

test('a property, a type or a called function is no binding of its own', () => {
  const { status, names } = check('const block = chain.found(record.own); interface A { one: 1 }');
  expect({ status, names }).toEqual({ status: 0, names: [] });
});

test('names up to the limit pass', () => {
  const good = Array.from({ length: 199 }, (_, number) => `const block${number} = 1;`).join('\n');
  expect(check(`${good}\nconst one = 1;`)).toMatchObject({
    status: 0,
    last: '1 of 200 names of variables and parameters say nothing: 0.50 %, limit 0.5 %',
  });
  expect(check(`${good}\nconst one = 1; const own = 1;`).status).toBe(1);
});
