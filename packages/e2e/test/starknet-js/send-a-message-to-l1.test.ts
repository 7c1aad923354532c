// Messages to L1; without an L1 they can still be read and consumed.

import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { hash } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, client, close } = await startRecordedNode();
afterAll(close);

const L1_BRIDGE = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const owner = account(0);
const messenger = await deployed(owner, 'messenger');

test('a message is in the receipt, in the trace and in the next flush', async () => {
  const args = [L1_BRIDGE, ['0x1', '0x2']];
  const receipt = await messenger.invoke('send', args, { waitForTransaction: true });
  const message = {
    from_address: messenger.address,
    to_address: L1_BRIDGE,
    payload: ['0x1', '0x2'],
  };
  expect(receipt.messages_sent).toEqual([message]);
  expect(await provider.getTransactionTrace(receipt.transaction_hash)).toMatchObject({
    execute_invocation: { calls: [{ messages: [{ order: 0, ...message }] }] },
  });
  expect(await client.call('devnet_postmanFlush', { dry_run: true })).toEqual({
    messages_to_l1: [message],
    messages_to_l2: [],
    generated_l2_transactions: [],
    l1_provider: 'dry run',
  });
});

test('a deposit from L1 is withdrawn to L1', async () => {
  await client.call('devnet_postmanSendMessageToL2', {
    l1_contract_address: L1_BRIDGE,
    l2_contract_address: messenger.address,
    entry_point_selector: hash.getSelectorFromName('deposit'),
    payload: [owner.address, '0x64'],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
  });
  const args = [L1_BRIDGE, 40];
  const receipt = await messenger.invoke('withdraw', args, { waitForTransaction: true });
  expect(receipt.messages_sent).toMatchObject([{ payload: [owner.address, '0x28'] }]);
  expect(await messenger.call('balance_of', [owner.address])).toBe(60n);
});

test('a message can be consumed once', async () => {
  const args = [L1_BRIDGE, ['0xc0ffee']];
  await messenger.invoke('send', args, { waitForTransaction: true });
  const message = {
    from_address: messenger.address,
    to_address: L1_BRIDGE,
    payload: ['0xc0ffee'],
  };
  const { message_hash } = await client.call('devnet_postmanConsumeMessageFromL2', message);
  expect(message_hash).toMatch(/^0x[0-9a-f]{64}$/);
  const again = await client.failure('devnet_postmanConsumeMessageFromL2', message);
  expect(again.code).toBe(-1);
});
