// Damaged data directories: refused or recovered with a reason, without a crash or a new chain.
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunningCommand } from '@starkbox/test-support/running-command';
import {
  BLOCKS,
  inDatabase,
  KEYS,
  mint,
  overwrite,
  pageSizeOf,
  SEED,
  spoil,
  Workshop,
} from '@starkbox/test-support/store/damaged-directory';
import { readOnlyCopy } from '@starkbox/test-support/store/small-disk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let workshop: Workshop;
let whole: string;
let other: string;
let directory: string;
const file = (name: string): string => join(directory, name);
const mdb = (): string => file('chain.mdb');
const page = (): number => pageSizeOf(join(whole, 'chain.mdb'));
const json = (): string => file('chain.json');

beforeAll(async () => {
  workshop = new Workshop();
  whole = await workshop.begin('whole', SEED);
  other = await workshop.begin('other', SEED + 1);
}, 120_000);
beforeEach(() => {
  directory = workshop.copy(whole);
});
afterAll(() => workshop.remove());

/** The old chain is there, and goes on. */
async function expectOldChain(blocks = BLOCKS): Promise<RunningCommand> {
  const node = await workshop.start('--data-dir', directory);
  expect(await node.call('starknet_blockNumber')).toBe(blocks);
  expect(await node.call('devnet_getConfig')).toMatchObject({ seed: SEED });
  await mint(node);
  expect(await node.call('starknet_blockNumber')).toBe(blocks + 1);
  return node;
}

interface Case {
  readonly damage: () => void | Promise<void>;
  /** What the refusal says is wrong. */
  readonly words: RegExp;
}

const last = (): number => statSync(mdb()).size;
const COPY = /Restore the directory from a copy\. .*--data-dir.*devnet_load.*delete the directory/;
const OTHER_VERSION = /was made by another version of Starkbox/;
const AGAIN = /delete chain\.json and start again to restore it \(--seed 7\)/;

