// Files and licences that published packages may have.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const CONTENTS = new URL('../scripts/packages/contents.mjs', import.meta.url).href;

/** The result of a call, in a process of its own: scripts are not part of the program that tests are compiled with. */
function call(module: string, name: string, ...args: readonly unknown[]): unknown {
  const code = `import * as all from ${JSON.stringify(module)};
    const result = all[${JSON.stringify(name)}](...${JSON.stringify(args)});
    console.log(JSON.stringify(result ?? null));`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

test('a file that no pattern lists, and one that is missing, are named', () => {
  const name = '@starkbox/starknet-devnet';
  expect(call(CONTENTS, 'wrongFiles', name, [...ALWAYS, 'bin/starknet-devnet.js'])).toEqual([]);
  expect(call(CONTENTS, 'wrongFiles', name, ['package.json', 'LICENSE', '.env'])).toEqual([
    `${name} has no README.md`,
    `${name} would publish .env, which scripts/packages/contents.mjs does not list`,
    `${name} has no file like ^bin\\/starknet-devnet\\.js$`,
  ]);
});

test('code under terms that are not listed is named', () => {
  const expressions = [
    'MIT',
    'MIT OR GPL-3.0-only',
    '(MIT OR Apache-2.0) AND Unicode-3.0',
    'MPL-2.0+',
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    '(MIT OR Apache-2.0) AND AGPL-3.0-only',
    'no licence named',
  ];
  const parts = expressions.map((licence, at) => ({ name: `part-${at}`, version: '1', licence }));
  expect(() => call(CONTENTS, 'checkLicences', 'starkbox', parts)).toThrow(
    [
      'part-4 1 (GPL-3.0-only)',
      'part-5 1 (MIT AND GPL-3.0-only)',
      'part-6 1 ((MIT OR Apache-2.0) AND AGPL-3.0-only)',
      'part-7 1 (no licence named)',
    ].join(', '),
  );
  const gpl = parts.slice(4, 5);
  expect(call(CONTENTS, 'checkLicences', '@starkbox/argent-classes', gpl)).toBeNull();
});
