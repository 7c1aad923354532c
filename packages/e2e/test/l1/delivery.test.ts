// Each message arrives once, whatever happens to the chain, to L1 or in between.

import { ERRORS } from '@starkbox/spec';
import {
  type Anvil,
  asHex,
  type L1Client,
  messagingAt,
  mined,
  startAnvil,
} from '@starkbox/test-support/l1/anvil';
import {
  balanceOf,
  deposit,
  load,
  type MessagingSetup,
  received,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { type L1Proxy, startProxy } from '@starkbox/test-support/l1/proxy';
import { selector } from '@starkbox/test-support/signing';
import type { Config } from 'starkbox';
import { describe, expect, test } from 'vitest';

const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const USER = '0x5';
const SEND = 'eth_sendRawTransaction';

interface Scene extends MessagingSetup {
  readonly anvil: Anvil;
  readonly proxy: L1Proxy;
  readonly l1: L1Client;
  readonly address: string;
  /** Sends a message to L1 that says this. */
  readonly say: (word: string) => Promise<unknown>;
  /** How often L1 heard it. */
  readonly heard: (word: string) => Promise<number>;
  readonly deposit: (amount: number) => Promise<string>;
}

async function setScene(config?: Partial<Config>): Promise<Scene> {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging(config);
  const address = await load(stage, proxy);
  const l1 = anvil.client();
  const { messenger: from_address } = stage;
  return {
    ...stage,
    anvil,
    proxy,
    l1,
    address,
    say: (word) => send(stage, RECEIVER, [word]),
    heard: (word) => received(l1, address, { from_address, to_address: RECEIVER, payload: [word] }),
    deposit: (amount) => deposit(l1, address, from_address, USER, amount),
  };
}

const flush = ({ client }: Scene) => client.call('devnet_postmanFlush');
const words = ({ messages_to_l1 }: Awaited<ReturnType<typeof flush>>) =>
  messages_to_l1.map(({ payload }) => payload[0]);
const nonces = ({ messages_to_l2 }: Awaited<ReturnType<typeof flush>>) =>
  messages_to_l2.map(({ nonce }) => nonce);

describe('to L1', () => {
  test('messages keep their order', async () => {
    const scene = await setScene({ blockGenerationOn: 'demand' });
    const said = Array.from({ length: 12 }, (_, index) => `0x${(index + 1).toString(16)}`);
    for (const word of said) await scene.say(word);
    // Not before their block is closed.
    expect(words(await flush(scene))).toEqual([]);
    await scene.client.call('devnet_createBlock');
    expect(words(await flush(scene))).toEqual(said);
    const events = await messagingAt(scene.l1, scene.address).getEvents.LogMessageToL1(
      {},
      { fromBlock: 0n },
    );
    expect(events.map(({ args }) => args.payload?.[0])).toEqual(said.map(BigInt));
  });

  test('those of an aborted block never leave', async () => {
    const scene = await setScene();
    await scene.say('0x1');
    await scene.say('0x2');
    await scene.client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(words(await flush(scene))).toEqual(['0x1']);
    expect(await scene.heard('0x2')).toBe(0);
  });

  test('one whose block is aborted while L1 is away does not leave either', async () => {
    const scene = await setScene();
    await scene.say('0x1');
    scene.proxy.mood = { only: SEND, status: 503 };
    expect((await scene.client.failure('devnet_postmanFlush')).code).toBe(
      ERRORS.INTERNAL_ERROR.code,
    );
    await scene.client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    scene.proxy.mood = {};
    expect(words(await flush(scene))).toEqual([]);
    await scene.say('0x2');
    expect(words(await flush(scene))).toEqual(['0x2']);
    expect([await scene.heard('0x1'), await scene.heard('0x2')]).toEqual([0, 1]);
  });

  test.each([SEND, 'eth_getTransactionReceipt'])('the answer to %s is lost', async (only) => {
    const scene = await setScene();
    await scene.say('0x1');
    await scene.say('0x2');
    scene.proxy.mood = { only, isDeaf: true };
    const { code, message } = await scene.client.failure('devnet_postmanFlush');
    expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
    expect(message).toContain('Error in sending messages to L1');
    scene.proxy.mood = {};
    expect(words(await flush(scene))).toEqual(['0x1', '0x2']);
    expect(words(await flush(scene))).toEqual([]);
    expect([await scene.heard('0x1'), await scene.heard('0x2')]).toEqual([1, 1]);
  });

  test('another transaction uses the nonce of a waiting message', async () => {
    const scene = await setScene();
    await scene.say('0x1');
    scene.proxy.mood = { only: SEND, status: 503 };
    await scene.client.failure('devnet_postmanFlush');
    const same = scene.anvil.client(0);
    await mined(same, await same.sendTransaction({ to: asHex(RECEIVER), value: 1n }));
    scene.proxy.mood = {};
    expect(words(await flush(scene))).toEqual(['0x1']);
    expect(await scene.heard('0x1')).toBe(1);
  });

  test('one that L1 refuses keeps no other waiting, and is tried again', async () => {
    const scene = await setScene();
    for (const word of ['0x1', '0xdeadbeef', '0x2']) await scene.say(word);
    const error = { code: -32000, message: 'gas required exceeds allowance' };
    scene.proxy.mood = {
      only: 'eth_estimateGas',
      rewrite: (body, request) =>
        request.includes('deadbeef') ? JSON.stringify({ jsonrpc: '2.0', id: 1, error }) : body,
    };
    expect(words(await flush(scene))).toEqual(['0x1', '0x2']);
    await scene.say('0x3');
    expect(words(await flush(scene))).toEqual(['0x3']);
    // Alone it is an error.
    const { code, message } = await scene.client.failure('devnet_postmanFlush');
    expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
    expect(message).toMatch(/^Error in sending messages to L1: .*gas required exceeds allowance/);
    scene.proxy.mood = {};
    expect(words(await flush(scene))).toEqual(['0xdeadbeef']);
    const heard = await Promise.all(['0x1', '0x2', '0x3', '0xdeadbeef'].map(scene.heard));
    expect(heard).toEqual([1, 1, 1, 1]);
    expect(words(await flush(scene))).toEqual([]);
  });

  test('an L1 that lost what was signed before a message in flight gets it nevertheless', async () => {
    const scene = await setScene();
    const id = await scene.l1.snapshot();
    const same = scene.anvil.client(0);
    await mined(same, await same.sendTransaction({ to: asHex(RECEIVER), value: 1n }));
    await scene.say('0x1');
    scene.proxy.mood = { only: SEND, status: 503 };
    await scene.client.failure('devnet_postmanFlush');
    await scene.l1.revert({ id });
    scene.proxy.mood = {};
    expect(words(await flush(scene))).toEqual(['0x1']);
    expect(await scene.heard('0x1')).toBe(1);
  });

  test('the chain goes back, and L1 does not', async () => {
    const scene = await setScene();
    const { client } = scene;
    await scene.say('0x1');
    await scene.say('0x2');
    const snapshot_id = await client.call('devnet_snapshot');
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    await scene.say('0x3');
    expect(words(await flush(scene))).toEqual(['0x1', '0x3']);
    expect(await client.call('devnet_revert', { snapshot_id })).toBe(true);
    // What L1 has got is not sent again; what it has not got is.
    expect(words(await flush(scene))).toEqual(['0x2']);
    await scene.say('0x3');
    expect(words(await flush(scene))).toEqual(['0x3']);
    const heard = await Promise.all(['0x1', '0x2', '0x3'].map(scene.heard));
    expect(heard).toEqual([1, 1, 2]);
  });
});

describe('from L1', () => {
  test('asked several times at once', async () => {
    const scene = await setScene();
    await scene.deposit(1);
    await scene.deposit(2);
    const all = await Promise.all([flush(scene), flush(scene), flush(scene)]);
    expect(all.flatMap(nonces)).toEqual(['0x0', '0x1']);
    expect(await balanceOf(scene, USER)).toBe(3);
  });

  test('the chain goes back: its cursor does so too', async () => {
    const scene = await setScene();
    const { client } = scene;
    await scene.deposit(1);
    await flush(scene);
    const snapshot_id = await client.call('devnet_snapshot');
    await scene.deposit(2);
    await flush(scene);
    expect(await balanceOf(scene, USER)).toBe(3);
    await client.call('devnet_revert', { snapshot_id });
    expect(await balanceOf(scene, USER)).toBe(1);
    expect(nonces(await flush(scene))).toEqual(['0x1']);
    expect(await balanceOf(scene, USER)).toBe(3);
  });

  test('L1 goes back: other messages at the same place arrive, and known ones not again', async () => {
    const scene = await setScene();
    await scene.deposit(1);
    const id = await scene.l1.snapshot();
    await scene.deposit(2);
    await flush(scene);
    await scene.l1.revert({ id });
    expect(nonces(await flush(scene))).toEqual([]);
    await scene.deposit(4);
    await scene.deposit(8);
    expect(nonces(await flush(scene))).toEqual(['0x1', '0x2']);
    expect(await balanceOf(scene, USER)).toBe(15);
    expect(nonces(await flush(scene))).toEqual([]);
  });

  test('a handler that fails takes its message', async () => {
    const scene = await setScene();
    await scene.deposit(0);
    await scene.deposit(1);
    const { generated_l2_transactions: generated } = await flush(scene);
    const receipts = await Promise.all(
      generated.map((hash) => scene.client.call('starknet_getTransactionReceipt', [hash])),
    );
    expect(receipts).toMatchObject([
      { execution_status: 'REVERTED' },
      { execution_status: 'SUCCEEDED' },
    ]);
  });

  test('what cannot be a transaction is passed over', async () => {
    const scene = await setScene();
    const { write } = messagingAt(scene.l1, scene.address);
    const to = [BigInt(scene.messenger), BigInt(selector('deposit'))] as const;
    const value = 1n;
    await mined(scene.l1, await write.sendMessageToL2([...to, [2n ** 256n - 1n]], { value }));
    await mined(scene.l1, await write.sendMessageToL2([2n ** 255n, to[1], []], { value }));
    await scene.deposit(1);
    expect(nonces(await flush(scene))).toEqual(['0x2']);
  });

  test('a message that was cancelled does not arrive', async () => {
    const scene = await setScene();
    await scene.deposit(1);
    await scene.deposit(2);
    const { write } = messagingAt(scene.l1, scene.address);
    const message = [
      BigInt(scene.messenger),
      BigInt(selector('deposit')),
      [BigInt(USER), 1n],
      0n,
    ] as const;
    await expect(write.cancelL1ToL2Message(message)).rejects.toThrow(
      'MESSAGE_CANCELLATION_NOT_REQUESTED',
    );
    await mined(scene.l1, await write.startL1ToL2MessageCancellation(message));
    await expect(write.cancelL1ToL2Message(message)).rejects.toThrow(
      'MESSAGE_CANCELLATION_NOT_ALLOWED_YET',
    );
    await scene.l1.increaseTime({ seconds: 86_400 });
    await mined(scene.l1, await write.cancelL1ToL2Message(message));
    await expect(write.cancelL1ToL2Message(message)).rejects.toThrow('NO_MESSAGE_TO_CANCEL');
    expect(nonces(await flush(scene))).toEqual(['0x1']);
    expect(await balanceOf(scene, USER)).toBe(2);
  });

  test('a message costs something, and not more than an ether', async () => {
    const scene = await setScene();
    const { write } = messagingAt(scene.l1, scene.address);
    await expect(write.sendMessageToL2([1n, 1n, []], { value: 0n })).rejects.toThrow(
      'L1_MSG_FEE_MUST_BE_GREATER_THAN_0',
    );
    await expect(write.sendMessageToL2([1n, 1n, []], { value: 10n ** 18n + 1n })).rejects.toThrow(
      'MAX_L1_MSG_FEE_EXCEEDED',
    );
  });
});