const REFUSED: Readonly<Record<string, Case & { readonly wayOut?: RegExp }>> = {
  'chain.json is empty': {
    damage: () => truncateSync(json(), 0),
    words: /chain\.json is empty/,
    wayOut: AGAIN,
  },
  'chain.json is cut': {
    damage: () => truncateSync(json(), 100),
    words: /chain\.json is truncated or overwritten/,
    wayOut: AGAIN,
  },
  'chain.json is another file': {
    damage: () => writeFileSync(json(), '{"name": "left-pad", "version": "1.3.0"}'),
    words: /chain\.json was not written by Starkbox/,
    wayOut: AGAIN,
  },
  'chain.json says nothing that can be used': {
    damage: () => writeFileSync(json(), '{"format": 2, "options": {"seed": 7}}'),
    words: /chain\.json was not written by Starkbox/,
    wayOut: AGAIN,
  },
  'the directory is of another format': {
    damage: () => writeFileSync(json(), '{"format": 99, "options": {}}'),
    words: OTHER_VERSION,
    wayOut: /delete it, or open it with the version that wrote it/,
  },
  'the directory is of another format, and chain.json is missing': {
    damage: async () => {
      rmSync(json());
      await inDatabase(mdb(), (database) =>
        database.put(KEYS.identity, Buffer.from('{"format": 99}')),
      );
    },
    words: OTHER_VERSION,
    wayOut: /delete it, or open it with the version that wrote it/,
  },
  'chain.json is of another chain': {
    damage: () => cpSync(join(other, 'chain.json'), json()),
    words: /chain\.json and chain\.mdb belong to two different chains/,
    wayOut: /Put the right chain\.mdb beside chain\.json.*--data-dir/,
  },
  'chain.json is a directory': {
    damage: () => {
      rmSync(json());
      mkdirSync(json());
    },
    words: /cannot be opened: .*directory/,
    wayOut: /./,
  },
  'chain.mdb is missing': {
    damage: () => rmSync(mdb()),
    words: /chain\.mdb is missing, although chain\.json records .* --seed 7/,
  },
  'chain.mdb is empty': {
    damage: () => truncateSync(mdb(), 0),
    words: /chain\.mdb is empty, although chain\.json records .* --seed 7/,
  },
  'chain.mdb is cut to half': {
    damage: () => truncateSync(mdb(), Math.floor(last() / 2)),
    words: /chain\.mdb is truncated: it has \d+ bytes, but its header states \d+/,
  },
  'chain.mdb is cut by a page': {
    damage: async () => {
      // Pages at the end may be free, except for those that were written last.
      const large = randomBytes(1024 * 1024);
      await inDatabase(mdb(), (database) => database.put(Buffer.of(200), large));
      truncateSync(mdb(), last() - page());
    },
    words: /chain\.mdb is truncated: it has \d+ bytes, but its header states \d+/,
  },
  'chain.mdb is cut to its first page': {
    damage: () => truncateSync(mdb(), page()),
    words: /chain\.mdb is truncated: it ends before its second header/,
  },
  'the first header is zeroed': {
    damage: () => overwrite(mdb(), Buffer.alloc(page()), 0),
    words: /chain\.mdb has no valid first header/,
  },
  'the second header is zeroed': {
    damage: () => overwrite(mdb(), Buffer.alloc(page()), page()),
    words: /chain\.mdb has no valid second header/,
  },
  'both headers are zeroed': {
    damage: () => overwrite(mdb(), Buffer.alloc(2 * page()), 0),
    words: /chain\.mdb has no valid first header/,
  },
  'a header points nowhere': {
    // The root of the tree of entries.
    damage: () => {
      for (const at of [0, page()]) overwrite(mdb(), Buffer.alloc(7, 0xab), at + 24 + 72 + 40);
    },
    words: /chain\.mdb is damaged: an entry cannot be read/,
    wayOut: /restore the data directory from a copy/,
  },
  'all pages but the headers are zeroed': {
    damage: () => overwrite(mdb(), Buffer.alloc(last() - 2 * page()), 2 * page()),
    words: /chain\.mdb is damaged: an entry cannot be read/,
    wayOut: /restore the data directory from a copy/,
  },
  'chain.mdb is no database': {
    damage: () => writeFileSync(mdb(), randomBytes(64 * page())),
    words: /chain\.mdb has no valid first header: it was overwritten, or is not a database/,
  },
  'chain.mdb is of a later version of the database': {
    damage: () => {
      for (const at of [0, page()]) overwrite(mdb(), Buffer.of(3), at + 24 + 4);
    },
    words: /chain\.mdb is written in version 3 of the database format; .* reads version 2/,
  },
  'chain.mdb is of another chain': {
    damage: () => cpSync(join(other, 'chain.mdb'), mdb()),
    words: /chain\.json and chain\.mdb belong to two different chains/,
    wayOut: /Put the right chain\.mdb beside chain\.json.*--data-dir/,
  },
  'chain.mdb is of another program, and alone': {
    damage: async () => {
      rmSync(json());
      rmSync(mdb());
      await inDatabase(mdb(), (database) => database.put(Buffer.from('key'), Buffer.from('value')));
    },
    words: /chain\.mdb does not contain a chain, and chain\.json is missing/,
  },
  'the head of the chain is overwritten': {
    damage: () => {
      expect(spoil(mdb(), Buffer.from('"segments"'))).toBeGreaterThan(0);
    },
    words: /chain\.mdb is damaged: the head of the chain cannot be read/,
    wayOut: /restore the data directory from a copy/,
  },
  'the copy of chain.json is overwritten': {
    damage: () => {
      expect(spoil(mdb(), Buffer.from('"options"'))).toBeGreaterThan(0);
    },
    words: /the copy of chain\.json in chain\.mdb is truncated or overwritten/,
  },
  'the last block is missing': {
    damage: () =>
      inDatabase(mdb(), async (database) => {
        const range = { start: KEYS.afterBlocks, end: KEYS.block, reverse: true, limit: 1 };
        for (const key of database.getKeys(range)) await database.remove(key);
      }),
    words: /chain\.mdb is damaged: block 12 cannot be read \(it is missing\)/,
    wayOut: /restore the data directory from a copy/,
  },
  'our lock is a directory': {
    damage: () => {
      rmSync(file('lock'));
      mkdirSync(file('lock'));
    },
    words: /cannot be used: .*directory/,
    wayOut: /./,
  },
  'a file is in place of the directory': {
    damage: () => {
      rmSync(directory, { recursive: true });
      writeFileSync(directory, 'chain');
    },
    words: /cannot be used: a file with that name exists/,
    wayOut: /./,
  },
};

