// Images written and loaded by calls, at exit and at the start, and what is refused.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { type Config, createChain, createLog, type LocalChain } from 'starkbox';
import { beforeEach, describe, expect, test } from 'vitest';

const base = temporaryFolderOfFile();
let folder: string;
let path: string;
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(base, String(count));
  mkdirSync(folder);
  path = join(folder, 'chain');
});

async function start(changes: Partial<Config> = {}): Promise<LocalChain> {
  return openNode({ seed: 0, startTime: 1_700_000_000, ...changes });
}

const mint = (node: LocalChain, amount: number): Promise<unknown> =>
  node.request('devnet_mint', { address: '0x1', amount });
const latest = (node: LocalChain): Promise<unknown> =>
  node.request('starknet_getBlockWithReceipts', { block_id: 'latest' });
const balance = async (node: LocalChain, block_id: unknown = 'pre_confirmed'): Promise<unknown> =>
  Object(await node.requestRaw('devnet_getAccountBalance', { address: '0x1', block_id })).amount;
const isImageFile = (): boolean => readFileSync(path).toString('latin1', 0, 8) === 'SBXIMAGE';
const refused = (message: RegExp) => ({ code: -5, message: expect.stringMatching(message) });

describe('a dump', () => {
  test('to a file tells what it wrote, and leaves nothing beside', async () => {
    const node = await start();
    await mint(node, 5);
    const client = checkedClient(node.handle);
    const dump = await client.call('devnet_dump', { path, format: 'image' });
    const bytes = readFileSync(path).length;
    expect(dump).toEqual({ path, bytes, first_block: 0, last_block: 1, transactions: 1 });
    expect(readdirSync(folder)).toEqual(['chain']);
    const other = await start();
    await other.request('devnet_load', { path });
    expect(await latest(other)).toEqual(await latest(node));
    expect(await balance(other)).toBe('5');
  });

  test('without a word of images is a journal', async () => {
    const node = await start({ dumpOn: 'request', dumpPath: path });
    await mint(node, 1);
    expect(await node.request('devnet_dump')).toHaveLength(1);
    expect(isImageFile()).toBe(false);
    await node.request('devnet_dump', { format: 'image' });
    expect(isImageFile()).toBe(true);
    await node.request('devnet_dump', { format: 'image', inline: true });
  });

  test('is an image where that is the format, and then no journal is kept', async () => {
    const node = await start({ dumpOn: 'request', dumpPath: path, dumpFormat: 'image' });
    await mint(node, 1);
    expect(await node.request('devnet_dump')).toMatchObject({ path, last_block: 1 });
    expect(isImageFile()).toBe(true);
    await expect(node.request('devnet_dump', { format: 'journal' })).rejects.toMatchObject(
      refused(/The node keeps no journal with --dump-format image/),
    );
  });

  test('of a chain without a journal says how to get one', async () => {
    const [plain, stored] = [await start(), await start({ dataDir: join(folder, 'data') })];
    for (const [node, message] of [
      [plain, /provide --dump-on mode/],
      [stored, /--data-dir keeps no journal: use format image/],
    ] as const) {
      await expect(node.requestRaw('devnet_dump', { path })).rejects.toMatchObject(
        refused(message),
      );
    }
  });

  test('shows the chain as it was when it was asked for', async () => {
    const node = await start();
    await mint(node, 1);
    const dumping = node.request('devnet_dump', { path, format: 'image' });
    await mint(node, 1);
    expect(await dumping).toMatchObject({ last_block: 1 });
    const other = await start();
    await other.request('devnet_load', { path });
    expect([await balance(other), await balance(node)]).toEqual(['1', '2']);
  });

  test('that cannot be written fails and leaves nothing behind', async () => {
    const node = await start();
    for (const wrong of ['///', folder, join(folder, 'no', 'such')]) {
      await expect(
        node.request('devnet_dump', { path: wrong, format: 'image' }),
      ).rejects.toMatchObject(refused(/^I\/O error/));
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(base).filter((name) => name.includes('draft'))).toEqual([]);
  });
});

