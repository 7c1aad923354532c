// Files named by callers and options: regular files only; others are refused at once.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openNode } from '@starkbox/test-support/fixture';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain, Log } from 'starkbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
const [pipe, socket, inner] = [join(folder, 'pipe'), join(folder, 'socket'), join(folder, 'inner')];
const link = join(folder, 'link-to-pipe');
execFileSync('mkfifo', [pipe]);
symlinkSync(pipe, link);
mkdirSync(inner);
const server = createServer();

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(socket, resolve));
});
afterAll(async () => {
  server.close();
});

async function start(changes: Partial<Config> = {}, log?: Log): Promise<LocalChain> {
  return openNode({ seed: 0, accounts: 1, ...changes }, log ? { log } : {});
}

const mint = (node: LocalChain): Promise<unknown> =>
  node.request('devnet_mint', { address: '0x1', amount: 1 });

const IRREGULAR: readonly (readonly [path: string, kind: RegExp])[] = [
  [pipe, /is a FIFO, not a regular file/],
  [link, /is a FIFO, not a regular file/],
  [socket, /is a socket, not a regular file/],
  [inner, /is a directory, not a regular file/],
  ['/dev/zero', /is a device, not a regular file/],
  ['/dev/null', /is a device, not a regular file/],
];

const WRONG: readonly (readonly [path: string, reason: RegExp])[] = [
  ['', /invalid path: it is empty/],
  ['\0', /invalid path: it contains a NUL character/],
  [`${folder}/a\0b`, /invalid path: it contains a NUL character/],
  ['x/'.repeat(3000), /invalid path: it is longer than 4096 bytes/],
];

describe('a call that names', () => {
  test.each(IRREGULAR)('%s is refused', async (path, kind) => {
    const node = await start({ dumpOn: 'request' });
    await mint(node);
    for (const [method, params] of [
      ['devnet_load', { path }],
      ['devnet_load', { path, format: 'image' }],
      ['devnet_dump', { path, format: 'image' }],
      ['devnet_dump', { path, format: 'journal' }],
      [
        'devnet_load',
        { events: [{ jsonrpc: '2.0', id: 0, method: 'devnet_load', params: { path } }] },
      ],
    ] as const) {
      const before = statSync(path).ino;
      await expect(node.request(method, params)).rejects.toMatchObject({
        code: -5,
        message: expect.stringMatching(kind),
      });
      await expect(node.request(method, params)).rejects.toThrow(path);
      expect(statSync(path).ino).toBe(before);
    }
    expect(readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([]);
  });

  test.each(WRONG)('%j is refused', async (path, reason) => {
    for (const dumpDir of [undefined, folder]) {
      const node = await start({ dumpOn: 'request', dumpDir });
      await mint(node);
      for (const [method, format] of [
        ['devnet_dump', 'image'],
        ['devnet_dump', 'journal'],
        ['devnet_load', 'image'],
        ['devnet_load', undefined],
      ] as const) {
        await expect(node.requestRaw(method, { path, format })).rejects.toMatchObject({
          code: -5,
          message: expect.stringMatching(dumpDir === undefined ? reason : /in the dump directory/),
        });
      }
    }
  });

  test('a folder that is not there, or a damaged file, gets an error with its name', async () => {
    const node = await start({ dumpOn: 'request' });
    await mint(node);
    const missing = join(folder, 'no', 'such');
    for (const format of ['image', 'journal']) {
      await expect(node.requestRaw('devnet_dump', { path: missing, format })).rejects.toThrow(
        `I/O error: ${missing}: no such file or directory`,
      );
    }
    const damaged = join(folder, 'damaged');
    for (const text of ['[{', '{}', 'SBXIMAGE\x01', 'SBXIMAGE\x07']) {
      writeFileSync(damaged, text);
      await expect(node.request('devnet_load', { path: damaged })).rejects.toThrow(
        `Deserialization error: ${damaged}: `,
      );
    }
  });

  test('a file of other programs gets an error that quotes nothing of it', async () => {
    const node = await start({ dumpOn: 'request' });
    const secret = join(folder, 'other');
    for (const text of [
      'root:x:0:0',
      '["root:x"]',
      '[{"root":1}]',
      '{"root',
      '"root',
      'SBXIMAGE\x01root',
    ]) {
      writeFileSync(secret, text);
      const { message } = await node.request('devnet_load', { path: secret }).then(
        () => ({ message: 'loaded' }),
        (error: Error) => error,
      );
      expect(message).toContain(secret);
      expect(message).not.toContain('root');
    }
  });
});

describe('an option that names', () => {
  test.each(IRREGULAR)('%s as the dump is refused at the start', async (path, kind) => {
    for (const dumpOn of [undefined, 'exit', 'block', 'request'] as const) {
      const starting = start({ dumpPath: path, ...(dumpOn ? { dumpOn } : {}) });
      await expect(starting).rejects.toThrow(kind);
      await expect(starting).rejects.toThrow(path);
    }
  });

  test.each(['exit', 'block', 'request'] as const)(
    'a place that cannot be written is refused at the start, with --dump-on %s',
    async (dumpOn) => {
      const missing = join(folder, 'no', 'such');
      await expect(start({ dumpOn, dumpPath: missing })).rejects.toThrow(
        `--dump-path: the folder ${join(folder, 'no')} does not exist`,
      );
      const file = join(folder, 'plain');
      writeFileSync(file, '[]');
      await expect(start({ dumpOn, dumpPath: join(file, 'dump') })).rejects.toThrow(
        /is not a folder/,
      );
      for (const [path, reason] of WRONG) {
        // An empty one is no value of the option in the first place.
        const refusal = path === '' ? /invalid value '' .*must be a path/ : reason;
        await expect(start({ dumpOn, dumpPath: path })).rejects.toThrow(refusal);
      }
    },
  );

  test.each(IRREGULAR)('%s as an account class is refused', async (path, kind) => {
    await expect(start({ accountClassCustom: path })).rejects.toThrow(kind);
  });
});

const COMMAND = fileURLToPath(new URL('../../../starkbox/bin/starkbox.js', import.meta.url));

test.each([
  ['inspect', pipe],
  ['diff', pipe, pipe],
  ['diff', pipe, pipe, '--names', pipe],
  ['--config', `${pipe}.mjs`],
  ['--config', `${pipe}.json`],
  ['--fork-network', 'http://127.0.0.1:9', '--fork-lock', pipe],
])('starkbox %s of a FIFO ends with its name', async (...words) => {
  for (const path of [`${pipe}.json`, `${pipe}.mjs`]) {
    if (!existsSync(path)) execFileSync('mkfifo', [path]);
  }
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...words], {
    encoding: 'utf8',
    timeout: 60_000,
    cwd: folder,
  });
  expect(status).toBeGreaterThan(0);
  expect(stderr).toMatch(/error: .*pipe.*is a FIFO, not a regular file/);
});

