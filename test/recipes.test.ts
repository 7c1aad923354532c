// The pages for contributors name files and commands that exist.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'packages/starkbox/src');
const PAGES = [
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/how-it-works/internals.md',
  'docs/how-it-works/engine.md',
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
    const isKept = (path: string): boolean => !path.split('/').includes('dist');
    expect(paths.length).toBeGreaterThan(0);
    const folder = (path: string): string =>
      TOP.test(path) ? ROOT : /\.tsx?$/.test(path) ? SOURCES : '';
    const missing = paths.filter(
      (path) => folder(path) !== '' && isKept(path) && !existsSync(join(folder(path), path)),
    );
    expect(missing).toEqual([]);
  });

  test('links to files that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = '']) => to);
    const missing = links.filter((to) => !existsSync(join(ROOT, dirname(page), to)));
    expect(missing).toEqual([]);
  });

  test('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    const ofExplorer = new Set(['screenshots']);
    expect(named.filter((name) => !(name in scripts) && !ofExplorer.has(name))).toEqual([]);
  });
});

test('the drawing has every folder of the sources, and no other', () => {
  const drawing = /```\n([\s\S]*?)```/.exec(read('ARCHITECTURE.md'))?.[1] ?? '';
  const words = new Set(
    drawing.replace('@starkbox/engine', '').match(/[a-z][a-z0-9-]*(\/[a-z-]+)?/g) ?? [],
  );
  const rules = read('test/architecture/rules.ts');
  const table = /const STARKBOX[^{]*\{([\s\S]*?)\n\};/.exec(rules)?.[1] ?? '';
  const rows = [...table.matchAll(/^ {2}'?([\w/-]+)'?: \{/gm)].map(([, row = '']) => row);
  expect(rows.length).toBeGreaterThan(20);
  const drawn = rows.filter((row) => existsSync(join(SOURCES, row)));
  expect(drawn.filter((row) => !words.has(row))).toEqual([]);
  const folders = [...words].filter((word) => word.includes('/'));
  expect(folders.filter((word) => !existsSync(join(SOURCES, word)))).toEqual([]);
});

test('the glossary has at most 20 terms', () => {
  const glossary = /## Glossary\n([\s\S]*?)\n## /.exec(read('ARCHITECTURE.md'))?.[1] ?? '';
  const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].slice(2);
  expect(terms.length).toBeGreaterThan(5);
  expect(terms.length).toBeLessThanOrEqual(20);
});
