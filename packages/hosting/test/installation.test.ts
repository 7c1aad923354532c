// The built command with and without this package, as npm installs them: folders of their own below node_modules.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-installed-'));
  install('starkbox', 'starkbox', ['package.json', 'bin', 'dist/bundle']);
  mkdirSync(join(folder, 'node_modules/@starkbox'));
  const manifest: unknown = JSON.parse(
    readFileSync(join(PACKAGES, 'starkbox/package.json'), 'utf8'),
  );
  for (const name of Object.keys(Object(manifest).dependencies)) {
    const source = realpathSync(join(PACKAGES, '../node_modules', name));
    symlinkSync(source, join(folder, 'node_modules', name), 'junction');
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param source the folder of a package of ours */
function install(name: string, source: string, paths: readonly string[]): void {
  for (const path of paths) {
    cpSync(join(PACKAGES, source, path), join(folder, 'node_modules', name, path), {
      recursive: true,
    });
  }
}

function run(file: string, ...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(folder, file), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: '' },
  });
}

const COMMAND = 'node_modules/starkbox/bin/starkbox.js';
const MISSING =
  '--instance-store needs the package @starkbox/hosting: run `npm install @starkbox/hosting` where starkbox is installed';

test.each([
  ['a node', ['--port', '0']],
  ['gc', ['gc']],
])('without it, %s names the package and how to install it', (_, args) => {
  const { status, stdout, stderr } = run(COMMAND, ...args, '--instance-store', 'store');
  expect(stderr).toContain(MISSING);
  expect(stdout).toBe('');
  expect(status).toBe(1);
});

test('with it, a node and its registry use the same modules', () => {
  install('@starkbox/hosting', 'hosting', ['package.json', 'dist']);
  cpSync(join(PACKAGES, 'hosting/test/support/installed-node.mjs'), join(folder, 'node.mjs'));
  const { stdout, stderr } = run('node.mjs', join(folder, 'store'));
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    minted: '1',
    // The class of the error is that of the node: any other is answered as an internal error.
    refused: {
      code: -1,
      message: 'With options the chain begins at a new genesis: omit either from or options',
    },
  });
  const collected = run(COMMAND, 'gc', '--instance-store', 'store');
  expect(collected.stdout).toContain('1 instances');
  expect(collected.status).toBe(0);
});

test('with another copy of starkbox, it is rejected', () => {
  install('@starkbox/hosting', 'hosting', ['package.json', 'dist']);
  install('@starkbox/hosting/node_modules/starkbox', 'starkbox', ['package.json', 'dist/bundle']);
  const { stderr, status } = run(COMMAND, '--port', '0', '--instance-store', 'store');
  expect(stderr).toContain('uses another copy of starkbox');
  expect(status).not.toBe(0);
});
