// Remedies of failures, as a client follows them that parses JSON with starknet.js.

import { listOf, membersOf } from '@starkbox/abi/basics';
import { connectDapp, startNode } from '@starkbox/test-support';
import { cairo, RpcError } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { node, url, client, close } = await startNode({ listen: true });
afterAll(close);
const { account, provider } = await connectDapp(url, node.accounts, []);
const resourceBounds = {
  l1_gas: { max_amount: 0n, max_price_per_unit: 10n ** 10n },
  l1_data_gas: { max_amount: 10n ** 4n, max_price_per_unit: 10n ** 10n },
  l2_gas: { max_amount: 10n ** 8n, max_price_per_unit: 10n ** 10n },
};

async function balanceOf(address: string): Promise<bigint> {
  return BigInt((await client.call('devnet_getAccountBalance', { address })).amount);
}

async function post(method: string, params: object): Promise<unknown> {
  const answer = await provider.channel.fetch(method, params);
  const { error, result } = membersOf(await answer.json());
  expect(error).toBeUndefined();
  return result;
}

const explain = (transaction_hash: string) =>
  post('devnet_explainTransaction', { transaction_hash });

/** Calls the method of the first action. */
async function follow(explained: unknown): Promise<void> {
  const { method, params } = membersOf(listOf(membersOf(explained)['actions'])[0]);
  await post(String(method), membersOf(params));
}

/** Sends STRK of an account to an address without any. */
const transfer = (from: number, amount: bigint) => ({
  contractAddress: node.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: [`0x9${from}`, cairo.uint256(amount)],
});

test('one mint is enough for a transfer of more than the balance whose estimate fails', async () => {
  const amount = 2_000n * 10n ** 18n;
  const failure = await account(0)
    .execute(transfer(0, amount))
    .catch((error: unknown) => error);
  if (!(failure instanceof RpcError)) throw failure;
  await follow(membersOf(membersOf(failure.baseError)['data'])['explained']);
  const { transaction_hash } = await account(0).execute(transfer(0, amount));
  expect((await provider.waitForTransaction(transaction_hash)).isSuccess()).toBe(true);
});

test.each([
  ['of more than the balance', 1, (balance: bigint) => 2n * balance + 1n],
  ['that leaves too little for the fee', 2, (balance: bigint) => balance - 1n],
])('one mint is enough for a transfer %s that was reverted', async (_, from, amountOf) => {
  const sender = account(from);
  const call = transfer(from, amountOf(await balanceOf(sender.address)));
  const { transaction_hash: failed } = await sender.execute(call, { resourceBounds });
  await follow(await explain(failed));
  const { transaction_hash } = await sender.execute(call, { resourceBounds });
  expect((await provider.waitForTransaction(transaction_hash)).isSuccess()).toBe(true);
});

test('a mint takes digits, of which no client loses any', async () => {
  const amount = '1000002634048000001001';
  expect(await post('devnet_mint', { address: '0x77', amount })).toMatchObject({
    new_balance: amount,
  });
});
