// Which files of a package are read, whatever path debug information names.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { describe, expect, test } from 'vitest';
import { withExcerpts } from '../../src/debug-info/excerpts.js';
import { GivenTexts, MAX_TEXT_LENGTH, PackageTexts } from '../../src/debug-info/source-texts.js';

const base = await realpath(await mkdtemp(join(tmpdir(), 'texts-')));
closeAfterFile(() => rm(base, { recursive: true }));
const root = join(base, 'app');
const outside = join(base, 'app-secrets');
for (const folder of [join(root, 'src', 'folder.cairo'), join(root, 'target', 'dev'), outside]) {
  await mkdir(folder, { recursive: true });
}
const write = (text: string, ...path: readonly string[]) => writeFile(join(base, ...path), text);
await write('[package]', 'app', 'Scarb.toml');
await write('fn one() {}\n', 'app', 'src', 'lib.cairo');
await write('notes', 'app', 'notes.txt');
await write('secret', 'app-secrets', 'lib.cairo');
await write('x'.repeat(MAX_TEXT_LENGTH + 1), 'app', 'src', 'large.cairo');
await write('x'.repeat(MAX_TEXT_LENGTH), 'app', 'src', 'long.cairo');
await symlink(join(outside, 'lib.cairo'), join(root, 'src', 'linked.cairo'));
await symlink(outside, join(root, 'src', 'linked'));
await symlink(join(root, 'notes.txt'), join(root, 'src', 'notes.cairo'));
await symlink(join(root, 'src', 'lib.cairo'), join(root, 'src', 'inner.cairo'));
await symlink(join(root, 'src', 'lib.cairo'), join(outside, 'inwards.cairo'));
execFileSync('mkfifo', [join(root, 'src', 'fifo.cairo')]);

const artifact = join(root, 'target', 'dev', 'app.contract_class.json');
const read = async (file: string, time = Date.now() + 60_000) =>
  (await PackageTexts.of(artifact, time))?.read(file);

describe('a file of the package is read', () => {
  test.each([
    ['by its whole path', join(root, 'src', 'lib.cairo')],
    ['from the folder of the package', 'src/lib.cairo'],
    ['from the folder above', 'app/src/lib.cairo'],
    ['by a path with steps up that stays inside', 'src/../../app/src/lib.cairo'],
    ['by a link inside of the package', 'src/inner.cairo'],
  ])('%s', async (_, file) => {
    expect(await read(file)).toEqual({ text: 'fn one() {}\n', isNewer: false });
  });

  test('up to the largest size', async () => {
    expect((await read('src/long.cairo'))?.text.length).toBe(MAX_TEXT_LENGTH);
  });
});

test.each([
  ['a file outside, by its whole path', join(outside, 'lib.cairo')],
  ['a file outside, by steps up', '../app-secrets/lib.cairo'],
  [
    'a file outside, by steps up in a whole path',
    `${join(root, 'src')}/../../app-secrets/lib.cairo`,
  ],
  ['a file outside, from the folder above', 'app-secrets/lib.cairo'],
  ['a path outside, even if it is a link to a file inside', join(outside, 'inwards.cairo')],
  ['a link to a file outside', 'src/linked.cairo'],
  ['a file in a link to a folder outside', 'src/linked/lib.cairo'],
  ['another kind of file', 'notes.txt'],
  ['a link to another kind of file', 'src/notes.cairo'],
  ['a file of the system', '/etc/passwd'],
  ['a path with a NUL', '/etc/passwd\0.cairo'],
  ['a folder', 'src/folder.cairo'],
  ['a FIFO, which would block', 'src/fifo.cairo'],
  ['a file that is too large', 'src/large.cairo'],
  ['no file', 'src/absent.cairo'],
  ['a path that is too long', `${'x/'.repeat(10_000)}y.cairo`],
  ['nothing', ''],
])('not read: %s', async (_, file) => {
  expect(await read(file)).toBeUndefined();
});

test('a file that changed after the class was compiled is known to be newer', async () => {
  const file = join(root, 'src', 'lib.cairo');
  await utimes(file, 2_000, 2_000);
  expect((await read('src/lib.cairo', 1_999_000))?.isNewer).toBe(true);
  expect((await read('src/lib.cairo', 2_000_000))?.isNewer).toBe(false);
});

test('without a Scarb.toml above, no file is read', async () => {
  const alone = join(outside, 'x.contract_class.json');
  expect(await PackageTexts.of(alone, 0)).toBeUndefined();
});

describe('an excerpt', () => {
  const numbers = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
  const excerptAt = async (line: number, text = `${numbers.join('\n')}\n`) => {
    const texts = new GivenTexts({ 'a.cairo': text }, new Set(['a.cairo']));
    const [first] = await withExcerpts(
      [{ function: 'f', file: 'a.cairo', line, column: 1 }],
      texts,
    );
    return first?.excerpt;
  };

  test('has the lines around, as far as there are any', async () => {
    expect(await excerptAt(1)).toEqual({ first_line: 1, lines: numbers.slice(0, 7) });
    expect(await excerptAt(10)).toEqual({ first_line: 4, lines: numbers.slice(3, 16) });
    expect(await excerptAt(20)).toEqual({ first_line: 14, lines: numbers.slice(13) });
    expect(await excerptAt(21)).toBeUndefined();
  });

  test('steers no terminal and keeps the columns', async () => {
    const excerpt = await excerptAt(1, '\tlet a = "\u001b[31m\u202e😀";\r\nnext');
    expect(excerpt?.lines).toEqual([' let a = "\ufffd[31m\ufffd😀";', 'next']);
    expect((await excerptAt(1, 'y'.repeat(1_000)))?.lines).toEqual([`${'y'.repeat(240)}…`]);
  });

  test('is given to the first lines of a long stack only', async () => {
    const texts = new GivenTexts({ 'a.cairo': 'x' }, new Set(['a.cairo']));
    const stack = Array.from({ length: 90 }, () => ({ function: 'f', file: 'a.cairo', line: 1 }));
    const lines = await withExcerpts(stack, texts);
    expect(lines.length).toBe(90);
    expect(lines.filter(({ excerpt }) => excerpt).length).toBe(16);
  });
});
