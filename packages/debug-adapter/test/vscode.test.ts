// The extension of VS Code: its manifest has the arguments of the adapter, and its parts that need no editor.
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import {
  adapterCommand,
  launchOfLink,
  newestBundle,
  transactionIn,
} from '../../../editors/vscode/src/debug-session.js';
import { editorHints } from '../src/console.js';
import { LAUNCH_ARGUMENTS } from '../src/launch.js';

const HASH = '0x3a3cb4cf44edfbe03ccf9c2e35a2add28baed104f74c85e0f38719687a885e6';
const MANIFEST = JSON.parse(
  readFileSync(new URL('../../../editors/vscode/package.json', import.meta.url), 'utf8'),
);
const SOURCE = readFileSync(
  new URL('../../../editors/vscode/src/extension.ts', import.meta.url),
  'utf8',
);

test('the manifest has the arguments of the adapter', () => {
  const [{ configurationAttributes, type, languages }] = MANIFEST.contributes.debuggers;
  expect(type).toBe('starkbox');
  expect(languages).toEqual(['cairo']);
  expect(configurationAttributes.launch.properties).toEqual(LAUNCH_ARGUMENTS);
});

test('the guide names each of them', () => {
  const guide = readFileSync(new URL('../../../docs/guides/debugger.md', import.meta.url), 'utf8');
  for (const name of Object.keys(LAUNCH_ARGUMENTS)) expect(guide).toContain(`\`${name}\``);
});

test('each command of the manifest is registered', () => {
  const commands: readonly { readonly command: string }[] = MANIFEST.contributes.commands;
  expect(commands.length).toBeGreaterThan(0);
  for (const { command } of commands) {
    expect(SOURCE).toContain(`registerCommand('${command}'`);
  }
});

test('the adapter of the project starts, or a chosen one, or the one on PATH; none is installed', () => {
  const folder = temporaryFolder();
  const project = join(folder, 'packages', 'contracts');
  const stdio = ['debug', '--stdio'];
  const bin = temporaryFolder();
  const path = ['', 'bin', temporaryFolder(), bin].join(delimiter);
  expect(() => adapterCommand(project, [], { path, platform: 'linux' })).toThrow('PATH');
  for (const name of ['starkbox', 'starkbox.cmd']) writeFileSync(join(bin, name), '');
  expect(adapterCommand(project, [], { path, platform: 'linux' })).toEqual({
    program: join(bin, 'starkbox'),
    args: stdio,
  });
  expect(adapterCommand(undefined, [], { path, platform: 'win32' })).toEqual({
    program: 'cmd',
    args: ['/c', join(bin, 'starkbox.cmd'), ...stdio],
  });
  expect(adapterCommand(project, ['bun', 'starkbox'], { path })).toEqual({
    program: 'bun',
    args: ['starkbox', ...stdio],
  });
  const script = join(folder, 'node_modules', 'starkbox', 'bin', 'starkbox.js');
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, '');
  for (const chosen of [[], ['bun', 'starkbox']]) {
    expect(adapterCommand(project, chosen)).toEqual({ program: 'node', args: [script, ...stdio] });
  }
});

test('the newest bundle of a failed test', () => {
  const folder = temporaryFolder();
  expect(newestBundle([folder])).toBeUndefined();
  const cache = join(folder, 'node_modules', '.cache', 'starkbox');
  const paths = ['b/old', 'new', 'a/older'].map((name) => join(cache, `${name}.starkbox-bundle`));
  for (const [age, path] of paths.entries()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    const time = 1_000_000 + (path.includes('new') ? 10 : -age);
    utimesSync(path, time, time);
  }
  writeFileSync(join(cache, 'fixture.image'), '');
  expect(newestBundle([temporaryFolder(), folder])).toBe(paths[1]);
});

test('a hash in a text', () => {
  expect(transactionIn(`reverted: ${HASH}.`)).toBe(HASH);
  expect(transactionIn('0x12')).toBeUndefined();
});

test('printed commands quote the name of a file', () => {
  const hints = editorHints({ bundle: `/tmp/a b'; rm -rf "c\\d` }, 'http://127.0.0.1:5050');
  expect(hints).toContain(String.raw`"bundle": "/tmp/a b'; rm -rf \"c\\d"`);
  expect(hints).toContain(String.raw`bundle = '/tmp/a b\'; rm -rf "c\\d' })`);
  expect(hints).toContain(String.raw`starkbox debug '/tmp/a b'\''; rm -rf "c\d' --port`);
});

test('a link opens a transaction of a node on this machine only', () => {
  const hints = editorHints({ transaction: HASH }, 'http://127.0.0.1:5050');
  const [, path = '', query = ''] =
    /vscode:\/\/starkbox\.starkbox-debug(\/\w+)\?(\S+)/.exec(hints) ?? [];
  expect(`${MANIFEST.publisher}.${MANIFEST.name}`).toBe('starkbox.starkbox-debug');
  expect(launchOfLink(path, query)).toEqual({
    type: 'starkbox',
    request: 'launch',
    name: `Transaction ${HASH.slice(0, 10)}`,
    transaction: HASH,
    url: 'http://127.0.0.1:5050',
  });
  expect(() => launchOfLink('/debug', 'url=http://127.0.0.1')).toThrow('no transaction');
  expect(() => launchOfLink('/debug', `transaction=${HASH}&url=http://evil.example`)).toThrow(
    'not on this machine',
  );
  expect(() => launchOfLink('/other', '')).toThrow('expected /debug');
  // Folders to read are not chosen by a link.
  expect(launchOfLink('/debug', `transaction=${HASH}&artifacts=/etc`)).not.toHaveProperty(
    'artifacts',
  );
});
