// Writing into the state without a transaction.
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  type Contract,
  contract,
  read,
  Sender,
} from '@starkbox/test-support/signing';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

let counter: Contract;
let slots: Contract;
let fixture: Fixture;
let address: string;

beforeAll(async () => {
  [counter, slots] = [await contract('counter'), await contract('slots')];
});
beforeEach(async () => {
  fixture = await startFixture();
  address = fixture.node.accounts[0]?.address ?? '';
});

const apply = (state_diff: object, classes?: readonly object[]) =>
  fixture.client.call('devnet_applyStateDiff', { state_diff, ...(classes && { classes }) });
const code = async (state_diff: unknown, classes?: readonly unknown[]): Promise<number> => {
  const params = { state_diff, ...(classes && { classes }) };
  return (await fixture.client.failure('devnet_applyStateDiff', params)).code;
};
const storageAt = (key: string, block: string) =>
  fixture.client.call('starknet_getStorageAt', [address, key, block]);
const update = (block: unknown) => fixture.client.call('starknet_getStateUpdate', [block]);

const EMPTY = {
  deployed_contracts: [],
  storage_diffs: [],
  declared_classes: [],
  deprecated_declared_classes: [],
  nonces: [],
  replaced_classes: [],
};

describe('what is written', () => {
  test('additions.6a is there at once, and in the latest block with the next one', async () => {
    const { client } = fixture;
    const storage_diffs = [{ address, storage_entries: [{ key: '0x55', value: '0x5' }] }];
    const nonces = [{ contract_address: address, nonce: '0x10' }];
    expect(await apply({ storage_diffs, nonces })).toEqual({ classes: [] });
    expect(await storageAt('0x55', 'pre_confirmed')).toBe('0x5');
    expect(await storageAt('0x55', 'latest')).toBe('0x0');
    expect(await client.call('starknet_getNonce', ['pre_confirmed', address])).toBe('0x10');
    expect(await client.call('starknet_getNonce', ['latest', address])).toBe('0x0');
    expect(await client.call('starknet_blockNumber')).toBe(0);

    await client.call('devnet_createBlock');
    expect(await storageAt('0x55', 'latest')).toBe('0x5');
    expect(await client.call('starknet_getNonce', ['latest', address])).toBe('0x10');
    expect(await update('latest')).toMatchObject({
      state_diff: { ...EMPTY, storage_diffs, nonces },
    });
    expect(await client.call('starknet_getBlockWithTxHashes', ['latest'])).toMatchObject({
      transaction_count: 0,
      event_count: 0,
    });
    await client.call('devnet_createBlock');
    expect(await update('latest')).toMatchObject({ state_diff: EMPTY });
  });

  test('additions.6a is absolute: nonces and values may fall', async () => {
    const { client, node } = fixture;
    await new Sender(client, node.accounts[0]).invoke([]);
    await apply({ storage_diffs: [{ address, storage_entries: [{ key: '0x1', value: '0x2' }] }] });
    await client.call('devnet_createBlock');
    await apply({
      nonces: [{ contract_address: address, nonce: '0x0' }],
      storage_diffs: [{ address, storage_entries: [{ key: '0x1', value: '0x0' }] }],
    });
    await client.call('devnet_createBlock');
    expect(await client.call('starknet_getNonce', ['latest', address])).toBe('0x0');
    expect(await storageAt('0x1', 'latest')).toBe('0x0');
  });

  test('additions.6a an empty one is fine', async () => {
    expect(await apply({})).toEqual({ classes: [] });
    expect(await apply({ migrated_compiled_classes: null })).toEqual({ classes: [] });
    await fixture.client.call('devnet_createBlock');
    expect(await update('latest')).toMatchObject({ state_diff: EMPTY });
  });

  test('additions.6b classes and contracts that come with them', async () => {
    const { client } = fixture;
    const result = await apply(
      {
        deployed_contracts: [{ address: '0xca11', class_hash: counter.hash }],
        declared_classes: [{ class_hash: counter.hash, compiled_class_hash: counter.compiledHash }],
      },
      [
        { contract_class: counter.body, class_hash: counter.hash },
        { contract_class: slots.body, compiled_class_hash: slots.compiledHash },
      ],
    );
    expect(result).toEqual({
      classes: [
        { class_hash: counter.hash, compiled_class_hash: counter.compiledHash },
        { class_hash: slots.hash, compiled_class_hash: slots.compiledHash },
      ],
    });
    // No constructor ran.
    expect(await read(client, '0xca11', 'get', [], 'pre_confirmed')).toEqual(['0x0']);
    const early = await client.failure('starknet_getClassHashAt', ['latest', '0xca11']);
    expect(early.code).toBe(ERRORS.CONTRACT_NOT_FOUND.code);
    await client.call('devnet_createBlock');
    expect(await read(client, '0xca11', 'get')).toEqual(['0x0']);
    const { state_diff } = await update('latest');
    // Also the one that was not listed.
    expect(new Set(state_diff.declared_classes.map(({ class_hash }) => class_hash))).toEqual(
      new Set([counter.hash, slots.hash]),
    );
    // Again it changes nothing.
    await apply({}, [{ contract_class: counter.body }]);
    await client.call('devnet_createBlock');
    expect(await update('latest')).toMatchObject({ state_diff: EMPTY });
  });

  test('additions.6b a class in the place of another', async () => {
    const { client } = fixture;
    const class_hash = counter.hash;
    await apply({ replaced_classes: [{ contract_address: address, class_hash }] }, [
      { contract_class: counter.body },
    ]);
    const ask = (block: string) => client.call('starknet_getClassHashAt', [block, address]);
    expect([await ask('pre_confirmed'), await ask('latest')]).toEqual([class_hash, ACCOUNT_CLASS]);
    await client.call('devnet_createBlock');
    expect(await ask('latest')).toBe(class_hash);
    expect(await update('latest')).toMatchObject({
      state_diff: { replaced_classes: [{ contract_address: address, class_hash }] },
    });
  });
});

