// ARCHITECTURE.md agrees with the packages and folders on disk, with the tables of rules.ts and with the imports.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importedRows } from './check.js';
import { FOLDERS, LEAVES } from './rules.js';
import { readPackages, readSources } from './sources.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = 'packages/starkbox/src';

const PACKAGES = readPackages();
const PAGE = readFileSync(`${ROOT}ARCHITECTURE.md`, 'utf8');
const DRAWING = /```\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';

const section = (title: string): string =>
  PAGE.split('\n## ').find((text) => text.startsWith(`${title}\n`)) ?? '';
/** The cells of the rows of a table, without its head. */
const cellsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)].slice(2).map(([, row = '']) => row.split(' | '));
const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('the table of packages', () => {
  const rows = cellsOf(section('Packages')).map(([folder = '', imports = '', text = '']) => ({
    folder: quoted(folder)[0]?.replace('packages/', '') ?? folder,
    imports: quoted(imports).sort(),
    name: quoted(text)[0],
  }));

  test('has the packages on disk', () => {
    const expected = PACKAGES.map(({ folder, name }) => ({ folder, name }));
    const byFolder = (a: { folder: string }, b: { folder: string }) =>
      a.folder < b.folder ? -1 : 1;
    expect(rows.map(({ folder, name }) => ({ folder, name })).sort(byFolder)).toEqual(
      expected.sort(byFolder),
    );
  });

  test.each(PACKAGES)(
    'has the packages of ours on which $name depends',
    ({ folder, dependencies }) => {
      const ours = PACKAGES.filter(({ name }) => dependencies.includes(name));
      expect(rows.find((row) => row.folder === folder)?.imports).toEqual(
        ours.map((other) => other.folder).sort(),
      );
    },
  );
});

describe('the drawing of folders', () => {
  const lines = DRAWING.split('\n');
  const leavesAt = lines.findIndex((line) => line.startsWith(' leaves: '));
  const table = FOLDERS['starkbox'] ?? {};
  /** The line on which each folder is drawn. */
  const lineOf = new Map(
    lines.flatMap((line, index) => {
      const words =
        line.replace(/@starkbox\/\w+/g, '').match(/[a-z][a-z0-9-]*(\/[a-z0-9-]+)*/g) ?? [];
      return words.map((word): [string, number] => [word, index]);
    }),
  );

  test('ends with the leaves', () => {
    const text = lines.slice(leavesAt).join(' ').replace('leaves:', '');
    const drawn = text.split(/[ ·]+/).filter(Boolean);
    expect(drawn.toSorted()).toEqual([...LEAVES].sort());
  });

  test('has every folder of the table, and no other', () => {
    const folders = Object.keys(table).filter((row) => existsSync(`${ROOT}${SOURCES}/${row}`));
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((folder) => !lineOf.has(folder))).toEqual([]);
    const drawn = [...lineOf.keys()].filter((word) => word.includes('/'));
    expect(drawn.filter((word) => !existsSync(`${ROOT}${SOURCES}/${word}`))).toEqual([]);
  });

  test('has no import that goes up', () => {
    const home = PACKAGES.find(({ name }) => name === 'starkbox');
    if (!home) throw new Error('no package starkbox');
    const up: string[] = [];
    let edges = 0;
    for (const [row, imported] of importedRows(readSources([SOURCES], /\.ts$/), home)) {
      const from = lineOf.get(row) ?? -1;
      for (const other of LEAVES.includes(row) ? [] : imported) {
        edges++;
        if ((lineOf.get(other) ?? -1) < from) up.push(`${row} → ${other}`);
      }
    }
    expect(edges).toBeGreaterThan(100);
    expect(up).toEqual([]);
  });
});

test('every row of the tables stands for a folder or a file', () => {
  const missing = Object.entries(FOLDERS).flatMap(([folder, table]) =>
    Object.keys(table)
      .map((row) => `packages/${folder}/src/${row.replace('/*', '')}`)
      .filter((path) => !existsSync(ROOT + path) && !existsSync(`${ROOT}${path}.ts`)),
  );
  expect(missing).toEqual([]);
});
