// The compatibility table: its ids are complete and unique, and every test that it names exists.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FOLDERS = [
  'compatibility/chain',
  'compatibility/node',
  'compatibility/transactions',
  'fork',
  'l1',
  'server',
  'subscriptions',
];
/** Unit tests that the table names. */
const UNIT_TESTS = [
  'packages/starkbox/test/cli/cli.test.ts',
  'packages/starkbox/test/config/rust-log.test.ts',
  'packages/starkbox/test/server/ws/slow-clients.test.ts',
];
interface Row {
  readonly id: string;
  readonly where: string;
}

const rows = readRows(readFileSync(here('./compatibility.md'), 'utf8'));
const files = FOLDERS.flatMap((folder) =>
  readdirSync(here(`../${folder}`)).map((name) => `${folder}/${name}`),
)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, file: here(`../${path}`) }))
  .concat(UNIT_TESTS.map((path) => ({ path, file: here(`../../../../${path}`) })))
  .map(({ path, file }) => ({ path, ids: readTestIds(readFileSync(file, 'utf8')) }));

describe('the compatibility table', () => {
  test('says for every statement where it is tested, or why not', () => {
    const vague = rows.filter(
      ({ where }) => !isFile(where) && !/^(differs: .{20,}|later: belongs to \w.+)$/.test(where),
    );
    expect(vague).toEqual([]);
  });

  test('names a test that exists', () => {
    const untested = rows
      .filter(({ where }) => isFile(where))
      .filter(({ id, where }) => !files.some(({ path, ids }) => path === where && ids.has(id)))
      .map(({ id, where }) => `${id} in ${where}`);
    expect(untested).toEqual([]);
  });

  test('has the id of every test', () => {
    const listed = new Set(rows.map(({ id }) => id));
    const missing = files.flatMap(({ path, ids }) =>
      [...ids].filter((id) => !listed.has(id)).map((id) => `${id} in ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

function isFile(where: string): boolean {
  return /^[\w/.-]+\.test\.ts$/.test(where);
}

function readRows(table: string): Row[] {
  return [...table.matchAll(/^\| ([\w-]+\.\d+[a-z]?) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, id = '', , where = '']) => ({ id, where: where.trim() }),
  );
}

/** The ids that names of tests begin with: `test('general.1 …'`, or `test.each(…)('general.1 …'`. */
function readTestIds(source: string): Set<string> {
  const names = source.matchAll(/(?:\btest|\))\(\s*['"`]([\w-]+\.\d+[a-z]?)\s/g);
  return new Set([...names].map(([, id = '']) => id));
}
