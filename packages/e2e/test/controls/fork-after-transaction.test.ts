// Forks that begin after a transaction in the middle of a block.
import { join } from 'node:path';
import { checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { contract, read, Sender, STRK } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import type { createChain } from 'starkbox';
import { expect, test } from 'vitest';

async function start(options: Parameters<typeof createChain>[0]) {
  const node = await openNode({ seed: 0, accounts: 2, port: 0, ...options });
  return { node, client: checkedClient(node.handle) };
}

const transfer = (to: string) => ({ to: STRK, name: 'transfer', calldata: [to, '0x1', '0x0'] });

test('the state is that after the transaction, and the rest of the block is missing', async () => {
  const origin = await start({ blockGenerationOn: 'demand', startTime: 1_700_000_000 });
  const { url } = await origin.node.listen();
  await origin.client.call('devnet_createBlock');
  const sender = new Sender(origin.client, origin.node.accounts[0]);
  const counter = await contract('upgradable');
  await sender.invoke([transfer('0xa')]);
  await sender.declare(counter);
  const second = await sender.invoke([transfer('0xb')]);
  await sender.invoke([transfer('0xc')]);
  await origin.client.call('devnet_setTime', { time: 1_800_000_000 });
  await origin.client.call('devnet_createBlock');

  // Other accounts: those of the origin keep their balances.
  const { client } = await start({
    seed: 1,
    forkNetwork: url,
    forkTransaction: second,
    forkUpstreamCaching: false,
  });
  expect(await client.call('starknet_blockNumber')).toBe(2);
  expect(await client.call('starknet_getBlockWithTxHashes', ['latest'])).toMatchObject({
    timestamp: 1_800_000_000,
  });
  const balances = await Promise.all(
    ['0xa', '0xb', '0xc'].map((holder) => read(client, STRK, 'balanceOf', [holder])),
  );
  expect(balances.map(([low]) => low)).toEqual(['0x1', '0x1', '0x0']);
  const { address } = sender.account;
  expect(await client.call('starknet_getNonce', ['latest', address])).toBe('0x3');
  // The declared class can be used, and the account goes on.
  const again = new Sender(client, origin.node.accounts[0]);
  expect(await client.call('starknet_getClass', ['latest', counter.hash])).toMatchObject({
    contract_class_version: expect.any(String),
  });
  await again.invoke([transfer('0xc')]);
  expect(await read(client, STRK, 'balanceOf', ['0xc'])).toEqual(['0x1', '0x0']);

  await client.call('devnet_restart');
  expect(await read(client, STRK, 'balanceOf', ['0xb'])).toEqual(['0x1', '0x0']);
});

test('a data directory continues after the same transaction', async () => {
  const origin = await start({ blockGenerationOn: 'demand' });
  const { url } = await origin.node.listen();
  await origin.client.call('devnet_createBlock');
  const sender = new Sender(origin.client, origin.node.accounts[0]);
  const first = await sender.invoke([transfer('0xa')]);
  const second = await sender.invoke([transfer('0xb')]);
  await origin.client.call('devnet_createBlock');

  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const plain = join(folder, 'plain');
  const fork = { forkNetwork: url, forkUpstreamCaching: false } as const;
  const ended = async (options: Parameters<typeof start>[0]): Promise<readonly unknown[]> => {
    const { node, client } = await start({ seed: 1, ...options });
    const balances = async () => [
      await read(client, STRK, 'balanceOf', ['0xa']),
      await read(client, STRK, 'balanceOf', ['0xb']),
    ];
    const observedBalances = [await balances()];
    await client.call('devnet_restart');
    observedBalances.push(await balances());
    await node.close();
    return observedBalances.flat(2);
  };
  const changed = ['0x1', '0x0', '0x0', '0x0', '0x1', '0x0', '0x0', '0x0'];
  expect(await ended({ ...fork, forkTransaction: first, dataDir })).toEqual(changed);
  expect(await ended({ dataDir, forkUpstreamCaching: false })).toEqual(changed);
  expect(await ended({ ...fork, forkTransaction: first, dataDir })).toEqual(changed);

  const refused = (options: Parameters<typeof start>[0]) =>
    expect(start({ seed: 1, ...fork, ...options })).rejects;
  await refused({ dataDir, forkTransaction: second }).toThrow(
    `was started with --fork-transaction ${first} and cannot continue with --fork-transaction ${second}`,
  );
  await refused({ dataDir, forkBlock: 1 }).toThrow('cannot continue with --fork-block 1');
  await ended({ ...fork, forkBlock: 1, dataDir: plain });
  await refused({ dataDir: plain, forkTransaction: first }).toThrow(
    'was started without --fork-transaction',
  );
});

test('a transaction that is in no block fails the start', async () => {
  const origin = await start({ blockGenerationOn: 'demand' });
  const { url } = await origin.node.listen();
  const sender = new Sender(origin.client, origin.node.accounts[0]);
  const waiting = await sender.invoke([transfer('0xa')]);
  for (const forkTransaction of [waiting, '0x5']) {
    await expect(
      start({ forkNetwork: url, forkTransaction, forkUpstreamCaching: false }),
    ).rejects.toThrow(/--fork-transaction/);
  }
});
