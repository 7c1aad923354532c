// A message from L1 without an L1: a call to the node delivers it.

import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { hash } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, client, close } = await startRecordedNode();
afterAll(close);

const L1_BRIDGE = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const user = account(1).address;
const messenger = await deployed(account(0), 'messenger');

function message(amount: number, nonce: number) {
  return {
    l1_transaction_hash: `0x${'ab'.repeat(31)}${nonce.toString(16).padStart(2, '0')}`,
    l1_contract_address: L1_BRIDGE,
    l2_contract_address: messenger.address,
    entry_point_selector: hash.getSelectorFromName('deposit'),
    payload: [user, `0x${amount.toString(16)}`],
    paid_fee_on_l1: '0x123456789abcdef',
    nonce: `0x${nonce.toString(16)}`,
  };
}

test('the handler runs, and its transaction looks like any other', async () => {
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', message(100, 1));
  const receipt = await provider.waitForTransaction(transaction_hash);
  expect(receipt).toMatchObject({
    type: 'L1_HANDLER',
    execution_status: 'SUCCEEDED',
    actual_fee: { amount: '0x0' },
  });
  expect(await messenger.call('balance_of', [user])).toBe(100n);
  expect(await messenger.call('last_sender')).toBe(BigInt(L1_BRIDGE));
  expect(messenger.parseEvents(receipt)[0]).toMatchObject({
    'starkbox_contracts::messenger::messenger::DepositReceived': {
      user: BigInt(user),
      amount: 100n,
    },
  });

  expect(await provider.getTransaction(transaction_hash)).toMatchObject({
    type: 'L1_HANDLER',
    contract_address: messenger.address,
    nonce: '0x1',
    calldata: [L1_BRIDGE, user, '0x64'],
  });
});

test('the message has the hash that L1 gives it', async () => {
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', message(5, 2));
  expect(await provider.getTransactionReceipt(transaction_hash)).toMatchObject({
    message_hash: await provider.getL1MessageHash(transaction_hash),
  });
});

test('the status of the message is known by its transaction on L1', async () => {
  const messageToL2 = message(7, 3);
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', messageToL2);
  const statuses = await provider.getL1MessagesStatus(messageToL2.l1_transaction_hash);
  expect(statuses).toMatchObject([
    { transaction_hash, finality_status: 'ACCEPTED_ON_L2', execution_status: 'SUCCEEDED' },
  ]);
});

test('a handler that fails takes its message all the same', async () => {
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', message(0, 4));
  expect(await provider.waitForTransaction(transaction_hash)).toMatchObject({
    execution_status: 'REVERTED',
    revert_reason: expect.stringContaining('messenger: empty deposit'),
  });
});
