// Acceptance on L1 by itself: after a number of blocks, or at an age in seconds.
import { join } from 'node:path';
import { type Client, checkedClient, overHttp } from '@starkbox/test-support';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { startFixture } from '@starkbox/test-support/fixture';
import { startPair } from '@starkbox/test-support/fork/pair';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, describe, expect, test, vi } from 'vitest';

const START = 1_700_000_000;

const mint = async (client: Client): Promise<string> =>
  (await client.call('devnet_mint', { address: '0x1', amount: 1 })).tx_hash;
const create = (client: Client, count = 1) => client.call('devnet_createBlock', { count });

/** The newest accepted block by the tag; all forms of a block and its transactions must agree with it. */
async function accepted(client: Client): Promise<number | undefined> {
  const numbers: number[] = [];
  const height = await client.call('starknet_blockNumber');
  for (let block_number = 0; block_number <= height; block_number += 1) {
    const block = await client.call('starknet_getBlockWithReceipts', [{ block_number }]);
    const forms = new Set(['status' in block ? block.status : undefined]);
    for (const { receipt } of block.transactions) {
      forms.add(receipt.finality_status);
      const { transaction_hash } = receipt;
      const status = await client.call('starknet_getTransactionStatus', { transaction_hash });
      if (status.finality_status !== receipt.finality_status) forms.add(undefined);
    }
    expect(forms.size).toBe(1);
    if (forms.has('ACCEPTED_ON_L1')) numbers.push(block_number);
  }
  const newest = numbers.at(-1);
  expect(numbers).toEqual(Array.from({ length: (newest ?? -1) + 1 }, (_, index) => index));
  if (newest === undefined) {
    await client.failure('starknet_getBlockWithTxHashes', ['l1_accepted']);
  } else {
    const block = await client.call('starknet_getBlockWithTxHashes', ['l1_accepted']);
    expect(block).toMatchObject({ block_number: newest, status: 'ACCEPTED_ON_L1' });
  }
  return newest;
}

describe('by blocks', () => {
  test('a block is accepted when so many follow it', async () => {
    const { client } = await startFixture({ l1Acceptance: 2 });
    expect(await client.call('devnet_getConfig')).toMatchObject({ l1_acceptance: '2' });
    expect(await accepted(client)).toBeUndefined();
    await mint(client);
    expect(await accepted(client)).toBeUndefined();
    await mint(client);
    expect(await accepted(client)).toBe(0);
    await mint(client);
    expect(await accepted(client)).toBe(1);
    await create(client, 10);
    expect(await accepted(client)).toBe(11);
  });

  test.each(['demand', 'mempool'] as const)('with blocks on %s', async (blockGenerationOn) => {
    const { client, sender } = await startFixture({ blockGenerationOn, l1Acceptance: 1 });
    await sender.invoke([]);
    if (blockGenerationOn === 'mempool') await client.call('devnet_mempoolPreConfirm');
    expect(await accepted(client)).toBeUndefined();
    await create(client);
    expect(await accepted(client)).toBe(0);
    await create(client);
    expect(await accepted(client)).toBe(1);
  });

  test('in lite mode', async () => {
    const { client } = await startFixture({ liteMode: true, l1Acceptance: 1 });
    await create(client, 3);
    expect(await accepted(client)).toBe(2);
  });

  test('a call accepts more, and the rule continues after it', async () => {
    const { client } = await startFixture({ l1Acceptance: 3 });
    await create(client, 4);
    expect(await accepted(client)).toBe(1);
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    expect(await accepted(client)).toBe(4);
    await create(client, 3);
    expect(await accepted(client)).toBe(4);
    await create(client);
    expect(await accepted(client)).toBe(5);
  });

  test('a reorganisation of blocks that are not accepted keeps the others accepted', async () => {
    const { client } = await startFixture({ l1Acceptance: 2 });
    await create(client, 6);
    expect(await accepted(client)).toBe(4);
    await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 5 } });
    expect(await accepted(client)).toBe(4);
    await create(client, 2);
    expect(await accepted(client)).toBe(4);
    await client.call('devnet_reorg', { depth: 2, blocks: [[], [], []] });
    expect(await accepted(client)).toBe(5);
  });

  test('accepted blocks can be aborted, and the newest that remains is the accepted one', async () => {
    const { client } = await startFixture({ l1Acceptance: 2 });
    await create(client, 6);
    const { aborted } = await client.call('devnet_abortBlocks', {
      starting_block_id: { block_number: 2 },
    });
    expect(aborted).toHaveLength(5);
    expect(await accepted(client)).toBe(1);
    await client.call('devnet_setBlockSettings', { l1_acceptance: 'off' });
    await create(client);
    expect(await client.call('starknet_getBlockWithTxHashes', ['latest'])).toMatchObject({
      block_number: 2,
      status: 'ACCEPTED_ON_L2',
    });
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    expect(await accepted(client)).toBe(2);
  });

  test('a snapshot restores what was accepted', async () => {
    const { client } = await startFixture({ l1Acceptance: 1 });
    await create(client, 2);
    const snapshot_id = await client.call('devnet_snapshot');
    await create(client, 3);
    expect(await accepted(client)).toBe(4);
    await client.call('devnet_revert', { snapshot_id });
    expect(await accepted(client)).toBe(1);
    await create(client);
    expect(await accepted(client)).toBe(2);
  });

  test('a journal repeats it, also beside calls and under another setting', async () => {
    const { client } = await startFixture({ l1Acceptance: 2, dumpOn: 'request', dumpPath: path() });
    await mint(client);
    await create(client, 3);
    await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 3 } });
    await create(client);
    const calls = await client.call('devnet_dump');
    for (const [l1Acceptance, newest] of [
      [2, 3],
      ['off', 3],
      [1, 4],
    ] as const) {
      const other = await startFixture({ l1Acceptance });
      await other.client.call('devnet_load', { events: calls });
      expect(await accepted(other.client)).toBe(newest);
    }
  });

  test('a fork accepts own blocks alone, and the origin keeps its acceptance', async () => {
    await using pair = await startPair(async ({ client }) => {
      await create(client, 3);
      await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
    });
    const { client } = await pair.fork({ l1Acceptance: 2 });
    const newest = async (): Promise<number> =>
      Object(await client.call('starknet_getBlockWithTxHashes', ['l1_accepted'])).block_number;
    expect(await newest()).toBe(1);
    const height = await client.call('starknet_blockNumber');
    await create(client);
    expect(await newest()).toBe(1);
    await create(client);
    expect(await newest()).toBe(height);
  });
});

