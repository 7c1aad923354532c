// A dapp uses a contract through its ABI: calls, transactions, events.

import { ERRORS } from '@starkbox/spec';
import { deployed } from '@starkbox/test-support/contracts';
import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { hash, RpcError, shortString } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { provider, account, close } = await startRecordedNode();
afterAll(close);

const counter = await deployed(account(0), 'counter', { start: 10 });

test('a view is read, and a transaction changes it', async () => {
  expect(await counter.call('get')).toBe(10n);
  await counter.invoke('increase', [5], { waitForTransaction: true });
  expect(await counter.call('get')).toBe(15n);
});

test('an event comes back with its names', async () => {
  const receipt = await counter.invoke('increase', [1], { waitForTransaction: true });
  const [event] = counter.parseEvents(receipt);
  // Compilers differ in what they put before the name.
  const name = Object.keys(event ?? {}).find((key) => key.includes('::')) ?? '';
  expect(name).toMatch(/^\w+(::counter)+::CountRaised$/);
  expect(event?.[name]).toEqual({
    caller: BigInt(account(0).address),
    before: 15n,
    after: 16n,
  });
});

test('several accounts use the same contract', async () => {
  const call = counter.populate('increase', { amount: 4 });
  const responses = await Promise.all([account(1).execute(call), account(2).execute(call)]);
  await Promise.all(
    responses.map((response) => provider.waitForTransaction(response.transaction_hash)),
  );
  expect(await counter.call('get')).toBe(24n);
});

test('a value can be read as of any block', async () => {
  const height = await provider.getBlockNumber();
  const values: unknown[] = [];
  for (let block = height; block >= height - 4; block--) {
    values.push(await counter.call('get', [], { blockIdentifier: block }));
  }
  expect(values).toEqual([24n, 20n, 16n, 15n, 10n]);
});

test('a call that fails says why, and one to nowhere says so', async () => {
  const refusal = (error: unknown) => (error instanceof RpcError ? error.baseError : error);
  const read = (entrypoint: string, calldata: number[] = []) =>
    provider.callContract({ contractAddress: counter.address, entrypoint, calldata });
  const panic = JSON.stringify([shortString.encodeShortString('counter: amount is 0')]);
  expect(await read('increase', [0]).catch(refusal)).toMatchObject({
    code: ERRORS.CONTRACT_ERROR.code,
    data: { revert_error: { contract_address: counter.address, error: panic } },
  });
  expect(await read('decrease').catch(refusal)).toMatchObject({
    code: ERRORS.ENTRYPOINT_NOT_FOUND.code,
  });
  const nowhere = { contractAddress: '0x5', entrypoint: 'get' };
  expect(await provider.callContract(nowhere).catch(refusal)).toMatchObject({
    code: ERRORS.CONTRACT_NOT_FOUND.code,
  });
});

test('storage can be read directly', async () => {
  const variable = hash.getSelectorFromName('count');
  expect(await provider.getStorageAt(counter.address, variable)).toMatchObject({ value: '0x18' });
});
