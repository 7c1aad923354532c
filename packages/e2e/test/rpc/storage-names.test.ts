// Names of storage slots: a scenario on the token, the counter and a contract with nested maps, nodes and packed structs.
import { readFile } from 'node:fs/promises';
import { valueText } from '@starkbox/abi';
import { decodeSlot, slotPartText } from '@starkbox/abi/internal';
import { hades, pedersenPair, starknetKeccak, storageAddress } from '@starkbox/engine';
import type { NAMED_SLOT } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { type Call, contract, hex, Sender, STRK, short } from '@starkbox/test-support/signing';
import { beforeAll, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';

const BOUND = 2n ** 251n - 256n;
const TITLE = 'A title that takes more than one word of storage';
const LARGE_ID = [hex(7), hex(9)] as const;
const CLASSES = ['token', 'counter', 'ledger'];

const { client, account } = await startFixture();
const sender = new Sender(client, account(0));
const [alice, bob, carol] = [account(0).address, account(1).address, account(2).address];

/** What each slot must be called, by contract and slot. */
const expected = new Map<string, string>();

/** A place and the slots behind it, with the name of each. */
function expectSlots(contractAddress: string, base: string, ...names: readonly string[]): void {
  names.forEach((name, at) => {
    const slot = hex((BigInt(base) % BOUND) + BigInt(at));
    expected.set(`${contractAddress} ${slot}`, name);
  });
}

const wide = (name: string): readonly [string, string] => [`${name} (low)`, `${name} (high)`];

/** Hashes one felt after the other, without a reduction in between. */
const path = (variable: string, ...felts: readonly string[]): string =>
  felts.reduce(pedersenPair, starknetKeccak(variable));

/** The words of a text, of 31 bytes each. */
function textFelts(text: string): readonly string[] {
  const whole = Math.floor(text.length / 31);
  const words = Array.from({ length: whole }, (_, at) => short(text.slice(31 * at, 31 * at + 31)));
  const rest = text.slice(31 * whole);
  return [hex(whole), ...words, rest === '' ? '0x0' : short(rest), hex(rest.length)];
}

const names = (of: NAMED_SLOT): string => {
  const part = slotPartText(of);
  return part === undefined ? of.name : `${of.name} (${part})`;
};

interface Changed {
  readonly contract_address: string;
  readonly keys: readonly string[];
}

/** The slots that changed in the blocks of the scenario, by contract. */
async function changedSlots(): Promise<readonly Changed[]> {
  const slots = new Map<string, Set<string>>();
  const newest = await client.call('starknet_blockNumber');
  for (let block = 1; block <= newest; block += 1) {
    const update = await client.call('starknet_getStateUpdate', [{ block_number: block }]);
    for (const { address, storage_entries } of update.state_diff.storage_diffs) {
      const keys = slots.get(address) ?? new Set();
      for (const { key } of storage_entries) keys.add(key);
      slots.set(address, keys);
    }
  }
  return [...slots].map(([contract_address, keys]) => ({ contract_address, keys: [...keys] }));
}

let ledger = '';
let token = '';

async function playScenario(): Promise<void> {
  const calls = async (to: string, ...invocations: readonly (readonly [string, ...string[]])[]) => {
    const list: readonly Call[] = invocations.map(([name, ...calldata]) => ({
      to,
      name,
      calldata,
    }));
    const hash = await sender.invoke(list);
    const receipt = await client.call('starknet_getTransactionReceipt', [hash]);
    expect(receipt.execution_status).toBe('SUCCEEDED');
  };
  const counter = await sender.deploy(await contract('counter'), ['0x5']);
  await calls(counter, ['increase', '0x2']);
  expectSlots(counter, path('count'), 'count');

  token = await sender.deploy(await contract('token'), [
    short('Coin'),
    short('CN'),
    hex(5),
    '0x1',
    alice,
  ]);
  await calls(token, ['transfer', bob, '0x3', '0x0'], ['transfer', carol, '0x1', '0x0']);
  expectSlots(token, path('name'), 'name');
  expectSlots(token, path('symbol'), 'symbol');
  expectSlots(token, path('supply'), ...wide('supply'));
  for (const [at, holder] of [alice, bob, carol].entries()) {
    expectSlots(token, path('balances', holder), ...wide(`balances[account ${at}]`));
  }
  await calls(STRK, ['approve', bob, '0x64', '0x0'], ['transfer', carol, '0x64', '0x0']);
  expectSlots(
    STRK,
    path('ERC20_allowances', alice, bob),
    ...wide('ERC20_allowances[account 0, account 1]'),
  );
  for (const [holder, name] of [
    [alice, 'account 0'],
    [carol, 'account 2'],
    ['0x1000', 'sequencer'],
  ] as const) {
    expectSlots(STRK, path('ERC20_balances', holder), ...wide(`ERC20_balances[${name}]`));
  }

  ledger = await sender.deploy(await contract('ledger'), [alice]);
  await playLedger((...invocations) => calls(ledger, ...invocations));
  for (let block = 0; block < 30; block += 1) {
    expectSlots('0x1', hex(block), `block_hashes[${block}]`);
  }
}

async function playLedger(
  calls: (...invocations: readonly (readonly [string, ...string[]])[]) => Promise<void>,
): Promise<void> {
  const expectNames = (base: string, ...list: readonly string[]) =>
    expectSlots(ledger, base, ...list);
  expectNames(path('owner'), 'owner');
  await calls(['rename', ...textFelts(TITLE)]);
  expectNames(path('title'), 'title (length)');
  const [text = ''] = hades([storageAddress('title'), '0x0', short('ByteArray')]);
  expectNames(text, 'title (text)', 'title (text 2)');
  await calls(['approve', bob, '0x1', '0x2'], ['approve', carol, '0x1', '0x2']);
  expectNames(path('allowances', alice, bob), ...wide('allowances[account 0, account 1]'));
  expectNames(path('allowances', alice, carol), ...wide('allowances[account 0, account 2]'));
  await calls(
    ['grant', bob, short('AUDITOR'), '0x3', '0x64'],
    ['grant', carol, short('OWNER'), '0x1', '0x65'],
  );
  expectNames(path('grants', bob, short('AUDITOR'), '0x3'), "grants[account 1]['AUDITOR'][3]");
  expectNames(path('grants', carol, short('OWNER'), '0x1'), "grants[account 2]['OWNER'][1]");
  await calls(['open', '0x5', '0x1', '0x6']);
  expectNames(
    path('positions', alice),
    ...wide('positions[account 0].amount'),
    'positions[account 0].opened',
    'positions[account 0].is_open',
  );
  await calls(['limit', '0x2a', '0x3e8', '0x64', '0x1'], ['limit_all', '0x1', '0x2', '0x0']);
  expectNames(path('limits', '0x2a'), 'limits[42]');
  expectNames(path('common_limits'), 'common_limits');
  await calls(
    ['fund', short('STRK/ETH'), '0x7', '0x1', '0x1e'],
    ['share', short('STRK/ETH'), bob, '0x9'],
  );
  const pool = (...more: readonly string[]) => path('pools', short('STRK/ETH'), ...more);
  const poolName = `pools[${short('STRK/ETH')}]`;
  expectNames(pool(starknetKeccak('reserve')), ...wide(`${poolName}.reserve`));
  expectNames(pool(starknetKeccak('fee')), `${poolName}.fee`);
  expectNames(pool(starknetKeccak('shares'), bob), `${poolName}.shares[account 1]`);
  await calls(
    ['note', '0xb'],
    ['note', '0xc'],
    ['register', '0x5', '0x0'],
    ['register', ...LARGE_ID],
  );
  expectNames(path('entries'), 'entries (length)');
  expectNames(path('entries', '0x0'), 'entries[0]');
  expectNames(path('entries', '0x1'), 'entries[1]');
  expectNames(path('holders', '0x5', '0x0'), 'holders[5]');
  expectNames(path('holders', ...LARGE_ID), `holders[${9n * 2n ** 128n + 7n}]`);
  await calls(['mark', '0x4d2'], ['pause', '0x1']);
  expectNames(path('last_mark'), 'last_mark (variant)', 'last_mark');
  expectNames(path('Pausing_paused'), 'Pausing_paused');
}

let changed: readonly Changed[] = [];
beforeAll(async () => {
  await playScenario();
  changed = await changedSlots();
});

interface Figures {
  readonly total: number;
  readonly named: number;
  readonly wrong: readonly string[];
  /** Names of slots that changed and got none. */
  readonly missing: readonly string[];
}

/** Names all changed slots in one call, and compares each name with the one that was computed by hand. */
async function figures(
  isRight: (name: string, expected: string | undefined) => boolean,
): Promise<Figures> {
  const { slots } = await client.call('devnet_nameStorage', { contracts: changed });
  const wrong = slots.flatMap((slot) => {
    const right = expected.get(`${slot.contract_address} ${slot.key}`);
    return isRight(names(slot), right) ? [] : [`${names(slot)} is not ${right}`];
  });
  const total = changed.reduce((sum, { keys }) => sum + keys.length, 0);
  const found = new Set(slots.map((slot) => `${slot.contract_address} ${slot.key}`));
  const missing = changed
    .flatMap(({ contract_address, keys }) => keys.map((key) => `${contract_address} ${key}`))
    .filter((place) => !found.has(place))
    .map((place) => expected.get(place) ?? 'of no variable');
  return { total, named: slots.length, wrong, missing };
}

/** Without its source, a class does not tell the types of all values and keys. */
const isSameVariable = (name: string, right: string | undefined): boolean =>
  right !== undefined && /^\w+/.exec(name)?.[0] === /^\w+/.exec(right)?.[0];

test('by the classes alone, most slots have a name, and none a wrong one', async () => {
  const { total, named: namedCount, wrong } = await figures(isSameVariable);
  expect(wrong).toEqual([]);
  expect(namedCount / total).toBeGreaterThan(0.7);
});

test('with artifacts, every changed slot has its name', async () => {
  for (const name of CLASSES) {
    const artifact = JSON.parse(await classTextWithPlaces(name));
    const file = `contracts/src/${name}.cairo`;
    const sources = {
      [file]: await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8'),
    };
    await client.call('devnet_addArtifact', { artifact, sources });
  }
  const { total, wrong, missing } = await figures((name, right) => name === right);
  expect(wrong).toEqual([]);
  expect(missing).toEqual([]);
  expect(total).toBeGreaterThan(40);
});

const texts = {
  felt: (felt: string) => felt,
  address: (felt: string) => `address ${felt}`,
  classHash: (felt: string) => felt,
};

test('values are told by their types, packed ones by their parts', async () => {
  const displayed = async (
    contractAddress: string,
    key: string,
    high?: string,
  ): Promise<string> => {
    const contracts = [{ contract_address: contractAddress, keys: [key] }];
    const [slot] = (await client.call('devnet_nameStorage', { contracts })).slots;
    const value = await client.call('starknet_getStorageAt', [contractAddress, key, 'latest']);
    return slot && typeof value === 'string'
      ? valueText(decodeSlot(slot, value, high), texts)
      : 'nothing';
  };
  expect(await displayed(ledger, storageAddress('limits', ['0x2a']))).toBe(
    '{ daily: 1000, single: 100, is_strict: true }',
  );
  expect(await displayed(ledger, storageAddress('owner'))).toBe(`address ${alice}`);
  expect(await displayed(ledger, storageAddress('Pausing_paused'))).toBe('true');
  expect(await displayed(token, storageAddress('supply'), '0x1')).toBe(String(2n ** 128n + 5n));
});

test('a slot is read by the name of its variable, whose keys must fit its type', async () => {
  const request = (variable: string, ...keys: readonly string[]) => ({
    contract_address: ledger,
    variable,
    ...(keys.length === 0 ? {} : { keys }),
  });
  const limits = storageAddress('limits', ['0x2a']);
  for (const [params, key] of [
    [request('owner'), storageAddress('owner')],
    [request('limits', '0x2a'), limits],
    [request('entries'), storageAddress('entries')],
  ] as const) {
    const { entries } = await client.call('devnet_getStorage', params);
    const value = await client.call('starknet_getStorageAt', [ledger, key, 'latest']);
    expect(entries).toEqual([expect.objectContaining({ key, value })]);
  }
  expect(await client.call('devnet_getStorage', request('limits', '0x2b'))).toEqual({
    entries: [],
  });
  for (const [params, message] of [
    [
      request('ownr'),
      'params.variable: got "ownr", expected a variable of the contract\'s class. Did you mean "owner"?',
    ],
    [
      request('anything'),
      'It has owner, title, allowances, grants, positions, limits, common_limits, pools, entries, holders, last_mark, Pausing_paused. For',
    ],
    [request('owner', '0x1'), 'params.keys: expected 0 felts for the keys of "owner", got 1'],
    [request('limits'), 'params.keys: expected the keys of the map "limits", got none'],
    [request('limits', '0x1', '0x2'), 'expected 1 felt for the keys of "limits", got 2'],
    [request('holders', '0x1'), 'expected 2 felts for the keys of "holders", got 1. A u256 is two'],
    [request('grants', '0x1', '0x2'), 'expected 3 felts for the keys of "grants", got 2'],
    [{ contract_address: ledger, keys: ['0x1'] }, 'params.keys: expected a variable with keys'],
  ] as const) {
    const { code, message: reason } = await client.failure('devnet_getStorage', params);
    expect([code, reason]).toEqual([-32602, expect.stringContaining(message)]);
  }
  const missing = { contract_address: '0x999', variable: 'owner' };
  expect((await client.failure('devnet_getStorage', missing)).code).toBe(20);
});

test('what cannot be named is left out, and unknown contracts have no names', async () => {
  const contracts = [
    { contract_address: ledger, keys: ['0x123', storageAddress('positions', ['0x7777777'])] },
    { contract_address: '0x999', keys: ['0x1'] },
  ];
  expect((await client.call('devnet_nameStorage', { contracts })).slots).toEqual([]);
  // A felt that was on no chain before.
  const { slots } = await client.call('devnet_nameStorage', { contracts, felts: ['0x7777777'] });
  expect(slots.map(names)).toEqual(['positions[0x7777777].amount (low)']);
});
