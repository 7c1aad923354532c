// Files that disappear while a node runs: no change is answered that is not kept.
import { cpSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningCommand } from '@starkbox/test-support/running-command';
import {
  BLOCKS,
  KEYS,
  mint,
  pageSizeOf,
  SEED,
  Workshop,
} from '@starkbox/test-support/store/damaged-directory';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LmdbDatabase } from '../../src/store/database/lmdb-database.js';

let workshop: Workshop;
let whole: string;
let directory: string;
const file = (name: string): string => join(directory, name);
const mdb = (): string => file('chain.mdb');
const page = (): number => pageSizeOf(join(whole, 'chain.mdb'));

beforeAll(async () => {
  workshop = new Workshop();
  whole = await workshop.begin('whole', SEED);
}, 120_000);
beforeEach(() => {
  directory = workshop.copy(whole);
});
afterAll(() => workshop.remove());

/** Longer than a node pauses between two commits, in milliseconds. */
const PAUSE = 500;

/** Waits until the node has moved old blocks to the file: a file that is cut in the middle of that ends the process. */
async function written(): Promise<void> {
  const time = (): number => statSync(mdb()).mtimeMs;
  for (let before = 0; before !== time(); await delay(PAUSE)) before = time();
}

interface Case {
  readonly damage: () => void;
  /** What a refused change says. */
  readonly words: RegExp;
}

describe('while a node runs', () => {
  const remaining = async (node: RunningCommand): Promise<void> => {
    expect(await node.call('starknet_blockNumber')).toBe(BLOCKS);
    for (const number of [0, 5, BLOCKS]) {
      const block_id = { block_number: number };
      const block = await node.call('starknet_getBlockWithReceipts', { block_id });
      expect(block).toMatchObject({ block_number: number });
    }
  };
  const GONE: Readonly<Record<string, Case>> = {
    'the directory is deleted': {
      damage: () => rmSync(directory, { recursive: true }),
      words:
        /chain\.mdb was removed while the node was running\. Nothing was changed\. Reads still work/,
    },
    'the directory is moved': {
      damage: () => renameSync(directory, `${directory}-moved`),
      words:
        /chain\.mdb was removed while the node was running\. Nothing was changed\. Reads still work/,
    },
    'chain.mdb is deleted': {
      damage: () => rmSync(mdb()),
      words:
        /chain\.mdb was removed while the node was running\. Nothing was changed\. Reads still work/,
    },
    'chain.mdb is replaced': {
      damage: () => {
        rmSync(mdb());
        cpSync(join(whole, 'chain.mdb'), mdb());
      },
      words: /chain\.mdb was replaced by another file while the node was running/,
    },
  };

  test.each(Object.entries(GONE))('%s', async (_, { damage, words }) => {
    const node = await workshop.start('--data-dir', directory, '--recent-blocks', '1');
    await damage();
    for (let times = 0; times < 3; times += 1) await expect(mint(node)).rejects.toThrow(words);
    await remaining(node);
    const log = node.said.filter((line) =>
      /while the node was running: changes are rej/.test(line),
    );
    expect(log).toHaveLength(1);
    // The way out that the error names.
    const path = `${directory}.image`;
    await node.call('devnet_dump', { path, format: 'image' });
    expect(await node.stop()).toBe(0);
    directory = `${directory}-new`;
    const next = await workshop.start('--data-dir', directory, '--seed', '7');
    await next.call('devnet_load', { path });
    await remaining(next);
    await mint(next);
    await next.stop();
  });

  test('the directory is moved away and back', async () => {
    const node = await workshop.start('--data-dir', directory);
    renameSync(directory, `${directory}-moved`);
    await expect(mint(node)).rejects.toThrow(/was removed while the node was running/);
    renameSync(`${directory}-moved`, directory);
    await mint(node);
    expect(await node.stop()).toBe(0);
    const again = await workshop.start('--data-dir', directory);
    expect(await again.call('starknet_blockNumber')).toBe(BLOCKS + 1);
    await again.kill();
  });

  test.each([0, 3])('chain.mdb is cut to %d pages', async (pages) => {
    const node = await workshop.start('--data-dir', directory, '--recent-blocks', '1');
    await mint(node);
    await written();
    truncateSync(mdb(), pages * page());
    const words = /chain\.mdb was truncated from \d+ to \d+ bytes while the node was running/;
    await expect(mint(node)).rejects.toThrow(words);
    const block_id = { block_number: 2 };
    await expect(node.call('starknet_getBlockWithReceipts', { block_id })).rejects.toThrow(words);
    expect(await node.call('starknet_blockNumber')).toBe(BLOCKS + 1);
    expect(await node.stop()).toBe(0);
    expect(await workshop.refusal(directory)).toMatch(/chain\.mdb is (truncated|empty)/);
  });

  test('chain.mdb is moved while it is being written, and back', async () => {
    const database = new LmdbDatabase(join(directory, 'chain.mdb'));
    const entry = [KEYS.identity, Buffer.from('value')] as const;
    const isLate = { name: 'FileFault', isLate: true };
    try {
      await database.write([entry]);
      const written = database.write([entry]);
      renameSync(mdb(), `${mdb()}-moved`);
      await expect(written).rejects.toMatchObject(isLate);
      // What was written is not in the chain that the node shows, so nothing may be built upon it.
      renameSync(`${mdb()}-moved`, mdb());
      await expect(database.write([entry])).rejects.toMatchObject(isLate);
      expect(database.get(KEYS.identity)?.toString()).toBe('value');
    } finally {
      await database.close();
    }
  });
});
