// The lock file of programs that exit without closing their chain, alone or several at once.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FileLock } from '@starkbox/engine';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, expect, test } from 'vitest';
import { FileError } from '../../../src/files/regular-file.js';
import { LockFile } from '../../../src/fork/origin/lock-file.js';
import { createChain } from '../../../src/index.js';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const PROCESSES = 6;

/** Reads a slot of the network, and exits at once. */
const PROGRAM = `
  import { mkdirSync } from 'node:fs';
  import { createChain } from 'starkbox';
  const [forkNetwork, forkLock, key] = process.argv.slice(1);
  const chain = await createChain({ seed: 1, forkNetwork, forkLock, forkUpstreamCaching: false });
  await chain.request('starknet_getStorageAt', {
    block_id: 'latest', contract_address: chain.tokens.strk.address, key,
  });
  if (key === '0xf') mkdirSync(forkLock);
  if (key === '0xdead') throw new Error('as the program says');
  process.exit(0);
`;

const folder = temporaryFolderOfFile();
const origin = await createChain({ seed: 0, port: 0 });
const url = (await origin.listen()).url;
afterAll(() => origin.close());

async function run(
  lockFile: string,
  key: string,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const args = ['--input-type=module', '-e', PROGRAM, '--', url, lockFile, key];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve).on('error', reject);
  });
  return { errors: await text(child.stderr), code: await code };
}

const slot = (key: string): string => `storage ${origin.tokens.strk.address} ${key}`;

test('what was read is written at the exit', async () => {
  const file = join(folder, 'new', 'exit.lock.json');
  expect(await run(file, '0x1')).toMatchObject({ code: 0, errors: '' });
  expect((await LockFile.open(file)).answer(slot('0x1'))).toBe('"0x0"');
});

test('also after an error that nothing has caught', async () => {
  const file = join(folder, 'thrown.lock.json');
  expect(await run(file, '0xdead')).toMatchObject({ code: 1 });
  expect((await LockFile.open(file)).answer(slot('0xdead'))).toBe('"0x0"');
});

test('processes that exit together lose nothing of each other', async () => {
  const file = join(folder, 'together.lock.json');
  const keys = Array.from({ length: PROCESSES }, (_, index) => `0x${index + 1}`);
  const ends = await Promise.all(keys.map((key) => run(file, key)));
  expect(ends.map(({ code }) => code)).toEqual(keys.map(() => 0));
  const lock = await LockFile.open(file);
  expect(keys.map((key) => lock.answer(slot(key)))).toEqual(keys.map(() => '"0x0"'));
});

test('a file that cannot be written is reported', async () => {
  const file = join(folder, 'taken.lock.json');
  const { code, errors } = await run(file, '0xf');
  expect({ code, errors }).toMatchObject({ code: 0, errors: expect.stringContaining(file) });
});

test('a process that never gives the lock back is named, and the file is written once it does', async () => {
  const file = join(folder, 'held.lock.json');
  const shared = join(tmpdir(), `starkbox-${process.getuid?.()}.lock`);
  const lock = await LockFile.open(file, 50);
  lock.begin({ chain_id: '0x1', block: {} });
  let writer: FileLock | undefined;
  // Other tests write lock files too.
  while (!writer) {
    writer = FileLock.take(shared);
    await setImmediate();
  }
  const failure = await lock.flush().catch((error: unknown) => error);
  writer.release();
  expect(failure).toBeInstanceOf(FileError);
  for (const path of [file, shared]) expect(String(failure)).toContain(path);
  await lock.flush();
  expect((await LockFile.open(file)).origin).toEqual({ chain_id: '0x1', block: {} });
});

test('a branch that ends writes what was read, without the end of its chain', async () => {
  const file = join(folder, 'branch.lock.json');
  const chain = await createChain({
    seed: 1,
    forkNetwork: url,
    forkLock: file,
    forkUpstreamCaching: false,
  });
  const branch = chain.branch();
  await branch.request('starknet_getStorageAt', {
    block_id: 'latest',
    contract_address: chain.tokens.strk.address,
    key: '0x7',
  });
  await branch.close();
  expect((await LockFile.open(file)).answer(slot('0x7'))).toBe('"0x0"');
  await chain.close();
});
