// A transfer of tokens, and its result.

import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { type Call, cairo, RpcError } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { node, provider, account, client, close } = await startRecordedNode();
afterAll(close);

const STRK = node.tokens.strk.address;
const ETH = node.tokens.eth.address;

function transfer(token: string, to: string, amount: bigint): Call {
  return {
    contractAddress: token,
    entrypoint: 'transfer',
    calldata: [to, cairo.uint256(amount)],
  };
}

async function balance(address: string, unit: 'FRI' | 'WEI' = 'FRI'): Promise<bigint> {
  const { amount } = await client.call('devnet_getAccountBalance', { address, unit });
  return BigInt(amount);
}

test('a transfer moves the money and costs a fee', async () => {
  const [from, to] = [account(0), account(1)];
  const before = await balance(from.address);
  const { transaction_hash } = await from.execute(transfer(STRK, to.address, 1000n));
  const receipt = await provider.waitForTransaction(transaction_hash);

  if (!receipt.isSuccess()) throw new Error('the transfer did not succeed');
  const fee = BigInt(receipt.actual_fee.amount);
  expect(fee).toBeGreaterThan(0n);
  expect(await balance(to.address)).toBe(10n ** 21n + 1000n);
  expect(await balance(from.address)).toBe(before - 1000n - fee);
  expect(receipt).toMatchObject({
    type: 'INVOKE',
    finality_status: 'ACCEPTED_ON_L2',
    block_number: await provider.getBlockNumber(),
    actual_fee: { unit: 'FRI' },
  });
});

test('the transaction can be found by hash, in its block, and by its place there', async () => {
  const { transaction_hash } = await account(0).execute(transfer(ETH, '0x123', 5n));
  const receipt = await provider.waitForTransaction(transaction_hash);
  if (!receipt.isSuccess()) throw new Error('the transfer did not succeed');

  const transaction = await provider.getTransaction(transaction_hash);
  expect(transaction).toMatchObject({ type: 'INVOKE', version: '0x3', transaction_hash });
  expect(await provider.getTransactionByBlockIdAndIndex(receipt.block_number, 0)).toEqual(
    transaction,
  );
  expect(await provider.getBlock(receipt.block_number)).toMatchObject({
    block_hash: receipt.block_hash,
    transactions: [transaction_hash],
  });
  expect(await provider.getTransactionStatus(transaction_hash)).toMatchObject({
    finality_status: 'ACCEPTED_ON_L2',
    execution_status: 'SUCCEEDED',
  });
});

test('several calls go in one transaction, all or none', async () => {
  const from = account(2);
  const { transaction_hash } = await from.execute([
    transfer(STRK, '0xa', 1n),
    transfer(STRK, '0xb', 2n),
    transfer(ETH, '0xa', 3n),
  ]);
  await provider.waitForTransaction(transaction_hash);
  const balances = [await balance('0xa'), await balance('0xb'), await balance('0xa', 'WEI')];
  expect(balances).toEqual([1n, 2n, 3n]);

  const tooMuch = [transfer(STRK, '0xa', 1n), transfer(STRK, '0xb', 10n ** 30n)];
  await expect(from.execute(tooMuch)).rejects.toThrow(RpcError);
  expect(await balance('0xa')).toBe(1n);
});

test('transactions that are sent at once all arrive, if their nonces are given', async () => {
  const from = account(3);
  const tip = 0;
  const { resourceBounds } = await from.estimateInvokeFee(transfer(STRK, '0xc', 1n), { tip });
  const responses = await Promise.all(
    Array.from({ length: 5 }, (_, nonce) =>
      from.execute(transfer(STRK, '0xc', 1n), { nonce, tip, resourceBounds }),
    ),
  );
  await Promise.all(
    responses.map((response) => provider.waitForTransaction(response.transaction_hash)),
  );
  expect(await from.getNonce()).toBe('0x5');
  expect(await balance('0xc')).toBe(5n);
});

test('a used nonce, the same transaction again and a wrong signature are refused', async () => {
  const call = transfer(STRK, '0xd', 1n);
  const { resourceBounds } = await account(4).estimateInvokeFee(call);
  const details = { nonce: 0, tip: 0, resourceBounds };
  await account(4).execute(call, details);
  const refusal = (error: unknown) => (error instanceof RpcError ? error.code : error);
  const other = transfer(STRK, '0xd', 2n);
  expect(await account(4).execute(other, details).catch(refusal)).toBe(52);
  expect(await account(4).execute(call, details).catch(refusal)).toBe(59);

  const wrongSigner = account(5);
  wrongSigner.signer = account(6).signer;
  expect(await wrongSigner.execute(call, details).catch(refusal)).toBe(55);
  expect(await balance('0xd')).toBe(1n);
});
