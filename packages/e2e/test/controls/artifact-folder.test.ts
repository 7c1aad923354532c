// Watched folders of artifacts: one read at a time, cancelled by a stop, and regular files alone.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain, type Log } from 'starkbox';
import { expect, test, vi } from 'vitest';
import { classText, classTextWithPlaces } from '../../../../contracts/classes.js';
import { silentLog } from '../../../starkbox/src/log.js';

const text = await classText('counter');

/** A log that hands over the names of artifacts that are not used: each read logs a broken one once. */
function logOfBroken(onBroken: (file: string) => void): Log {
  return {
    ...silentLog,
    warn(first: unknown) {
      const [, file] = /^The artifact (\S+) is not used/.exec(String(first)) ?? [];
      if (file !== undefined) onBroken(file);
    },
  };
}

async function start(artifacts: string, log: Log): Promise<LocalChain> {
  const node = await createChain({ artifacts, accounts: 1 }, { log });
  closeAfterTest(() => node.close());
  return node;
}

const write = (folder: string, name: string, content: string) =>
  writeFile(join(folder, `${name}.sierra.json`), content);

/** A FIFO with a writer that writes nothing, so that a reader waits until the test has ended. */
function fifo(path: string): void {
  execFileSync('mkfifo', [path]);
  const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  closeAfterTest(() => closeSync(writer));
}

test('a folder that does not exist stops the start with a sentence', async () => {
  const folder = join(temporaryFolder(), 'target', 'dev');
  await expect(start(folder, silentLog)).rejects.toThrow(`--artifacts ${folder}: no such folder`);
});

test('a stop cancels the read that runs', async () => {
  const folder = temporaryFolder();
  const valid = Array.from({ length: 20 }, (_, at) => `m${at}`);
  for (const name of valid) await write(folder, name, text);
  const broken: string[] = [];
  let closed: Promise<void> | undefined;
  const node = await start(
    folder,
    logOfBroken((file) => {
      broken.push(file);
      closed ??= node.close();
    }),
  );
  const touched = new Date(0);
  for (const name of valid) await utimes(join(folder, `${name}.sierra.json`), touched, touched);
  await write(folder, 'z', 'broken');
  await write(folder, 'a', 'broken');
  await vi.waitUntil(() => closed !== undefined, { timeout: 20_000 });
  await closed;
  expect(broken).toEqual(['a.sierra.json']);
});

test('changes while a read runs lead to at most one more read', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 12 }, (_, at) => `m${String(at).padStart(2, '0')}`);
  // With debug information, so that several files take longer than changes are gathered.
  const long = await classTextWithPlaces('ledger');
  for (const name of names) await write(folder, name, long);
  let reads = 0;
  let isRunning = false;
  const markers = new Set<string>();
  const node = await start(
    folder,
    logOfBroken((file) => {
      if (file.startsWith('a.')) reads += 1;
      // Each broken file, once, leads to a change while the read runs.
      if (!isRunning || markers.has(file)) return;
      markers.add(file);
      void write(folder, 'late', `broken ${file}`);
    }),
  );
  isRunning = true;
  const touched = new Date(0);
  for (const name of names) await utimes(join(folder, `${name}.sierra.json`), touched, touched);
  for (const name of names.filter((_, at) => at % 3 === 2)) await write(folder, name, 'broken');
  await write(folder, 'a', 'broken');
  await write(folder, 'z', 'broken');
  await vi.waitUntil(() => markers.has('z.sierra.json'), { timeout: 60_000 });
  const readsOfChanges = reads;
  await node.close();
  expect(markers.size).toBeGreaterThan(5);
  expect(reads - readsOfChanges).toBeLessThanOrEqual(1);
});

test('a FIFO among the artifacts is left out', async () => {
  const folder = temporaryFolder();
  fifo(join(folder, 'early.sierra.json'));
  const broken: string[] = [];
  const node = await start(
    folder,
    logOfBroken((file) => broken.push(file)),
  );
  expect(broken).toEqual(['early.sierra.json']);
  fifo(join(folder, 'late.sierra.json'));
  await vi.waitUntil(() => broken.includes('late.sierra.json'), { timeout: 20_000 });
  await node.close();
});
