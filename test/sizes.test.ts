// Functions stay within 80 lines, tables aside.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/sizes.mjs', import.meta.url));

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });

test('no function of the repository is too long', () => {
  const { stdout, stderr, status } = run();
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});