describe('at exit', () => {
  test('an image is written, and loaded at the next start', async () => {
    const options = { dumpOn: 'exit', dumpPath: path, dumpFormat: 'image' } as const;
    const node = await start(options);
    await mint(node, 7);
    const block = await latest(node);
    await node.close();
    expect(isImageFile()).toBe(true);
    const again = await start(options);
    expect(await latest(again)).toEqual(block);
    await mint(again, 1);
    await again.close();
    // What the options of the next node say is only about what it writes.
    expect(await balance(await start({ dumpPath: path }))).toBe('8');
  });

  test('an unchanged chain is written once', async () => {
    const options = { dumpOn: 'exit', dumpPath: path, dumpFormat: 'image' } as const;
    await (await start(options)).close();
    expect(isImageFile()).toBe(true);
    const { mtimeMs } = statSync(path);
    const again = await start(options);
    expect(await again.request('starknet_blockNumber')).toBe(0);
    await again.close();
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  test('an unchanged chain of a new data directory is written', async () => {
    const dataDir = join(folder, 'data');
    await (await start({ dumpOn: 'exit', dumpPath: path, dumpFormat: 'image', dataDir })).close();
    expect(isImageFile()).toBe(true);
  });

  test('the log says that a journal without calls was not written', async () => {
    const lines: string[] = [];
    const output = { write: (text: string) => lines.push(text) };
    const log = createLog({ level: 'info', format: 'pretty' }, output);
    await (await createChain({ dumpOn: 'exit', dumpPath: path }, { log })).close();
    expect(lines.join('')).toContain(`No change: ${path} was not written`);
    expect(existsSync(path)).toBe(false);
  });

  test('a journal that was loaded becomes an image, and the other way round', async () => {
    const node = await start({ dumpOn: 'exit', dumpPath: path });
    await mint(node, 1);
    await node.close();
    expect(isImageFile()).toBe(false);
    const image = await start({ dumpOn: 'exit', dumpPath: path, dumpFormat: 'image' });
    await mint(image, 1);
    await image.close();
    expect(isImageFile()).toBe(true);
    // No call is known that made this image, so no journal can take its place.
    await expect(start({ dumpOn: 'exit', dumpPath: path })).rejects.toThrow(
      /Failed to load .* is an image without a journal, .* use --dump-format image/,
    );
    expect(isImageFile()).toBe(true);
  });

  test('an image that holds its journal can be followed by a journal', async () => {
    const node = await start({ dumpOn: 'request' });
    await mint(node, 1);
    await node.request('devnet_dump', { path, format: 'image' });
    const again = await start({ dumpOn: 'exit', dumpPath: path });
    await mint(again, 1);
    await again.close();
    expect(isImageFile()).toBe(false);
    expect(await balance(await start({ dumpPath: path }))).toBe('2');
  });

  test('an image after each block is refused', async () => {
    await expect(start({ dumpOn: 'block', dumpPath: path, dumpFormat: 'image' })).rejects.toThrow(
      /--dump-on block writes a journal/,
    );
  });
});

describe('a load', () => {
  test('of the other format than was asked for is refused', async () => {
    const node = await start({ dumpOn: 'request' });
    await mint(node, 1);
    await node.request('devnet_dump', { path, format: 'image' });
    await expect(node.request('devnet_load', { path, format: 'journal' })).rejects.toMatchObject(
      refused(/is no journal/),
    );
    await node.request('devnet_dump', { path });
    await expect(node.request('devnet_load', { path, format: 'image' })).rejects.toMatchObject(
      refused(/is no image/),
    );
    await node.request('devnet_load', { path, format: 'journal' });
  });

  test('takes one thing', async () => {
    const node = await start();
    for (const params of [
      {},
      { path, image: '' },
      { events: [], image: '' },
      { path, events: [] },
    ]) {
      await expect(node.request('devnet_load', params)).rejects.toMatchObject({
        code: ERRORS.INVALID_PARAMS.code,
      });
    }
    await expect(node.request('devnet_load', { path: folder })).rejects.toMatchObject({ code: -5 });
    await expect(node.request('devnet_load', { path })).rejects.toMatchObject(
      refused(new RegExp(`The file does not exist: ${path}`)),
    );
  });

  test('of an image of another chain is refused', async () => {
    const node = await start({ chainId: 'SN_MAIN' });
    await node.request('devnet_dump', { path, format: 'image' });
    await expect((await start()).request('devnet_load', { path })).rejects.toMatchObject(
      refused(/the chain SN_MAIN, and this one is SN_SEPOLIA/),
    );
    await expect(start({ dumpPath: path })).rejects.toThrow(/--chain-id SN_MAIN/);
  });

  test('drops snapshots, brings its accounts and keeps the other options of the node', async () => {
    const node = await start({ blockGenerationOn: 'demand', seed: 1 });
    await mint(node, 1);
    await node.request('devnet_dump', { path, format: 'image' });
    const other = await start();
    const config = await other.request('devnet_getConfig');
    const snapshot_id = await other.request('devnet_snapshot');
    await other.request('devnet_load', { path });
    expect(await other.request('devnet_revert', { snapshot_id })).toBe(false);
    expect(await other.request('devnet_getConfig')).toEqual({ ...config, seed: 1 });
    expect(await other.request('devnet_getStatus')).toMatchObject({ pre_confirmed_tx_count: 1 });
    // This node closes a block after each transaction: what waited goes with the next.
    await mint(other, 1);
    expect(await latest(other)).toMatchObject({ block_number: 1, transactions: [{}, {}] });
  });

  test('of an image without a journal is the first call of the journal', async () => {
    const node = await start();
    await mint(node, 3);
    await node.request('devnet_dump', { path, format: 'image' });
    const other = await start({ dumpOn: 'request' });
    await other.request('devnet_load', { path });
    await mint(other, 4);
    const events = await other.request('devnet_dump', { inline: true });
    expect(events).toMatchObject([
      { method: 'devnet_load', params: { path } },
      { method: 'devnet_mint' },
    ]);
    const third = await start();
    await third.requestRaw('devnet_load', { events });
    expect(await balance(third)).toBe('7');
  });

  test('brings as much of the past as image and node both keep', async () => {
    const full = await start();
    await mint(full, 1);
    await mint(full, 1);
    await full.request('devnet_dump', { path, format: 'image' });
    const none = await start({ stateArchive: 'none' });
    await none.request('devnet_load', { path });
    expect(await balance(none)).toBe('2');
    await expect(balance(none, { block_number: 1 })).rejects.toMatchObject({ code: -1 });
    await none.request('devnet_dump', { path, format: 'image' });
    await full.request('devnet_load', { path });
    expect(await latest(full)).toEqual(await latest(none));
    await expect(balance(full, { block_number: 1 })).rejects.toMatchObject({ code: -1 });
    await mint(full, 1);
    expect(await balance(full)).toBe('3');
  });
});
