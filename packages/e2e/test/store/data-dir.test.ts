// A data directory: the chain continues where it stopped, for one node at a time, and reports a full disk.
import { execFileSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countEntries } from '@starkbox/test-support/count-entries';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { STRK } from '@starkbox/test-support/signing';
import { fullDisk, readOnlyFolder, smallDisk } from '@starkbox/test-support/store/small-disk';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { open } from 'lmdb';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

let directory: string;
const nodes = new Set<LocalChain>();

beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes.clear();
});

async function start(config: Parameters<typeof createChain>[0] = {}): Promise<LocalChain> {
  const node = await createChain({ dataDir: directory, ...config });
  nodes.add(node);
  return node;
}

async function stop(node: LocalChain): Promise<void> {
  nodes.delete(node);
  await node.close();
}

const blockNumber = (node: LocalChain) => node.request('starknet_blockNumber');
const mint = (node: LocalChain, amount = 1) =>
  node.request('devnet_mint', { address: '0x77', amount, unit: 'FRI' });
const balance = async (node: LocalChain): Promise<unknown> => {
  const response = await node.request('devnet_getAccountBalance', { address: '0x77', unit: 'FRI' });
  const { amount }: { amount?: unknown } = Object(response);
  return amount;
};

describe('a chain in a directory', () => {
  test('continues with its first options, also where the next start omits them', async () => {
    const first = await start({ seed: 7, accounts: 3, chainId: 'SN_MAIN', initialBalance: 5n });
    const { accounts } = first;
    await mint(first);
    await stop(first);
    const second = await start();
    expect(second.accounts).toEqual(accounts);
    expect(second.config).toMatchObject({ seed: 7, accounts: 3, initialBalance: 5n });
    expect(await second.request('starknet_chainId')).toBe('0x534e5f4d41494e');
    expect([await blockNumber(second), await balance(second)]).toEqual([1, '1']);
  });

  test('cannot become another chain', async () => {
    await stop(await start({ seed: 7 }));
    await expect(start({ seed: 8 })).rejects.toThrow(
      /was started with --seed 7 and cannot continue with --seed 8: omit the option, or choose another directory with --data-dir/,
    );
    // A refusal holds nothing.
    await stop(await start({ seed: 7 }));
  });

  test('belongs to one node at a time', async () => {
    const node = await start({ seed: 0 });
    await expect(start()).rejects.toThrow(
      /is in use by another node: stop that node, or choose another directory with --data-dir/,
    );
    await stop(node);
    await stop(await start());
  });

  test('keeps no journal, and says so', async () => {
    await expect(start({ dumpOn: 'request' })).rejects.toThrow(/--data-dir keeps the chain/);
  });

  test('has its snapshots again, also those of a branch that was left', async () => {
    const first = await start({ seed: 0, recentBlocks: 1 });
    for (let count = 0; count < 6; count += 1) await mint(first);
    const early = await first.request('devnet_snapshot');
    for (let count = 0; count < 6; count += 1) await mint(first);
    const late = await first.request('devnet_snapshot');
    const latest = { block_id: 'latest' };
    const before = await first.requestRaw('starknet_getBlockWithReceipts', latest);
    await first.request('devnet_abortBlocks', { starting_block_id: { block_number: 3 } });
    await mint(first, 100);
    await stop(first);

    const second = await start();
    expect([await blockNumber(second), await balance(second)]).toEqual([3, '102']);
    expect(await second.request('devnet_revert', { snapshot_id: late })).toBe(true);
    expect(await second.requestRaw('starknet_getBlockWithReceipts', latest)).toEqual(before);
    expect([await blockNumber(second), await balance(second)]).toEqual([12, '12']);
    await mint(second);
    await stop(second);

    const third = await start();
    expect([await blockNumber(third), await balance(third)]).toEqual([13, '13']);
    expect(await third.request('devnet_revert', { snapshot_id: early })).toBe(true);
    expect([await blockNumber(third), await balance(third)]).toEqual([6, '6']);
    await mint(third, 5);
    expect([await blockNumber(third), await balance(third)]).toEqual([7, '11']);
  });

  test('has a deleted snapshot no more, and the others still', async () => {
    const first = await start({ seed: 0 });
    await mint(first);
    const early = await first.request('devnet_snapshot');
    await mint(first);
    const late = await first.request('devnet_snapshot');
    await mint(first);
    expect(await first.request('devnet_deleteSnapshot', { snapshot_id: late })).toBe(true);
    await stop(first);

    const second = await start();
    expect(await second.request('devnet_deleteSnapshot', { snapshot_id: late })).toBe(false);
    expect(await second.request('devnet_revert', { snapshot_id: late })).toBe(false);
    expect(await blockNumber(second)).toBe(3);
    expect(await second.request('devnet_revert', { snapshot_id: early })).toBe(true);
    expect([await blockNumber(second), await balance(second)]).toEqual([1, '1']);
  });

  test('starts a new chain on request', async () => {
    const first = await start({ seed: 0 });
    const genesis = await first.request('starknet_getStorageAt', {
      contract_address: first.tokens.strk.address,
      key: '0x1',
      block_id: { block_number: 0 },
    });
    for (let count = 0; count < 5; count += 1) await mint(first);
    await first.request('devnet_restart');
    expect([await blockNumber(first), await balance(first)]).toEqual([0, '0']);
    await mint(first);
    await stop(first);
    const second = await start();
    expect([await blockNumber(second), await balance(second)]).toEqual([1, '1']);
    expect(genesis).toBe('0x0');
  });
});

