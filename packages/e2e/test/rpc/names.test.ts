// Names of contracts and classes, and ABIs, in bulk.
import { shortAddress } from '@starkbox/abi/basics';
import { startFixture } from '@starkbox/test-support/fixture';
import { ETH, hex, STRK, selector, short } from '@starkbox/test-support/signing';
import { beforeAll, expect, test } from 'vitest';
import { classText, classTextWithPlaces } from '../../../../contracts/classes.js';

const { client, account } = await startFixture();
const owner = account(0).address;

type Entry = Record<string, unknown>;

/** Declares a contract of ours, with another ABI if `change` makes one; its class hash. */
async function declare(name: string, change?: (abi: Entry[]) => Entry[]): Promise<string> {
  const sierra = JSON.parse(await classText(name));
  const abi: Entry[] = typeof sierra.abi === 'string' ? JSON.parse(sierra.abi) : sierra.abi;
  const contract_class = change ? { ...sierra, abi: JSON.stringify(change(abi)) } : sierra;
  return (await client.call('devnet_declare', { contract_class })).class_hash;
}

async function deploy(class_hash: string, constructor_calldata: readonly string[] = []) {
  return (await client.call('devnet_deploy', { class_hash, constructor_calldata }))
    .contract_address;
}

const tokenArguments = (name: string, symbol: string): readonly string[] => [
  name,
  symbol,
  '0x1',
  '0x0',
  owner,
];

async function namesOf(...contract_addresses: readonly string[]) {
  return (await client.call('devnet_nameContracts', { contract_addresses })).contracts;
}

async function nameOf(address: string) {
  const [row] = await namesOf(address);
  return row && { name: row.name, source: row.name_source };
}

/** The event of the contract, whose path has the name of its module. */
const withModule = (path: string) => (abi: Entry[]) =>
  abi.map((entry) =>
    entry['type'] === 'event' && entry['kind'] === 'enum'
      ? { ...entry, name: `${path}::Event` }
      : entry,
  );

let counterClass = '';
let tokenClass = '';

beforeAll(async () => {
  counterClass = await declare('counter');
  tokenClass = await declare('token');
});

test('a label comes before the artifact, the artifact before the token, the token before the class', async () => {
  const gold = await deploy(tokenClass, tokenArguments(short('Gold'), short('GLD')));
  const [row] = await namesOf(gold);
  expect(row).toEqual({
    contract_address: gold,
    class_hash: tokenClass,
    name: 'Gold',
    name_source: 'TOKEN',
    token: { name: 'Gold', symbol: 'GLD', decimals: 18 },
  });
  const unnamed = await deploy(tokenClass, tokenArguments('0x0', '0x0'));
  expect(await nameOf(unnamed)).toEqual({ name: 'token', source: 'CLASS' });

  await client.call('devnet_addArtifact', {
    artifact: JSON.parse(await classTextWithPlaces('token')),
  });
  expect(await nameOf(gold)).toEqual({ name: 'token', source: 'ARTIFACT' });

  await client.call('devnet_setLabel', { value: gold, label: 'my gold' });
  expect(await nameOf(gold)).toEqual({ name: 'my gold', source: 'LABEL' });
  await client.call('devnet_setLabel', { value: gold, label: null });
});

test('accounts and well-known contracts have their names unless they are labelled', async () => {
  expect(await nameOf(owner)).toEqual({ name: 'account 0', source: 'ACCOUNT' });
  const [strk] = await namesOf(STRK);
  expect(strk).toMatchObject({ name: 'STRK', name_source: 'WELL_KNOWN' });
  expect(strk?.token).toMatchObject({ symbol: 'STRK', decimals: 18 });
  await client.call('devnet_setLabel', { value: owner, label: 'alice' });
  expect(await nameOf(owner)).toEqual({ name: 'alice', source: 'LABEL' });
  await client.call('devnet_setLabel', { value: owner, label: null });
});

test('an address without a contract is named by its digits', async () => {
  expect(await namesOf('0xabc')).toEqual([
    { contract_address: '0xabc', name: '0xabc', name_source: 'ADDRESS' },
  ]);
});

