// Simulation of a transaction before it is sent, and its trace afterwards.

import { deployed, hashed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { hash, TransactionType } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, close } = await startRecordedNode();
afterAll(close);

const owner = account(0);
const INCREASE = hash.getSelectorFromName('increase');
const EXECUTE = hash.getSelectorFromName('__execute__');
const counter = await deployed(owner, 'counter', { start: 1 });

function increase(amount: number) {
  return {
    type: TransactionType.INVOKE,
    ...counter.populate('increase', { amount }),
  };
}

test('a simulation shows the calls, the events and the state that would change', async () => {
  const { simulated_transactions } = await owner.simulateTransaction([increase(6)]);
  expect(simulated_transactions).toHaveLength(1);
  expect(simulated_transactions[0]?.overall_fee).toBeGreaterThan(0n);
  expect(simulated_transactions[0]?.transaction_trace).toMatchObject({
    type: 'INVOKE',
    execute_invocation: {
      entry_point_selector: EXECUTE,
      calls: [
        {
          contract_address: counter.address,
          entry_point_selector: INCREASE,
          calldata: ['0x6'],
          caller_address: owner.address,
          call_type: 'CALL',
          result: ['0x7'],
          events: [{ data: ['0x1', '0x7'] }],
        },
      ],
    },
    state_diff: {
      storage_diffs: expect.arrayContaining([
        {
          address: counter.address,
          storage_entries: [{ key: hash.getSelectorFromName('count'), value: '0x7' }],
        },
      ]),
    },
  });
  expect(await counter.call('get')).toBe(1n);
});

test('transactions are simulated in a row, each on top of the one before', async () => {
  const { simulated_transactions } = await owner.simulateTransaction([increase(1), increase(10)]);
  const results = simulated_transactions.map(({ transaction_trace: trace }) => {
    if (trace.type !== 'INVOKE' || 'revert_reason' in trace.execute_invocation) return undefined;
    return trace.execute_invocation.calls[0]?.result;
  });
  expect(results).toEqual([['0x2'], ['0xc']]);
});

test('a deployment is simulated together with the declaration it needs', async () => {
  const emitter = await hashed('emitter');
  const { simulated_transactions } = await owner.simulateTransaction([
    { type: TransactionType.DECLARE, ...emitter },
    { type: TransactionType.DEPLOY, classHash: emitter.classHash },
  ]);
  expect(simulated_transactions.map(({ transaction_trace: { type } }) => type)).toEqual([
    'DECLARE',
    'INVOKE',
  ]);
});

test('a simulation that fails says so in its trace', async () => {
  const { simulated_transactions } = await owner.simulateTransaction([increase(0)]);
  expect(simulated_transactions[0]?.transaction_trace).toMatchObject({
    execute_invocation: { revert_reason: expect.stringContaining('counter: amount is 0') },
  });
});

test('a transaction that was sent can be traced, and so can its block', async () => {
  const { transaction_hash } = await owner.execute(counter.populate('increase', { amount: 2 }));
  const receipt = await provider.waitForTransaction(transaction_hash);
  if (!receipt.isSuccess()) throw new Error('it did not succeed');
  const trace = await provider.getTransactionTrace(transaction_hash);
  expect(trace).toMatchObject({
    type: 'INVOKE',
    validate_invocation: { contract_address: owner.address },
    execute_invocation: { calls: [{ contract_address: counter.address, result: ['0x3'] }] },
    fee_transfer_invocation: { caller_address: owner.address },
  });
  expect(await provider.getBlockTransactionsTraces(receipt.block_number)).toEqual([
    { transaction_hash, trace_root: trace },
  ]);
});
