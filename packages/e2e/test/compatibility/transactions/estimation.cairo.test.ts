// Fee estimates of transactions and messages, and estimates that fail.

import { publicKey } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  boundsOf,
  contract,
  declareRequest,
  deployAccountRequest,
  deployment,
  GWEI,
  hex,
  invokeRequest,
  newAccount,
  padded,
  read,
  STRK,
  selector,
  short,
  UDC,
  ZERO,
} from '@starkbox/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../../../contracts/classes.js';

const { node, client, sender } = await startFixture(ACCOUNTS);
const reverter = await contract('reverter');
const reverterAddress = await sender.deploy(reverter);

async function estimate(request: unknown, flags: readonly string[] = []) {
  const [feeEstimate] = await client.call('starknet_estimateFee', [[request], flags, 'latest']);
  if (!feeEstimate) throw new Error('nothing was estimated');
  return feeEstimate;
}

const ofAccount = (name = '__execute__') => ({
  contract_address: sender.account.address,
  class_hash: node.accountClassHash,
  selector: selector(name),
});

describe('deploying an account', () => {
  test('estimation.1 an account is deployed for what was estimated, and not for less', async () => {
    const account = newAccount('0x1234');
    const fee = await estimate(
      deployAccountRequest(account, { changes: { resource_bounds: ZERO } }),
    );
    expect(fee).toMatchObject({ unit: 'FRI', l2_gas_price: hex(GWEI) });
    expect(BigInt(fee.overall_fee)).toBe(
      GWEI *
        (BigInt(fee.l1_gas_consumed) +
          BigInt(fee.l1_data_gas_consumed) +
          BigInt(fee.l2_gas_consumed)),
    );
    await client.call('devnet_mint', {
      address: account.address,
      amount: Number(2n * BigInt(fee.overall_fee)),
    });

    const submit = (resource_bounds: unknown) => [
      deployAccountRequest(account, { changes: { resource_bounds } }),
    ];
    const scant = submit(boundsOf(fee, (gas) => gas - 1n));
    expect((await client.failure('starknet_addDeployAccountTransaction', scant)).code).toBe(
      ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
    );
    expect((await client.failure('starknet_getNonce', ['latest', account.address])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );

    const fitting = submit(boundsOf(fee, (gas) => (gas * 11n) / 10n));
    const deployed = await client.call('starknet_addDeployAccountTransaction', fitting);
    expect(deployed.contract_address).toBe(account.address);
    expect(await client.call('starknet_getTransactionStatus', [deployed.transaction_hash])).toEqual(
      {
        finality_status: 'ACCEPTED_ON_L2',
        execution_status: 'SUCCEEDED',
        failure_reason: null,
      },
    );
    expect(await client.call('starknet_getNonce', ['latest', account.address])).toBe('0x1');
  });

  test('estimation.1 an account of an unknown class is refused alike by estimates and simulations', async () => {
    const account = newAccount('0x1234', { classHash: '0x123' });
    const request = deployAccountRequest(account, { changes: { resource_bounds: ZERO } });
    const expected = {
      transaction_index: 0,
      execution_error: {
        contract_address: account.address,
        class_hash: '0x123',
        selector: '0x0',
        error: `Class with hash ${padded('0x123')} is not declared.\n`,
      },
    };
    const estimated = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    expect(estimated).toMatchObject({
      code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
      data: expected,
    });
    const simulated = await client.failure('starknet_simulateTransactions', [
      'latest',
      [request],
      ['SKIP_FEE_CHARGE'],
    ]);
    expect(simulated).toMatchObject({
      code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
      data: expected,
    });
  });
});

describe('declaring and invoking', () => {
  test('estimation.2 two estimates of a declaration are equal, and one unit less is refused', async () => {
    const counter = await contract('counter');
    const request = await sender.declareRequest(counter, { resource_bounds: ZERO });
    const first = await estimate(request);
    expect(await estimate(request)).toEqual(first);

    const scant = boundsOf(first, (gas) => gas - 1n);
    const refused = await sender.declareRequest(counter, { resource_bounds: scant });
    expect((await client.failure('starknet_addDeclareTransaction', [refused])).code).toBe(
      ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
    );

    const hash = await sender.declare(counter, { resource_bounds: boundsOf(first) });
    expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
  });

  test('estimation.2 an invocation reverts with nine tenths of its estimate, and succeeds with all of it', async () => {
    const calls = [{ to: reverterAddress, name: 'burn', calldata: [hex(2000)] }];
    const fee = await estimate(await sender.invokeRequest(calls, { resource_bounds: ZERO }));
    const scant = boundsOf(fee, (gas) => (gas * 9n) / 10n);
    const reverted = await sender.invoke(calls, { resource_bounds: scant });
    expect(await client.call('starknet_getTransactionStatus', [reverted])).toEqual({
      finality_status: 'ACCEPTED_ON_L2',
      execution_status: 'REVERTED',
      failure_reason: expect.stringContaining('Insufficient max L2Gas'),
    });
    const transactionHash = await sender.invoke(calls, { resource_bounds: boundsOf(fee) });
    expect(await client.call('starknet_getTransactionReceipt', [transactionHash])).toMatchObject({
      execution_status: 'SUCCEEDED',
      actual_fee: { unit: 'FRI', amount: fee.overall_fee },
    });
  });
});

describe('estimates that fail, and what contracts see', () => {
  test('estimation.3 a panic is reported frame by frame, down to its felt', async () => {
    const boom = short('boom');
    const calls = [{ to: reverterAddress, name: 'fail', calldata: ['0x1', boom] }];
    const request = await sender.invokeRequest(calls);
    const { code, data } = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    const inner = {
      contract_address: reverterAddress,
      class_hash: reverter.hash,
      selector: selector('fail'),
    };
    const frameText = (frame: typeof inner) =>
      `(contract address: ${padded(frame.contract_address)}, ` +
      `class hash: ${padded(frame.class_hash)}, selector: ${padded(frame.selector)})`;
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: {
        ...ofAccount(),
        error: {
          ...ofAccount(),
          error: {
            ...inner,
            error:
              'Transaction execution has failed:\n' +
              `0: Error in the called contract ${frameText(ofAccount())}:\n` +
              'Execution failed. Failure reason:\n' +
              `Error in contract ${frameText(ofAccount())}:\n` +
              `Error in contract ${frameText(inner)}:\n` +
              `${boom} ('boom').\n ["${boom}"]`,
          },
        },
      },
    });
  });

  test('estimation.3 a failure two contracts deep has a frame for each', async () => {
    const calldata = [reverterAddress, '0x1', '0x7'];
    const calls = [{ to: reverterAddress, name: 'fail_via', calldata }];
    const request = await sender.invokeRequest(calls);
    const { data } = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    const frame = { contract_address: reverterAddress, class_hash: reverter.hash };
    expect(data).toMatchObject({
      execution_error: {
        ...ofAccount(),
        error: {
          ...ofAccount(),
          error: {
            ...frame,
            selector: selector('fail_via'),
            error: { ...frame, selector: selector('fail'), error: expect.stringMatching(/"0x7"/) },
          },
        },
      },
    });
  });

  test('estimation.3 contracts see the query version while a transaction is estimated', async () => {
    const address = await sender.deploy(await contract('context'));
    const calls = [{ to: address, name: 'store' }];
    const calm = { time: 1_800_000_000, generate_block: false };
    await client.call('devnet_setTime', calm);
    await sender.invoke(calls);
    expect((await read(client, address, 'stored'))[5]).toBe('0x3');

    // Version 3 is stored already, so only another version makes one more slot change (64 units of data).
    await client.call('devnet_setTime', calm);
    const request = await sender.invokeRequest(calls);
    const [fee] = await client.call('starknet_estimateFee', [[request], [], 'pre_confirmed']);
    const hash = await sender.invoke(calls);
    const receipt = await client.call('starknet_getTransactionReceipt', [hash]);
    expect(receipt.execution_status).toBe('SUCCEEDED');
    expect(Number(fee?.l1_data_gas_consumed)).toBe(receipt.execution_resources.l1_data_gas + 64);
  });
});

