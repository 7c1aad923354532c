// Receipts: what they say of deployments, of reverts and of gas.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  AMPLE,
  type Bounds,
  boundsOf,
  contract,
  deployAccountRequest,
  deployment,
  hex,
  newAccount,
  STRK,
  selector,
  UDC,
  ZERO,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { ACCOUNTS, GENERATION } from '../../../../../contracts/classes.js';

const { client, sender } = await startFixture(ACCOUNTS);
const counter = await contract('counter');
await sender.declare(counter);

const receiptOf = (hash: string) => client.call('starknet_getTransactionReceipt', [hash]);

function within(
  gas: { readonly l1_gas: number; readonly l1_data_gas: number; readonly l2_gas: number },
  bounds: Bounds,
): boolean {
  return (
    gas.l1_gas <= Number(bounds.l1_gas.max_amount) &&
    gas.l1_data_gas <= Number(bounds.l1_data_gas.max_amount) &&
    gas.l2_gas <= Number(bounds.l2_gas.max_amount)
  );
}

describe('receipts', () => {
  test('reads.7 the deployment of an account names its address', async () => {
    const account = newAccount('0x555');
    await client.call('devnet_mint', { address: account.address, amount: 1e20 });
    const request = deployAccountRequest(account);
    const { transaction_hash } = await client.call('starknet_addDeployAccountTransaction', [
      request,
    ]);
    const block = await client.call('starknet_blockHashAndNumber');
    expect(await receiptOf(transaction_hash)).toMatchObject({
      type: 'DEPLOY_ACCOUNT',
      transaction_hash,
      contract_address: account.address,
      execution_status: 'SUCCEEDED',
      finality_status: 'ACCEPTED_ON_L2',
      messages_sent: [],
      ...block,
    });
  });

  test('reads.7 a deployment has the event of the deployer and that of the fee', async () => {
    const { call, address } = deployment(counter.hash, ['0x5']);
    const receipt = await receiptOf(await sender.invoke([call]));
    expect(receipt).not.toHaveProperty('contract_address');
    const { amount } = receipt.actual_fee;
    expect(receipt).toMatchObject({
      type: 'INVOKE',
      execution_status: 'SUCCEEDED',
      messages_sent: [],
      events: [
        { from_address: UDC, keys: [selector('ContractDeployed')] },
        {
          from_address: STRK,
          keys: [selector('Transfer'), sender.account.address, '0x1000'],
          data: [amount, '0x0'],
        },
      ],
    });
    expect(receipt.events).toHaveLength(2);
    expect(receipt.events[0]?.data[0]).toBe(address);
  });

  test('reads.7 too many arguments for a constructor make a deployment revert', async () => {
    const { call, address } = deployment(counter.hash, ['0x5', '0x6'], { salt: '0x2' });
    const receipt = await receiptOf(await sender.invoke([call]));
    expect(receipt).toMatchObject({
      execution_status: 'REVERTED',
      revert_reason: expect.stringContaining('Input too long for arguments'),
      messages_sent: [],
      events: [{ from_address: STRK, data: [receipt.actual_fee.amount, '0x0'] }],
    });
    expect(within(receipt.execution_resources, AMPLE)).toBe(true);
    expect((await client.failure('starknet_getClassHashAt', ['latest', address])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
  });

  test('reads.7 what runs out of gas is charged less than was estimated', async () => {
    const reverter = await sender.deploy(await contract('reverter'));
    const calls = [{ to: reverter, name: 'burn', calldata: [hex(5000)] }];
    const request = await sender.invokeRequest(calls, { resource_bounds: ZERO });
    const [fee] = await client.call('starknet_estimateFee', [[request], [], 'latest']);
    if (!fee) throw new Error('nothing was estimated');
    const resource_bounds = boundsOf(fee, (gas) => gas - 1n);
    const receipt = await receiptOf(await sender.invoke(calls, { resource_bounds }));
    expect(receipt).toMatchObject({
      execution_status: 'REVERTED',
      revert_reason: expect.stringContaining('Insufficient max L2Gas'),
    });
    expect(BigInt(receipt.actual_fee.amount)).toBeGreaterThan(0n);
    expect(BigInt(receipt.actual_fee.amount)).toBeLessThan(BigInt(fee.overall_fee));
    // By Sierra, what was used before the failure is counted in full, and paid up to the bounds.
    const isWithin = within(receipt.execution_resources, resource_bounds);
    expect(isWithin).toBe(GENERATION === '2.8');
  });

  test('reads.7 a transaction that waits for its block has the number and no hash', async () => {
    const demand = await startFixture({ ...ACCOUNTS, blockGenerationOn: 'demand' });
    const { tx_hash } = await demand.client.call('devnet_mint', { address: '0x1', amount: 1 });
    const receipt = await demand.client.call('starknet_getTransactionReceipt', [tx_hash]);
    expect(receipt).toMatchObject({ finality_status: 'PRE_CONFIRMED', block_number: 1 });
    expect(receipt).not.toHaveProperty('block_hash');
  });

  test('reads.7 an unknown transaction has none', async () => {
    const { code, data } = await client.failure('starknet_getTransactionReceipt', ['0x1234']);
    expect([code, data]).toEqual([29, undefined]);
  });
});
