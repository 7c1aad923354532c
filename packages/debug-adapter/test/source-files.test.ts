// Paths of debug information, found on this machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { localPath } from '../src/source-files.js';

function projectWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('a path of debug information is never opened outside of the roots', () => {
  const folder = projectWith({ 'src/lib.cairo': 'mod a;' });
  const path = join(folder, 'src', 'lib.cairo');
  expect(localPath(path, [], 'mod a;')).toBeUndefined();
  expect(localPath(path, [temporaryFolder()], 'mod a;')).toBeUndefined();
  expect(localPath(path, [folder], 'mod a;')).toBe(path);
});

test('a file that was edited after the class was compiled is not taken', () => {
  const folder = projectWith({ 'src/lib.cairo': 'mod a;' });
  expect(localPath('src/lib.cairo', [folder], 'mod b;')).toBeUndefined();
  expect(localPath('src/lib.cairo', [folder], undefined)).toBeUndefined();
});

test('a path of another machine is found by its end', () => {
  const folder = projectWith({ 'src/token/erc20.cairo': 'mod a;' });
  const path = join(folder, 'src', 'token', 'erc20.cairo');
  for (const file of [
    '/home/ci/build/my_project/src/token/erc20.cairo',
    'C:\\build\\src\\token\\erc20.cairo',
    '\\\\host\\share\\src\\token\\erc20.cairo',
  ]) {
    expect(localPath(file, ['/nowhere', folder], 'mod a;'), file).toBe(path);
  }
});

test('a file of another package with the same end is not taken', () => {
  const folder = projectWith({ 'src/lib.cairo': 'mod mine;' });
  const file = '/home/ci/.cache/scarb/registry/dependency/src/lib.cairo';
  expect(localPath(file, [folder], 'mod theirs;')).toBeUndefined();
});

test('no path leads out of the roots', () => {
  const folder = projectWith({ 'src/lib.cairo': 'a', 'project/x.cairo': 'b' });
  expect(localPath('../src/lib.cairo', [join(folder, 'project')], 'a')).toBeUndefined();
  expect(localPath('src/lib.cairo\0', [folder], 'a')).toBeUndefined();
});
