// Accounts of every class: those that are there from the start, and those that deploy themselves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtinClass, Class, publicKey, type TransactionValues } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { type Fixture, INITIAL_BALANCE, startFixture } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  type Account,
  type Call,
  type Contract,
  contract,
  declareRequest,
  deployAccountRequest,
  deployment,
  hex,
  invokeRequest,
  type NewAccount,
  newAccount,
  padded,
  read,
  selector,
} from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config } from 'starkbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { classFile, classText } from '../../../../../contracts/classes.js';

const CAIRO0_CLASS = '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f';
const ARGENT_CLASS = '0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f';
const MULTISIG_CLASS = '0x7aeca3456816e3b833506d7cc5c1313d371fbdb0ae95ee70af72a4ddbf42594';
const ISRC6 = '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd';
const KEY = '0x5ee';

const directory = temporaryFolderOfFile();

/** The usual account with another ABI, and so with another hash. */
async function customClass(): Promise<{ path: string; hash: string }> {
  const usual: { abi: string } = JSON.parse(await (await builtinClass('account')).json());
  const abi: unknown[] = JSON.parse(usual.abi);
  const text = JSON.stringify({ ...usual, abi: JSON.stringify(abi.slice(0, -1)) });
  const path = join(directory, 'account.json');
  writeFileSync(path, text);
  return { path, hash: await Class.hashOf(text) };
}

/** How accounts of Cairo 0 take calls: where each finds its arguments, and then all arguments. */
function cairo0Calls(calls: readonly Call[]): readonly string[] {
  const places: string[] = [];
  const all: string[] = [];
  for (const { to, name, calldata = [] } of calls) {
    places.push(to, selector(name), hex(all.length), hex(calldata.length));
    all.push(...calldata);
  }
  return [hex(calls.length), ...places, hex(all.length), ...all];
}

const shared: { counter?: Contract } = {};
const counterClass = async (): Promise<Contract> => {
  shared.counter ??= await contract('counter');
  return shared.counter;
};

/** Declares, deploys and invokes a contract. */
async function exercise(
  { client }: Fixture,
  account: Account,
  changesFor: (calls: readonly Call[]) => TransactionValues = () => ({}),
): Promise<void> {
  const counter = await counterClass();
  let nonce = Number(await client.call('starknet_getNonce', ['latest', account.address]));
  const send = async (calls: readonly Call[]) => {
    const changes = changesFor(calls);
    const request = invokeRequest(account, calls, nonce, { changes });
    nonce += 1;
    const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [request]);
    expect(await client.call('starknet_getTransactionReceipt', [transaction_hash])).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
  };
  const declared = await client.call('starknet_addDeclareTransaction', [
    declareRequest(account, counter, nonce),
  ]);
  expect(declared.class_hash).toBe(counter.hash);
  nonce += 1;
  const { call, address } = deployment(counter.hash, ['0x64'], { salt: account.address });
  await send([call]);
  expect(await client.call('starknet_getClassHashAt', ['latest', address])).toBe(counter.hash);
  await send([{ to: address, name: 'increase', calldata: ['0x5'] }]);
  expect(await read(client, address, 'get')).toEqual(['0x69']);
  expect(await client.call('starknet_getNonce', ['latest', account.address])).toBe(hex(nonce));
}

async function deploy({ node, client }: Fixture, account: NewAccount): Promise<void> {
  const amount = 10n ** 20n;
  await node.request('devnet_mint', { address: account.address, amount });
  const request = deployAccountRequest(account);
  const deployed = await client.call('starknet_addDeployAccountTransaction', [request]);
  expect(deployed.contract_address).toBe(account.address);
  expect(
    await client.call('starknet_getTransactionReceipt', [deployed.transaction_hash]),
  ).toMatchObject({
    type: 'DEPLOY_ACCOUNT',
    execution_status: 'SUCCEEDED',
    contract_address: account.address,
  });
  expect(await client.call('starknet_getNonce', ['latest', account.address])).toBe('0x1');
}

const custom = await customClass();
const accountContract = await contract('account');
const MODES: readonly (readonly [string, Partial<Config>, string])[] = [
  ['cairo0', { accountClass: 'cairo0' }, CAIRO0_CLASS],
  ['cairo1', { accountClass: 'cairo1' }, ACCOUNT_CLASS],
  ['custom', { accountClassCustom: custom.path }, custom.hash],
  ['of our own', { accountClassCustom: fileURLToPath(classFile('account')) }, accountContract.hash],
];