/** Writes megabytes into the file of a chain and removes them again, so that they become free pages. */
async function fillAndEmpty(path: string, megabytes: number): Promise<void> {
  const database = open<Buffer, Buffer>({
    path,
    noSubdir: true,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
  const keys = Array.from({ length: megabytes }, (_, at) => Buffer.from([255, at]));
  database.transactionSync(() => {
    for (const key of keys) database.putSync(key, Buffer.alloc(1024 * 1024, 1));
  });
  database.transactionSync(() => {
    for (const key of keys) database.removeSync(key);
  });
  await database.close();
}

/** Fills a disk with slots until not even a few fit, which is faster than small transactions. */
async function fillMost(node: RunningCommand, full: RegExp): Promise<void> {
  let key = 1;
  for (const length of [300, 100, 20]) {
    let isFull = false;
    while (!isFull) {
      const storage_entries = Array.from({ length }, () => {
        key += 1;
        return { key: `0x${key.toString(16)}`, value: '0x1' };
      });
      const storage_diffs = [{ address: STRK, storage_entries }];
      try {
        await node.call('devnet_applyStateDiff', { state_diff: { storage_diffs } });
        await node.call('devnet_createBlock');
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringMatching(full) });
        isFull = true;
      }
    }
  }
}

describe('the disk', () => {
  /** Entries that say which branches of blocks there are. */
  const BRANCHES = [19, 20, 21];
  /** How many entries there are of each other kind. */
  const census = async (): Promise<ReadonlyMap<number, number>> => {
    const counts = await countEntries(directory);
    for (const kind of BRANCHES) counts.delete(kind);
    return counts;
  };
  /** A change, after which unused blocks are removed until the node stops. */
  const change = async (): Promise<void> => {
    const node = await start();
    await node.request('devnet_impersonateAccount', { account_address: '0x1' });
    await stop(node);
  };

  test('holds nothing of blocks that are gone', async () => {
    const node = await start({ seed: 0, recentBlocks: 32 });
    for (let count = 0; count < 5; count += 1) await mint(node);
    await stop(node);
    await change();
    const before = await census();
    const second = await start();
    const snapshot_id = await second.request('devnet_snapshot');
    const calls = Array.from({ length: 300 }, () => second.request('devnet_createBlock'));
    await Promise.all(calls);
    await mint(second);
    await second.request('devnet_revert', { snapshot_id });
    await second.request('devnet_createBlock');
    await second.request('devnet_abortBlocks', { starting_block_id: { block_number: 6 } });
    await stop(second);
    await expect
      .poll(async () => {
        await change();
        return census();
      })
      .toEqual(before);
  });

  test('is given back when most of the file is free', async () => {
    const node = await start({ seed: 0 });
    await mint(node);
    await stop(node);
    const file = join(directory, 'chain.mdb');
    await fillAndEmpty(file, 80);
    const full = statSync(file).size;
    expect(full).toBeGreaterThan(64 * 1024 * 1024);
    await stop(await start());
    expect(statSync(file).size).toBeLessThan(full / 4);
    const again = await start();
    expect([await blockNumber(again), await balance(again)]).toEqual([1, '1']);
  });

  test('may be full: nothing is lost, and nothing half done', async () => {
    const disk = smallDisk();
    const path = join(disk.path, 'data');
    onTestFinished(() => disk.remove());
    const node = await RunningCommand.start(['--data-dir', path, '--seed', '0'], disk);
    onTestFinished(async () => {
      await node.kill();
    });
    const mintParams = { address: '0x77', amount: 1, unit: 'FRI' };
    await fillMost(node, disk.words);
    const filled = Number(await node.call('starknet_blockNumber'));
    let answered = 0;
    const failures = new Set<string>();
    for (let round = 0; round < 1000 && failures.size === 0; round += 1) {
      const calls = Array.from({ length: 8 }, async () => {
        try {
          await node.call('devnet_mint', mintParams);
          answered += 1;
        } catch (error) {
          failures.add(error instanceof Error ? error.message : '');
        }
      });
      await Promise.all(calls);
    }
    for (const failure of failures) expect(failure).toMatch(disk.words);
    expect(failures.size).toBe(1);
    const amount = { amount: String(answered) };
    const address = { address: '0x77' };
    expect(await node.call('devnet_getAccountBalance', address)).toMatchObject(amount);
    await expect(node.call('devnet_mint', mintParams)).rejects.toThrow(disk.words);
    expect(await node.call('starknet_blockNumber')).toBe(filled + answered);
    disk.enlarge(node.pid);
    await node.call('devnet_mint', mintParams);
    await node.kill();
    const again = await RunningCommand.start(['--data-dir', path]);
    expect(await again.call('starknet_blockNumber')).toBe(filled + answered + 1);
    await again.stop();
  }, 120_000);

  test('may have no space for a new chain', async () => {
    const disk = fullDisk();
    onTestFinished(() => disk.remove());
    const starting = RunningCommand.start(['--data-dir', join(disk.path, 'data')], disk);
    await expect(starting).rejects.toThrow(disk.words);
  });

  test('may have no space for the lock file of a chain', async () => {
    await stop(await start());
    rmSync(join(directory, 'chain.mdb-lock'));
    const disk = fullDisk(directory);
    onTestFinished(() => disk.remove());
    const starting = RunningCommand.start(['--data-dir', disk.path], disk);
    await expect(starting).rejects.toThrow(disk.words);
  });

  test('may be full while the files of a chain are there', async () => {
    const node = await start();
    await node.mint('0x77', 5n);
    await stop(node);
    const disk = fullDisk(directory);
    onTestFinished(() => disk.remove());
    const reading = await RunningCommand.start(['--data-dir', disk.path], disk);
    onTestFinished(async () => {
      await reading.kill();
    });
    expect(await reading.call('starknet_blockNumber')).toBe(1);
  });

  test('may hold something else under the names of its files', async () => {
    for (const name of ['lock', 'chain.mdb', 'chain.mdb-lock', 'chain.json']) {
      const path = join(directory, name);
      execFileSync('mkfifo', [path]);
      await expect(createChain({ dataDir: directory })).rejects.toThrow(
        new RegExp(`cannot be (used|opened): .*${name} is a FIFO, not a regular file`),
      );
      rmSync(path);
    }
  });

  test('may be no place to write', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    await expect(createChain({ dataDir: file })).rejects.toThrow(
      /the data directory .*file cannot be used: a file with that name exists/,
    );
    await expect(createChain({ dataDir: join(file, 'inside') })).rejects.toThrow(
      /cannot be used: part of the path is not a directory/,
    );
    await expect(createChain({ dataDir: '/proc/starkbox' })).rejects.toThrow(
      'the data directory /proc/starkbox cannot be used: the system creates no folder there. Choose another folder with --data-dir',
    );
  });

  test('may be read-only', async () => {
    const readOnly = readOnlyFolder();
    try {
      await expect(createChain({ dataDir: readOnly.path })).rejects.toThrow(
        /the data directory .* cannot be used: (the file system is read-only|this process has no write permission there)/,
      );
    } finally {
      readOnly.remove();
    }
  });
});