describe('several transactions in one estimate', () => {
  test('estimation.4 a declaration and a deployment of what it declares', async () => {
    const slots = await contract('slots');
    const nonce = await sender.nonce();
    const { call, address } = deployment(slots.hash);
    const fees = await client.call('starknet_estimateFee', [
      [
        declareRequest(sender.account, slots, nonce),
        invokeRequest(sender.account, [call], nonce + 1),
      ],
      [],
      'latest',
    ]);
    expect(fees).toHaveLength(2);
    for (const { overall_fee, unit } of fees) {
      expect(BigInt(overall_fee)).toBeGreaterThan(0n);
      expect(unit).toBe('FRI');
    }
    expect((await client.failure('starknet_getClassHashAt', ['latest', address])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
    expect((await client.failure('starknet_getClass', ['latest', slots.hash])).code).toBe(
      ERRORS.CLASS_HASH_NOT_FOUND.code,
    );
    expect(await sender.nonce()).toBe(nonce);
  });

  test('estimation.4 the second one calls a function that does not exist', async () => {
    const nonce = await sender.nonce();
    const transfer = { to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] };
    const { code, data } = await client.failure('starknet_estimateFee', [
      [
        invokeRequest(sender.account, [transfer], nonce),
        invokeRequest(sender.account, [{ to: UDC, name: 'no_such_function' }], nonce + 1),
      ],
      [],
      'latest',
    ]);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 1,
      execution_error: {
        ...ofAccount(),
        error: {
          ...ofAccount(),
          error: {
            contract_address: UDC,
            selector: selector('no_such_function'),
            error: expect.stringContaining(short('ENTRYPOINT_NOT_FOUND')),
          },
        },
      },
    });
  });

  test('estimation.4 the first one has an invalid signature', async () => {
    const nonce = await sender.nonce();
    const transfer = { to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] };
    const changes = { signature: ['0x1', '0x2'] };
    const { code, data } = await client.failure('starknet_estimateFee', [
      [
        invokeRequest(sender.account, [transfer], nonce, { changes }),
        invokeRequest(sender.account, [transfer], nonce + 1),
      ],
      [],
      'latest',
    ]);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: expect.stringMatching(
        /^Account validation failed: The `validate` entry point panicked with:\n[\s\S]*\('Account: invalid signature'\)\.\n$/,
      ),
    });
  });
});