describe('what is refused', () => {
  const entry = { key: '0x1', value: '0x1' };

  test('additions.6c what contradicts itself', async () => {
    const nonce = { contract_address: address, nonce: '0x1' };
    const storage = { address, storage_entries: [] };
    const deployed = { address: '0x99', class_hash: ACCOUNT_CLASS };
    const replaced = { contract_address: address, class_hash: ACCOUNT_CLASS };
    const declared = { class_hash: ACCOUNT_CLASS, compiled_class_hash: '0x1' };
    for (const diff of [
      { nonces: [nonce, nonce] },
      { nonces: [nonce, { ...nonce, contract_address: `0x0${address.slice(2)}` }] },
      { storage_diffs: [storage, storage] },
      { storage_diffs: [{ address, storage_entries: [entry, { ...entry, value: '0x2' }] }] },
      { deployed_contracts: [deployed, deployed] },
      { replaced_classes: [replaced, replaced] },
      { declared_classes: [declared, declared] },
      { deprecated_declared_classes: ['0x1', '0x01'] },
      {
        deployed_contracts: [deployed],
        replaced_classes: [{ contract_address: '0x99', class_hash: ACCOUNT_CLASS }],
      },
      { declared_classes: [declared], deprecated_declared_classes: [ACCOUNT_CLASS] },
      { migrated_compiled_classes: [{ class_hash: '0x1', compiled_class_hash: '0x2' }] },
    ]) {
      expect(await code(diff), JSON.stringify(diff)).toBe(-32602);
    }
  });

  test('additions.6c what contradicts the state', async () => {
    const class_hash = ACCOUNT_CLASS;
    for (const [diff, expected] of [
      [{ nonces: [{ contract_address: '0xdead', nonce: '0x1' }] }, 20],
      [{ storage_diffs: [{ address: '0xdead', storage_entries: [entry] }] }, 20],
      [{ replaced_classes: [{ contract_address: '0xdead', class_hash }] }, 20],
      [{ deployed_contracts: [{ address: '0xbeef', class_hash: '0x1234' }] }, 28],
      [{ replaced_classes: [{ contract_address: address, class_hash: '0x1234' }] }, 28],
      [{ declared_classes: [{ class_hash: '0x1', compiled_class_hash: '0x2' }] }, 28],
      [{ deprecated_declared_classes: ['0x1234'] }, 28],
      [{ deployed_contracts: [{ address, class_hash }] }, -32602],
      [{ deployed_contracts: [{ address: '0x0', class_hash }] }, -32602],
      [{ deprecated_declared_classes: [class_hash] }, -32602],
      [{ declared_classes: [{ class_hash, compiled_class_hash: '0x2' }] }, -32602],
    ] as const) {
      expect(await code(diff), JSON.stringify(diff)).toBe(expected);
    }
  });

  test('additions.6c classes that are not what is said of them', async () => {
    const counterClass = { contract_class: counter.body };
    for (const classes of [
      [counterClass, counterClass],
      [{ ...counterClass, class_hash: '0x1' }],
      [{ ...counterClass, compiled_class_hash: '0x1' }],
      [{ ...counterClass, unknown: 1 }],
      [{ contract_class: { ...Object(counter.body), unknown: 1 } }],
      [{ contract_class: {} }],
      [{}],
    ]) {
      expect(await code({}, classes), JSON.stringify(classes).slice(0, 100)).toBe(-32602);
    }
    const empty = { ...Object(counter.body), sierra_program: [] };
    expect(await code({}, [{ contract_class: empty }])).toBe(50);
  });

  test('additions.6c what is unknown, missing or malformed', async () => {
    const { client } = fixture;
    for (const params of [
      undefined,
      {},
      [],
      { state_diff: null },
      { state_diff: { unknown: [] } },
      { state_diff: {}, unknown: 1 },
      { state_diff: { nonces: [{ contract_address: address }] } },
      { state_diff: { nonces: [{ contract_address: address, nonce: '0x1', more: 1 }] } },
      { state_diff: { storage_diffs: [{ address, storage_entries: [{ key: '0x1' }] }] } },
      { state_diff: { nonces: {} } },
    ]) {
      const refused = await client.failure('devnet_applyStateDiff', params);
      expect(refused.code, JSON.stringify(params)).toBe(ERRORS.INVALID_PARAMS.code);
    }
  });

  test('additions.6d is refused as a whole', async () => {
    const { client } = fixture;
    const nonces = [{ contract_address: address, nonce: '0x7' }];
    const storage_diffs = [{ address, storage_entries: [entry] }];
    const deployed_contracts = [{ address: '0xbeef', class_hash: '0x1234' }];
    const refused = await code({ nonces, storage_diffs, deployed_contracts }, [
      { contract_class: counter.body },
    ]);
    expect(refused).toBe(28);
    expect(await client.call('starknet_getNonce', ['pre_confirmed', address])).toBe('0x0');
    expect(await storageAt('0x1', 'pre_confirmed')).toBe('0x0');
    const unknown = await client.failure('starknet_getClass', ['pre_confirmed', counter.hash]);
    expect(unknown.code).toBe(ERRORS.CLASS_HASH_NOT_FOUND.code);
    await client.call('devnet_createBlock');
    expect(await update('latest')).toMatchObject({ state_diff: EMPTY });
  });
});
