// An L1 that is gone, slow or broken: L2 continues, the postman reports it and recovers.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { checkedClient } from '@starkbox/test-support';
import { FIXTURE } from '@starkbox/test-support/fixture';
import { type Anvil, connect, startAnvil } from '@starkbox/test-support/l1/anvil';
import {
  balanceOf,
  deployMessenger,
  deposit,
  load,
  received,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { startProxy } from '@starkbox/test-support/l1/proxy';
import { Sender } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain, type Log } from 'starkbox';
import { expect, test, vi } from 'vitest';
import { silentLog } from '../../../starkbox/src/log.js';

const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
/** Milliseconds that an answer takes: several follow each other in one flush. */
const SLOW = 4000;

test('an Anvil is killed and comes back with its chain', async () => {
  const state = join(temporaryFolderOfFile(), 'state.json');
  const args = ['--state', state, '--state-interval', '1'];
  let anvil: Anvil = await startAnvil(args);
  const stage = await startMessaging();
  const address = await load(stage, anvil);
  await deposit(anvil.client(), address, stage.messenger, '0x5', 1);
  await send(stage, RECEIVER, ['0x1']);
  const since = Date.now();
  const saved = async () => expect((await stat(state)).mtimeMs).toBeGreaterThan(since);
  await vi.waitFor(saved, { timeout: 30_000 });
  await anvil.kill();

  const { code, message } = await stage.client.failure('devnet_postmanFlush');
  expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
  expect(message).toMatch(/cannot be reached: [A-Z_]+$/);
  await send(stage, RECEIVER, ['0x2']);

  anvil = await startAnvil(args, anvil.port);
  const flushed = await stage.client.call('devnet_postmanFlush');
  expect(flushed.messages_to_l1.map(({ payload }) => payload)).toEqual([['0x1'], ['0x2']]);
  expect(flushed.messages_to_l2.map(({ nonce }) => nonce)).toEqual(['0x0']);
  expect(await balanceOf(stage, '0x5')).toBe(1);
});

test('an Anvil is replaced by another one', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging();
  await load(stage, anvil);
  await send(stage, RECEIVER, ['0x1']);
  await anvil.kill();
  const other = await startAnvil([], anvil.port);
  const { code, message } = await stage.client.failure('devnet_postmanFlush');
  expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
  expect(message).toContain('devnet_postmanLoad');
  const address = await load(stage, other);
  const { messages_to_l1 } = await stage.client.call('devnet_postmanFlush');
  expect(messages_to_l1).toHaveLength(1);
  expect(
    await received(other.client(), address, {
      from_address: stage.messenger,
      to_address: RECEIVER,
      payload: ['0x1'],
    }),
  ).toBe(1);
});

test('a slow L1 does not delay L2', async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging();
  const { client } = stage;
  const address = await load(stage, proxy);
  await deposit(anvil.client(), address, stage.messenger, '0x5', 1);
  await send(stage, RECEIVER, ['0x1']);
  proxy.mood = { milliseconds: SLOW };
  let isDone = false;
  const flushed = client.call('devnet_postmanFlush').finally(() => {
    isDone = true;
  });
  for (let i = 0; i < 10; i += 1) {
    await client.call('devnet_mint', { address: '0x1', amount: 1 });
    await client.call('starknet_blockNumber');
    await client.call('devnet_postmanFlush', { dry_run: true });
  }
  expect(isDone).toBe(false);
  proxy.mood = {};
  const { messages_to_l1, messages_to_l2 } = await flushed;
  expect([messages_to_l1.length, messages_to_l2.length]).toEqual([1, 1]);
});

