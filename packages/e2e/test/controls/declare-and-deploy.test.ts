// Classes that are declared and contracts that are deployed without an account of the user.
import { readFile } from 'node:fs/promises';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { read, selector } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const CONTRACTS = new URL('../../../../contracts/cairo/', import.meta.url);
const classIn = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(name, CONTRACTS), 'utf8'));

const counter = await classIn('counter.sierra.json');

test('a class is declared once, and contracts of it have different addresses', async () => {
  const { client } = await startFixture();
  const declared = await client.call('devnet_declare', { contract_class: counter });
  const { class_hash } = declared;
  expect(declared.transaction_hash).toMatch(/^0x/);
  const again = await client.call('devnet_declare', { contract_class: counter });
  expect(again).toEqual({ class_hash, compiled_class_hash: declared.compiled_class_hash });
  const request = { class_hash, constructor_calldata: ['0x5'] };
  const first = await client.call('devnet_deploy', request);
  const second = await client.call('devnet_deploy', request);
  expect(first.contract_address).not.toBe(second.contract_address);
  for (const { contract_address, transaction_hash } of [first, second]) {
    expect(await read(client, contract_address, 'get')).toEqual(['0x5']);
    const receipt = await client.call('starknet_getTransactionReceipt', { transaction_hash });
    expect(receipt.execution_status).toBe('SUCCEEDED');
  }
});

test('a class whose declaration costs billions of gas is declared', async () => {
  const { client } = await startFixture();
  const contract_class = await classIn('variables.sierra.json');
  const { transaction_hash = '' } = await client.call('devnet_declare', { contract_class });
  const receipt = await client.call('starknet_getTransactionReceipt', { transaction_hash });
  expect(receipt.execution_status).toBe('SUCCEEDED');
  expect(receipt.execution_resources.l2_gas).toBeGreaterThan(3e9);
});

test('a fork has the classes that were declared on it and on its origin', async () => {
  const origin = await startFixture();
  await origin.client.call('devnet_declare', { contract_class: counter });
  const { url: forkNetwork } = await origin.node.listen({ port: 0 });
  const { client } = await startFixture({ forkNetwork });
  const { class_hash, transaction_hash } = await client.call('devnet_declare', {
    contract_class: counter,
  });
  expect(transaction_hash).toBeUndefined();
  const emitter = await client.call('devnet_declare', {
    contract_class: await classIn('emitter.sierra.json'),
  });
  expect(emitter.transaction_hash).toMatch(/^0x/);
  for (const request of [
    { class_hash, constructor_calldata: ['0x5'] },
    { class_hash: emitter.class_hash },
  ]) {
    const { contract_address } = await client.call('devnet_deploy', request);
    const address = { contract_address, block_id: 'latest' } as const;
    expect(await client.call('starknet_getClassHashAt', address)).toBe(request.class_hash);
  }
});

test('several calls at the same time declare a class once', async () => {
  const { client } = await startFixture();
  const declare = () => client.call('devnet_declare', { contract_class: counter });
  const declared = await Promise.all([declare(), declare(), declare()]);
  expect(declared.filter(({ transaction_hash }) => transaction_hash !== undefined)).toHaveLength(1);
});

test.each(['demand', 'mempool'] as const)('blocks by %s have the contract at once', async (on) => {
  const { client } = await startFixture({ blockGenerationOn: on });
  const { class_hash } = await client.call('devnet_declare', { contract_class: counter });
  const request = { class_hash, constructor_calldata: ['0x7'], salt: '0x1' };
  const { contract_address } = await client.call('devnet_deploy', request);
  const call = { contract_address, entry_point_selector: selector('get'), calldata: [] };
  const felts = await client.call('starknet_call', { request: call, block_id: 'pre_confirmed' });
  expect(felts).toEqual(['0x7']);
});

test('a dump repeats them with the same addresses', async () => {
  const { client } = await startFixture({ dumpOn: 'request' });
  const { class_hash } = await client.call('devnet_declare', { contract_class: counter });
  const request = { class_hash, constructor_calldata: ['0x5'] };
  const { contract_address, transaction_hash } = await client.call('devnet_deploy', request);
  const other = await startFixture({ dumpOn: 'request' });
  await other.client.call('devnet_load', { events: await client.call('devnet_dump', {}) });
  expect(await read(other.client, contract_address, 'get')).toEqual(['0x5']);
  const loaded = await other.client.call('starknet_getTransactionReceipt', { transaction_hash });
  expect(loaded.execution_status).toBe('SUCCEEDED');
});

test('a constructor that fails is explained, and its transaction stays', async () => {
  const { client } = await startFixture();
  const { class_hash } = await client.call('devnet_declare', { contract_class: counter });
  const failure = await client.failure('devnet_deploy', { class_hash });
  expect(failure.code).toBe(ERRORS.CONTRACT_ERROR.code);
  const { revert_error, transaction_hash, explained } = Object(failure.data);
  expect(revert_error).toContain('Failed to deserialize param #1');
  expect(explained.text).toContain('the calldata is too short: start (u128) is missing');
  const constructor_calldata = ['0x1', '0x2'];
  const longer = await client.failure('devnet_deploy', { class_hash, constructor_calldata });
  expect(Object(longer.data).explained.text).toContain(
    'constructor(start: u128) takes 1 felt; the calldata has 2: 0x1, 0x2.',
  );
  const receipt = await client.call('starknet_getTransactionReceipt', { transaction_hash });
  expect(receipt.execution_status).toBe('REVERTED');
});

test('an undeclared class is rejected before a transaction is sent', async () => {
  const { client } = await startFixture();
  const failure = await client.failure('devnet_deploy', { class_hash: '0x123' });
  expect(failure).toMatchObject({
    code: ERRORS.CLASS_HASH_NOT_FOUND.code,
    data: 'Declare the class 0x123 first.',
  });
  expect(await client.call('starknet_blockNumber')).toBe(0);
});

test.each([
  ['CASM', await classIn('counter.casm.json'), 'It is CASM.'],
  ['a Cairo 0 class', { program: {}, abi: [] }, 'It is a Cairo 0 class.'],
  ['an ABI', { abi: [] }, 'It has no sierra_program'],
])('%s is no class to declare', async (_name, contract_class, reason) => {
  const { client } = await startFixture();
  const { code, data } = await client.failure('devnet_declare', { contract_class });
  expect(code).toBe(ERRORS.INVALID_CONTRACT_CLASS.code);
  expect(data).toContain(reason);
  expect(data).toContain('*.contract_class.json');
});
