// Calls, estimates and simulations with overrides of the state and of the block.
import { readFile } from 'node:fs/promises';
import { storageAddress } from '@starkbox/engine';
import type { OVERRIDES } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { startPair } from '@starkbox/test-support/fork/pair';
import {
  balanceSlot,
  contract,
  ETH,
  read,
  Sender,
  STRK,
  selector,
} from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';

const HOLDER = '0x77';
const { client, sender, node } = await startFixture();
const [counter, token, vault, context, upgradable, upgraded, failures] = await Promise.all(
  ['counter', 'token', 'vault', 'context', 'upgradable', 'upgraded', 'failures'].map((name) =>
    contract(name),
  ),
);
if (!counter || !token || !vault || !context || !upgradable || !upgraded || !failures) {
  throw new Error('a contract is missing');
}
const counterAddress = await sender.deploy(counter, ['0x5']);
const tokenAddress = await sender.deploy(token, ['0x54', '0x54', '0x64', '0x0', HOLDER]);
const vaultAddress = await sender.deploy(vault, ['0x1', '0xe10']);
const contextAddress = await sender.deploy(context);

/** Calls a function with overrides. */
function tried(
  to: string,
  name: string,
  calldata: readonly string[],
  overrides?: OVERRIDES,
  block_id: unknown = 'latest',
  by: Client = client,
): Promise<readonly string[]> {
  const request = { contract_address: to, entry_point_selector: selector(name), calldata };
  return by.call('devnet_call', { request, block_id, ...(overrides && { overrides }) });
}

async function refused(
  to: string,
  name: string,
  calldata: readonly string[],
  overrides: object,
): Promise<{ readonly code: number; readonly message: string; readonly data?: unknown }> {
  const request = { contract_address: to, entry_point_selector: selector(name), calldata };
  return client.failure('devnet_call', { request, block_id: 'latest', overrides });
}

const count = (value: string | readonly string[], by: object = { variable: 'count' }) => ({
  storage: [{ contract_address: counterAddress, entries: [{ ...by, value }] }],
});

