// Refusals for money, gas and a wrong hash say what was needed and what was given.

import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import {
  AMPLE,
  type Bounds,
  bounds,
  contract,
  deployAccountRequest,
  newAccount,
  Sender,
  STRK,
  ZERO,
} from '@starkbox/test-support/signing';
import { afterAll, expect, test } from 'vitest';

const started = await startNode();
const client = started.client;
const sender = new Sender(client, started.node.accounts[0]);
afterAll(() => started.close());

/** How a transfer with such bounds is refused. */
async function refusal(resource_bounds: Bounds) {
  const calls = [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }];
  const request = await sender.invokeRequest(calls, { resource_bounds });
  return client.failure('starknet_addInvokeTransaction', [request]);
}

const costOf = (all: Bounds): bigint =>
  Object.values(all).reduce(
    (sum, { max_amount, max_price_per_unit }) =>
      sum + BigInt(max_amount) * BigInt(max_price_per_unit),
    0n,
  );

/** The text of an error, which stands beside its explanation. */
const reasonIn = (data: unknown): unknown => Object(data).reason;

test('54 has the most that the transaction may cost and the balance', async () => {
  const request = deployAccountRequest(newAccount('0x5'));
  const { code, data } = await client.failure('starknet_addDeployAccountTransaction', [request]);
  expect(code).toBe(ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code);
  expect(reasonIn(data)).toMatch(
    new RegExp(`^The transaction may cost up to ${costOf(AMPLE)} FRI.*balance \\(0\\)\\.$`),
  );
});

test('53 has the amounts and prices that are too low, and those that are needed', async () => {
  const gas = { l1_gas: 10_000n, l1_data_gas: 10_000n, l2_gas: 10n ** 8n };
  const scant = await refusal(bounds({ ...gas, l2_gas: 77n }));
  expect(scant.code).toBe(ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code);
  expect(reasonIn(scant.data)).toMatch(
    /Max L2Gas amount \(77\) is lower than the minimal gas amount: \d+/,
  );
  const cheap = await refusal(bounds(gas, 7n));
  expect(cheap.code).toBe(ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code);
  expect(reasonIn(cheap.data)).toContain(
    'Max L2Gas price (7) is lower than the actual gas price: 1000000000.',
  );
  const none = await refusal(ZERO);
  expect(none.code).toBe(ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code);
  expect(reasonIn(none.data)).toContain('l2_gas and l1_data_gas need');
});

test('60 has both hashes', async () => {
  const counter = await contract('counter');
  const request = await sender.declareRequest(counter, { compiled_class_hash: '0x4711' });
  const { code, data } = await client.failure('starknet_addDeclareTransaction', [request]);
  expect(code).toBe(ERRORS.COMPILED_CLASS_HASH_MISMATCH.code);
  expect(reasonIn(data)).toContain('0x4711');
  expect(reasonIn(data)).toContain(counter.compiledHash);
});
