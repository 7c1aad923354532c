// Requests, answers and errors of older versions, each checked against the documents of its version.

import { ERRORS } from '@starkbox/spec';
import {
  type Client,
  checkedClient,
  OLDER_VERSIONS,
  overHttp,
  startNode,
} from '@starkbox/test-support';
import {
  AMPLE,
  type Call,
  contract,
  declareRequest,
  deployAccountRequest,
  deployment,
  hex,
  invokeRequest,
  newAccount,
  STRK,
  selector,
} from '@starkbox/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const { url, node, client, close } = await startNode({ listen: true, blockGenerationOn: 'demand' });
afterAll(close);

const transfer: Call = { to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] };
const older = (version: 'v0_8' | 'v0_9'): Client =>
  checkedClient(overHttp(`${url}/rpc/${version}`), version);

/** An account with its nonce, which counts on. */
const account = (() => {
  const [first] = node.accounts;
  if (!first) throw new Error('there is no account');
  return first;
})();
let nonce = 0;
const invoke = (calls = [transfer]) => {
  nonce += 1;
  return invokeRequest(account, calls, nonce - 1);
};

describe.each(OLDER_VERSIONS)('%s', (version) => {
  const { ask, failure } = older(version);
  const tag = version === 'v0_8' ? 'pending' : 'pre_confirmed';
  const noTag = version === 'v0_8' ? 'pre_confirmed' : 'pending';

  test('transactions of all kinds are sent, found and closed', async () => {
    const emitter = await contract(version === 'v0_8' ? 'emitter' : 'counter');
    const declared = await ask('starknet_addDeclareTransaction', [
      declareRequest(account, emitter, nonce),
    ]);
    nonce += 1;
    expect(declared).toMatchObject({ class_hash: emitter.hash });
    const args = version === 'v0_8' ? [] : ['0x5'];
    const { call, address } = deployment(emitter.hash, args, { salt: hex(nonce) });
    await ask('starknet_addInvokeTransaction', { invoke_transaction: invoke([call]) });
    const fresh = newAccount(hex(1000 + nonce));
    await client.call('devnet_mint', { address: fresh.address, amount: 1e21, unit: 'FRI' });
    const deployed = await ask('starknet_addDeployAccountTransaction', [
      deployAccountRequest(fresh),
    ]);
    expect(deployed).toMatchObject({ contract_address: fresh.address });
    const response = await ask('starknet_addInvokeTransaction', [invoke()]);
    const { transaction_hash } = Object(response);
    const hash = { transaction_hash };

    // The block under construction.
    expect(await ask('starknet_getNonce', [tag, account.address])).toBe(hex(nonce));
    expect(await ask('starknet_getClassHashAt', [tag, address])).toBe(emitter.hash);
    const { block_hash, block_number } = Object(await ask('starknet_blockHashAndNumber'));
    for (const method of ['TxHashes', 'Txs', 'Receipts']) {
      const block = await ask(`starknet_getBlockWith${method}`, [tag]);
      expect(block).toMatchObject(
        version === 'v0_8' ? { parent_hash: block_hash } : { block_number: block_number + 1 },
      );
    }
    expect(await ask('starknet_getStateUpdate', [tag])).toHaveProperty('state_diff');
    expect(await ask('starknet_getBlockTransactionCount', [tag])).toBeGreaterThan(3);
    const waiting = version === 'v0_8' ? 'ACCEPTED_ON_L2' : 'PRE_CONFIRMED';
    expect(await ask('starknet_getTransactionStatus', hash)).toMatchObject({
      finality_status: waiting,
    });
    const receipt = await ask('starknet_getTransactionReceipt', hash);
    expect(receipt).toMatchObject({ finality_status: waiting });
    expect(Object(receipt).block_number).toBe(version === 'v0_8' ? undefined : block_number + 1);
    const filter = { from_block: tag, to_block: tag, address: STRK, chunk_size: 10 };
    const page = Object(await ask('starknet_getEvents', { filter }));
    expect(page.events.length).toBeGreaterThan(0);

    // The same block, closed.
    await client.call('devnet_createBlock');
    for (const method of ['TxHashes', 'Txs', 'Receipts']) {
      const block = await ask(`starknet_getBlockWith${method}`, { block_id: 'latest' });
      expect(block).toMatchObject({ block_number: block_number + 1, parent_hash: block_hash });
    }
    expect(await ask('starknet_getTransactionReceipt', hash)).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
      block_number: block_number + 1,
    });
    await ask('starknet_getStateUpdate', ['latest']);
    await ask('starknet_getEvents', [{ chunk_size: 100 }]);
    await ask('starknet_getTransactionByHash', hash);
    await ask('starknet_getTransactionByBlockIdAndIndex', ['latest', 0]);
    await ask('starknet_traceTransaction', hash);
    await ask('starknet_traceBlockTransactions', ['latest']);
    await ask('starknet_getClassAt', ['latest', address]);
    await ask('starknet_getClass', ['latest', emitter.hash]);
    await ask('starknet_getCompiledCasm', [emitter.hash]);
  });

  test('transactions are estimated and simulated', async () => {
    const request = invokeRequest(account, [transfer], nonce);
    expect(await ask('starknet_estimateFee', [[request], [], tag])).toMatchObject([
      { unit: 'FRI' },
    ]);
    const flags = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'];
    const [simulated] = Object(await ask('starknet_simulateTransactions', [tag, [request], flags]));
    expect(simulated.transaction_trace.type).toBe('INVOKE');
  });

  test('a missing account is an error that the version has', async () => {
    const unknown = { ...account, address: '0x1234' };
    const request = invokeRequest(unknown, [transfer], 0, { changes: { resource_bounds: AMPLE } });
    expect((await failure('starknet_estimateFee', [[request], [], tag])).code).toBe(
      ERRORS.TRANSACTION_EXECUTION_ERROR.code,
    );
    const message = {
      from_address: `0x${'1'.repeat(40)}`,
      to_address: '0x1234',
      entry_point_selector: selector('deposit'),
      payload: [],
    };
    expect((await failure('starknet_estimateMessageFee', [message, tag])).code).toBe(
      ERRORS.CONTRACT_ERROR.code,
    );
    expect(
      (await failure('starknet_addInvokeTransaction', [invokeRequest(account, [], 0)])).code,
    ).toBe(52);
  });

  test('what only other versions have is refused', async () => {
    const refused = [
      ['starknet_getNonce', [noTag, account.address]],
      ['starknet_getBlockWithTxs', { block_id: 'latest', response_flags: [] }],
      ['starknet_getBlockWithReceipts', ['latest', []]],
      ['starknet_getStorageAt', [STRK, '0x1', 'latest', []]],
      ['starknet_getStateUpdate', { block_id: 'latest', contract_addresses: [] }],
      ['starknet_traceBlockTransactions', { block_id: 'latest', trace_flags: [] }],
      ['starknet_simulateTransactions', ['latest', [], ['RETURN_INITIAL_READS']]],
      ['starknet_getEvents', [{ chunk_size: 1, address: [STRK] }]],
      ['starknet_addInvokeTransaction', [{ ...invokeRequest(account, [], 0), proof_facts: [] }]],
      ...(version === 'v0_8' ? [['starknet_getNonce', ['l1_accepted', account.address]]] : []),
    ] as const;
    for (const [method, params] of refused) {
      expect((await failure(String(method), params)).code, String(method)).toBe(
        ERRORS.INVALID_PARAMS.code,
      );
    }
    expect((await failure('starknet_proveTransaction', [])).code).toBe(
      ERRORS.METHOD_NOT_FOUND.code,
    );
  });

  test('reads of what does not exist fail as ever', async () => {
    const hash = { transaction_hash: '0x5' };
    expect((await failure('starknet_getTransactionReceipt', hash)).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
    expect((await failure('starknet_getBlockWithTxs', [{ block_number: 9999 }])).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await failure('starknet_getNonce', ['latest', '0x5'])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
    const request = { contract_address: STRK, entry_point_selector: '0x5', calldata: [] };
    const missing = await failure('starknet_call', [request, 'latest']);
    expect([missing.code, missing.message]).toEqual([
      21,
      'Requested entrypoint does not exist in the contract',
    ]);
    expect((await failure('starknet_getStorageProof', [{ block_number: 0 }])).code).toBe(
      ERRORS.STORAGE_PROOF_NOT_SUPPORTED.code,
    );
  });
});

