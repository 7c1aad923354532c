// Files and licences that published packages may have.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = new URL('../scripts/packages/contents.mjs', import.meta.url).href;

/** The result of a call, in a process of its own: scripts are not part of the program that tests are compiled with. */
function call(name: string, ...args: readonly unknown[]): unknown {
  const code = `import * as all from ${JSON.stringify(MODULE)};
    console.log(JSON.stringify(all[${JSON.stringify(name)}](...${JSON.stringify(args)})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

test('a file that no pattern lists, and one that is missing, are named', () => {
  const name = '@starkbox/starknet-devnet';
  expect(call('wrongFiles', name, [...ALWAYS, 'bin/starknet-devnet.js'])).toEqual([]);
  expect(call('wrongFiles', name, ['package.json', 'LICENSE', '.env'])).toEqual([
    `${name} has no README.md`,
    `${name} would publish .env, which scripts/packages/contents.mjs does not list`,
    `${name} has no file like ^bin\\/starknet-devnet\\.js$`,
  ]);
});

test('code under terms that are not listed is named', () => {
  const part = (expression: string) => ({
    name: expression,
    version: '1',
    licenses: [{ expression }],
  });
  const components = [
    'MIT',
    'MIT OR GPL-3.0-only',
    '(MIT OR Apache-2.0) AND Unicode-3.0',
    'MPL-2.0+',
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    '(MIT OR Apache-2.0) AND AGPL-3.0-only',
    'no licence named',
  ].map(part);
  const wrong = (name: string, of: string) => `${name} contains ${of} 1 under ${of}`;
  expect(call('wrongLicences', 'starkbox', { components })).toEqual(
    [
      'GPL-3.0-only',
      'MIT AND GPL-3.0-only',
      '(MIT OR Apache-2.0) AND AGPL-3.0-only',
      'no licence named',
    ].map((of) => wrong('starkbox', of)),
  );
  const argent = { components: [part('GPL-3.0-only')] };
  expect(call('wrongLicences', '@starkbox/argent-classes', argent)).toEqual([]);
});
