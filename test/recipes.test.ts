// The pages for contributors name files and commands that exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'packages/starkbox/src');
const PAGES = [
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/contributing/commands.md',
  'docs/contributing/internals.md',
  'docs/contributing/engine.md',
  'docs/contributing/releases.md',
  'docs/contributing/reliability.md',
  'docs/contributing/testing.md',
];
/** The first parts of paths from the root of the repository. */
const TOP = /^(packages|test|docs|scripts|bench|contracts|\.ci)(\/|$)/;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const quoted = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  test('names files and folders that exist', () => {
    const paths = quoted(text).filter((word) => /^[\w./-]+$/.test(word) && word.includes('/'));
    // What a build writes need not be there.
    const isKept = (path: string): boolean =>
      !path.split('/').some((part) => part === 'dist' || part === 'patched');
    expect(paths.length).toBeGreaterThan(0);
    const folder = (path: string): string =>
      TOP.test(path) ? ROOT : /\.tsx?$/.test(path) ? SOURCES : '';
    const missing = paths.filter(
      (path) => folder(path) !== '' && isKept(path) && !existsSync(join(folder(path), path)),
    );
    expect(missing).toEqual([]);
  });

  test('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    const ofExplorer = new Set(['screenshots']);
    expect(commands.filter((name) => !(name in scripts) && !ofExplorer.has(name))).toEqual([]);
  });
});

test('recipes name symbols that their files have', () => {
  const text = read('CONTRIBUTING.md').replaceAll(/\s+/g, ' ');
  const names = [...text.matchAll(/((?:`\w+`(?: or |, | and )?)+) (?:in|of) `([\w./-]+\.\w+)`/g)];
  expect(names.length).toBeGreaterThan(8);
  for (const [, symbols = '', file = ''] of names) {
    const missing = quoted(symbols).filter((symbol) => !read(file).includes(symbol));
    expect(missing, file).toEqual([]);
  }
});

test('every npm script is among the commands', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const page = read('docs/contributing/commands.md');
  const words = new Set(page.match(/[\w:-]+/g));
  expect(Object.keys(scripts).filter((name) => !words.has(name))).toEqual([]);
});

describe('guarantees', () => {
  const [, table = ''] =
    /^## Guarantees$(.*?)^## /ms.exec(read('docs/contributing/reliability.md')) ?? [];
  const rows = [...table.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .slice(2);

  test('are those of the page for users', () => {
    const bold = read('docs/features/guarantees.md').matchAll(/^- \*\*(.*?)\.?\*\*/gms);
    const promises = [...bold].map(([, text = '']) =>
      text.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1').replaceAll(/\s+/g, ' '),
    );
    expect(promises.length).toBeGreaterThan(9);
    expect(rows.map(([promise]) => promise)).toEqual(promises);
  });

  test.each(rows)(
    '%s: the line that was changed, and the test that failed, are there',
    (...row) => {
      const [, tests = '', line = '', change = ''] = row;
      const [file, code] = quoted(line);
      if (file === undefined) return expect(line).toBe('none');
      expect(readFileSync(join(SOURCES, file), 'utf8')).toContain(code);
      const texts = quoted(tests).map(read);
      const [, title = ''] = /"(.+)"/.exec(change) ?? [];
      expect(title).not.toBe('');
      expect(texts.some((text) => text.includes(title))).toBe(true);
    },
  );
});