describe('a call', () => {
  test('without overrides is a call', async () => {
    expect(await tried(counterAddress, 'get', [])).toEqual(['0x5']);
    expect(await tried(counterAddress, 'get', [], {})).toEqual(['0x5']);
  });

  test('reads storage that is set by name or by key, and changes nothing', async () => {
    const before = await client.call('starknet_getStateUpdate', ['latest']);
    expect(await tried(counterAddress, 'get', [], count('0x2a'))).toEqual(['0x2a']);
    const byKey = count('0x2b', { key: storageAddress('count') });
    expect(await tried(counterAddress, 'get', [], byKey)).toEqual(['0x2b']);
    expect(await read(client, counterAddress, 'get')).toEqual(['0x5']);
    expect(await client.call('starknet_getStateUpdate', ['latest'])).toEqual(before);
  });

  test('reads maps by their keys, and values of several slots', async () => {
    const overrides = {
      storage: [
        {
          contract_address: tokenAddress,
          entries: [
            { variable: 'balances', keys: [HOLDER], value: ['0x7', '0x1'] },
            { variable: 'supply', value: ['0x8', '0x2'] },
          ],
        },
      ],
    };
    expect(await tried(tokenAddress, 'balance_of', [HOLDER], overrides)).toEqual(['0x7', '0x1']);
    expect(await tried(tokenAddress, 'total_supply', [], overrides)).toEqual(['0x8', '0x2']);
  });

  test('reads balances of fee tokens and of others', async () => {
    const amount = (2n ** 128n + 3n).toString();
    const overrides = {
      balances: [
        { address: HOLDER, amount, token: tokenAddress },
        { address: HOLDER, amount: 9 },
        { address: HOLDER, amount: 10, unit: 'WEI' },
      ],
    } as const;
    expect(await tried(tokenAddress, 'balance_of', [HOLDER], overrides)).toEqual(['0x3', '0x1']);
    expect(await tried(STRK, 'balance_of', [HOLDER], overrides)).toEqual(['0x9', '0x0']);
    expect(await tried(ETH, 'balance_of', [HOLDER], overrides)).toEqual(['0xa', '0x0']);
    expect(await read(client, STRK, 'balance_of', [HOLDER])).toEqual(['0x0', '0x0']);
  });

  test('runs another class, by its hash or as a compiler writes it, and at an empty address', async () => {
    const address = await sender.deploy(upgradable);
    const file = new URL('../../../../contracts/cairo/upgraded.sierra.json', import.meta.url);
    const contract_class = JSON.parse(await readFile(file, 'utf8'));
    const replaced = { classes: [{ contract_address: address, contract_class }] };
    expect(await tried(address, 'version', [], replaced)).toEqual(['0x2']);
    expect(await read(client, address, 'version')).toEqual(['0x1']);
    const empty = {
      classes: [{ contract_address: '0x1234', class_hash: counter.hash }],
      storage: [{ contract_address: '0x1234', entries: [{ variable: 'count', value: '0x3' }] }],
    };
    expect(await tried('0x1234', 'get', [], empty)).toEqual(['0x3']);
    expect((await client.failure('starknet_getClassHashAt', ['latest', '0x1234'])).code).toBe(20);
  });

  test('runs in another block', async () => {
    const overrides = {
      block: { block_number: 1_000, timestamp: 4_000_000_000, sequencer_address: '0x5e9' },
    };
    const [number, timestamp, sequencer] = await tried(contextAddress, 'current', [], overrides);
    expect([number, timestamp, sequencer]).toEqual(['0x3e8', '0xee6b2800', '0x5e9']);
    const exit = {
      storage: [
        { contract_address: vaultAddress, entries: [{ variable: 'exit_from', value: '0x64' }] },
      ],
    };
    expect(await tried(vaultAddress, 'exit', [], exit)).toEqual([]);
    const early = { ...exit, block: { timestamp: 99 } };
    const { data } = await refused(vaultAddress, 'exit', [], early);
    expect(Object(data).explained.summary).toContain('vault: too early');
  });

  test('is made by any address', async () => {
    const overrides = { caller: HOLDER };
    const transfer = ['0x5', '0x64', '0x0'];
    expect(await tried(tokenAddress, 'transfer', transfer, overrides)).toEqual(['0x1']);
    const { data } = await refused(tokenAddress, 'transfer', transfer, { caller: '0x99' });
    expect(Object(data).explained.summary).toContain('token: balance too low');
    const rich = {
      caller: '0x99',
      balances: [{ address: '0x99', amount: 100, token: tokenAddress }],
    };
    expect(await tried(tokenAddress, 'transfer', transfer, rich)).toEqual(['0x1']);
  });

  test('runs at an older block', async () => {
    await sender.invoke([{ to: counterAddress, name: 'increase', calldata: ['0x1'] }]);
    const height = await client.call('starknet_blockNumber');
    await sender.invoke([{ to: counterAddress, name: 'increase', calldata: ['0x1'] }]);
    const older = { block_number: height - 1 };
    expect(await tried(counterAddress, 'get', [], {}, older)).toEqual(['0x5']);
    expect(await tried(counterAddress, 'get', [], count('0x9'), older)).toEqual(['0x9']);
    const other = { nonces: [{ contract_address: sender.account.address, nonce: '0x99' }] };
    expect(await tried(counterAddress, 'get', [], other, older)).toEqual(['0x5']);
    expect(await tried(counterAddress, 'get', [], other, 'pre_confirmed')).toEqual(['0x7']);
  });

  test('is explained with its overrides', async () => {
    const { file, line } = marks().get('assert_short') ?? {};
    const artifact = JSON.parse(await classTextWithPlaces('failures'));
    await client.call('devnet_addArtifact', { artifact });
    // The chain has neither the contract nor its class.
    const overrides = {
      classes: [{ contract_address: '0xfa11', contract_class: Object(failures.body) }],
    };
    const { code, data } = await refused('0xfa11', 'assert_short', ['0x1'], overrides);
    expect(code).toBe(40);
    expect(Object(data).explained.stack[0]).toMatchObject({ file, line });
  });
});

