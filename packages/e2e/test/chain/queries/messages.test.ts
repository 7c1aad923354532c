// List of messages between L1 and L2 with their states, in pages, with and without a real L1.
import { messageToL1Hash } from '@starkbox/engine';
import { startAnvil } from '@starkbox/test-support/l1/anvil';
import { deposit, load, send, startMessaging } from '@starkbox/test-support/l1/messaging-setup';
import { selector } from '@starkbox/test-support/signing';
import { afterAll, expect, test } from 'vitest';

const L1_USER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const stage = await startMessaging();
const { client, messenger, node } = stage;
afterAll(() => node.close());

const list = (direction: 'TO_L1' | 'TO_L2', more: { cursor?: string; limit?: number } = {}) =>
  client.call('devnet_listMessages', { direction, ...more });
const states = async (direction: 'TO_L1' | 'TO_L2') =>
  (await list(direction)).messages.map(({ state, payload }) => [state, ...payload]);
const fake = (payload: readonly string[], nonce: string) =>
  client.call('devnet_postmanSendMessageToL2', {
    l1_contract_address: L1_USER,
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    payload,
    paid_fee_on_l1: '0x1',
    nonce,
  });

test('there are none at first', async () => {
  expect(await list('TO_L1')).toEqual({ messages: [], waiting: 0 });
  expect(await list('TO_L2')).toEqual({ messages: [], waiting: 0 });
});

test('a message to L2 is shown with its handler and how that ended', async () => {
  const { transaction_hash } = await fake(['0x5', '0x64'], '0x0');
  await fake(['0x5', '0x0'], '0x1');
  const { messages } = await list('TO_L2');
  expect(messages).toMatchObject([
    { state: 'REVERTED', payload: ['0x5', '0x0'], nonce: '0x1' },
    {
      state: 'HANDLED',
      from_address: L1_USER,
      to_address: messenger,
      selector: selector('deposit'),
      payload: ['0x5', '0x64'],
      transaction_hash,
      nonce: '0x0',
    },
  ]);
  expect(messages[0]?.revert_reason).toContain('empty deposit');
  expect(messages[1]?.l1_transaction_hash).toBeUndefined();
});

test('a message to L1 is pending, sent, and consumed', async () => {
  await send(stage, L1_USER, ['0x1']);
  await send(stage, L1_USER, ['0x2']);
  const message = { from_address: messenger, to_address: L1_USER, payload: ['0x2'] };
  const page = await list('TO_L1', { limit: 1 });
  expect(page).toMatchObject({
    messages: [{ state: 'SENT', ...message, message_hash: messageToL1Hash(message) }],
    waiting: 2,
    next: expect.any(String),
  });
  const rest = await list('TO_L1', { limit: 1, cursor: page.next ?? '' });
  expect(rest).toMatchObject({ messages: [{ state: 'SENT', payload: ['0x1'] }] });
  await client.call('devnet_postmanConsumeMessageFromL2', message);
  expect(await states('TO_L1')).toEqual([
    ['CONSUMED', '0x2'],
    ['SENT', '0x1'],
  ]);
});

test('without a direction, both are listed, newest first, in pages', async () => {
  const both = await client.call('devnet_listMessages');
  expect(
    both.messages.map(({ direction, state, payload }) => [direction, state, ...payload]),
  ).toEqual([
    ['TO_L1', 'CONSUMED', '0x2'],
    ['TO_L1', 'SENT', '0x1'],
    ['TO_L2', 'REVERTED', '0x5', '0x0'],
    ['TO_L2', 'HANDLED', '0x5', '0x64'],
  ]);
  const rows = [];
  let cursor: string | undefined;
  do {
    const more = cursor === undefined ? {} : { cursor };
    const page = await client.call('devnet_listMessages', { limit: 1, ...more });
    rows.push(...page.messages);
    cursor = page.next;
  } while (cursor !== undefined);
  expect(rows).toEqual(both.messages);
});

test('with an L1 they are carried, and those from there name their transaction', async () => {
  const anvil = await startAnvil();
  const contract = await load(stage, anvil);
  const l1Hash = await deposit(anvil.client(), contract, messenger, '0x9', 7);
  await client.call('devnet_postmanFlush');
  const to = await list('TO_L1');
  expect(to.waiting).toBe(0);
  expect(to.l1).toEqual({
    url: `${anvil.url}/`.replace(/\/+$/, '/'),
    messaging_contract_address: contract,
  });
  expect(to.messages.map(({ state }) => state)).toEqual(['CONSUMED', 'DELIVERED']);
  const [newest] = (await list('TO_L2')).messages;
  expect(newest).toMatchObject({
    state: 'HANDLED',
    payload: ['0x9', '0x7'],
    l1_transaction_hash: l1Hash,
  });
}, 180_000);

test('what an undone block sent is gone with it', async () => {
  const before = await states('TO_L1');
  const snapshot_id = await client.call('devnet_snapshot');
  await send(stage, L1_USER, ['0x3']);
  await send(stage, L1_USER, ['0x3']);
  expect((await states('TO_L1')).slice(0, 2)).toEqual([
    ['SENT', '0x3'],
    ['SENT', '0x3'],
  ]);
  await client.call('devnet_revert', { snapshot_id });
  expect(await states('TO_L1')).toEqual(before);
});

test('blocks between them are not looked at, so that a long chain costs nothing', async () => {
  for (let count = 0; count < 1500; count += 1) await node.request('devnet_createBlock');
  const page = await list('TO_L1');
  expect(page.messages).toHaveLength(2);
  expect(page.next).toBeUndefined();
}, 180_000);
