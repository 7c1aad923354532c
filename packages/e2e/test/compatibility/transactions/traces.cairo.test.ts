// Traces of single transactions and of whole blocks.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  contract,
  deployAccountRequest,
  deployment,
  MINTER,
  newAccount,
  STRK,
  selector,
  short,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../../../contracts/classes.js';

const { client, sender } = await startFixture(ACCOUNTS);

const traceOf = (hash: string) => client.call('starknet_traceTransaction', [hash]);

describe('traces', () => {
  test('reads.9 an unknown transaction has none', async () => {
    expect((await client.failure('starknet_traceTransaction', ['0x1234'])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
  });

  test.each(['transaction', 'demand'] as const)('reads.9 minting, blocks on %s', async (mode) => {
    const { client } = await startFixture({ blockGenerationOn: mode });
    const params = { address: '0x99', amount: 500, unit: 'FRI' };
    const { tx_hash } = await client.call('devnet_mint', params);
    const trace = await client.call('starknet_traceTransaction', [tx_hash]);
    const { actual_fee } = await client.call('starknet_getTransactionReceipt', [tx_hash]);
    const minted = ['0x99', '0x1f4', '0x0'];
    const calldata = ['0x1', STRK, selector('permissioned_mint'), '0x3', ...minted];
    const part = {
      contract_address: MINTER,
      caller_address: '0x0',
      class_hash: ACCOUNT_CLASS,
      entry_point_type: 'EXTERNAL',
      call_type: 'CALL',
      calldata,
      is_reverted: false,
    };
    expect(trace).toMatchObject({
      type: 'INVOKE',
      validate_invocation: {
        ...part,
        entry_point_selector: selector('__validate__'),
        result: [short('VALID')],
        calls: [],
        execution_resources: { l1_gas: 0 },
      },
      execute_invocation: {
        ...part,
        entry_point_selector: selector('__execute__'),
        calls: [
          {
            contract_address: STRK,
            caller_address: MINTER,
            entry_point_selector: selector('permissioned_mint'),
            calldata: minted,
            events: [{ order: 0, keys: [selector('Transfer'), '0x0', '0x99'] }],
          },
        ],
        execution_resources: { l1_gas: 0 },
      },
      fee_transfer_invocation: {
        contract_address: STRK,
        caller_address: MINTER,
        entry_point_selector: selector('transfer'),
        calldata: ['0x1000', actual_fee.amount, '0x0'],
        events: [{ order: 0, keys: [selector('Transfer'), MINTER, '0x1000'] }],
      },
      execution_resources: { l1_gas: 0 },
      state_diff: { nonces: [{ contract_address: MINTER, nonce: '0x1' }] },
    });
    if (mode === 'transaction') return;
    const waiting = await client.call('starknet_traceBlockTransactions', ['pre_confirmed']);
    expect(waiting).toEqual([{ transaction_hash: tx_hash, trace_root: trace }]);
    await client.call('devnet_createBlock');
    expect(await client.call('starknet_traceTransaction', [tx_hash])).toEqual(trace);
  });

  test('reads.9 a declaration is validated by its class hash', async () => {
    const counter = await contract('counter');
    const trace = await traceOf(await sender.declare(counter));
    expect(trace).toMatchObject({
      type: 'DECLARE',
      validate_invocation: {
        contract_address: sender.account.address,
        entry_point_selector: selector('__validate_declare__'),
        calldata: [counter.hash],
      },
      fee_transfer_invocation: { contract_address: STRK },
      state_diff: {
        declared_classes: [{ class_hash: counter.hash, compiled_class_hash: counter.compiledHash }],
      },
    });
    expect(trace).not.toHaveProperty('execute_invocation');
  });

  test('reads.9 a deployment lists the contract it deployed and no other', async () => {
    const slots = await contract('slots');
    await sender.declare(slots);
    const { call, address } = deployment(slots.hash);
    const { state_diff } = await traceOf(await sender.invoke([call]));
    expect(state_diff?.deployed_contracts).toEqual([{ address, class_hash: slots.hash }]);
    expect(state_diff?.declared_classes).toEqual([]);
  });

  test('reads.9 the deployment of an account has validation, constructor and fee', async () => {
    const account = newAccount('0x666');
    const { address, classHash, salt, constructorCalldata } = account;
    await client.call('devnet_mint', { address, amount: 1e20 });
    const { transaction_hash } = await client.call('starknet_addDeployAccountTransaction', [
      deployAccountRequest(account),
    ]);
    const trace = await traceOf(transaction_hash);
    expect(trace).toMatchObject({
      type: 'DEPLOY_ACCOUNT',
      constructor_invocation: {
        contract_address: address,
        entry_point_type: 'CONSTRUCTOR',
        entry_point_selector: selector('constructor'),
        calldata: constructorCalldata,
      },
      validate_invocation: {
        contract_address: address,
        entry_point_selector: selector('__validate_deploy__'),
        calldata: [classHash, salt, ...constructorCalldata],
      },
      fee_transfer_invocation: { contract_address: STRK, caller_address: address },
      state_diff: {
        deployed_contracts: [{ address, class_hash: classHash }],
        nonces: [{ contract_address: address, nonce: '0x1' }],
      },
    });
  });

  test('reads.9 a reverted invocation keeps what came before and after the failure', async () => {
    const reverter = await sender.deploy(await contract('reverter'));
    const calls = [{ to: reverter, name: 'fail', calldata: ['0x1', short('boom')] }];
    expect(await traceOf(await sender.invoke(calls))).toMatchObject({
      type: 'INVOKE',
      validate_invocation: { is_reverted: false },
      execute_invocation: { revert_reason: expect.stringContaining("('boom')") },
      fee_transfer_invocation: { contract_address: STRK },
    });
  });

  test('reads.9 the latest block has the traces of its transactions', async () => {
    const transfer = { to: STRK, name: 'transfer', calldata: ['0x99', '0x5', '0x0'] };
    const transaction_hash = await sender.invoke([transfer]);
    const trace_root = await traceOf(transaction_hash);
    const traces = [{ transaction_hash, trace_root }];
    expect(await client.call('starknet_traceBlockTransactions', ['latest'])).toEqual(traces);
    const number = { block_number: 9000 };
    expect((await client.failure('starknet_traceBlockTransactions', [number])).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    const flagged = await client.call('starknet_traceBlockTransactions', {
      block_id: 'latest',
      trace_flags: ['RETURN_INITIAL_READS'],
    });
    expect(flagged).toMatchObject({
      traces,
      initial_reads: { storage: expect.any(Array), nonces: expect.any(Array) },
    });
  });
});