describe('a debug trace', () => {
  const request = (to: string, name: string, calldata: readonly string[] = []) => ({
    contract_address: to,
    entry_point_selector: selector(name),
    calldata,
  });

  test('of a call has its overrides, and classes that the chain lacks', async () => {
    const classes = [{ contract_address: '0xfa11', contract_class: Object(failures.body) }];
    const trace = await client.call('devnet_openDebugTrace', {
      call: request('0xfa11', 'assert_short', ['0x1']),
      overrides: { classes },
    });
    expect(trace.runs[0]).toMatchObject({ contract_address: '0xfa11', class_hash: failures.hash });
    const class_hash = failures.hash;
    expect((await client.failure('starknet_getClass', ['latest', class_hash])).code).toBe(28);
    const debugClass = await client.call('devnet_getDebugClass', { class_hash });
    expect(debugClass.code?.functions.length).toBeGreaterThan(0);
  });

  test('has overrides for calls and transactions alone', async () => {
    const overrides = { block: { timestamp: 5 } };
    const [hash] = (await client.call('devnet_listTransactions', { limit: 1 })).transactions;
    const params = { transaction_hash: hash?.transaction_hash, overrides };
    expect((await client.failure('devnet_openDebugTrace', params)).code).toBe(-1);
  });
});

describe('a sequence of calls', () => {
  const step = (to: string, name: string, calldata: readonly string[] = [], more: object = {}) => ({
    contract_address: to,
    entry_point_selector: selector(name),
    calldata,
    ...more,
  });

  test('keeps writes from call to call, and then drops them', async () => {
    const balance = step(tokenAddress, 'balance_of', ['0x5']);
    const pay = ['0x5', '0x1e', '0x0'];
    const outcomes = await client.call('devnet_callSequence', {
      calls: [
        step(tokenAddress, 'transfer', pay, { caller: HOLDER }),
        step(tokenAddress, 'transfer', pay, { caller: HOLDER, is_view: true }),
        balance,
        step(tokenAddress, 'transfer', pay, { caller: '0x99' }),
        balance,
      ],
      block_id: 'latest',
      explain: true,
    });
    expect(outcomes.map(({ result }) => result)).toEqual([
      ['0x1'],
      ['0x1'],
      ['0x1e', '0x0'],
      undefined,
      ['0x1e', '0x0'],
    ]);
    const [first, , , failed] = outcomes;
    expect(first?.events).toMatchObject([{ from_address: tokenAddress, data: ['0x1e', '0x0'] }]);
    expect(first?.storage_writes).toContainEqual({
      contract_address: tokenAddress,
      key: storageAddress('balances', ['0x5']),
      value: '0x1e',
    });
    expect(first?.gas).toBeGreaterThan(0);
    expect(failed?.failure?.explained?.summary).toContain('token: balance too low');
    expect(await read(client, tokenAddress, 'balance_of', ['0x5'])).toEqual(['0x0', '0x0']);
  });

  test('lets time pass, on an older block and with overrides', async () => {
    const older = { block_number: (await client.call('starknet_blockNumber')) - 1 };
    const exit = step(vaultAddress, 'exit');
    const outcomes = await client.call('devnet_callSequence', {
      calls: [
        step(vaultAddress, 'request_exit'),
        { ...exit, increase_time: 3_599 },
        { ...exit, increase_time: 1 },
        step(vaultAddress, 'is_open'),
      ],
      block_id: older,
      overrides: { block: { timestamp: 1_000 } },
    });
    expect(outcomes.map(({ result }) => result)).toEqual([[], undefined, [], ['0x0']]);
    expect(await read(client, vaultAddress, 'is_open')).toEqual(['0x1']);
  });

  test('explains a failure by the state that earlier calls left', async () => {
    const outcomes = await client.call('devnet_callSequence', {
      calls: [
        step(tokenAddress, 'transfer', ['0x5', '0x64', '0x0']),
        step(tokenAddress, 'transfer', ['0x5', '0x1', '0x0']),
      ],
      block_id: 'pre_confirmed',
      explain: true,
      overrides: { caller: HOLDER },
    });
    expect(outcomes[0]?.result).toEqual(['0x1']);
    expect(outcomes[1]?.failure?.explained?.summary).toContain('balance too low');
  });
});