describe('by seconds', () => {
  const TIMED = { l1Acceptance: '600s', startTime: START } as const;

  test('a closed block accepts blocks of that age', async () => {
    const { client } = await startFixture(TIMED);
    await client.call('devnet_setBlockSettings', { time_step: 100 });
    await create(client, 5);
    expect(await accepted(client)).toBeUndefined();
    await create(client);
    expect(await accepted(client)).toBe(0);
    await client.call('devnet_increaseTime', { time: 200 });
    expect(await accepted(client)).toBe(3);
    await client.call('devnet_setTime', { time: START + 100_000 });
    expect(await accepted(client)).toBe(7);
    // Time that goes back accepts nothing, and takes nothing back.
    await client.call('devnet_setTime', { time: START });
    expect(await accepted(client)).toBe(7);
  });

  test('many blocks are accepted at once, up to the exact second', async () => {
    const { client } = await startFixture(TIMED);
    await client.call('devnet_setBlockSettings', { time_step: 1, l1_acceptance: 'off' });
    await create(client, 700);
    const settings = { l1_acceptance: '600s' };
    expect(await client.call('devnet_setBlockSettings', settings)).toMatchObject(settings);
    // The next block has the time 701.
    const block = await client.call('starknet_getBlockWithTxHashes', ['l1_accepted']);
    expect(block).toMatchObject({ block_number: 101, timestamp: START + 101 });
  });

  test('an idle chain accepts its last blocks', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    closeAfterTest(async () => {
      vi.useRealTimers();
    });
    const { client } = await startFixture({
      l1Acceptance: '30s',
      dumpOn: 'request',
      dumpPath: path(),
    });
    const transaction_hash = await mint(client);
    vi.advanceTimersByTime(29_000);
    // Changes happen one after the other: after this one, a due block is accepted.
    await client.call('devnet_setGasPrice', {});
    expect(await accepted(client)).toBeUndefined();
    vi.advanceTimersByTime(2_000);
    await client.call('devnet_setGasPrice', {});
    expect(await accepted(client)).toBe(1);
    const calls = await client.call('devnet_dump');
    expect(JSON.stringify(calls)).toContain('devnet_acceptOnL1');
    const other = await startFixture({ l1Acceptance: '30s' });
    await other.client.call('devnet_load', { events: calls });
    const status = await other.client.call('starknet_getTransactionStatus', { transaction_hash });
    expect(status.finality_status).toBe('ACCEPTED_ON_L1');
  });
});

