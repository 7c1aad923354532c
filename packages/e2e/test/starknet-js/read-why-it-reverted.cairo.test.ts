// Reasons of failed transactions: in the refusal, or in the receipt.

import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { type Call, hash, RpcError, shortString } from 'starknet';
import { afterAll, expect, test } from 'vitest';
import { GENERATION } from '../../../../contracts/classes.js';

const { provider, account, client, close } = await startRecordedNode();
afterAll(close);

const owner = account(0);
const outer = await deployed(owner, 'reverter');
const inner = await deployed(owner, 'reverter');

const text = shortString.encodeShortString;
const bounds = (max_amount: bigint) => ({ max_amount, max_price_per_unit: 10n ** 10n });
/** Given, so that starknet.js does not estimate, which would refuse what fails. */
const details = {
  tip: 0,
  resourceBounds: {
    l1_gas: bounds(0n),
    l1_data_gas: bounds(10_000n),
    l2_gas: bounds(100_000_000n),
  },
};

async function revertReason(call: Call): Promise<string> {
  const { transaction_hash } = await owner.execute(call, details);
  const receipt = await provider.waitForTransaction(transaction_hash);
  if (!receipt.isReverted()) throw new Error('it did not revert');
  expect(receipt.actual_fee.unit).toBe('FRI');
  expect(BigInt(receipt.actual_fee.amount)).toBeGreaterThan(0n);
  return receipt.revert_reason;
}

test('starknet.js learns before sending, with the whole way down to the failure', async () => {
  const call = outer.populate('fail_via', { target: inner.address, data: [text('no way')] });
  const error = await owner.execute(call).catch((reason: unknown) => reason);
  if (!(error instanceof RpcError) || !error.isType('TRANSACTION_EXECUTION_ERROR')) {
    throw new Error('another error was expected', { cause: error });
  }
  const { transaction_index, execution_error } = error.baseError.data;
  expect(transaction_index).toBe(0);
  const way: string[] = [];
  let reason = execution_error;
  while (typeof reason !== 'string') {
    if (way.at(-1) !== reason.contract_address) way.push(reason.contract_address);
    reason = reason.error;
  }
  expect(way).toEqual([owner.address, outer.address, inner.address]);
  expect(reason).toContain("('no way')");
  expect(error.message).toContain("('no way')");
});

test('the receipt of a failed transaction has the reason, and nothing has changed', async () => {
  const args = { value: 7, data: [text('first'), text('second')] };
  const reason = await revertReason(outer.populate('write_then_fail', args));
  expect(reason).toContain("'first'");
  expect(reason).toContain("'second'");
  expect(await outer.call('written')).toBe(0n);
});

test('the status of the transaction has it too', async () => {
  const call = outer.populate('fail', { data: [text('why not')] });
  const { transaction_hash } = await owner.execute(call, details);
  await provider.waitForTransaction(transaction_hash);
  const status = await client.call('starknet_getTransactionStatus', { transaction_hash });
  expect(status).toMatchObject({
    finality_status: 'ACCEPTED_ON_L2',
    execution_status: 'REVERTED',
    failure_reason: expect.stringContaining('why not'),
  });
});

test('a failure in a contract that another one called names both', async () => {
  const call = outer.populate('fail_via', { target: inner.address, data: [text('deep')] });
  const reason = await revertReason(call);
  expect(reason).toContain(outer.address.slice(2));
  expect(reason).toContain(inner.address.slice(2));
  expect(reason).toContain("'deep'");
});

test('a long message is readable', async () => {
  const reason = await revertReason(outer.populate('fail_text'));
  expect(reason).toContain('reverter: this message is longer than one felt can hold');
});

test('running longer than was paid for is a reason as well', async () => {
  const call = outer.populate('burn', { n: 1_000_000 });
  expect(await revertReason(call)).toContain(
    GENERATION === '2.8' ? 'no remaining steps' : 'Out of gas',
  );
});

test('an entry point that does not exist is named', async () => {
  const selector = hash.getSelectorFromName('nothing');
  const call = outer.populate('forward', { target: inner.address, selector, calldata: [] });
  expect(await revertReason(call)).toContain('ENTRYPOINT_NOT_FOUND');
});

test('waitForTransaction can treat a revert as an error', async () => {
  const call = outer.populate('fail', { data: [] });
  const { transaction_hash } = await owner.execute(call, details);
  const waiting = provider.waitForTransaction(transaction_hash, { errorStates: ['REVERTED'] });
  await expect(waiting).rejects.toThrow('REVERTED');
});