describe('transactions', () => {
  const transfer = async () =>
    sender.invokeRequest([{ to: counterAddress, name: 'increase', calldata: ['0x1'] }]);

  test('are estimated at other prices, and with another nonce', async () => {
    const request = [await transfer()];
    const plain = await client.call('starknet_estimateFee', [request, [], 'latest']);
    const same = await client.call('devnet_estimateFee', [request, [], 'latest']);
    expect(same).toEqual(plain);
    const gas_prices = { l2_gas_price_fri: 7, data_gas_price_fri: 5 };
    const [estimate] = await client.call('devnet_estimateFee', [
      request,
      [],
      'latest',
      { block: { gas_prices } },
    ]);
    expect(estimate).toMatchObject({ l2_gas_price: '0x7', l1_data_gas_price: '0x5', unit: 'FRI' });
    const nonces = [{ contract_address: sender.account.address, nonce: '0x999' }];
    const params = [request, [], 'latest', { nonces }];
    expect((await client.failure('devnet_estimateFee', params)).code).toBe(41);
  });

  test('are simulated on another state, with the flags of a simulation', async () => {
    const transactions = [await transfer()];
    const simulation = { block_id: 'latest', transactions, overrides: count('0x64') };
    const [simulated] = Object(
      await client.call('devnet_simulateTransactions', { ...simulation, simulation_flags: [] }),
    );
    expect(JSON.stringify(simulated.transaction_trace.execute_invocation)).toContain('"0x65"');
    const unsigned = [{ ...transactions[0], signature: [] }];
    const unsignedRun = { ...simulation, transactions: unsigned };
    const failed = await client.failure('devnet_simulateTransactions', {
      ...unsignedRun,
      simulation_flags: [],
    });
    expect(failed.code).toBe(41);
    const flags = ['SKIP_VALIDATE', 'RETURN_INITIAL_READS'];
    const skipped = await client.call('devnet_simulateTransactions', {
      ...unsignedRun,
      simulation_flags: flags,
    });
    expect(Object(skipped).initial_reads.storage.length).toBeGreaterThan(0);
  });

  test('of a poor account pay with a balance that is overridden', async () => {
    const transactions = [await transfer()];
    const poor = { balances: [{ address: sender.account.address, amount: 0 }] };
    const params = { block_id: 'latest', transactions, simulation_flags: [] };
    const failed = await client.failure('devnet_simulateTransactions', {
      ...params,
      overrides: poor,
    });
    expect(failed.code).toBe(41);
    const free = { ...params, simulation_flags: ['SKIP_FEE_CHARGE'], overrides: poor };
    await expect(client.call('devnet_simulateTransactions', free)).resolves.toHaveLength(1);
  });

  test('have no caller', async () => {
    const params = [[await transfer()], [], 'latest', { caller: '0x5' }];
    const { code, message } = await client.failure('devnet_estimateFee', params);
    expect([code, message]).toEqual([-32602, expect.stringContaining('overrides.caller')]);
  });
});

