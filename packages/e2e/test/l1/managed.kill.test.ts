import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startFixture } from '@starkbox/test-support/fixture';
import { connect, messagingAt } from '@starkbox/test-support/l1/anvil';
import {
  balanceOf,
  deployMessenger,
  deposit,
  received,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { afterAll, expect, test, vi } from 'vitest';

const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';

const stage = await startMessaging({ l1: 'anvil:0' });
const l1 = connect(stage.node.l1?.url ?? '');
const address = stage.node.l1?.messagingContract ?? '';

const word = (payload: string) =>
  received(l1, address, {
    from_address: stage.messenger,
    to_address: RECEIVER,
    payload: [payload],
  });

test('the messaging contract is there', async () => {
  expect(stage.node.l1).toMatchObject({ isManaged: true });
  expect(await messagingAt(l1, address).read.l1ToL2MessageNonce()).toBe(0n);
});

test('a revert leaves no message on either side', async () => {
  const { client } = stage;
  await send(stage, RECEIVER, ['0x1']);
  await deposit(l1, address, stage.messenger, '0x5', 1);
  const snapshot_id = await client.call('devnet_snapshot');
  const later = await client.call('devnet_snapshot');
  for (let round = 0; round < 2; round += 1) {
    await send(stage, RECEIVER, ['0x2']);
    await deposit(l1, address, stage.messenger, '0x5', 2);
    const { messages_to_l1, messages_to_l2 } = await client.call('devnet_postmanFlush');
    expect([messages_to_l1.length, messages_to_l2.length]).toEqual([2, 2]);
    expect([await word('0x1'), await word('0x2'), await balanceOf(stage, '0x5')]).toEqual([
      1, 1, 3,
    ]);

    const id = round === 0 ? later : snapshot_id;
    expect(await client.call('devnet_revert', { snapshot_id: id })).toBe(true);
    expect([await word('0x1'), await word('0x2'), await balanceOf(stage, '0x5')]).toEqual([
      0, 0, 0,
    ]);
    expect(await messagingAt(l1, address).read.l1ToL2MessageNonce()).toBe(1n);
  }
  expect(await client.call('devnet_revert', { snapshot_id: later })).toBe(false);
  // What waited at that moment still waits.
  const { messages_to_l1, messages_to_l2 } = await client.call('devnet_postmanFlush');
  expect([messages_to_l1.length, messages_to_l2.length]).toEqual([1, 1]);
});

test('a restart begins anew on both sides, again and again', async () => {
  const { client } = stage;
  for (let round = 0; round < 3; round += 1) {
    await client.call('devnet_restart');
    expect(await l1.getBlockNumber({ cacheTime: 0 })).toBe(1n);
    expect(await deployMessenger(stage.sender)).toBe(stage.messenger);
    await send(stage, RECEIVER, ['0x3']);
    await deposit(l1, address, stage.messenger, '0x5', 4);
    const { messages_to_l1, messages_to_l2 } = await client.call('devnet_postmanFlush');
    expect([messages_to_l1.length, messages_to_l2.length]).toEqual([1, 1]);
    expect([await word('0x1'), await word('0x3'), await balanceOf(stage, '0x5')]).toEqual([
      0, 1, 4,
    ]);
  }
});

test('a snapshot that is gone takes L1 nowhere', async () => {
  const { node, client } = await startFixture({ l1: 'anvil:0' });
  const anvilClient = connect(node.l1?.url ?? '');
  const snapshot_id = await client.call('devnet_snapshot');
  await anvilClient.mine({ blocks: 3 });
  const height = await anvilClient.getBlockNumber({ cacheTime: 0 });
  await client.call('devnet_load', { events: [] });
  expect(await client.call('devnet_revert', { snapshot_id })).toBe(false);
  expect(await anvilClient.getBlockNumber({ cacheTime: 0 })).toBe(height);
});

test('with a data directory both chains go on', async () => {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'starkbox-l1-')), 'chain');
  const config = { l1: 'anvil:0', dataDir };
  const setup = await startMessaging(config);
  const before = connect(setup.node.l1?.url ?? '');
  const contractAddress = setup.node.l1?.messagingContract ?? '';
  await deposit(before, contractAddress, setup.messenger, '0x5', 1);
  await setup.client.call('devnet_postmanFlush');
  await deposit(before, contractAddress, setup.messenger, '0x5', 2);
  await send(setup, RECEIVER, ['0x1']);
  await setup.node.close();

  const { node, client } = await startFixture(config);
  expect(node.l1).toMatchObject({ messagingContract: contractAddress, isManaged: true });
  const carried = await client.call('devnet_postmanFlush');
  expect(carried.messages_to_l2.map(({ nonce }) => nonce)).toEqual(['0x1']);
  expect(carried.messages_to_l1).toHaveLength(1);
  expect(await balanceOf({ ...setup, client }, '0x5')).toBe(3);
  await node.close();
  await rm(dirname(dataDir), { recursive: true });
});

const children: number[] = [];
afterAll(() => {
  for (const pid of children) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone, as it should be.
    }
  }
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'the command prints both URLs, and Anvil ends with it on %s',
  async (signal) => {
    const command = await RunningCommand.start(['--seed', '0', '--l1', 'anvil:0']);
    children.push(command.pid);
    const l1Url = (): string => {
      const [, printedUrl] =
        /L1 \(Anvil\) on (\S+), messaging contract 0x5fbdb/.exec(command.said.join('\n')) ?? [];
      return printedUrl ?? expect.fail('L1 was not named');
    };
    const url = await vi.waitFor(l1Url, { timeout: 30_000 });
    const alive = () => connect(url).getChainId();
    expect(await alive()).toBe(31_337);
    await command.stop(signal);
    await vi.waitFor(() => expect(alive()).rejects.toThrow(), { timeout: 30_000 });
  },
);