describe.each(MODES)('with the account class %s', (mode, config, classHash) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture(config);
  });

  test('accounts.1 accounts have the class that the configuration shows', async () => {
    const { client, node } = fixture;
    for (const { address } of node.accounts) {
      expect(await client.call('starknet_getClassHashAt', ['latest', address])).toBe(classHash);
    }
    const { account_contract_class_hash } = await client.call('devnet_getConfig');
    expect(account_contract_class_hash).toBe(classHash);
    expect(node.accounts.map(({ address }) => address)).toEqual([
      '0x34ba56f92265f0868c57d3fe72ecab144fc96f97954bbbc4252cef8e8a979ba',
      '0x2939f2dc3f80cc7d620e8a86f2e69c1e187b7ff44b74056647368b5c49dc370',
      '0x25a6c9f0c15ef30c139065096b4b8e563e6b86191fd600a4f0616df8f22fb77',
    ]);
  });

  test('accounts.2 a new account declares, deploys and invokes', async () => {
    const freshFixture = await startFixture(config);
    const account = newAccount(KEY);
    await deploy(freshFixture, account);
    await exercise(freshFixture, account);
  });

  test('accounts.4a a predeployed account declares, deploys and invokes', async () => {
    const [account] = fixture.node.accounts;
    if (!account) throw new Error('there is no account');
    await exercise(fixture, account, (calls) =>
      mode === 'cairo0' ? { calldata: cairo0Calls(calls) } : {},
    );
  });

  test('accounts.4b an account says that it is one', async () => {
    const { client, node } = fixture;
    const fresh = newAccount(KEY, { salt: '0x8' });
    await deploy(fixture, fresh);
    const predeployed = mode === 'cairo0' ? [] : node.accounts;
    for (const { address } of [fresh, ...predeployed]) {
      expect(await read(client, address, 'supports_interface', [ISRC6])).toEqual(['0x1']);
    }
  });
});

test('accounts.2 a new account of Cairo 0', async () => {
  const fixture = await startFixture();
  const account = newAccount(KEY, { classHash: CAIRO0_CLASS });
  await deploy(fixture, account);
  await exercise(fixture, account, (calls) => ({ calldata: cairo0Calls(calls) }));
});

test.each([
  ['is no account', '../../../../../contracts/cairo/counter.sierra.json'],
  ['is not there', './nothing.json'],
])('accounts.1 a file that %s prevents the start', async (_, file) => {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { outcome, stderr } = await runCommandLine(['--account-class-custom', path]);
  expect(outcome).toEqual({ exitCode: 2 });
  expect(stderr).toContain(`invalid value '${path}' for '--account-class-custom <PATH>'`);
});

test.each(['__execute__', '__validate__'])(
  'accounts.1 a class without %s prevents the start',
  async (missing) => {
    const artifact = JSON.parse(await classText('account'), (key, value) =>
      key === 'name' && value === missing ? 'other' : value,
    );
    const path = join(temporaryFolderOfFile(), 'half-an-account.json');
    writeFileSync(path, JSON.stringify(artifact));
    const { outcome, stderr } = await runCommandLine(['--account-class-custom', path]);
    expect(outcome).toEqual({ exitCode: 2 });
    expect(stderr).toContain(`invalid value '${path}' for '--account-class-custom <PATH>'`);
  },
);

test('accounts.1 one class is chosen, not two', async () => {
  const words = ['--account-class', 'cairo0', '--account-class-custom', custom.path];
  const { outcome, stderr } = await runCommandLine(words);
  expect(outcome).toEqual({ exitCode: 2 });
  expect(stderr).toContain("'--account-class <ACCOUNT_CLASS>' cannot be used with");
});