describe('messages from L1', () => {
  const L1 = '0xbe3c44c09bc1a3566f3e1ca12e5aba0fa4ca72be';
  let messenger: string;
  beforeAll(async () => {
    messenger = await sender.deploy(await contract('messenger'));
  });

  const message = (changes: object = {}) => ({
    from_address: L1,
    to_address: messenger,
    entry_point_selector: selector('deposit'),
    payload: [sender.account.address, '0x5'],
    ...changes,
  });

  test('estimation.5 a message has a price in wei', async () => {
    const fee = await client.call('starknet_estimateMessageFee', [message(), 'latest']);
    expect(fee).toMatchObject({ unit: 'WEI', l1_gas_price: hex(GWEI), l2_gas_price: hex(GWEI) });
    const units =
      BigInt(fee.l1_gas_consumed) + BigInt(fee.l1_data_gas_consumed) + BigInt(fee.l2_gas_consumed);
    expect(BigInt(fee.l1_gas_consumed)).toBeGreaterThan(0n);
    expect(fee.overall_fee).toBe(hex(units * GWEI));
    expect(await read(client, messenger, 'balance_of', [sender.account.address])).toEqual(['0x0']);
  });

  test('estimation.5 neither the contract nor the block may be missing', async () => {
    const nowhere = message({ to_address: '0x5' });
    const failure = (...params: unknown[]) => client.failure('starknet_estimateMessageFee', params);
    expect((await failure(nowhere, 'latest')).code).toBe(ERRORS.CONTRACT_NOT_FOUND.code);
    expect((await failure(message(), { block_number: 101 })).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await failure(message(), { block_hash: '0x123' })).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
  });

  test('estimation.5 a handler that panics is a contract error', async () => {
    const empty = message({ payload: [publicKey('0x5'), '0x0'] });
    const { code, data } = await client.failure('starknet_estimateMessageFee', [empty, 'latest']);
    expect(code).toBe(ERRORS.CONTRACT_ERROR.code);
    const frame = { contract_address: messenger, selector: selector('deposit') };
    const panic = short('messenger: empty deposit');
    expect(data).toMatchObject({
      revert_error: { ...frame, error: { ...frame, error: expect.stringContaining(panic) } },
    });
  });
});
