// Search by names, functions, selectors, events, errors and digits.
import { shortAddress } from '@starkbox/abi/basics';
import { startFixture } from '@starkbox/test-support/fixture';
import { Sender, selector, short } from '@starkbox/test-support/signing';
import { beforeAll, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';

const { client, account } = await startFixture();
const sender = new Sender(client, account(0));

let counter = '';
let token = '';
let tokenClass = '';
let counterClass = '';
let failed = '';

async function declared(name: string): Promise<string> {
  const contract_class = JSON.parse(await classText(name));
  return (await client.call('devnet_declare', { contract_class })).class_hash;
}

async function search(query: string) {
  return (await client.call('devnet_search', { query })).candidates;
}

beforeAll(async () => {
  counterClass = await declared('counter');
  tokenClass = await declared('token');
  const deploy = async (class_hash: string, ...constructor_calldata: readonly string[]) =>
    (await client.call('devnet_deploy', { class_hash, constructor_calldata })).contract_address;
  counter = await deploy(counterClass, '0x0');
  const owner = account(0).address;
  token = await deploy(tokenClass, short('Gold'), short('GLD'), '0x1', '0x0', owner);
  await sender.invoke([{ to: counter, name: 'increase', calldata: ['0x1'] }]);
  failed = await sender.invoke([
    { to: token, name: 'transfer', calldata: [account(1).address, '0x5', '0x0'] },
  ]);
});

test('finds contracts by the names of tokens and classes, and classes by theirs', async () => {
  expect(await search('gold')).toContainEqual({
    kind: 'contract',
    value: token,
    name: 'Gold',
    detail: `class ${tokenClass}`,
  });
  const candidates = await search('Counter');
  expect(candidates[0]).toMatchObject({ kind: 'contract', value: counter, name: 'counter' });
  expect(candidates).toContainEqual({ kind: 'class', value: counterClass, name: 'counter' });
  expect(await search('account 2')).toMatchObject([
    { kind: 'contract', value: account(2).address, name: 'account 2' },
  ]);
});

test('finds functions and events by a part of their names and by their selectors', async () => {
  const increase = {
    kind: 'function',
    value: selector('increase'),
    name: 'increase',
    detail: 'in counter',
    class_hash: counterClass,
    contract_address: counter,
  };
  expect((await search('increas')).find(({ name }) => name === 'increase')).toEqual(increase);
  expect(await search(selector('increase'))).toContainEqual(increase);
  const events = (await search('transfer')).filter(({ kind }) => kind === 'event');
  expect(events).toContainEqual(
    expect.objectContaining({ value: selector('Transfer'), name: 'Transfer' }),
  );
});

test('finds failed transactions by a part of their error', async () => {
  const candidates = await search('balance too low');
  expect(candidates).toEqual([
    {
      kind: 'error',
      value: failed,
      name: expect.stringContaining('token: balance too low'),
      detail: expect.stringMatching(/^block \d+$/),
    },
  ]);
});

test('finds hashes and addresses by their first digits, and as pages shorten them', async () => {
  const transaction = { kind: 'transaction', value: failed, detail: expect.any(String) };
  expect(await search(failed.slice(0, 8))).toContainEqual(transaction);
  expect(await search(failed.slice(2, 10))).toContainEqual(transaction);
  expect(await search(shortAddress(failed))).toContainEqual(transaction);
  expect(await search(failed.slice(0, 7))).toEqual([]);
  const { block_hash, block_number } = await client.call('starknet_blockHashAndNumber');
  expect(await search(block_hash.slice(0, 10))).toContainEqual({
    kind: 'block',
    value: String(block_number),
    detail: block_hash,
  });
  expect(await search(counter.slice(0, 10))).toMatchObject([{ kind: 'contract', value: counter }]);
  expect(await search(counterClass.slice(0, 10))).toMatchObject([
    { kind: 'class', value: counterClass },
  ]);
});