describe('Argent accounts', () => {
  const owner = publicKey(KEY);
  const regular = newAccount(KEY, {
    classHash: ARGENT_CLASS,
    constructorCalldata: ['0x0', owner, '0x1'],
  });
  const multisig = newAccount(KEY, {
    classHash: MULTISIG_CLASS,
    constructorCalldata: ['0x1', '0x1', '0x0', owner],
  });

  test.each([
    ['regular', regular],
    ['multisig', multisig],
  ])('accounts.3a by default the class is unknown: %s', async (_, account) => {
    const { client, node } = await startFixture();
    const { address, classHash } = account;
    const request = deployAccountRequest(account);
    expect(await client.failure('starknet_getClass', ['latest', classHash])).toMatchObject({
      code: ERRORS.CLASS_HASH_NOT_FOUND.code,
    });
    // Without a balance as well: more tokens would not help.
    const refusal = {
      code: ERRORS.CLASS_HASH_NOT_FOUND.code,
      data: { explained: { status: 'REJECTED' } },
    };
    const deploy = () => client.failure('starknet_addDeployAccountTransaction', [request]);
    expect(await deploy()).toMatchObject(refusal);
    await node.request('devnet_mint', { address, amount: 10n ** 20n });
    expect(await deploy()).toMatchObject(refusal);

    const estimate = await client.failure('starknet_estimateFee', [[request], [], 'latest']);
    expect(estimate).toMatchObject({
      code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
      data: { transaction_index: 0 },
    });
    const simulation = await client.failure('starknet_simulateTransactions', [
      'latest',
      [request],
      [],
    ]);
    expect(simulation).toMatchObject({
      code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
      data: { transaction_index: 0 },
    });
    const text = `Class with hash ${padded(classHash)} is not declared.`;
    expect(JSON.stringify(simulation.data)).toContain(text);
    expect(await client.failure('starknet_getNonce', ['latest', address])).toMatchObject({
      code: ERRORS.CONTRACT_NOT_FOUND.code,
    });
  });

  test('accounts.3a on request the classes are there, and a regular account works', async () => {
    const fixture = await startFixture({ predeclareArgent: true });
    expect(fixture.node.argent).toEqual({ regular: ARGENT_CLASS, multisig: MULTISIG_CLASS });
    for (const classHash of [ARGENT_CLASS, MULTISIG_CLASS]) {
      expect(await fixture.client.call('starknet_getClass', ['latest', classHash])).toHaveProperty(
        'sierra_program',
      );
    }
    await deploy(fixture, regular);
    await exercise(fixture, regular);
  });

  test('accounts.3b a fork of a chain that has the classes has them', async () => {
    const origin = await startFixture({ predeclareArgent: true });
    const { url } = await origin.node.listen();
    const fixture = await startFixture({ forkNetwork: url, forkUpstreamCaching: false, seed: 1 });
    await deploy(fixture, regular);
    await exercise(fixture, regular);
  });
});

describe('the list of predeployed accounts', () => {
  test('accounts.5a balances are not shown unless asked for', async () => {
    const { client } = await startFixture();
    const accounts = await client.call('devnet_getPredeployedAccounts');
    expect(accounts).toHaveLength(3);
    expect(accounts[0]).toEqual({
      initial_balance: INITIAL_BALANCE.toString(),
      address: '0x34ba56f92265f0868c57d3fe72ecab144fc96f97954bbbc4252cef8e8a979ba',
      public_key: '0x5a5e37c60e77a0318643b111f88413a76af6233c891a0cfb2804106372006d4',
      private_key: '0xb137668388dbe9acdfa3bc734cc2c469',
      balance: null,
    });
    for (const params of [{}, [], { with_balance: false }, null]) {
      expect(await client.call('devnet_getPredeployedAccounts', params)).toEqual(accounts);
    }
  });

  test('accounts.5b balances follow what is minted', async () => {
    const { client, node } = await startFixture({ initialBalance: 1n });
    const balances = async () => {
      const accounts = await client.call('devnet_getPredeployedAccounts', { with_balance: true });
      return accounts.map(({ balance }) => balance);
    };
    const both = (wei: string, fri: string) => ({
      eth: { amount: wei, unit: 'WEI' },
      strk: { amount: fri, unit: 'FRI' },
    });
    expect(await balances()).toEqual([both('1', '1'), both('1', '1'), both('1', '1')]);
    const [first, second] = node.accounts;
    await client.call('devnet_mint', { address: first?.address, amount: 5, unit: 'WEI' });
    await client.call('devnet_mint', { address: second?.address, amount: 7, unit: 'FRI' });
    expect(await balances()).toEqual([both('6', '1'), both('1', '8'), both('1', '1')]);
  });

  test('accounts.5b balances include pending transactions', async () => {
    const { client, node } = await startFixture({ accounts: 1, blockGenerationOn: 'demand' });
    const address = node.accounts[0]?.address;
    await client.call('devnet_mint', { address, amount: 5 });
    const [account] = await client.call('devnet_getPredeployedAccounts', { with_balance: true });
    expect(account?.balance?.strk.amount).toBe((INITIAL_BALANCE + 5n).toString());
    expect(account?.initial_balance).toBe(INITIAL_BALANCE.toString());
  });
});
