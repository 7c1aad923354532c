// Constants by the version of a block: in own blocks, on a fork, in replay, and after a restart.
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { deployed } from '@starkbox/test-support/contracts';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';

const OLD = '0.13.6';
const NEWEST = '0.14.4';

test.each(['0.13.4', '0.13.6', '0.14.0', '0.14.1', NEWEST] as const)(
  'a chain of %s',
  async (version) => {
    await using node = await startNode({ listen: true, starknetVersion: version });
    const counter = await deployed(node.account(0), 'counter', { start: 41 });
    const { transaction_hash } = await counter.invoke('increase', [1]);
    expect(await receiptOf(node, transaction_hash)).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
    expect(await headersOf(node)).toEqual([version, version, version]);
    const settings = await node.client.call('devnet_getBlockSettings');
    expect(settings.starknet_version).toBe(version);
  },
);

describe('a fork of an older network', async () => {
  let increase = '';
  let address = '';
  const pair = await startPair(
    async (origin) => {
      const counter = await deployed(origin.account(0), 'counter', { start: 41 });
      address = counter.address;
      // The second increase writes no new slots, as those on the forks.
      await counter.invoke('increase', [1]);
      increase = (await counter.invoke('increase', [1])).transaction_hash;
    },
    { starknetVersion: OLD },
  );
  afterAll(() => pair.close());
  const gasOnOrigin = (await receiptOf(pair.origin, increase)).execution_resources.l2_gas;

  async function gasOfIncrease(node: ListeningNode): Promise<number> {
    const call = { contractAddress: address, entrypoint: 'increase', calldata: ['0x1'] };
    const { transaction_hash } = await node.account(0).execute(call);
    return (await receiptOf(node, transaction_hash)).execution_resources.l2_gas;
  }

  test('meters its blocks and repeated transactions by that version', async () => {
    const fork = await pair.fork({ seed: 0 });
    expect(await gasOfIncrease(fork)).toBe(gasOnOrigin);
    expect((await headersOf(fork)).slice(1)).toEqual([OLD, OLD]);
    const settings = await fork.client.call('devnet_getBlockSettings');
    expect(settings.starknet_version).toBe(OLD);
    const replayed = await fork.client.call('devnet_replayTransaction', {
      transaction_hash: increase,
    });
    expect(replayed.differences).toEqual([]);
  });

  test('meters its blocks by a version that an option gives, and replay by that of the block', async () => {
    const fork = await pair.fork({ seed: 0, starknetVersion: NEWEST });
    expect(await gasOfIncrease(fork)).not.toBe(gasOnOrigin);
    expect((await headersOf(fork)).slice(1)).toEqual([NEWEST, NEWEST]);
    const replayed = await fork.client.call('devnet_replayTransaction', {
      transaction_hash: increase,
    });
    expect(replayed.differences).toEqual([]);
  });

  test('keeps the version in a data directory', async () => {
    const dataDir = temporaryFolder();
    const options = { seed: 0, dataDir };
    const first = await pair.fork(options);
    const gas = await gasOfIncrease(first);
    await first.close();
    const second = await pair.fork(options);
    expect(await headersOf(second)).toEqual([OLD, OLD, OLD]);
    expect(await gasOfIncrease(second)).toBe(gas);
    await second.close();
    await expect(pair.fork({ ...options, starknetVersion: '0.14.0' })).rejects.toThrow(
      /was started with --starknet-version 0\.13\.6/,
    );
  });
});

test('an image keeps the version', async () => {
  await using old = await startNode({ listen: true, starknetVersion: OLD });
  await mint(old, '0x1234', 1);
  const path = `${temporaryFolder()}/chain.image`;
  await old.client.call('devnet_dump', { path, format: 'image' });
  await using node = await startNode({ listen: true });
  await node.client.call('devnet_load', { path });
  await mint(node, '0x1234', 1);
  expect(await headersOf(node)).toEqual([OLD, OLD, OLD]);
});

test('a lite chain has another hash with another version', async () => {
  const hashes: (string | undefined)[] = [];
  for (const starknetVersion of [OLD, NEWEST] as const) {
    await using node = await startNode({
      listen: true,
      liteMode: true,
      startTime: 1,
      starknetVersion,
    });
    const block_id = { block_number: 0 };
    const block = await node.client.call('starknet_getBlockWithTxHashes', { block_id });
    hashes.push('block_hash' in block ? block.block_hash : undefined);
  }
  expect(new Set(hashes).size).toBe(2);
});

async function receiptOf({ client }: Pick<ListeningNode, 'client'>, transaction_hash: string) {
  return client.call('starknet_getTransactionReceipt', { transaction_hash });
}

/** Versions in the headers of the first, the latest and the pending block. */
async function headersOf({ client }: Pick<ListeningNode, 'client'>): Promise<readonly string[]> {
  const ids = ['latest', 'pre_confirmed'] as const;
  const blocks = [
    await client.call('starknet_getBlockWithTxHashes', { block_id: { block_number: 0 } }),
  ];
  for (const block_id of ids)
    blocks.push(await client.call('starknet_getBlockWithTxHashes', { block_id }));
  return blocks.map(({ starknet_version }) => starknet_version);
}
