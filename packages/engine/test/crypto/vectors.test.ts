// Accounts, transactions and commitments against the network's values and starknet.js.

import {
  EngineError,
  messageToL1Hash,
  publicKey,
  seededPrivateKeys,
  Transaction,
  versions,
} from '@starkbox/engine';
import fc from 'fast-check';
import { hash as js } from 'starknet';
import { describe, expect, test } from 'vitest';
import {
  block,
  CHAIN_ID,
  deployAccountValues,
  firstAccount,
  genesis,
  hex,
  invoke,
  invokeValues,
  MINTER,
  PRIME,
  STRK,
  seededAccounts,
} from '../fixtures/chain.js';

const felt = fc.bigInt({ min: 0n, max: PRIME - 1n }).map(hex);
const refused = (kind: string) => expect.objectContaining({ name: 'EngineError', kind });

const chain = await genesis();

describe('accounts of a seed', () => {
  test.each([
    [
      0,
      0,
      '0x71d7bb07b9a64f6f78ac4c816aff4da9',
      '0x39d9e6ce352ad4530a0ef5d5a18fd3303c3606a7fa6ac5b620020ad681cc33b',
      '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691',
    ],
    [
      0,
      1,
      '0xe1406455b7d66b1690803be066cbe5e',
      '0x7a1bb2744a7dd29bffd44341dbd78008adb4bc11733601e7eddff322ada9cb',
      '0x78662e7352d062084b0010068b99288486c2d8b914f6e2a55ce945f8792c8b1',
    ],
    [
      0,
      2,
      '0xa20a02f0ac53692d144b20cb371a60d7',
      '0xb8fd4ddd415902d96f61b7ad201022d495997c2dff8eb9e0eb86253e30fabc',
      '0x49dfb8ce986e21d354ac93ea65e6a11f639c1934ea253e5ff14ca62eca0f38e',
    ],
    [
      42,
      0,
      '0xb137668388dbe9acdfa3bc734cc2c469',
      '0x5a5e37c60e77a0318643b111f88413a76af6233c891a0cfb2804106372006d4',
      '0x34ba56f92265f0868c57d3fe72ecab144fc96f97954bbbc4252cef8e8a979ba',
    ],
    [
      42,
      1,
      '0xe8c2801d899646311100a661d32587aa',
      '0x5fa8e536561badd3df5f6658300052b2d25019f0840db03be9f71e8bcbbc8a9',
      '0x2939f2dc3f80cc7d620e8a86f2e69c1e187b7ff44b74056647368b5c49dc370',
    ],
    [
      42,
      2,
      '0x7b2e5d0e627be6ce12ddc6fd0f5ff2fb',
      '0x5637c39527000a67c2c9ebeead943f8b6fee76bcd8f3a09649c1b94b463abc5',
      '0x25a6c9f0c15ef30c139065096b4b8e563e6b86191fd600a4f0616df8f22fb77',
    ],
    [
      123,
      0,
      '0x9e33e840519578223b48b75f0f4929ee',
      '0x3447fba395ae48d5046ed63a2007b0ad73f2d083403b1799f16ad3799ae8e10',
      '0x5d52555da76d7f6d8f28a6a284e43301b67fc3fc29b050d60652325f5da6438',
    ],
  ])('seed %i, account %i', (seed, index, privateKey, key, address) => {
    expect(seededAccounts(seed, index + 1)[index]).toEqual({ privateKey, publicKey: key, address });
  });

  test('none are made when none are asked for', () => {
    expect(seededPrivateKeys(7, 0)).toEqual([]);
  });

  test('the minting account has its known public key', () => {
    expect(chain.minter.publicKey).toBe(
      '0x4c37ab4f0994879337bfd4ead0800776db57da382b8ed8efaa478c5d3b942a4',
    );
  });
});

