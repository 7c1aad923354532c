// Wrong answers of an origin: rejected before they are cached, and replaced where an older version has cached them.

import { join } from 'node:path';
import { membersOf } from '@starkbox/abi/basics';
import { Class } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { balanceSlot, STRK } from '@starkbox/test-support/signing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Cache } from '../../../src/fork/origin/cache.js';
import type { OriginClient } from '../../../src/fork/origin/client.js';
import { LockFile } from '../../../src/fork/origin/lock-file.js';
import { silentLog } from '../../../src/log.js';
import { mint, startOrigin, type TestOrigin } from '../../support/fork/origin.js';
import { classText, nonceOf, storageOf } from '../../support/fork/state-reads.js';

/** Hexadecimal and shorter than 32 bytes, but not below the prime. */
const TOO_LARGE = `0x${'f'.repeat(64)}`;
const ONCE = { attempts: 1 };

let origin: TestOrigin;
let hash: string;
/** The class of another contract. */
let wrongClass: unknown;
let blockHash: string;

beforeAll(async () => {
  origin = await startOrigin();
  await mint(origin.node, '0x1234', 1000);
  await mint(origin.node, '0x1234', 1000);
  hash = origin.node.tokens.strk.classHash;
  const accountClass = { block_id: 'latest', class_hash: origin.node.accountClassHash };
  wrongClass = await origin.node.requestRaw('starknet_getClass', accountClass);
  const params = { block_id: { block_number: 1 } };
  const block = await origin.node.requestRaw('starknet_getBlockWithTxHashes', params);
  blockHash = String(membersOf(block)['block_hash']);
});
afterEach(() => {
  origin.proxy.mishap = () => undefined;
});
afterAll(() => origin.close());

function answerWith(method: string, result: unknown): void {
  origin.proxy.mishap = () => ({ kind: 'result', of: method, result });
}

const isRight = async (text: string | null): Promise<boolean> =>
  text !== null && (await Class.hashOf(text)) === hash;

/** A cache as a client opens it. */
function cacheOf({ chainId, block }: OriginClient, directory: string): Promise<Cache> {
  const { number, parentHash, timestamp } = block;
  const forkBlock = { chainId, number, hash: block.hash, marks: [parentHash, timestamp] };
  return Cache.open(directory, forkBlock, silentLog);
}

describe('a class with another hash', () => {
  test('fails the read and is not cached', async () => {
    const cacheDirectory = join(origin.folder, 'wrong-class');
    const first = await origin.connect({ cacheDirectory, policy: ONCE });
    answerWith('starknet_getClass', wrongClass);
    await expect(classText(first, hash)).rejects.toMatchObject({ kind: 'malformed' });
    await first.close();
    origin.proxy.mishap = () => undefined;
    const second = await origin.connect({ cacheDirectory });
    expect(await isRight(await classText(second, hash))).toBe(true);
  });

  test('is asked for again', async () => {
    const client = await origin.connect();
    let wrong = 1;
    origin.proxy.mishap = ({ methods }) => {
      if (!methods.includes('starknet_getClass') || wrong === 0) return undefined;
      wrong -= 1;
      return { kind: 'result', of: 'starknet_getClass', result: wrongClass };
    };
    expect(await isRight(await classText(client, hash))).toBe(true);
    expect(wrong).toBe(0);
  });

  test('is replaced where the cache has it', async () => {
    const cacheDirectory = join(origin.folder, 'cached-class');
    const before = await origin.connect({ cacheDirectory });
    await before.close();
    const cache = await cacheOf(before, cacheDirectory);
    await cache.keepClass(hash, JSON.stringify(wrongClass));
    cache.keepLine(`class ${hash}`, 'true');
    await cache.flush();
    const client = await origin.connect({ cacheDirectory });
    expect(await isRight(await classText(client, hash))).toBe(true);
    const stored = await (await cacheOf(client, cacheDirectory)).classText(hash);
    expect(await isRight(stored ?? null)).toBe(true);
  });

  test('is replaced where the lock file has it', async () => {
    const lockFile = join(origin.folder, 'wrong.lock.json');
    const before = await origin.connect({ lockFile });
    await before.close();
    const lock = await LockFile.open(lockFile);
    lock.record(`class ${hash}`, JSON.stringify(wrongClass));
    await lock.flush();
    const client = await origin.connect({ lockFile });
    expect(await isRight(await classText(client, hash))).toBe(true);
    await client.close();
    const offline = await origin.connect({ lockFile, offline: true });
    expect(await isRight(await classText(offline, hash))).toBe(true);
  });

  test('is not cached either where a caller asks for it', async () => {
    const cacheDirectory = join(origin.folder, 'forwarded-class');
    const question = { block_id: { block_number: 1 }, class_hash: hash };
    const first = await origin.connect({ cacheDirectory, policy: ONCE });
    answerWith('starknet_getClass', wrongClass);
    await expect(first.forward('starknet_getClass', question)).rejects.toMatchObject({
      kind: 'malformed',
    });
    await first.close();
    origin.proxy.mishap = () => undefined;
    const second = await origin.connect({ cacheDirectory });
    expect(await isRight((await second.forward('starknet_getClass', question)).text)).toBe(true);
  });
});

