// Lock files: a run on a fork repeated without its origin, from a readable file.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { balanceSlot, STRK } from '@starkbox/test-support/signing';
import { afterAll, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import type { OriginClient } from '../../src/fork/origin/client.js';
import { type Log, silentLog } from '../../src/log.js';
import { mint, startOrigin } from '../support/fork/origin.js';
import { classHashOf, classText, nonceOf, storageOf } from '../support/fork/state-reads.js';

const origin = await startOrigin();
await mint(origin.node, '0x1234', 1000);
const lockFile = join(origin.folder, 'fork.lock.json');
afterAll(() => origin.close());

/** Some of everything. */
async function suite(upstream: OriginClient): Promise<readonly unknown[]> {
  const block_id = { block_number: 0 };
  return [
    upstream.chainId,
    upstream.block,
    await storageOf(upstream, STRK, balanceSlot('0x1234')),
    await nonceOf(upstream, '0x77'),
    await classHashOf(upstream, STRK),
    await classText(upstream, await classHashOf(upstream, STRK)),
    await upstream.forward('starknet_getBlockWithTxs', { block_id }),
    await upstream
      .forward('starknet_getTransactionByHash', { transaction_hash: '0x5' })
      .catch((error: unknown) => (error instanceof RpcError ? error.code : error)),
  ];
}

test('what was recorded is answered offline, byte for byte', async () => {
  const online = await origin.connect({ lockFile });
  const answers = await suite(online);
  await online.close();
  const { proxy } = origin;
  proxy.forget();
  const offline = await origin.connect({ lockFile, offline: true });
  expect(await suite(offline)).toEqual(answers);
  expect(offline.firstMissing).toBeUndefined();
  await expect(nonceOf(offline, '0x4713')).rejects.toMatchObject({ kind: 'missing' });
  expect(proxy.requests).toBe(0);
});

test('it is sorted, one line for each read, and the same whatever the order of the reads', async () => {
  const other = join(origin.folder, 'other.lock.json');
  for (const [file, keys] of [
    [lockFile, ['0x1', '0x2', '0x3']],
    [other, ['0x3', '0x1', '0x2']],
  ] as const) {
    const upstream = await origin.connect({ lockFile: file, block: 1 });
    if (file === other) await suite(upstream);
    for (const key of keys) await storageOf(upstream, STRK, key);
    await upstream.close();
  }
  const text = await readFile(lockFile, 'utf8');
  expect(await readFile(other, 'utf8')).toBe(text);
  const names = text.split('\n').flatMap((line) => /^ {4}"([^"]*)/.exec(line)?.[1] ?? []);
  const reads = names.filter((name) => /^(storage|nonce|class_hash) /.test(name));
  expect(reads.filter((name) => name.startsWith('storage'))).toHaveLength(4);
  expect(reads).toEqual(reads.toSorted());
  expect(JSON.parse(text)).toMatchObject({ version: 1, chain_id: '0x534e5f5345504f4c4941' });
});

test('offline names the first read that is missing', async () => {
  const complaints: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => void complaints.push(fields) };
  const offline = await origin.connect({ urls: [], lockFile, offline: true, log });
  const name = `storage ${STRK} 0x4711`;
  await expect(storageOf(offline, STRK, '0x4711')).rejects.toMatchObject({
    kind: 'missing',
    data: { reason: expect.stringContaining(`${lockFile} does not have ${name}; run once with`) },
  });
  await expect(nonceOf(offline, '0x4712')).rejects.toMatchObject({ kind: 'missing' });
  expect(offline.firstMissing).toBe(name);
  expect(complaints).toHaveLength(1);
});

test('online, an origin that does not respond is reported with the file, which is enough offline', async () => {
  const urls = ['http://127.0.0.1:1'];
  const recording = join(origin.folder, 'dead.lock.json');
  const connected = () => origin.connect({ urls, lockFile: recording });
  const advice = `${recording} has block 0: add --offline`;
  const reasonOf = (error: unknown) => (error instanceof RpcError ? error.message : error);
  expect(await connected().catch(reasonOf)).not.toContain('--offline');
  await (await origin.connect({ lockFile: recording, block: 0 })).close();
  expect(await connected().catch(reasonOf)).toContain(advice);
  const offline = await origin.connect({ urls: [], lockFile: recording, offline: true });
  expect(offline.block.number).toBe(0);
});

test('its block is forked again while the origin goes on', async () => {
  await mint(origin.node, '0x1234', 500);
  const pinned = await origin.connect({ lockFile });
  expect(pinned.block.number).toBe(1);
  expect(await storageOf(pinned, STRK, balanceSlot('0x1234'))).toBe('0x3e8');
  origin.proxy.forget();
  await suite(pinned);
  expect(origin.proxy.reads).toBe(0);
});

