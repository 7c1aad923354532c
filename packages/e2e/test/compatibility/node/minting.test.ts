// Balances and minted tokens.

import { PRIME } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { type Fixture, INITIAL_BALANCE, startFixture } from '@starkbox/test-support/fixture';
import { contract, Sender } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const UNDEPLOYED = '0x1234';
const U128_MAX = 2n ** 128n - 1n;

/** With the numbers as they are written, however large. */
async function raw({ node }: Fixture, method: string, params: string): Promise<unknown> {
  const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  return JSON.parse((await node.handle(text)) ?? 'null');
}

const fixture = await startFixture();
const { client } = fixture;
const first = fixture.node.accounts[0]?.address ?? '';

describe('balances', () => {
  test.each(['WEI', 'FRI'] as const)(
    'minting.1a predeployed accounts have what was asked for: %s',
    async (unit) => {
      expect(first).toBe('0x34ba56f92265f0868c57d3fe72ecab144fc96f97954bbbc4252cef8e8a979ba');
      for (const { address } of fixture.node.accounts) {
        expect(await client.call('devnet_getAccountBalance', { address, unit })).toEqual({
          amount: INITIAL_BALANCE.toString(),
          unit,
        });
      }
    },
  );

  test('minting.1a the unit is FRI and the block the latest, by default', async () => {
    const balance = { amount: INITIAL_BALANCE.toString(), unit: 'FRI' };
    expect(await client.call('devnet_getAccountBalance', [first])).toEqual(balance);
  });

  test.each(['WEI', 'FRI'] as const)(
    'minting.1b an unknown address has nothing: %s',
    async (unit) => {
      expect(await client.call('devnet_getAccountBalance', { address: '0x999', unit })).toEqual({
        amount: '0',
        unit,
      });
    },
  );

  test.each([
    ['no parameters', undefined],
    ['no address', { unit: 'FRI' }],
    ['an unknown unit', { address: '0x1', unit: 'SATOSHI' }],
    ['an unknown parameter', { address: '0x1', currency: 'FRI' }],
  ])('minting.4b a query with %s is refused', async (_, params) => {
    const error = await client.failure('devnet_getAccountBalance', params);
    expect(error).toMatchObject({ code: ERRORS.INVALID_PARAMS.code, data: undefined });
  });
});

describe('minting', () => {
  const HASH = /^0x[1-9a-f][0-9a-f]{50,}$/;

  test.each(['WEI', 'FRI'] as const)(
    'minting.2a an address without a contract gets %s',
    async (unit) => {
      const minted = await client.call('devnet_mint', { address: UNDEPLOYED, amount: 42, unit });
      expect(minted).toEqual({ new_balance: '42', unit, tx_hash: expect.stringMatching(HASH) });
      expect(await client.call('devnet_getAccountBalance', { address: UNDEPLOYED, unit })).toEqual({
        amount: '42',
        unit,
      });
    },
  );

  test('minting.2b without a unit it is FRI', async () => {
    const minted = await client.call('devnet_mint', { address: '0x2', amount: 7 });
    expect(minted).toEqual({
      new_balance: '7',
      unit: 'FRI',
      tx_hash: expect.stringMatching(HASH),
    });
    expect(
      await client.call('devnet_getAccountBalance', { address: '0x2', unit: 'WEI' }),
    ).toMatchObject({ amount: '0' });
  });

  test('minting.2b the first mint of a fresh chain has the hash that tools know', async () => {
    const fresh = await startFixture();
    expect(await fresh.client.call('devnet_mint', { address: '0x1', amount: 10 })).toEqual({
      new_balance: '10',
      unit: 'FRI',
      tx_hash: '0x40c9808b4812c58bcd71323527ead6a3f74c802fd3ded08b9653f2e19a67f11',
    });
  });

  test('minting.2c a predeployed account gets it on top', async () => {
    const minted = await client.call('devnet_mint', { address: first, amount: 5, unit: 'WEI' });
    expect(minted).toMatchObject({ new_balance: (INITIAL_BALANCE + 5n).toString(), unit: 'WEI' });
  });

  test('minting.2d amounts are exact up to 128 bits, and balances beyond', async () => {
    const params = (amount: bigint) => `{"address":"0x3","amount":${amount},"unit":"WEI"}`;
    expect(await raw(fixture, 'devnet_mint', params(U128_MAX))).toMatchObject({
      result: { new_balance: U128_MAX.toString() },
    });
    expect(await raw(fixture, 'devnet_mint', params(U128_MAX))).toMatchObject({
      result: { new_balance: (2n * U128_MAX).toString() },
    });
  });

  test('minting.2a mints that come at the same time all happen', async () => {
    const mints = Array.from({ length: 8 }, () =>
      fixture.node.request('devnet_mint', { address: '0x4', amount: 1 }),
    );
    const results = await Promise.allSettled(mints);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await client.call('devnet_getAccountBalance', ['0x4'])).toMatchObject({ amount: '8' });
  });

  test('minting.3 an account without funds declares after it got some', async () => {
    const poor = await startFixture({ initialBalance: 0n });
    const [account] = poor.node.accounts;
    const sender = new Sender(poor.client, account);
    const declared = await contract('counter');
    const refused = await poor.client.failure('starknet_addDeclareTransaction', [
      await sender.declareRequest(declared),
    ]);
    expect(refused.code).toBe(ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code);
    const address = sender.account.address;
    await raw(poor, 'devnet_mint', `{"address":"${address}","amount":${10n ** 20n}}`);
    const hash = await sender.declare(declared);
    expect(await poor.client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
      execution_status: 'SUCCEEDED',
    });
  });

  test.each([
    ['an unknown unit', '{"address":"0x1","amount":1,"unit":"SATOSHI"}'],
    ['a negative amount', '{"address":"0x1","amount":-1}'],
    ['an amount that is no number', '{"address":"0x1","amount":"1e3"}'],
    ['no address', '{"amount":1}'],
    ['no amount', '{"address":"0x1"}'],
    ['no parameters', 'null'],
  ])('minting.4a a mint with %s is refused', async (_, params) => {
    const answer = await raw(fixture, 'devnet_mint', params);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: ERRORS.INVALID_PARAMS.code, message: expect.any(String) },
    });
  });

  test('minting.5 an amount beyond the supply is reverted, and the chain keeps the attempt', async () => {
    const before = await client.call('starknet_blockNumber');
    const params = `{"address":"0x5","amount":${2n ** 255n}}`;
    const answer = await raw(fixture, 'devnet_mint', params);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -1,
        message: 'Minting reverted',
        data: {
          tx_hash: expect.stringMatching(HASH),
          revert_reason:
            "The requested minting amount overflows the token contract's total_supply.",
        },
      },
    });
    expect(await client.call('starknet_blockNumber')).toBe(before + 1);
    const block = await client.call('starknet_getBlockWithReceipts', ['latest']);
    expect(block.transactions).toMatchObject([{ receipt: { execution_status: 'REVERTED' } }]);
    expect(await client.call('devnet_getAccountBalance', ['0x5'])).toMatchObject({ amount: '0' });
  });

  test('an amount that no calldata can carry is refused, and nothing is sent', async () => {
    const before = await client.call('starknet_blockNumber');
    for (const amount of [PRIME << 128n, 10n ** 300n]) {
      const answer = await raw(fixture, 'devnet_mint', `{"address":"0x5","amount":${amount}}`);
      expect(answer).toMatchObject({ error: { code: -1 } });
    }
    expect(await client.call('starknet_blockNumber')).toBe(before);
  });
});