describe('a number that is no felt', () => {
  test('fails the read and is not cached', async () => {
    const cacheDirectory = join(origin.folder, 'wrong-felt');
    const first = await origin.connect({ cacheDirectory, policy: ONCE });
    answerWith('starknet_getStorageAt', TOO_LARGE);
    const slot = balanceSlot('0x1234');
    await expect(storageOf(first, STRK, slot)).rejects.toMatchObject({ kind: 'malformed' });
    await first.close();
    origin.proxy.mishap = () => undefined;
    const second = await origin.connect({ cacheDirectory });
    expect(await storageOf(second, STRK, slot)).toBe('0x7d0');
  });

  test('is replaced where the cache or the lock file has it', async () => {
    const cacheDirectory = join(origin.folder, 'cached-felt');
    const lockFile = join(origin.folder, 'felt.lock.json');
    const before = await origin.connect({ cacheDirectory, lockFile });
    await before.close();
    const cache = await cacheOf(before, cacheDirectory);
    cache.keepLine('nonce 0x77', `"${TOO_LARGE}"`);
    await cache.flush();
    const lock = await LockFile.open(lockFile);
    lock.record('nonce 0x78', `"${TOO_LARGE}"`);
    await lock.flush();
    const client = await origin.connect({ cacheDirectory, lockFile });
    expect(await nonceOf(client, '0x77')).toBe('0x0');
    expect(await nonceOf(client, '0x78')).toBe('0x0');
    await client.close();
    expect((await cacheOf(client, cacheDirectory)).line('nonce 0x77')).toBe('null');
    expect((await LockFile.open(lockFile)).answer('nonce 0x78')).toBe('null');
  });
});

describe('an answer about something else', () => {
  test.each([
    ['starknet_getBlockWithTxs', { block_id: { block_number: 0 } }],
    ['starknet_getBlockWithTxHashes', { block_id: { block_number: 0 } }],
    ['starknet_getBlockWithReceipts', { block_id: { block_number: 0 } }],
  ])('is malformed: %s %j', async (method, params) => {
    const client = await origin.connect({ policy: ONCE });
    const other = { block_id: { block_number: 1 } };
    answerWith(method, await origin.node.requestRaw(method, other));
    await expect(client.forward(method, params)).rejects.toMatchObject({
      kind: 'malformed',
      reason: expect.stringContaining('another block: block_number 1 instead of 0'),
    });
    origin.proxy.mishap = () => undefined;
    const { text } = await client.forward(method, params);
    expect(membersOf(JSON.parse(text))['block_number']).toBe(0);
  });

  test('is malformed: a block by hash, and the fork point', async () => {
    const client = await origin.connect({ policy: ONCE });
    const method = 'starknet_getBlockWithTxHashes';
    answerWith(method, await origin.node.requestRaw(method, { block_id: { block_number: 0 } }));
    await expect(client.numberOf(blockHash)).rejects.toMatchObject({ kind: 'malformed' });
    await expect(origin.connect({ block: blockHash, policy: ONCE })).rejects.toMatchObject({
      kind: 'malformed',
    });
    origin.proxy.mishap = () => undefined;
    expect(await client.numberOf(blockHash)).toBe(1);
  });

  test.each(['starknet_getTransactionByHash', 'starknet_getTransactionReceipt'])(
    'is malformed: %s',
    async (method) => {
      const client = await origin.connect({ policy: ONCE });
      const [firstHash, secondHash] = await Promise.all(
        [1, 2].map((number) => firstTransaction(number)),
      );
      answerWith(method, await origin.node.requestRaw(method, { transaction_hash: secondHash }));
      await expect(client.forward(method, { transaction_hash: firstHash })).rejects.toMatchObject({
        kind: 'malformed',
      });
      origin.proxy.mishap = () => undefined;
      const { text } = await client.forward(method, { transaction_hash: firstHash });
      expect(membersOf(JSON.parse(text))['transaction_hash']).toBe(firstHash);
    },
  );

  test('a block without a hash is not cached as a header', async () => {
    const cacheDirectory = join(origin.folder, 'no-hash');
    const method = 'starknet_getBlockWithTxHashes';
    const block = membersOf(
      await origin.node.requestRaw(method, { block_id: { block_number: 1 } }),
    );
    const client = await origin.connect({ cacheDirectory, policy: ONCE });
    answerWith(method, { ...block, block_hash: undefined });
    await expect(client.header(1)).rejects.toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    await client.close();
    origin.proxy.mishap = () => undefined;
    const later = await origin.connect({ cacheDirectory });
    expect(await later.hashOf(1)).toBe(blockHash);
  });
});

async function firstTransaction(block_number: number): Promise<string> {
  const params = { block_id: { block_number } };
  const block = membersOf(await origin.node.requestRaw('starknet_getBlockWithTxHashes', params));
  return String(membersOf(block['transactions'])['0']);
}
