// The fee of a transaction, estimated and then paid.

import { deployed, hashed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { cairo, hash, RpcError, TransactionType } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { node, provider, connect, account, client, close } = await startRecordedNode();
afterAll(close);

const transfer = {
  contractAddress: node.tokens.strk.address,
  entrypoint: 'transfer',
  calldata: ['0x123', cairo.uint256(1)],
};
const refusal = (error: unknown) => (error instanceof RpcError ? error.code : error);

test('what is estimated is what is paid', async () => {
  // By default starknet.js adds half to amounts and prices, and leaves validation out.
  const exact = account(0, connect({ resourceBoundsOverhead: false }));
  const details = { tip: 0, skipValidate: false };
  const { overall_fee, unit, resourceBounds } = await exact.estimateInvokeFee(transfer, details);
  const { transaction_hash } = await exact.execute(transfer, { tip: 0, resourceBounds });
  const receipt = await provider.waitForTransaction(transaction_hash);
  if (!receipt.isSuccess()) throw new Error('the transfer did not succeed');
  expect(receipt.actual_fee).toEqual({ amount: `0x${overall_fee.toString(16)}`, unit });
});

test('gas prices decide what it costs', async () => {
  const before = await account(0).estimateInvokeFee(transfer, { tip: 0 });
  await client.call('devnet_setGasPrice', {
    l2_gas_price_fri: 2_000_000_000,
    data_gas_price_fri: 2_000_000_000,
    generate_block: true,
  });
  const after = await account(0).estimateInvokeFee(transfer, { tip: 0 });
  expect(after.overall_fee).toBe(before.overall_fee * 2n);
});

test('every kind of transaction has an estimate, alone or in a row', async () => {
  const counter = await hashed('counter');
  const declare = await account(1).estimateDeclareFee(counter);
  const pubkey = await account(9).signer.getPubKey();
  const constructorCalldata = [pubkey];
  const classHash = node.accountClassHash;
  const deployAccount = await account(1).estimateAccountDeployFee({
    classHash,
    constructorCalldata,
    addressSalt: 1,
    contractAddress: hash.calculateContractAddressFromHash(1, classHash, constructorCalldata, 0),
  });
  const bulk = await account(1).estimateFeeBulk([
    { type: TransactionType.DECLARE, ...counter },
    { type: TransactionType.DEPLOY, classHash: counter.classHash, constructorCalldata: [1] },
    { type: TransactionType.INVOKE, ...transfer },
  ]);
  expect(bulk).toHaveLength(3);
  expect(bulk[0]?.overall_fee).toBe(declare.overall_fee);
  for (const { overall_fee, unit } of [declare, deployAccount, ...bulk]) {
    expect(overall_fee).toBeGreaterThan(0n);
    expect(unit).toBe('FRI');
  }
});

test('a failing transaction cannot be estimated, and the error has the reason', async () => {
  const counter = await deployed(account(2), 'counter', { start: 0 });
  const failing = counter.populate('increase', { amount: 0 });
  const error = await account(2)
    .estimateInvokeFee(failing)
    .catch((reason: unknown) => reason);
  expect(refusal(error)).toBe(41);
  expect(String(error)).toContain('counter: amount is 0');
});

test('a message from L1 has an estimate in wei', async () => {
  const messenger = await deployed(account(3), 'messenger');
  const estimate = await provider.estimateMessageFee({
    from_address: '0x8359E4B0152ed5A731162D3c7B0D8D56edB165A0',
    to_address: messenger.address,
    entry_point_selector: 'deposit',
    payload: [account(3).address, '0x64'],
  });
  expect(estimate.unit).toBe('WEI');
  expect(BigInt(estimate.overall_fee)).toBeGreaterThan(0n);
});

test('bounds below the fee, or above the balance, are refused', async () => {
  const { resourceBounds } = await account(4).estimateInvokeFee(transfer);
  const { l2_gas } = resourceBounds;
  const send = (bounds: Partial<typeof l2_gas>) =>
    account(4).execute(transfer, {
      tip: 0,
      resourceBounds: { ...resourceBounds, l2_gas: { ...l2_gas, ...bounds } },
    });
  expect(await send({ max_amount: 1n }).catch(refusal)).toBe(53);
  expect(await send({ max_price_per_unit: 1n }).catch(refusal)).toBe(53);
  expect(await send({ max_price_per_unit: 10n ** 20n }).catch(refusal)).toBe(54);
});