test('an L1 that answers errors is named, and messages wait', async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging();
  const { client } = stage;
  await load(stage, proxy);
  await send(stage, RECEIVER, ['0x1']);
  for (const mood of [
    { status: 500 },
    { status: 429 },
    { error: { code: -32000, message: 'out of order' } },
    { only: 'eth_estimateGas', error: { code: -32000, message: 'out of order' } },
    { only: 'eth_sendRawTransaction', error: { code: -32000, message: 'out of order' } },
    { isDeaf: true },
  ]) {
    proxy.mood = mood;
    const { code, message } = await client.failure('devnet_postmanFlush');
    expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
    expect(message).toMatch(/^Error in (fetching messages to L2|sending messages to L1): /);
    if ('error' in mood) expect(message).toContain('out of order');
    const { messages_to_l1 } = await client.call('devnet_postmanFlush', { dry_run: true });
    expect(messages_to_l1).toHaveLength(1);
  }
  proxy.mood = {};
  expect((await client.call('devnet_postmanFlush')).messages_to_l1).toHaveLength(1);
});

test('keys in the URL of an L1 are shown nowhere', async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const lines: string[] = [];
  const tell = (fields: object | string, text = ''): void =>
    void lines.push(`${JSON.stringify(fields)} ${text}`);
  const log: Log = { ...silentLog, warn: tell, info: tell, error: tell };
  const shownUrl = `${new URL(proxy.url).origin}/…`;
  const network_url = `${new URL(proxy.url).origin}/v3/key-in-path?apikey=key-in-query`;
  const node: LocalChain = await createChain(
    { ...FIXTURE, l1: network_url, l1AutoRelay: 0.02 },
    { log },
  );
  try {
    const client = checkedClient(node.handle);
    const texts: string[] = [];
    const { l1 } = await client.call('devnet_listMessages', { direction: 'TO_L1' });
    expect(l1?.url).toBe(shownUrl);
    expect((await client.call('devnet_postmanFlush')).l1_provider).toBe(shownUrl);
    for (const mood of [{ status: 500 }, { isDeaf: true }]) {
      proxy.mood = mood;
      const { message } = await client.failure('devnet_postmanFlush');
      expect(message).toContain(shownUrl);
      texts.push(message);
    }
    await vi.waitFor(() => expect(lines.join()).toContain(shownUrl), { timeout: 30_000 });
    const withUser = network_url.replace('://', '://user:key-of-user@');
    for (const url of [withUser, withUser.replace('http:', 'wss:')]) {
      texts.push((await client.failure('devnet_postmanLoad', { network_url: url })).message);
    }
    proxy.mood = {};
    await vi.waitFor(() => expect(lines.join()).toContain('works again'), { timeout: 30_000 });
    expect([...texts, ...lines].join()).not.toMatch(/key-(in|of)/);
  } finally {
    await node.close();
  }
});

test('the relay says once what is wrong, and once that it is over', async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const lines: string[] = [];
  const tell = (fields: object | string): void => void lines.push(String(fields));
  const log: Log = { ...silentLog, warn: tell, info: tell };
  const node: LocalChain = await createChain(
    { ...FIXTURE, l1: proxy.url, l1AutoRelay: 0.02 },
    { log },
  );
  try {
    const client = checkedClient(node.handle);
    const sender = new Sender(client, node.accounts[0]);
    const messenger = await deployMessenger(sender);
    const stage = { node, client, sender, messenger };
    const address = node.l1?.messagingContract ?? '';
    const l1 = connect(anvil.url);
    proxy.mood = { error: { code: -32000, message: 'out of order' } };
    const timeout = 30_000;
    await vi.waitFor(() => expect(lines.join()).toContain('out of order'), { timeout });
    const requestCount = proxy.methods.length;
    await vi.waitFor(() => expect(proxy.methods.length).toBeGreaterThan(requestCount + 6), {
      timeout,
    });
    expect(lines.filter((line) => line.includes('out of order'))).toHaveLength(1);
    await send(stage, RECEIVER, ['0x1']);
    await deposit(l1, address, messenger, '0x5', 1);
    proxy.mood = {};
    const message = { from_address: messenger, to_address: RECEIVER, payload: ['0x1'] };
    await vi.waitFor(
      async () => {
        expect(await received(l1, address, message)).toBe(1);
        expect(await balanceOf(stage, '0x5')).toBe(1);
      },
      { timeout },
    );
    // It is logged at the end of the run that relayed them.
    await vi.waitFor(
      () => expect(lines.filter((line) => line.includes('works again'))).toHaveLength(1),
      { timeout },
    );
  } finally {
    await node.close();
  }
});
