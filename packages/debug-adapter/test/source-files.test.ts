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

test('an absolute path that exists is used as it is', () => {
  const folder = projectWith({ 'src/lib.cairo': 'mod a;' });
  const path = join(folder, 'src', 'lib.cairo');
  expect(localPath(path, [], undefined)).toBe(path);
  // The file was edited after the class was compiled.
  expect(localPath(path, [], 'mod b;')).toBe(path);
});

test('a path of another machine is found by its end', () => {
  const folder = projectWith({ 'src/token/erc20.cairo': 'mod a;' });
  const file = '/home/ci/build/my_project/src/token/erc20.cairo';
  expect(localPath(file, [folder], 'mod a;')).toBe(join(folder, 'src/token/erc20.cairo'));
  expect(localPath(file, ['/nowhere', folder], undefined)).toBe(
    join(folder, 'src/token/erc20.cairo'),
  );
});

test('a file of another package with the same end is not taken', () => {
  const folder = projectWith({ 'src/lib.cairo': 'mod mine;' });
  const file = '/home/ci/.cache/scarb/registry/dependency/src/lib.cairo';
  expect(localPath(file, [folder], 'mod theirs;')).toBeUndefined();
});

test('a bare name without a text is too little', () => {
  const folder = projectWith({ 'lib.cairo': 'mod mine;' });
  expect(localPath('/elsewhere/lib.cairo', [folder], undefined)).toBeUndefined();
  expect(localPath('lib.cairo', [folder], undefined)).toBe(join(folder, 'lib.cairo'));
});

test('no path leads out of the roots', () => {
  const folder = projectWith({ 'src/lib.cairo': 'a', 'project/x.cairo': 'b' });
  expect(localPath('../src/lib.cairo', [join(folder, 'project')], undefined)).toBeUndefined();
});