describe('a start is refused, and leaves everything as it is', () => {
  const content = (path: string): string | undefined =>
    existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'base64') : undefined;

  test.each(Object.entries(REFUSED))('%s', async (_, { damage, words, wayOut = COPY }) => {
    await damage();
    const [chain, options] = [content(mdb()), content(json())];
    const said = await workshop.refusal(directory);
    expect(said).toMatch(words);
    expect(said).toMatch(wayOut);
    expect(said).toContain(directory);
    expect([content(mdb()) === chain, content(json())]).toEqual([true, options]);
  });

  test('the directory is read-only', async () => {
    const copy = readOnlyCopy(whole);
    directory = copy.path;
    try {
      expect(await workshop.refusal(directory)).toMatch(
        /the data directory .* cannot be used: (the file system is read-only|this process has no write permission there)/,
      );
    } finally {
      copy.remove();
    }
  });
});

describe('a start continues the old chain', () => {
  test('without chain.json, which is written again', async () => {
    const before = readFileSync(json(), 'utf8');
    rmSync(json());
    const node = await expectOldChain();
    expect(node.said.join()).toMatch(
      /chain\.json is missing: restoring it from the copy in chain\.mdb \(--seed 7\)/,
    );
    expect(await node.stop()).toBe(0);
    expect(readFileSync(json(), 'utf8')).toBe(before);
  });

  test('when chain.json is deleted because a refusal said so', async () => {
    truncateSync(json(), 3);
    const said = await workshop.refusal(directory);
    expect(said).toMatch(AGAIN);
    // A refusal holds nothing, and is the same again.
    expect(await workshop.refusal(directory)).toBe(said);
    rmSync(json());
    await (await expectOldChain()).stop();
  });

  test('with lock files and drafts of others', async () => {
    writeFileSync(file('chain.mdb-lock'), randomBytes(3 * page()));
    writeFileSync(file('lock'), 'not ours');
    writeFileSync(file('chain.json.draft'), '{"format"');
    writeFileSync(file('chain.mdb.compact'), randomBytes(page()));
    const node = await expectOldChain();
    const names = ['chain.json.draft', 'chain.mdb.compact'];
    expect(names.filter((name) => existsSync(file(name)))).toEqual([]);
    await node.stop();
  });

  test('a first start that was cut off is no damage', async () => {
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    writeFileSync(mdb(), '');
    const node = await workshop.start('--data-dir', directory, '--seed', '9');
    await node.kill();
    // Its files are there, and its first block is not.
    await inDatabase(mdb(), (database) => database.remove(KEYS.head));
    const again = await workshop.start('--data-dir', directory);
    expect(await again.call('devnet_getConfig')).toMatchObject({ seed: 9 });
    expect(await again.call('starknet_blockNumber')).toBe(0);
    await again.stop();
  });
});

test('overwritten blocks are reported, and the others can be read', async () => {
  const [five, nine] = await inDatabase(mdb(), (database) =>
    [...database.getRange({ start: KEYS.block, end: KEYS.afterBlocks })]
      .filter((_, number) => number === 5 || number === 9)
      .map(({ value }) => Buffer.from(value)),
  );
  // Of one, how it begins; of the other, a part of its last text.
  expect(spoil(mdb(), (five ?? Buffer.of()).subarray(0, 40))).toBeGreaterThan(0);
  expect(spoil(mdb(), (nine ?? Buffer.of()).subarray(-30, -10))).toBeGreaterThan(0);
  const node = await workshop.start('--data-dir', directory, '--recent-blocks', '1');
  const ask = (method: string, number: number) =>
    node.call(method, { block_id: { block_number: number } });
  await expect(ask('starknet_getBlockWithReceipts', 5)).rejects.toThrow(
    /chain\.mdb is damaged: block 5 cannot be read \(.*\)\. Stop the node and restore the data directory from a copy/,
  );
  await expect(ask('starknet_getStateUpdate', 9)).rejects.toThrow(
    /A stored block is damaged and cannot be unpacked \(.*\)\. Restore the data directory/,
  );
  for (const number of [0, 3, 8, BLOCKS]) {
    const block = await ask('starknet_getBlockWithReceipts', number);
    expect(block).toMatchObject({ block_number: number });
  }
  await mint(node);
  expect(await node.stop()).toBe(0);
});
