// What the regression bench compares with: it fails without an earlier build, and finds engines that were built before.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { previousBuild } from '../bench/regressions/previous-build.js';
import { temporaryFolder } from './support/temporary-folder.js';

const SCRIPTS = new URL('../scripts/', import.meta.url);

describe('without an earlier commit', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
    execFileSync('git', ['init', '--quiet', root]);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('the bench fails', async () => {
    await expect(previousBuild(root, 'HEAD^', false)).rejects.toThrow('--without-previous');
  });

  test('it goes on if it was told to', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    expect(await previousBuild(root, 'HEAD^', true)).toBeUndefined();
    expect(lines).toHaveBeenCalledOnce();
  });
});

const hasRust = spawnSync('rustc', ['-vV']).status === 0;
if (!hasRust) console.warn('Rust is not installed: kept builds of the engine were not looked for.');

test.runIf(hasRust)('an engine that was built for the sources of a commit is found', () => {
  const folder = realpathSync(temporaryFolder());
  const output = join(folder, 'engine');
  mkdirSync(output);
  writeFileSync(join(output, 'built.node'), 'an addon');
  const program = `
    const { BuiltEngine, builtFolderFor } = await import('${new URL('built-engine.mjs', SCRIPTS)}');
    const { hostTriple } = await import('${new URL('cargo.mjs', SCRIPTS)}');
    const root = ${JSON.stringify(fileURLToPath(new URL('../', SCRIPTS)))};
    const before = builtFolderFor(root);
    const build = new BuiltEngine({
      ...{ target: hostTriple(), profile: 'release', flag: '' },
      output: ${JSON.stringify(output)},
      files: () => ['built.node'],
    });
    build.save();
    console.log(JSON.stringify({ before, found: builtFolderFor(root) === build.folder }));
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { ...process.env, CARGO_TARGET_DIR: folder } },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ found: true });
});