test('contracts of one name carry their addresses, in lists as well', async () => {
  const [first, second] = [
    await deploy(counterClass, ['0x0']),
    await deploy(counterClass, ['0x0']),
  ];
  expect(await nameOf(first)).toEqual({ name: 'counter', source: 'CLASS' });
  expect((await namesOf(first, second, first)).map(({ name }) => name)).toEqual([
    `counter ${shortAddress(first)}`,
    `counter ${shortAddress(second)}`,
  ]);
  const { contracts } = await client.call('devnet_listContracts', { limit: 2 });
  expect(contracts.map(({ name }) => name)).toEqual([
    `counter ${shortAddress(second)}`,
    `counter ${shortAddress(first)}`,
  ]);
  const { classes } = await client.call('devnet_nameContracts', { class_hashes: [counterClass] });
  expect(classes).toEqual([{ class_hash: counterClass, name: 'counter', name_source: 'CLASS' }]);
  const rows = (await client.call('devnet_listClasses')).classes;
  expect(rows.find(({ class_hash }) => class_hash === counterClass)?.name).toBe('counter');
});

test('a token cannot take the name of another contract, of an account or of an address', async () => {
  const other = await declare('token', withModule('made::up::bank'));
  const named = async (name: string) => {
    const address = await deploy(other, tokenArguments(short(name), '0x0'));
    return { address, name: (await nameOf(address))?.name };
  };
  for (const taken of ['STRK', 'strk', 'account 0']) {
    const { address, name } = await named(taken);
    expect(name).toBe(`${taken} ${shortAddress(address)}`);
  }
  expect((await named('0x1234')).name).toBe('bank');
});

test('invisible characters and long names are shown as such', async () => {
  const bidi = await declare('token', withModule('\u{202e}evil\n\u{7}'));
  const [row] = (await client.call('devnet_nameContracts', { class_hashes: [bidi] })).classes;
  expect(row?.name).toBe('\u{fffd}evil\u{fffd}\u{fffd}');
  const long = await declare('token', withModule('n'.repeat(1_500)));
  const [cut] = (await client.call('devnet_nameContracts', { class_hashes: [long] })).classes;
  expect(cut?.name).toBe(`${'n'.repeat(59)}…`);
});

test('a token without a name is called again after twice as many blocks each time', async () => {
  const address = await deploy(tokenClass, tokenArguments('0x0', '0x0'));
  const ownName = async () => (await namesOf(address))[0]?.token?.name;
  await ownName();
  await client.call('devnet_createBlock');
  await ownName();
  const storage_entries = [{ key: selector('name'), value: short('Late') }];
  await client.call('devnet_applyStateDiff', {
    state_diff: { storage_diffs: [{ address, storage_entries }] },
  });
  await client.call('devnet_createBlock');
  expect(await ownName()).toBeUndefined();
  await client.call('devnet_createBlock');
  expect(await ownName()).toBe('Late');
});

test('a token that fails to name itself has the name of its class', async () => {
  // The class has no such functions.
  const claimed = await declare('counter', (abi) => [
    ...abi,
    ...['decimals', 'name', 'symbol'].map((name) => ({
      type: 'function',
      name,
      inputs: [],
      outputs: [{ type: 'core::felt252' }],
      state_mutability: 'view',
    })),
  ]);
  const address = await deploy(claimed, ['0x0']);
  expect(await namesOf(address)).toEqual([
    { contract_address: address, class_hash: claimed, name: 'counter', name_source: 'CLASS' },
  ]);
});

test('ABIs come once each, of classes and of contracts, old and new', async () => {
  const [first, second] = [
    await deploy(counterClass, ['0x0']),
    await deploy(counterClass, ['0x0']),
  ];
  const cairo0 = '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f';
  const { classes, contracts } = await client.call('devnet_getAbis', {
    class_hashes: [counterClass, cairo0, '0xabc'],
    contract_addresses: [first, second, '0xdef'],
  });
  expect(classes.map(({ class_hash }) => class_hash)).toEqual([counterClass, cairo0]);
  expect(contracts).toEqual([
    { contract_address: first, class_hash: counterClass },
    { contract_address: second, class_hash: counterClass },
  ]);
  const whole = await client.call('starknet_getClass', ['latest', counterClass]);
  expect(classes[0]?.abi).toEqual(JSON.parse(String(whole.abi)));
  expect(classes[1]?.abi).not.toHaveLength(0);
  const all = Array.from({ length: 600 }, (_, at) => hex(at + 1));
  await expect(
    client.call('devnet_getAbis', { class_hashes: all, contract_addresses: all }),
  ).rejects.toThrow('at most 1000');
});

test('a thousand addresses are named in one call', async () => {
  const addresses = Array.from({ length: 998 }, (_, at) => hex(at + 0x10_000));
  const rows = await namesOf(STRK, ETH, ...addresses);
  expect(rows).toHaveLength(1_000);
  expect(rows[1]?.name).toBe('ETH');
});
