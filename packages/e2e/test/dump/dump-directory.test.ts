// Files that callers name stay in the dump directory, whatever they try.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startNode } from '@starkbox/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'starkbox-dump-dir-')));
const directory = join(root, 'dumps');
const outside = join(root, 'outside');
const secret = join(outside, 'secret.json');
mkdirSync(join(directory, 'sub'), { recursive: true });
mkdirSync(join(root, 'dumps-of-others'));
mkdirSync(outside);
writeFileSync(secret, '[]');
writeFileSync(join(root, 'dumps-of-others', 'secret.json'), '[]');
writeFileSync(join(directory, 'plain'), '[]');
symlinkSync(secret, join(directory, 'link-to-file'));
symlinkSync(outside, join(directory, 'link-to-folder'));
symlinkSync('..', join(directory, 'link-up'));
symlinkSync(join(outside, 'not-there-yet'), join(directory, 'link-to-nothing'));
symlinkSync('link-to-file', join(directory, 'link-to-link'));
symlinkSync(join(directory, 'plain'), join(directory, 'link-within'));
symlinkSync('/', join(directory, 'sub', 'root'));
symlinkSync('/dev/stdin', join(directory, 'link-to-device'));
linkSync(secret, join(directory, 'hard-link'));
execFileSync('mkfifo', [join(directory, 'pipe')]);

const options = { dumpDir: directory, dumpOn: 'request' } as const;
const { client, node, close } = await startNode(options);
afterAll(async () => {
  await close();
  rmSync(root, { recursive: true });
});

const DUMP_ERROR = -5;
const escapes: readonly string[] = [
  '../outside/secret.json',
  '..',
  '../../',
  '.',
  '../',
  './../outside/secret.json',
  'sub/../../outside/secret.json',
  'sub/../plain',
  'sub/..',
  'plain/..',
  'not-there/../../outside/secret.json',
  '../dumps-of-others/secret.json',
  '../dumps/plain',
  secret,
  join(directory, 'plain'),
  `/${secret}`,
  `//localhost${secret}`,
  '/etc/passwd',
  '/dev/stdout',
  '/proc/self/environ',
  `file://${secret}`,
  `C:${secret}`,
  'C:\\secret.json',
  '\\\\server\\share\\secret.json',
  '..\\outside\\secret.json',
  'sub\\..\\..\\outside\\secret.json',
  '%2e%2e/outside/secret.json\0',
  'plain\0.json',
  '../outside/secret.json\0plain',
  '',
  ' ',
  ' ../outside/secret.json',
  '.. /outside/secret.json',
  '.../../outside/secret.json',
  'sub//plain',
  'sub/',
  '~/secret.json',
  '~root/.profile',
  'link-to-file',
  'link-to-folder/secret.json',
  'link-to-folder/new.json',
  'link-up/outside/secret.json',
  'link-to-nothing',
  'link-to-link',
  'link-within',
  'sub/root/etc/passwd',
  'link-to-device',
  'hard-link',
  'pipe',
  'sub',
  'plain/secret.json',
  'new\nline',
  'NUL',
  'con.json',
  'plain::$DATA',
  'x'.repeat(5000),
  relative(process.cwd(), secret),
  `${'a/../'.repeat(20)}../outside/secret.json`,
];

/** All files, with what tells that one was written. */
function outsideFiles(): unknown {
  return [outside, join(root, 'dumps-of-others')].map((folder) =>
    readdirSync(folder).map((name) => {
      const { size, mtimeMs, ino } = statSync(join(folder, name));
      return [name, size, mtimeMs, ino, readFileSync(join(folder, name), 'utf8')];
    }),
  );
}

beforeAll(async () => {
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
});

test('there are enough ways to be tried', () => {
  expect(new Set(escapes).size).toBeGreaterThan(40);
});

test.each(escapes.map((path) => [path.slice(0, 60), path]))('%j is refused', async (_, path) => {
  const files = () => [outsideFiles(), readdirSync(directory), readdirSync(root)];
  const before = files();
  const blocks = await client.call('starknet_blockNumber');
  for (const [method, more] of [
    ['devnet_dump', {}],
    ['devnet_dump', { format: 'image' }],
    ['devnet_load', {}],
    ['sandbox_load', { format: 'journal' }],
  ] as const) {
    const call = { jsonrpc: '2.0', id: 1, method, params: { path, ...more } };
    const { error } = JSON.parse((await node.handle(JSON.stringify(call))) ?? '{}');
    expect([method, error?.code]).toEqual([method, DUMP_ERROR]);
    expect(error.message).not.toContain(root);
  }
  expect(files()).toEqual(before);
  expect(await client.call('starknet_blockNumber')).toBe(blocks);
});

test('files inside are accepted by their relative path', async () => {
  for (const [path, format] of [
    ['journal.json', 'journal'],
    ['sub/image', 'image'],
    ['..hidden', 'journal'],
    ['a b.json', 'journal'],
  ] as const) {
    await client.call('devnet_dump', { path, format });
    expect(existsSync(join(directory, path))).toBe(true);
    await client.call('devnet_load', { path });
  }
});

test('a directory that is itself a link is followed once', async () => {
  const alias = join(root, 'alias');
  symlinkSync(directory, alias);
  const other = await startNode({ dumpDir: alias, dumpOn: 'request' });
  await other.client.call('devnet_mint', { address: '0x1', amount: 1 });
  await other.client.call('devnet_dump', { path: 'through-alias.json' });
  expect(existsSync(join(directory, 'through-alias.json'))).toBe(true);
  await other.close();
});

test('a directory that is not there, or is none, is refused at the start', async () => {
  const missing = join(root, 'missing');
  await expect(startNode({ dumpDir: missing })).rejects.toThrow(
    `--dump-dir: the folder ${missing} does not exist`,
  );
  await expect(startNode({ dumpDir: secret })).rejects.toThrow(
    `--dump-dir: ${secret} is not a folder`,
  );
});

test('a directory that goes away holds nothing', async () => {
  const gone = join(root, 'gone');
  mkdirSync(gone);
  const other = await startNode({ dumpDir: gone, dumpOn: 'request' });
  rmSync(gone, { recursive: true });
  const failure = await other.client.failure('devnet_dump', { path: 'x.json' });
  expect(failure.code).toBe(DUMP_ERROR);
  await other.close();
});