describe('a mistake', () => {
  const entry = (...entries: readonly object[]) => ({
    storage: [{ contract_address: tokenAddress, entries }],
  });

  test.each([
    [
      'a slot that two overrides set',
      entry({ variable: 'supply', value: '0x1' }, { key: storageAddress('supply'), value: '0x2' }),
      'entries[1]: expected each slot once',
    ],
    [
      'a slot that a list covers',
      entry(
        { variable: 'supply', value: ['0x1', '0x0'] },
        { key: `0x${(BigInt(storageAddress('supply')) + 1n).toString(16)}`, value: '0x2' },
      ),
      'entries[1]: expected each slot once',
    ],
    [
      'a balance and its slot',
      {
        storage: [
          { contract_address: STRK, entries: [{ key: balanceSlot(HOLDER), value: '0x1' }] },
        ],
        balances: [{ address: HOLDER, amount: 1 }],
      },
      'balances[0]: expected each slot once',
    ],
    ['a misspelt variable', entry({ variable: 'supplies', value: '0x1' }), 'got "supplies"'],
    ['no key', entry({ value: '0x1' }), 'expected either key or variable, got neither'],
    ['a key and a variable', entry({ key: '0x1', variable: 'supply', value: '0x1' }), 'got both'],
    ['keys of a key', entry({ key: '0x1', keys: ['0x1'], value: '0x1' }), 'Give variable'],
    [
      'no such contract',
      {
        storage: [{ contract_address: '0x999', entries: [] }],
      },
      'storage[0].contract_address: expected a deployed contract, got 0x999',
    ],
    [
      'a nonce twice',
      {
        nonces: [
          { contract_address: '0x9', nonce: '0x1' },
          { contract_address: '0x9', nonce: '0x2' },
        ],
      },
      'nonces: expected each contract once, got 0x9 in [0] and [1]',
    ],
    ['a class without a hash', { classes: [{ contract_address: '0x9' }] }, 'got neither'],
    [
      'a unit and a token',
      {
        balances: [{ address: HOLDER, amount: 1, unit: 'FRI', token: tokenAddress }],
      },
      'balances[0]: expected either unit or token, got both',
    ],
    ['too much', { balances: [{ address: HOLDER, amount: (2n ** 256n).toString() }] }, '2^256'],
  ])('%s', async (_name, overrides, message) => {
    const error = await refused(tokenAddress, 'total_supply', [], overrides);
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining(message)]);
  });

  test('a class that is not declared', async () => {
    const classes = [{ contract_address: tokenAddress, class_hash: '0x5' }];
    expect((await refused(tokenAddress, 'total_supply', [], { classes })).code).toBe(28);
  });
});

describe('a chain on disk', () => {
  test('has overrides at blocks that left memory', async () => {
    const stored = await startFixture({ dataDir: temporaryFolderOfFile(), recentBlocks: 1 });
    const owner = new Sender(stored.client, stored.node.accounts[0]);
    const address = await owner.deploy(counter, ['0x5']);
    const height = await stored.client.call('starknet_blockNumber');
    for (let more = 0; more < 8; more += 1) await stored.client.call('devnet_createBlock', {});
    const older = { block_number: height };
    const overrides = {
      storage: [{ contract_address: address, entries: [{ variable: 'count', value: '0x9' }] }],
    };
    expect(await tried(address, 'get', [], overrides, older, stored.client)).toEqual(['0x9']);
    expect(await tried(address, 'get', [], {}, older, stored.client)).toEqual(['0x5']);
  });
});

describe('a fork', async () => {
  let counterOfOrigin = '';
  let deployedAt = 0;
  const pair = await startPair(async (origin) => {
    const owner = new Sender(origin.client, origin.node.accounts[0]);
    counterOfOrigin = await owner.deploy(counter, ['0x5']);
    deployedAt = await origin.client.call('starknet_blockNumber');
    await owner.invoke([{ to: counterOfOrigin, name: 'increase', calldata: ['0x1'] }]);
  });
  const fork = await pair.fork();
  afterAll(() => pair.close());

  test.each(['pre_confirmed', 'older', 'origin'])('at its %s block', async (where) => {
    await fork.client.call('devnet_createBlock', {});
    const height = await fork.client.call('starknet_blockNumber');
    await fork.client.call('devnet_createBlock', {});
    const id =
      where === 'pre_confirmed' ? where : { block_number: where === 'older' ? height : deployedAt };
    const entries = [{ variable: 'count', value: '0x9' }];
    const overrides = {
      storage: [{ contract_address: counterOfOrigin, entries }],
      balances: [{ address: HOLDER, amount: 4 }],
    };
    expect(await tried(counterOfOrigin, 'get', [], overrides, id, fork.client)).toEqual(['0x9']);
    expect(await tried(STRK, 'balance_of', [HOLDER], overrides, id, fork.client)).toEqual([
      '0x4',
      '0x0',
    ]);
    const unchanged = where === 'origin' ? '0x5' : '0x6';
    expect(await tried(counterOfOrigin, 'get', [], undefined, id, fork.client)).toEqual([
      unchanged,
    ]);
  });
});

test('the node is unchanged after all of this', async () => {
  expect((await client.call('devnet_getStatus')).pre_confirmed_tx_count).toBe(0);
  expect(node.accounts).toHaveLength(3);
});
