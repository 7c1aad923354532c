// Transactions without fees, and accounts that are given STRK when they first need it.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  deployAccountRequest,
  newAccount,
  read,
  Sender,
  STRK,
  ZERO,
} from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const transfer = { to: STRK, name: 'transfer', calldata: ['0xb', '0x1', '0x0'] };

test('without fees, neither bounds nor a balance are needed', async () => {
  const { client, sender } = await startFixture({ chargeFee: false });
  const balance = async () => read(client, STRK, 'balanceOf', [sender.account.address]);
  const [before = ''] = await balance();
  const hash = await sender.invoke([transfer], { resource_bounds: ZERO });
  const receipt = await client.call('starknet_getTransactionReceipt', [hash]);
  expect(receipt).toMatchObject({ execution_status: 'SUCCEEDED' });
  // The receipt shows what the network would charge.
  expect(BigInt(receipt.actual_fee.amount)).toBeGreaterThan(0n);
  expect(receipt.events).toHaveLength(1);
  const [after = ''] = await balance();
  expect(BigInt(before) - BigInt(after)).toBe(1n);

  const poor = newAccount('0x5');
  await client.call('starknet_addDeployAccountTransaction', [
    deployAccountRequest(poor, { changes: { resource_bounds: ZERO } }),
  ]);
  expect(await client.call('starknet_getNonce', ['latest', poor.address])).toBe('0x1');
  const simulated = await client.call('starknet_simulateTransactions', [
    'latest',
    [await sender.invokeRequest([transfer], { resource_bounds: ZERO })],
    [],
  ]);
  expect(simulated).toHaveLength(1);
});

test('an account that holds no STRK is funded before its transaction', async () => {
  const { client, node } = await startFixture({ fundAccounts: 10n ** 20n });
  const [before = '', high] = await read(client, STRK, 'totalSupply');
  const poor = newAccount('0x5');
  const { transaction_hash } = await client.call('starknet_addDeployAccountTransaction', [
    deployAccountRequest(poor),
  ]);
  const { actual_fee } = await client.call('starknet_getTransactionReceipt', [transaction_hash]);
  const { amount } = await client.call('devnet_getAccountBalance', { address: poor.address });
  expect(BigInt(amount)).toBe(10n ** 20n - BigInt(actual_fee.amount));
  expect(await read(client, STRK, 'totalSupply')).toEqual([
    `0x${(BigInt(before) + 10n ** 20n).toString(16)}`,
    high,
  ]);
  // An account with a balance gets none.
  const sender = new Sender(client, node.accounts[0]);
  await sender.invoke([transfer]);
  const rich = await client.call('devnet_getAccountBalance', { address: sender.account.address });
  expect(BigInt(rich.amount)).toBeLessThan(node.config.initialBalance);
});

test('without the option, an account without STRK cannot pay', async () => {
  const { client } = await startFixture();
  const failure = await client.failure('starknet_addDeployAccountTransaction', [
    deployAccountRequest(newAccount('0x5')),
  ]);
  expect(failure.code).toBe(ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code);
});