test('standard input is no file to load', async () => {
  const command = await RunningCommand.start(['--seed', '0']);
  await expect(command.call('devnet_load', { path: '/dev/stdin' })).rejects.toThrow(
    /\/dev\/stdin is a device, not a regular file/,
  );
  expect(await command.stop()).toBe(0);
});

test('with --dump-on block, a write that fails is logged, and the next change brings the file up to date', async () => {
  const errors: string[] = [];
  const error = (words: object | string): void => void errors.push(String(words));
  const quiet = (): void => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error };
  const path = join(folder, 'followed.json');
  const node = await start({ dumpOn: 'block', dumpPath: path }, log);
  // Without the record of its accounts.
  const written = (): unknown => JSON.parse(readFileSync(path, 'utf8')).slice(1);
  await mint(node);
  expect(written()).toHaveLength(1);
  rmSync(path);
  mkdirSync(path);
  // The change happened, so that is the answer.
  expect(await mint(node)).toMatchObject({ new_balance: '2' });
  expect(await node.request('devnet_createBlock')).toMatchObject({
    block_hash: expect.any(String),
  });
  expect(errors).toHaveLength(2);
  expect(errors[0]).toContain(`could not be written to ${path}`);
  rmSync(path, { recursive: true });
  await mint(node);
  expect(written()).toHaveLength(4);
  // Another program has replaced the file.
  writeFileSync(path, '[');
  await mint(node);
  expect(written()).toHaveLength(5);
  rmSync(path);
  mkdirSync(path);
  await mint(node);
  rmSync(path, { recursive: true });
  await node.close();
  expect(written()).toHaveLength(6);
  expect(errors).toHaveLength(3);
});

describe('drafts', () => {
  /** The id of a process that has ended. */
  const gone = (): number => spawnSync(process.execPath, ['--version']).pid;

  test('of processes that are gone are removed by the next dump, and others stay', async () => {
    const node = await start({ dumpOn: 'request' });
    await mint(node);
    for (const format of ['image', 'journal']) {
      const path = join(inner, `chain.${format}`);
      const [stale, old, ownDraft] = [
        `${path}.${gone()}-1.draft`,
        `${path}.${gone()}.draft`,
        `${path}.${process.pid}-9999.draft`,
      ];
      const otherDrafts = [
        `${path}.${process.ppid}-1.draft`,
        `${join(inner, 'other')}.${gone()}-1.draft`,
        `${path}.draft`,
        `${path}.x.draft`,
      ];
      for (const draft of [stale, old, ownDraft, ...otherDrafts]) writeFileSync(draft, '');
      await node.requestRaw('devnet_dump', { path, format });
      expect([stale, old, ownDraft].filter((draft) => existsSync(draft))).toEqual([]);
      expect(otherDrafts.filter((draft) => !existsSync(draft))).toEqual([]);
    }
  });

  test('are removed at a start with the path', async () => {
    const dumpPath = join(inner, 'at-start');
    const stale = `${dumpPath}.${gone()}-1.draft`;
    writeFileSync(stale, '');
    await start({ dumpPath });
    expect(existsSync(stale)).toBe(false);
  });

  test('of dumps to the same file at once do not disturb each other', async () => {
    const node = await start();
    const path = join(inner, 'same');
    const dump = () => node.request('devnet_dump', { path, format: 'image' });
    await Promise.all([dump(), dump(), dump()]);
    await node.request('devnet_load', { path });
    expect(readdirSync(inner).filter((name) => name.startsWith('same'))).toEqual(['same']);
  });
});
