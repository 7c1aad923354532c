// A contract of the user: its class declared, an instance deployed and used.

import { compiled, hashed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { CallData, Contract, hash, RpcError } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, close } = await startRecordedNode();
afterAll(close);

test('declare, deploy and call, step by step', async () => {
  const owner = account(0);
  const { contract, casm } = await compiled('counter');

  const declared = await owner.declare({ contract, casm });
  expect(declared.class_hash).toBe(hash.computeContractClassHash(contract));
  const receipt = await provider.waitForTransaction(declared.transaction_hash);
  expect(receipt).toMatchObject({ type: 'DECLARE', execution_status: 'SUCCEEDED' });

  const constructorCalldata = new CallData(contract.abi).compile('constructor', { start: 41 });
  const { contract_address, transaction_hash } = await owner.deployContract({
    classHash: declared.class_hash,
    constructorCalldata,
  });
  expect(await provider.getTransactionReceipt(transaction_hash)).toMatchObject({
    execution_status: 'SUCCEEDED',
  });
  expect(await provider.getClassHashAt(contract_address)).toBe(declared.class_hash);

  const counter = new Contract({
    abi: contract.abi,
    address: contract_address,
    providerOrAccount: owner,
  });
  expect(await counter.call('get')).toBe(41n);
  const increased = await counter.invoke('increase', [1], { waitForTransaction: true });
  expect(increased.execution_status).toBe('SUCCEEDED');
  expect(await counter.call('get')).toBe(42n);
  expect(await counter.call('get', [], { blockIdentifier: increased.block_number - 1 })).toBe(41n);
});

test('the class can be read back, with the ABI that a dapp needs', async () => {
  const { contract, casm } = await compiled('counter');
  const { classHash } = await hashed('counter');
  const { abi } = await provider.getClassByHash(classHash);
  expect(abi).toEqual(contract.abi);
  const { bytecode } = await provider.getCompiledCasm(classHash);
  expect(bytecode).toEqual(casm.bytecode);
});

test('an address is known before the contract is there, if the salt is', async () => {
  const owner = account(0);
  const { classHash } = await hashed('counter');
  const expected = hash.calculateContractAddressFromHash('0x5a17', classHash, [7], 0);
  const { contract_address } = await owner.deployContract({
    classHash,
    constructorCalldata: [7],
    salt: '0x5a17',
    unique: false,
  });
  expect(BigInt(contract_address)).toBe(BigInt(expected));
});

test('several contracts are deployed in one transaction', async () => {
  const owner = account(1);
  const { classHash } = await hashed('counter');
  const { contract_address, transaction_hash } = await owner.deploy([
    { classHash, constructorCalldata: [1] },
    { classHash, constructorCalldata: [2] },
  ]);
  await provider.waitForTransaction(transaction_hash);
  const counts = contract_address.map((contractAddress) =>
    provider.callContract({ contractAddress, entrypoint: 'get' }),
  );
  expect(await Promise.all(counts)).toEqual([['0x1'], ['0x2']]);
});

test('declaring twice, or with a wrong compiled class hash, is refused', async () => {
  const refusal = (error: unknown) => (error instanceof RpcError ? error.code : error);
  const owner = account(0);
  const details = { tip: 0, resourceBounds: AMPLE };
  expect(await owner.declare(await hashed('counter'), details).catch(refusal)).toBe(51);
  const wrong = { ...(await hashed('account_reject')), compiledClassHash: '0x5' };
  expect(await owner.declare(wrong, details).catch(refusal)).toBe(60);
});

const bounds = (max_amount: bigint) => ({ max_amount, max_price_per_unit: 10n ** 10n });
const AMPLE = {
  l1_gas: bounds(0n),
  l1_data_gas: bounds(100_000n),
  l2_gas: bounds(1_000_000_000n),
};
