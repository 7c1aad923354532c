// Disk cache of the origin's answers: kept across processes; broken files are ignored.
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Class } from '@starkbox/engine';
import { balanceSlot, STRK } from '@starkbox/test-support/signing';
import { readOnlyFolder } from '@starkbox/test-support/store/small-disk';
import { afterAll, describe, expect, test } from 'vitest';
import { Cache } from '../../src/fork/origin/cache.js';
import { type Log, silentLog } from '../../src/log.js';
import { mint, startOrigin } from '../support/fork/origin.js';
import { classHashOf, classText, nonceOf, storageOf } from '../support/fork/state-reads.js';

/** Removed when the clients are closed, which write what was read. */
let readOnly: ReturnType<typeof readOnlyFolder> | undefined;

const origin = await startOrigin();
await mint(origin.node, '0x1234', 1000);
afterAll(async () => {
  await origin.close();
  readOnly?.remove();
});

const forkBlock = { chainId: '0x534e5f5345504f4c4941', number: 7, hash: '0xabc', marks: [1] };
const open = (folder: string, changes: Partial<typeof forkBlock> = {}, log = silentLog) =>
  Cache.open(join(origin.folder, folder), { ...forkBlock, ...changes }, log);

async function fileOf(folder: string, name: string): Promise<string> {
  const root = join(origin.folder, folder);
  const files = await readdir(root, { recursive: true });
  return join(root, files.find((file) => file.endsWith(name)) ?? 'none');
}

describe('lines', () => {
  test('are there again', async () => {
    const cache = await open('again');
    cache.keepLine('nonce 0x1', '"0x5"');
    cache.keepLine('nonce 0x2', 'null');
    await cache.flush();
    const later = await open('again');
    expect(later.line('nonce 0x1')).toBe('"0x5"');
    expect(later.line('nonce 0x2')).toBe('null');
    expect(later.line('nonce 0x3')).toBeUndefined();
  });

  test.each([
    ['chain', { chainId: '0x534e5f4d41494e' }],
    ['block', { hash: '0xabd' }],
    ['block of the same hash', { marks: [2] }],
  ])('belong to one %s', async (_name, changes) => {
    const cache = await open('belong');
    cache.keepLine('nonce 0x1', '"0x5"');
    await cache.flush();
    expect((await open('belong', changes)).line('nonce 0x1')).toBeUndefined();
  });

  test('of processes that run at the same time are all kept', async () => {
    const caches = await Promise.all(Array.from({ length: 8 }, () => open('shared')));
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        caches.map((cache, writer) => {
          for (let line = 0; line < 50; line += 1)
            cache.keepLine(`nonce ${writer}-${round}-${line}`, '1');
          return cache.flush();
        }),
      );
    }
    const later = await open('shared');
    for (let writer = 0; writer < 8; writer += 1) {
      for (let round = 0; round < 20; round += 1) {
        expect(later.line(`nonce ${writer}-${round}-49`)).toBe('1');
      }
    }
  });

  test('that are cut off or changed are not there, and harm no others', async () => {
    const cache = await open('torn');
    cache.keepLine('nonce 0x1', '"0x1"');
    cache.keepLine('nonce 0x2', '"0x22222222222222"');
    await cache.flush();
    const file = await fileOf('torn', 'reads');
    await truncate(file, (await readFile(file)).length - 6);
    const torn = await open('torn');
    expect(torn.line('nonce 0x1')).toBe('"0x1"');
    expect(torn.line('nonce 0x2')).toBeUndefined();
    torn.keepLine('nonce 0x3', '"0x3"');
    await torn.flush();
    expect((await open('torn')).line('nonce 0x3')).toBe('"0x3"');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"0x1"', '"0x9"'));
    expect((await open('torn')).line('nonce 0x1')).toBeUndefined();
    expect((await open('torn')).line('nonce 0x3')).toBe('"0x3"');
  });
});

