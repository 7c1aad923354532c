// Knows that the compatibility table is complete: it has every line of the checklist, and a test for each it does not excuse.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const CHECKLIST = here('../../../../../shared/reference/behaviour.md');
const FOLDERS = [
  'compatibility/chain',
  'compatibility/node',
  'compatibility/transactions',
  'fork',
  'l1',
  'subscriptions',
];
/** Sections that the table has line by line; of others it has single lines. */
const SECTIONS = numbers(1, 23).map((number) => `10.${number}`);

interface Row {
  readonly id: string;
  readonly where: string;
}

const rows = readRows(readFileSync(here('./compatibility.md'), 'utf8'));
const files = FOLDERS.flatMap((folder) =>
  readdirSync(here(`../${folder}`)).map((name) => `${folder}/${name}`),
)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, ids: readTestIds(readFileSync(here(`../${path}`), 'utf8')) }));

describe('the compatibility table', () => {
  const isThere = existsSync(CHECKLIST);
  if (!isThere) console.warn('The checklist is not beside the project: its lines are not counted.');
  test.skipIf(!isThere)('has every line of the checklist', () => {
    const lines = countLines(readFileSync(CHECKLIST, 'utf8'));
    for (const section of SECTIONS) {
      const positions = new Set(rows.filter(({ id }) => sectionOf(id) === section).map(positionOf));
      const expected = Array.from({ length: lines.get(section) ?? 0 }, (_, index) => index + 1);
      expect([...positions], section).toEqual(expected);
    }
  });

  test('names every line once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => /[a-z]$/.test(id) && ids.includes(id.slice(0, -1)))).toEqual([]);
  });

  test('says for every line where it is tested, or why not', () => {
    const vague = rows.filter(
      ({ where }) => !isFile(where) && !/^(differs: .{20,}|later: belongs to \w.+)$/.test(where),
    );
    expect(vague).toEqual([]);
  });

  test('has a test for every line that it does not excuse', () => {
    const untested = rows
      .filter(({ where }) => isFile(where))
      .filter(({ id, where }) => !files.some(({ path, ids }) => path === where && ids.has(id)))
      .map(({ id, where }) => `${id} in ${where}`);
    expect(untested).toEqual([]);
  });

  test('knows the line of every test', () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = files.flatMap(({ path, ids }) =>
      [...ids].filter((id) => !known.has(id)).map((id) => `${id} in ${path}`),
    );
    expect(unknown).toEqual([]);
  });
});

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function isFile(where: string): boolean {
  return /^(compatibility\/\w+|fork|l1|subscriptions)\/[\w-]+\.test\.ts$/.test(where);
}

function readRows(table: string): Row[] {
  return [...table.matchAll(/^\| (\d+\.\d+\.\S+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, id = '', , where = '']) => ({ id, where: where.trim() }),
  );
}

/** The ids that names of tests begin with: `test('10.1.1 …'`, or `test.each(…)('10.1.1 …'`. */
function readTestIds(source: string): Set<string> {
  const names = source.matchAll(/(?:\btest|\))\(\s*['"`](\d+\.\d+\.\d+[a-z]?)\b/g);
  return new Set([...names].map(([, id = '']) => id));
}

function countLines(checklist: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let section = '';
  for (const line of checklist.split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)*)?/.exec(line);
    if (heading) section = heading[1] ?? '';
    else if (line.startsWith('- ')) counts.set(section, (counts.get(section) ?? 0) + 1);
  }
  return counts;
}

function sectionOf(id: string): string {
  return id.split('.').slice(0, 2).join('.');
}

function positionOf({ id }: Row): number {
  return Number.parseInt(id.split('.')[2] ?? '', 10);
}