describe('transactions', () => {
  test('the first mint on a fresh chain has its known hash, signature, receipt and block', async () => {
    const gwei = (amount: bigint) => ({
      max_amount: hex(amount),
      max_price_per_unit: '0x3b9aca00',
    });
    const mint = invokeValues(
      chain.minter,
      [{ to: STRK, name: 'permissioned_mint', calldata: ['0x1', '0xa', '0x0'] }],
      0,
      {
        resource_bounds: {
          l1_gas: gwei(1_000_000n),
          l1_data_gas: gwei(1_000_000n),
          l2_gas: gwei(1_000_000_000n),
        },
      },
    );
    const signature = [
      '0x22c0e14a1471494e1cc84d47a32d05f4f1bf1582acf2ced7680ddb4321abdfd',
      '0x7c8f61cb26d9fda9d4b1ba3d4ca2f5399ebf95553d365a839bba0ad411f4b4a',
    ];
    expect(mint['signature']).toEqual(signature);
    const transaction = new Transaction(mint, CHAIN_ID);
    expect(transaction.hash).toBe(
      '0x40c9808b4812c58bcd71323527ead6a3f74c802fd3ded08b9653f2e19a67f11',
    );

    const execution = await chain.state.execute(block(1), transaction);
    if (execution.outcome === 'rejected') throw new Error(execution.rejection.message);
    expect(execution.receipt.actual_fee).toEqual({ amount: '0x6b655744de000', unit: 'FRI' });
    expect(execution.receipt.execution_resources).toEqual({
      l1_gas: 0,
      l1_data_gas: 288,
      l2_gas: 1_889_040,
    });
    expect(execution.receipt.data_availability.l1_data_gas).toBe(256);
    const { seal } = await execution.next.close(
      block(1),
      [{ signature, receipt: execution.receipt }],
      {
        parentHash: '0x0',
      },
    );
    expect(seal).toMatchObject({
      transaction_commitment: '0x5cd2f23514203eb1ec0dd9e9769fdc89f25564325db6711a1f684b3302a380a',
      event_commitment: '0x133cfbf9f02a8cd94b146e782d2975da7e9f0ca586681d7723440272e22cb0d',
      receipt_commitment: '0x204848f548c74a678cdb19efe724fb848314e5e9cdbfa9e8464a215918f735b',
      state_diff_commitment: '0x58624464b3e7769001a3ad88cf23edf3319e41cf5fc2decb934240dbb4c11d4',
      transaction_count: 1,
      event_count: 2,
      state_diff_length: 6,
    });
  });

  const handler = {
    type: 'L1_HANDLER',
    contract_address: '0x39dc79e64f4bb3289240f88e0bae7d21735bef0d1a51b2bf3c4730cb16983e1',
    entry_point_selector: '0x2f15cff7b0eed8b9beb162696cf4e3e0e35fa7032af69cd1b7d2ac67a13f40f',
    calldata: ['0xbe3c44c09bc1a3566f3e1ca12e5aba0fa4ca72be', '0x1', '0x2'],
    nonce: hex(783082),
    paid_fee_on_l1: '0x1',
  };

  test('an L1 handler has its known hash, and its message the known one of L1', () => {
    const transaction = new Transaction(handler, CHAIN_ID);
    expect(transaction.type).toBe('L1_HANDLER');
    expect(transaction.hash).toBe(
      '0x1b24ea8dd9e0cb603043958b27a8569635ea13568883cc155130591b7ffe37a',
    );
    expect(transaction.messageHash).toBe(
      '0x9e658ca0f2727a3b43d0ed8171321f8b85685f5085ca5b16514d5bcb7c8a7590',
    );
    expect(() => new Transaction({ ...handler, calldata: [] }, CHAIN_ID)).toThrow(EngineError);
  });

  test('a message to L1 has its known hash', () => {
    const message = {
      from_address: '0x4db0679c568e6a9df6f21da9e243772853d6714b12b6b79c0551d9ea12ef91a',
      to_address: '0xc662c410c0ecf747543f5ba90660f6abebd9c8c4',
      payload: ['0x0', '0x1', '0x1'],
    };
    expect(messageToL1Hash(message)).toBe(
      '0xac5356289f98e5012f8efcabb9f7ad3adaa43f81ac47b6311d2c23ca01590bd0',
    );
    expect(() => messageToL1Hash({ ...message, payload: ['nonsense'] })).toThrow(EngineError);
  });

  test('the query form hashes apart and is marked', () => {
    const account = firstAccount(chain);
    const plain = invoke(account, [], 0);
    const query = invoke(account, [], 0, { version: '0x100000000000000000000000000000003' });
    expect([plain.isQuery, query.isQuery]).toEqual([false, true]);
    expect(query.hash).not.toBe(plain.hash);
  });

  test.each([
    ['an old version', { version: '0x1' }],
    ['no version', { version: undefined }],
    ['an unknown type', { type: 'DEPLOY' }],
    ['a missing field', { nonce: undefined }],
    ['a felt above the field', { nonce: `0x${'f'.repeat(64)}` }],
  ])('%s is refused as input', (_, change) => {
    const account = firstAccount(chain);
    const values = { ...invokeValues(account, [], 0), ...change };
    expect(() => new Transaction(values, CHAIN_ID)).toThrow(refused('input'));
  });

  test('a chain id must be a short string', () => {
    for (const id of ['', 'x'.repeat(32), 'ü']) {
      expect(() => new Transaction(handler, id)).toThrow(refused('input'));
    }
  });

  test('a DECLARE needs its class', () => {
    expect(() => new Transaction({ type: 'DECLARE', version: '0x3' }, CHAIN_ID)).toThrow(
      refused('input'),
    );
  });

  test('hashes of random INVOKE transactions are those of starknet.js', () => {
    const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const bound = fc.record({
      max_amount: u64,
      max_price_per_unit: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
    });
    const bounds = fc.record({ l1_gas: bound, l1_data_gas: bound, l2_gas: bound });
    const random = fc.record({
      calldata: fc.array(felt, { maxLength: 8 }),
      nonce: u64,
      tip: u64,
      bounds,
      proofFacts: fc.array(felt, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(random, ({ calldata, nonce, tip, bounds, proofFacts }) => {
        // Bounds on L1 gas alone are hashed in their older way, which starknet.js no longer has.
        fc.pre(bounds.l2_gas.max_amount > 0n);
        const text = (b: { max_amount: bigint; max_price_per_unit: bigint }) => ({
          max_amount: hex(b.max_amount),
          max_price_per_unit: hex(b.max_price_per_unit),
        });
        const ours = new Transaction(
          {
            type: 'INVOKE',
            version: '0x3',
            sender_address: MINTER,
            calldata,
            signature: [],
            nonce: hex(nonce),
            tip: hex(tip),
            resource_bounds: {
              l1_gas: text(bounds.l1_gas),
              l1_data_gas: text(bounds.l1_data_gas),
              l2_gas: text(bounds.l2_gas),
            },
            paymaster_data: [],
            account_deployment_data: [],
            nonce_data_availability_mode: 'L1',
            fee_data_availability_mode: 'L1',
            ...(proofFacts.length > 0 && { proof_facts: proofFacts }),
          },
          CHAIN_ID,
        );
        const theirs = js.calculateInvokeTransactionHash({
          senderAddress: MINTER,
          version: '0x3',
          compiledCalldata: calldata,
          chainId: '0x534e5f5345504f4c4941',
          nonce,
          accountDeploymentData: [],
          nonceDataAvailabilityMode: 0,
          feeDataAvailabilityMode: 0,
          resourceBounds: bounds,
          tip,
          paymasterData: [],
          ...(proofFacts.length > 0 && { proofFacts }),
        });
        expect(ours.hash).toBe(hex(BigInt(theirs)));
      }),
      { numRuns: 200 },
    );
  });

  test('DEPLOY_ACCOUNT has the hash and the address of starknet.js', () => {
    const key = '0x1234567';
    const class_hash = chain.classes.account.hash;
    const values = deployAccountValues(key, class_hash);
    const ours = new Transaction(values, CHAIN_ID);
    const calldata = [publicKey(key)];
    const address = js.calculateContractAddressFromHash('0x7', class_hash, calldata, 0);
    expect(ours.address).toBe(hex(BigInt(address)));
  });
});

test('the engine tells the versions of its parts', () => {
  expect(versions()).toEqual({ compiler: '2.19.5', sierra: '1.9.4', starknet: '0.14.4' });
});