describe('files', () => {
  test('are there again unless they are broken', async () => {
    const cache = await open('files');
    await cache.keepClass('0x5', '{"abi":[]}');
    await cache.keepDocument('starknet_getBlockWithTxs {}', '{"result":{}}');
    const later = await open('files', { hash: '0xdef' });
    expect(await later.classText('0x5')).toBe('{"abi":[]}');
    expect(await later.document('starknet_getBlockWithTxs {}')).toBeUndefined();
    expect(await cache.document('starknet_getBlockWithTxs {}')).toBe('{"result":{}}');
    await appendFile(await fileOf('files', '0x5'), ' ');
    expect(await later.classText('0x5')).toBeUndefined();
  });

  test('that cannot be written are complained of once, and memory serves', async () => {
    const complaints: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void complaints.push(fields) };
    await writeFile(join(origin.folder, 'no-folder'), '');
    const cache = await open('no-folder', {}, log);
    cache.keepLine('nonce 0x1', '"0x5"');
    await cache.flush();
    await cache.keepClass('0x5', '{}');
    expect(cache.line('nonce 0x1')).toBe('"0x5"');
    expect(complaints).toHaveLength(1);
  });
});

describe('a fork with a cache', () => {
  const cacheDirectory = (): string => join(origin.folder, 'upstream');
  const slots = Array.from({ length: 500 }, (_, index) => `0x${(index + 1).toString(16)}`);

  test('reads each of 500 slots once, and never again in a later process', async () => {
    const { proxy } = origin;
    const first = await origin.connect({ cacheDirectory: cacheDirectory() });
    proxy.forget();
    const read = (upstream: typeof first) =>
      Promise.all(slots.map((slot) => storageOf(upstream, STRK, slot)));
    const cold = await read(first);
    const balance = await storageOf(first, STRK, balanceSlot('0x1234'));
    expect(balance).toBe('0x3e8');
    expect(proxy.reads).toBe(501);
    expect(await read(first)).toEqual(cold);
    expect(proxy.reads).toBe(501);
    await first.close();
    proxy.forget();
    const second = await origin.connect({ cacheDirectory: cacheDirectory() });
    expect(await read(second)).toEqual(cold);
    expect(await storageOf(second, STRK, balanceSlot('0x1234'))).toBe('0x3e8');
    expect(proxy.reads).toBe(0);
    expect(second.figures()).toMatchObject({ hits: 501, misses: 0 });
  });

  test('in a place that cannot be written tells so once, with its path and the way out', async () => {
    readOnly = readOnlyFolder();
    const warnings: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void warnings.push(fields) };
    const directory = join(readOnly.path, 'not', 'there');
    const upstream = await origin.connect({ cacheDirectory: directory, log });
    const earlier = await upstream.at(0);
    const block_id = { block_number: 0 };
    expect(await storageOf(upstream, STRK, balanceSlot('0x1234'))).toBe('0x3e8');
    expect(await storageOf(earlier, STRK, balanceSlot('0x1234'))).toBe('0x0');
    await upstream.forward('starknet_getStateUpdate', { block_id });
    await upstream.flush();
    origin.proxy.forget();
    expect(await storageOf(upstream, STRK, balanceSlot('0x1234'))).toBe('0x3e8');
    expect(origin.proxy.requests).toBe(0);
    await upstream.close();
    expect(warnings).toEqual([
      expect.stringContaining(`The fork cache ${directory} cannot be written`),
    ]);
    expect(warnings[0]).toContain('--fork-cache-dir');
    expect(warnings[0]).toContain('--fork-upstream-caching false');
  });

  test('keeps that something is not there', async () => {
    const directory = cacheDirectory();
    const first = await origin.connect({ cacheDirectory: directory });
    expect(await nonceOf(first, '0x77')).toBe('0x0');
    expect(await classHashOf(first, '0x77')).toBe('0x0');
    expect(await classText(first, '0x77')).toBeNull();
    await first.close();
    origin.proxy.forget();
    const second = await origin.connect({ cacheDirectory: directory });
    expect(await second.ask({ kind: 'nonce', address: '0x77' })).toBeNull();
    expect(await second.ask({ kind: 'class_hash', address: '0x77' })).toBeNull();
    expect(await second.ask({ kind: 'class', class_hash: '0x77' })).toBeNull();
    expect(origin.proxy.reads).toBe(0);
  });

  test('keeps classes and answers about the past', async () => {
    const directory = cacheDirectory();
    const hash = origin.node.accountClassHash;
    const block = { block_id: { block_number: 0 } };
    await origin.node.request('devnet_acceptOnL1', { starting_block_id: block.block_id });
    const first = await origin.connect({ cacheDirectory: directory });
    const text = await classText(first, hash);
    const answer = await first.forward('starknet_getBlockWithReceipts', block);
    await first.close();
    origin.proxy.forget();
    const second = await origin.connect({ cacheDirectory: directory });
    expect(await classText(second, hash)).toBe(text);
    expect(await second.forward('starknet_getBlockWithReceipts', block)).toEqual(answer);
    expect(origin.proxy.reads).toBe(0);
    expect(origin.proxy.count('starknet_getBlockWithReceipts')).toBe(0);
  });

  test('sees no class before it was declared, though a later fork has kept it', async () => {
    const cacheDirectory = join(origin.folder, 'later-class');
    const { node } = origin;
    const before = await origin.connect({ cacheDirectory });
    const file = new URL('../../../../contracts/cairo/counter.sierra.json', import.meta.url);
    const declared = await Class.compile(await readFile(file, 'utf8'));
    const { hash } = declared;
    const classes = [{ contract_class: JSON.parse(await declared.json()) }];
    await node.request('devnet_applyStateDiff', { state_diff: {}, classes });
    await node.request('devnet_createBlock');
    const after = await origin.connect({ cacheDirectory });
    expect(await classText(after, hash)).not.toBeNull();
    expect(await classText(before, hash)).toBeNull();
    const again = await origin.connect({ cacheDirectory, block: before.block.number });
    expect(await classText(again, hash)).toBeNull();
  });

  test('fetches a class once for all blocks where a contract has it', async () => {
    const cacheDirectory = join(origin.folder, 'one-class');
    const first = await origin.connect({ cacheDirectory, block: 0 });
    const text = await classText(first, await classHashOf(first, STRK));
    origin.proxy.forget();
    const second = await origin.connect({ cacheDirectory, block: 1 });
    expect(await classText(second, await classHashOf(second, STRK))).toBe(text);
    expect(origin.proxy.count('starknet_getClass')).toBe(0);
  });

  test('prefetches the reads of the previous run, at another block as well', async () => {
    const { proxy, node } = origin;
    const cacheDirectory = join(origin.folder, 'ahead');
    const first = await origin.connect({ cacheDirectory });
    await Promise.all(slots.slice(0, 120).map((slot) => storageOf(first, STRK, slot)));
    await nonceOf(first, STRK);
    await first.close();
    await mint(node, '0x99', 1);
    proxy.forget();
    const second = await origin.connect({ cacheDirectory });
    await expect.poll(() => second.figures().prefetched).toBe(121);
    expect(proxy.requests).toBe(1 + 2);
    proxy.forget();
    await Promise.all(slots.slice(0, 120).map((slot) => storageOf(second, STRK, slot)));
    expect(proxy.reads).toBe(0);
  });

  test('fails no one when asking ahead fails', async () => {
    const cacheDirectory = join(origin.folder, 'ahead-failing');
    const first = await origin.connect({ cacheDirectory });
    await storageOf(first, STRK, '0x1');
    await first.close();
    await mint(origin.node, '0x99', 1);
    const { proxy } = origin;
    proxy.mishap = ({ methods }) =>
      methods.includes('starknet_getStorageAt') ? { kind: 'status', status: 500 } : undefined;
    const second = await origin.connect({ cacheDirectory });
    await expect(storageOf(second, STRK, '0x1')).rejects.toMatchObject({ kind: 'http' });
    proxy.mishap = () => undefined;
    expect(await storageOf(second, STRK, '0x1')).toBe('0x0');
  });
});
