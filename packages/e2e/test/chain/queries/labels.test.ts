// Labels and snapshot names as part of the chain: reverted, written and loaded with it.
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { type Client, checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { describe, expect, test } from 'vitest';

const directory = temporaryFolderOfFile();

async function start(config: Partial<Config> = {}): Promise<{ node: LocalChain; client: Client }> {
  const node = await openNode({ seed: 0, accounts: 1, ...config });
  return { node, client: checkedClient(node.handle) };
}

const label = (client: Client, value: string, name: string | null) =>
  client.call('devnet_setLabel', { value, label: name });
const labels = async (client: Client) => (await client.call('devnet_getLabels')).labels;
const snapshots = async (client: Client) => (await client.call('devnet_listSnapshots')).snapshots;

describe('labels', () => {
  test('name felts, however those are written', async () => {
    const { node, client } = await start();
    const [account] = node.accounts;
    if (!account) throw new Error('there is no account');
    await label(client, '0x00B', 'eleven');
    await label(client, account.address, 'The <b>first</b>');
    await label(client, '0xb', 'Eleven');
    const all = await labels(client);
    expect(all).toHaveLength(2);
    expect(all).toContainEqual({ value: '0xb', label: 'Eleven' });
    const contracts = (await client.call('devnet_listContracts', { limit: 200 })).contracts;
    expect(contracts.filter((row) => row.label !== undefined)).toMatchObject([
      { contract_address: account.address, label: 'The <b>first</b>' },
    ]);
    const find = async (query: string) =>
      (await client.call('devnet_search', { query })).candidates;
    expect(await find('eleven')).toEqual([{ kind: 'label', value: '0xb', label: 'Eleven' }]);
    expect(await find('0xb')).toEqual([{ kind: 'label', value: '0xb', label: 'Eleven' }]);
    expect(await find(account.address)).toMatchObject([
      { kind: 'contract', label: 'The <b>first</b>' },
    ]);
    await label(client, '0xb', null);
    expect(await labels(client)).toHaveLength(1);
    for (const bad of ['', 'x'.repeat(101), 'two\nlines', 5]) {
      const error = await client.failure('devnet_setLabel', { value: '0x1', label: bad });
      expect(error.code).toBe(ERRORS.INVALID_PARAMS.code);
    }
  });

  test('go back with the chain, and end with it', async () => {
    const { client } = await start();
    await label(client, '0x1', 'before');
    const snapshot_id = await client.call('devnet_snapshot');
    await label(client, '0x1', 'after');
    await client.call('devnet_createBlock');
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(await labels(client)).toEqual([{ value: '0x1', label: 'after' }]);
    await client.call('devnet_revert', { snapshot_id });
    expect(await labels(client)).toEqual([{ value: '0x1', label: 'before' }]);
    await client.call('devnet_restart');
    expect(await labels(client)).toEqual([]);
  });

  test('are in images and in journals', async () => {
    const { client } = await start({ dumpOn: 'request' });
    await label(client, '0x1', '“one”');
    const image = await client.call('devnet_dump', { format: 'image', inline: true });
    const events = await client.call('devnet_dump', { format: 'journal' });
    await client.call('devnet_restart');
    if (!image || !('image' in image)) throw new Error('there is no image');
    await client.call('devnet_load', { image: image.image });
    expect(await labels(client)).toEqual([{ value: '0x1', label: '“one”' }]);
    await client.call('devnet_restart');
    await client.call('devnet_load', { events });
    expect(await labels(client)).toEqual([{ value: '0x1', label: '“one”' }]);
  });
});

describe('snapshots', () => {
  test('are listed with their names, newest first', async () => {
    const { client } = await start({ startTime: 1000 });
    await client.call('devnet_setTime', { time: 5000, generate_block: true });
    const first = await client.call('devnet_snapshot', { name: 'before swap' });
    await client.call('devnet_mint', { address: '0x1', amount: 1 });
    await client.call('devnet_setTime', { time: 9000, generate_block: false });
    const second = await client.call('devnet_snapshot');
    const all = await snapshots(client);
    expect(all).toEqual([
      { snapshot_id: second, block_number: 2, timestamp: 9000, transaction_count: 1 },
      {
        snapshot_id: first,
        name: 'before swap',
        block_number: 1,
        timestamp: expect.any(Number),
        transaction_count: 0,
      },
    ]);
    expect(all[1]?.timestamp).toBeGreaterThanOrEqual(5000);
    await client.call('devnet_revert', { snapshot_id: second });
    expect((await snapshots(client)).map((row) => row.snapshot_id)).toEqual([first]);
    await client.call('devnet_restart');
    expect(await snapshots(client)).toEqual([]);
    expect((await client.failure('devnet_snapshot', { name: '' })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });
});

describe('a data directory', () => {
  test('has labels and names again', async () => {
    const dataDir = join(directory, 'chain');
    const { node, client } = await start({ dataDir, recentBlocks: 1 });
    await label(client, '0x1', 'one');
    await client.call('devnet_snapshot', { name: 'early' });
    await label(client, '0x2', 'two');
    for (let count = 0; count < 9; count += 1) {
      await client.call('devnet_mint', { address: '0x1', amount: 1 });
    }
    await client.call('devnet_snapshot');
    const before = [await labels(client), await snapshots(client)];
    const lists = ['devnet_listBlocks', 'devnet_listTransactions', 'devnet_listContracts'] as const;
    const listings = await Promise.all(lists.map((method) => client.call(method)));
    await node.close();

    const again = await start({ dataDir });
    expect([await labels(again.client), await snapshots(again.client)]).toEqual(before);
    expect(await Promise.all(lists.map((method) => again.client.call(method)))).toEqual(listings);
    await again.client.call('devnet_revert', { snapshot_id: '0x1' });
    expect(await labels(again.client)).toEqual([{ value: '0x1', label: 'one' }]);
    expect((await again.client.call('devnet_listTransactions')).transactions).toEqual([]);
    await again.node.close();
    const third = await start({ dataDir });
    expect(await labels(third.client)).toEqual([{ value: '0x1', label: 'one' }]);
  });
});
