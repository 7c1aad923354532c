// The glibc that a binary needs, read from its symbols.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/packages/glibc.mjs', import.meta.url));

const TABLE = `
DYNAMIC SYMBOL TABLE:
0000000000000000      DF *UND*	0000000000000000 (GLIBC_2.2.5) free
0000000000000000      DF *UND*	0000000000000000 (GLIBC_2.34) dlsym
0000000000000000      DF *UND*	0000000000000000  GLIBC_2.9 accept4
0000000000000000  w   D  *UND*	0000000000000000  Base        __gmon_start__
0000000000012340 g    DF .text	0000000000000010 (GLIBC_2.99) defined_here
`;

function check(args: readonly string[], input = ''): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [SCRIPT, ...args], { input, encoding: 'utf8' });
}

test.each([
  ['2.31', 1, 'it needs glibc 2.34, more than 2.31: dlsym@2.34\n'],
  ['2.34', 0, 'it needs glibc 2.34\n'],
  // Versions are numbers: 9 is more than 3, and less than 34.
  ['2.3', 1, 'it needs glibc 2.34, more than 2.3: accept4@2.9, dlsym@2.34\n'],
])('with glibc %s as the oldest', (oldest, status, stdout) => {
  expect(check(['--oldest', oldest], TABLE)).toMatchObject({ status, stdout });
});

test.runIf(process.platform === 'linux')('the program that runs this needs some', () => {
  const { stdout } = check(['--oldest', '2.99', process.execPath]);
  expect(stdout).toMatch(/needs glibc 2\.\d+\n$/);
});
