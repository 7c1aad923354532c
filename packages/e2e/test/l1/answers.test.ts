// An L1 whose answers have another shape, or are too long.

import { ERRORS } from '@starkbox/spec';
import {
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
  received,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { startProxy } from '@starkbox/test-support/l1/proxy';
import { selector } from '@starkbox/test-support/signing';
import { encodeFunctionData, pad, toHex } from 'viem';
import { expect, test } from 'vitest';
import { MESSAGING_ABI } from '../../../starkbox/src/l1/ethereum/messaging-contract.js';

/** More with TEST_LOGS=20000. */
const LOGS = Number(process.env['TEST_LOGS'] ?? 430);
/** Words of each message, so that all make more than 10 MiB. */
const WORDS = Math.max(8, Math.round(172_000 / LOGS));
const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const USER = '0x5';

/** Answers with this result, whatever the L1 says. */
const result = (value: unknown) => (body: string) =>
  JSON.stringify({ ...JSON.parse(body), result: value });

const STRANGE: readonly (readonly [method: string, value: unknown])[] = [
  ['eth_getLogs', null],
  ['eth_getLogs', [{}]],
  ['eth_getLogs', {}],
  ['eth_getLogs', [null]],
  ['eth_getBlockByNumber', {}],
  ['eth_getBlockByNumber', { number: null, hash: null }],
  ['eth_getBlockByNumber', 5],
  ['eth_getCode', null],
  ['eth_getCode', 'nonsense'],
  ['eth_call', null],
  ['eth_call', []],
  ['eth_chainId', '0x'],
  ['eth_getTransactionCount', { a: 1 }],
  ['eth_estimateGas', null],
  ['eth_sendRawTransaction', 7],
  ['eth_getTransactionReceipt', {}],
  ['eth_getTransactionReceipt', { status: true }],
];

test('an answer of another shape is shown, and messages wait', { timeout: 120_000 }, async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging();
  const { client, messenger } = stage;
  const address = await load(stage, proxy);
  const l1 = anvil.client();
  let amount = 0;
  for (const [only, value] of STRANGE) {
    amount += 1;
    await deposit(l1, address, messenger, USER, amount);
    await send(stage, RECEIVER, [toHex(amount)]);
    proxy.mood = { only, rewrite: result(value) };
    const { code, message } = await client.failure('devnet_postmanFlush');
    expect(code, only).toBe(ERRORS.INTERNAL_ERROR.code);
    const expectedMessage = `the L1 node at ${proxy.url} returned ${JSON.stringify(value)} for ${only}, expected `;
    expect(message, only).toMatch(/^Error in (fetching messages to L2|sending messages to L1): /);
    expect(message, only).toContain(expectedMessage);
    proxy.mood = {};
    await client.call('devnet_postmanFlush');
    const from_address = messenger;
    const said = { from_address, to_address: RECEIVER, payload: [toHex(amount)] };
    expect(await received(l1, address, said), only).toBe(1);
  }
  expect(await balanceOf(stage, USER)).toBe((amount * (amount + 1)) / 2);
});

test.each(['null', '[]', '{}', '5', '{"error":5}', '{"result":', ''])(
  'an L1 that says %j to everything is named',
  async (text) => {
    const anvil = await startAnvil();
    const proxy = await startProxy(() => anvil.url);
    const stage = await startMessaging();
    await load(stage, proxy);
    proxy.mood = { rewrite: () => text };
    const { code, message } = await stage.client.failure('devnet_postmanFlush');
    expect(code).toBe(ERRORS.INTERNAL_ERROR.code);
    expect(message).toMatch(/^Error in fetching messages to L2: /);
    expect(message).toMatch(/L1 node at \S+ (returned|cannot be reached)|error response/);
    const params = { network_url: proxy.url };
    const refused = await stage.client.failure('devnet_postmanLoad', params);
    expect(refused.code).toBe(-1);
    expect(refused.message).toMatch(/^Alloy error: .*\.$/);
  },
);

test('logs are read in ranges that the L1 is able to answer', async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging();
  const address = await load(stage, proxy);
  const l1 = anvil.client();
  for (let amount = 1; amount <= 12; amount += 1) {
    await deposit(l1, address, stage.messenger, USER, amount);
    await l1.mine({ blocks: amount });
  }
  const atMost = (most: number, message: string) => (body: string) => {
    const { id, result: logs }: { id: number; result: unknown[] } = JSON.parse(body);
    const error = { code: -32000, message };
    return logs.length > most ? JSON.stringify({ jsonrpc: '2.0', id, error }) : body;
  };
  proxy.mood = { only: 'eth_getLogs', rewrite: atMost(0, 'query returned more than 0 results') };
  const { message } = await stage.client.failure('devnet_postmanFlush');
  expect(message).toContain('more than 0 results');
  proxy.mood = { only: 'eth_getLogs', rewrite: atMost(2, 'query returned more than 2 results') };
  const { messages_to_l2 } = await stage.client.call('devnet_postmanFlush');
  expect(messages_to_l2.map(({ nonce }) => Number(nonce))).toEqual([...Array(12).keys()]);
  expect(await balanceOf(stage, USER)).toBe(78);
});

/**
 * Calls an address again and again, each time with a wei: the address, how often, and the data. Init code,
 * then CALLDATACOPY, and a loop of CALL.
 */
const REPEATER =
  '0x602d80600b6000396000f3' +
  '6040360360406000376020355b8015602b57600060006040360360006001600035' +
  '5af15060019003600c565b00';

async function deployRepeater(l1: L1Client): Promise<`0x${string}`> {
  const address = await mined(l1, await l1.sendTransaction({ data: asHex(REPEATER) }));
  return address ?? expect.fail('no contract');
}

test(`${LOGS} logs, more than fit into one answer`, { timeout: 300_000 }, async () => {
  const anvil = await startAnvil();
  const proxy = await startProxy(() => anvil.url);
  const stage = await startMessaging();
  const address = await load(stage, proxy);
  const l1 = anvil.client();
  const repeater = await deployRepeater(l1);
  // No felts: they are read, and passed over without being executed.
  const data = encodeFunctionData({
    abi: MESSAGING_ABI,
    functionName: 'sendMessageToL2',
    args: [
      BigInt(stage.messenger),
      BigInt(selector('deposit')),
      Array(WORDS).fill(2n ** 256n - 1n),
    ],
  });
  // As many as fit into a block.
  const together = WORDS > 8 ? 100 : 400;
  for (let sentCount = 0; sentCount < LOGS; sentCount += together) {
    const words = [pad(asHex(address)), toHex(Math.min(together, LOGS - sentCount), { size: 32 })];
    const hash = await l1.sendTransaction({
      to: repeater,
      data: asHex(words.join('').replaceAll('0x', '') + data.slice(2)),
      value: BigInt(together),
      gas: 29_000_000n,
    });
    await mined(l1, hash);
  }
  await deposit(l1, address, stage.messenger, USER, 3);
  const { read } = messagingAt(l1, address);
  expect(await read.l1ToL2MessageNonce()).toBe(BigInt(LOGS + 1));
  const { messages_to_l2 } = await stage.client.call('devnet_postmanFlush');
  expect(messages_to_l2.map(({ nonce }) => Number(nonce))).toEqual([LOGS]);
  expect(await balanceOf(stage, USER)).toBe(3);
  expect(proxy.methods.filter((method) => method === 'eth_getLogs').length).toBeGreaterThan(1);
});