describe('a message from L1', () => {
  const l1 = `0x${'ab'.repeat(32)}`;
  let hash: string;
  beforeAll(async () => {
    const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
      l1_transaction_hash: l1,
      l1_contract_address: `0x${'1'.repeat(40)}`,
      l2_contract_address: STRK,
      entry_point_selector: selector('nothing'),
      payload: ['0x1'],
      paid_fee_on_l1: '0x1234567',
      nonce: '0x1',
    });
    hash = transaction_hash;
  });

  test('has a status with the fields of the version', async () => {
    const question = { transaction_hash: l1 };
    expect(await older('v0_9').ask('starknet_getMessagesStatus', question)).toMatchObject([
      { finality_status: 'PRE_CONFIRMED', execution_status: 'REVERTED' },
    ]);
    const [status] = Object(await older('v0_8').ask('starknet_getMessagesStatus', question));
    expect(status).toMatchObject({ transaction_hash: hash, finality_status: 'ACCEPTED_ON_L2' });
    expect(status).not.toHaveProperty('execution_status');
  });

  test('that was reverted is traced as a call in 0.8', async () => {
    const question = { transaction_hash: hash };
    const later = await older('v0_9').ask('starknet_traceTransaction', question);
    expect(later).toHaveProperty('function_invocation.revert_reason');
    const called = {
      function_invocation: {
        contract_address: STRK,
        entry_point_type: 'L1_HANDLER',
        calldata: [`0x${'1'.repeat(40)}`, '0x1'],
        class_hash: await client.call('starknet_getClassHashAt', ['latest', STRK]),
        is_reverted: true,
      },
    };
    expect(await older('v0_8').ask('starknet_traceTransaction', question)).toMatchObject(called);
    await older('v0_8').ask('starknet_traceBlockTransactions', ['pending']);
    await client.call('devnet_createBlock');
    const traces = Object(await older('v0_8').ask('starknet_traceBlockTransactions', ['latest']));
    expect(traces.at(-1)).toMatchObject({ transaction_hash: hash, trace_root: called });
  });

  test('to a contract of the same block is traced by its class in 0.8', async () => {
    const class_hash = await client.call('starknet_getClassHashAt', ['latest', account.address]);
    const { call, address } = deployment(class_hash, ['0x5'], { salt: '0x5a17' });
    await client.call('starknet_addInvokeTransaction', [invoke([call])]);
    const question = await client.call('devnet_postmanSendMessageToL2', {
      l1_contract_address: `0x${'1'.repeat(40)}`,
      l2_contract_address: address,
      entry_point_selector: selector('nothing'),
      payload: [],
      paid_fee_on_l1: '0x1234567',
      nonce: '0x2',
    });
    expect(await older('v0_8').ask('starknet_traceTransaction', question)).toMatchObject({
      function_invocation: { contract_address: address, class_hash },
    });
  });
});