describe('settings', () => {
  test('apply at once, and show in the settings of blocks', async () => {
    const { client } = await startFixture();
    expect(await client.call('devnet_getConfig')).not.toHaveProperty('l1_acceptance');
    const off = { l1_acceptance: 'off' };
    expect(await client.call('devnet_getBlockSettings')).toMatchObject(off);
    await create(client, 5);
    const snapshot_id = await client.call('devnet_snapshot');
    const settings = await client.call('devnet_setBlockSettings', { l1_acceptance: 3 });
    expect(settings).toMatchObject({ l1_acceptance: '3' });
    expect(await accepted(client)).toBe(2);
    await client.call('devnet_setBlockSettings', off);
    await create(client, 5);
    expect(await accepted(client)).toBe(2);
    await client.call('devnet_revert', { snapshot_id });
    expect(await accepted(client)).toBeUndefined();
    expect(await client.call('devnet_getBlockSettings')).toMatchObject(off);
  });

  test('survive in an image', async () => {
    const { client } = await startFixture();
    await client.call('devnet_setBlockSettings', { l1_acceptance: '90s' });
    await client.call('devnet_increaseTime', { time: 100 });
    const file = join(temporaryFolder(), 'chain.image');
    await client.call('devnet_dump', { path: file, format: 'image' });
    const other = await startFixture();
    await other.client.call('devnet_load', { path: file });
    expect(await accepted(other.client)).toBe(0);
    const settings = await other.client.call('devnet_getBlockSettings');
    expect(settings.l1_acceptance).toBe('90s');
  });

  test.each([0, '0s', '1m', '-1', 'never', 1.5])('%o is none', async (l1_acceptance) => {
    const { client } = await startFixture();
    const error = await client.failure('devnet_setBlockSettings', { l1_acceptance });
    expect(error.code).toBe(-32602);
    expect((await client.call('devnet_getBlockSettings')).l1_acceptance).toBe('off');
  });

  test('are options of an instance', async () => {
    const { client } = await gather();
    const options = { l1_acceptance: 1 };
    const { http_url } = await client.call('devnet_createInstance', { options });
    const instance = checkedClient(overHttp(http_url ?? ''));
    await create(instance, 3);
    expect(await accepted(instance)).toBe(2);
    expect(await accepted(client)).toBeUndefined();
  });
});

describe('a data directory', () => {
  const nodes = new Set<LocalChain>();
  afterEach(async () => {
    for (const node of nodes) await node.close();
    nodes.clear();
  });

  test('continues, by the option of the next start', async () => {
    const dataDir = temporaryFolder();
    const first = await createChain({ dataDir, l1Acceptance: 2 });
    nodes.add(first);
    await create(checkedClient(first.handle), 4);
    expect(await accepted(checkedClient(first.handle))).toBe(2);
    await first.close();
    nodes.delete(first);
    const second = await createChain({ dataDir, l1Acceptance: 1 });
    nodes.add(second);
    const client = checkedClient(second.handle);
    expect(await accepted(client)).toBe(2);
    await create(client);
    expect(await accepted(client)).toBe(4);
  });
});

describe('subscribers', () => {
  test('receive the status of L2 first, and then of L1', async () => {
    const { client, connect, node, transfer } = await gather({
      blockGenerationOn: 'demand',
      l1Acceptance: 2,
    });
    expect(node.config.l1Acceptance).toBe(2);
    const transaction_hash = await transfer();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
    await socket.subscribe('starknet_subscribeNewTransactionReceipts');
    await socket.heard();
    const sandbox = await connect();
    await sandbox.subscribe('devnet_subscribeSandbox');
    await sandbox.heard();
    await create(client, 5);
    expect(digest(await socket.heard(), { it: transaction_hash })).toEqual([
      'status it ACCEPTED_ON_L2',
      'receipt it ACCEPTED_ON_L2',
      'status it ACCEPTED_ON_L1',
    ]);
    expect((await sandbox.heard()).map(({ result }) => result)).toMatchObject([
      { event: 'accepted_on_l1', detail: { block_number: 3 } },
    ]);
  });
});

function path(): string {
  return join(temporaryFolder(), 'journal.json');
}