test('what comes from the cache is recorded as well', async () => {
  const cacheDirectory = join(origin.folder, 'cache');
  const first = await origin.connect({ cacheDirectory, block: 1 });
  const answers = await suite(first);
  await first.close();
  const file = join(origin.folder, 'cached.lock.json');
  const second = await origin.connect({ cacheDirectory, lockFile: file, block: 1 });
  await suite(second);
  await second.close();
  const offline = await origin.connect({ urls: [], lockFile: file, offline: true });
  expect(await suite(offline)).toEqual(answers);
});

test('reads of earlier blocks are kept apart from those of the fork point', async () => {
  const file = join(origin.folder, 'earlier.lock.json');
  const read = async (upstream: OriginClient): Promise<readonly unknown[]> => {
    const earlier = await upstream.at(0);
    const hash = await classHashOf(earlier, STRK);
    return [
      await storageOf(earlier, STRK, balanceSlot('0x1234')),
      await storageOf(upstream, STRK, balanceSlot('0x1234')),
      await classText(earlier, hash),
      await classText(upstream, hash),
      await classText(earlier, '0x9'),
    ];
  };
  const online = await origin.connect({ lockFile: file, block: 1 });
  const answers = await read(online);
  expect(answers.slice(0, 2)).toEqual(['0x0', '0x3e8']);
  await online.close();
  const offline = await origin.connect({ urls: [], lockFile: file, offline: true });
  expect(await read(offline)).toEqual(answers);
});

test('two runs at the same time both end up in it', async () => {
  const file = join(origin.folder, 'two.lock.json');
  const [first, second] = await Promise.all([
    origin.connect({ lockFile: file, block: 1 }),
    origin.connect({ lockFile: file, block: 1 }),
  ]);
  await storageOf(first, STRK, '0x1');
  await storageOf(second, STRK, '0x2');
  await first.close();
  await second.close();
  const offline = await origin.connect({ urls: [], lockFile: file, offline: true });
  expect([
    await storageOf(offline, STRK, '0x1'),
    await storageOf(offline, STRK, '0x2'),
  ]).toHaveLength(2);
});

test('another block starts a new file, and prefetches the same reads', async () => {
  const file = join(origin.folder, 'anew.lock.json');
  const first = await origin.connect({ lockFile: file, block: 1 });
  await storageOf(first, STRK, balanceSlot('0x1234'));
  await first.close();
  const second = await origin.connect({ lockFile: file, block: 2 });
  await expect.poll(() => second.figures().prefetched).toBe(1);
  expect(await storageOf(second, STRK, balanceSlot('0x1234'))).toBe('0x5dc');
  await second.close();
  const offline = await origin.connect({ urls: [], lockFile: file, offline: true });
  expect(offline.block.number).toBe(2);
});

test.each([
  ['no lock file', {}],
  ['a lock file that is not there', { lockFile: '/nowhere/fork.lock.json' }],
])('offline with %s is refused', async (_name, options) => {
  await expect(origin.connect({ urls: [], offline: true, ...options })).rejects.toMatchObject({
    kind: 'missing',
  });
});

test('offline with a lock file of another block is refused', async () => {
  await expect(
    origin.connect({ urls: [], offline: true, lockFile, block: 2 }),
  ).rejects.toMatchObject({ kind: 'missing' });
});

test('one of another version names the ways out', async () => {
  const file = join(origin.folder, 'newer.lock.json');
  await writeFile(file, '{"version":9}');
  await expect(origin.connect({ lockFile: file })).rejects.toThrow(
    /made by another version of Starkbox: delete it, or open it with the version that wrote it/,
  );
});

test.each(['{', '[]', '{"version":"1"}', '{"version":1}'])('%s is no lock file', async (text) => {
  const file = join(origin.folder, 'broken.lock.json');
  await writeFile(file, text);
  await expect(origin.connect({ lockFile: file })).rejects.toThrow(
    /is not the lock file of a fork/,
  );
});

test('a short one whose classes unpack to very much is rejected', async () => {
  const file = join(origin.folder, 'inflating.lock.json');
  const packed = deflateSync(Buffer.alloc(9 << 20, ' ')).toString('base64');
  const classes = Object.fromEntries(['0x5', '0x6', '0x7', '0x8'].map((hash) => [hash, packed]));
  const block = { block_number: 1 };
  await writeFile(file, JSON.stringify({ version: 1, chain_id: '0x1', block, classes }));
  await expect(origin.connect({ urls: [], lockFile: file, offline: true })).rejects.toThrow(
    `${file} is not the lock file of a fork: its class 0x7 cannot be unpacked`,
  );
});

test('one with a class that cannot be unpacked is refused, and the class is named', async () => {
  const damaged = join(origin.folder, 'damaged.lock.json');
  const classes = { '0x5': 'eJyrVkpUsjCsBQAIKgIJ' };
  const block = { block_number: 1 };
  await writeFile(damaged, JSON.stringify({ version: 1, chain_id: '0x1', block, classes }));
  await expect(origin.connect({ urls: [], lockFile: damaged, offline: true })).rejects.toThrow(
    `${damaged} is not the lock file of a fork: its class 0x5 cannot be unpacked`,
  );
});
