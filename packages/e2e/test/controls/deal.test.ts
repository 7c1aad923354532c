// Balances in token contracts, set without a transaction.
import { storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { ETH, hex, read, STRK, UDC } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const HOLDER = '0xabc';
const LARGE = 2n ** 200n + 7n;

test.each([STRK, ETH])('a balance of the token %s is set', async (token) => {
  const { client } = await startFixture();
  const supply = await read(client, token, 'totalSupply');
  const dealt = await client.call('devnet_deal', {
    token,
    address: HOLDER,
    amount: LARGE.toString(),
  });
  expect(dealt).toEqual({
    new_balance: LARGE.toString(),
    variable: 'ERC20_balances',
    slot: storageAddress('ERC20_balances', [HOLDER]),
    total_supply: null,
  });
  expect(await read(client, token, 'balanceOf', [HOLDER])).toEqual([
    '0x7',
    `0x${(2n ** 72n).toString(16)}`,
  ]);
  expect(await read(client, token, 'totalSupply')).toEqual(supply);
  // To the same amount, to another one and to nothing.
  for (const amount of [LARGE.toString(), 5, 0]) {
    await client.call('devnet_deal', { token, address: HOLDER, amount });
    const unit = token === STRK ? 'FRI' : 'WEI';
    const balance = await client.call('devnet_getAccountBalance', { address: HOLDER, unit });
    expect(balance.amount).toBe(String(amount));
  }
});

test('the total supply follows, where that is asked for', async () => {
  const { client, node } = await startFixture({ blockGenerationOn: 'demand' });
  const supply = async (): Promise<bigint> => {
    const [low = '', high = ''] = await read(client, STRK, 'totalSupply', [], 'pre_confirmed');
    return (BigInt(high) << 128n) + BigInt(low);
  };
  const before = await supply();
  const address = node.accounts[0]?.address;
  const params = { token: STRK, address, amount: 3, adjust_supply: true };
  const { total_supply } = await client.call('devnet_deal', params);
  expect(await supply()).toBe(before - node.config.initialBalance + 3n);
  expect(total_supply).toBe(String(await supply()));
  // Blocks are on demand.
  expect(await client.call('starknet_blockNumber')).toBe(0);
});

test.each([
  ['the address of the map', []],
  ['the slot of the balance', [HOLDER]],
])('a balance is set by %s', async (_what, keys) => {
  const { client } = await startFixture();
  const slot = storageAddress('ERC20_balances', keys);
  const params = { token: STRK, address: HOLDER, amount: LARGE.toString(), slot };
  expect(await client.call('devnet_deal', params)).toEqual({
    new_balance: LARGE.toString(),
    variable: null,
    slot: storageAddress('ERC20_balances', [HOLDER]),
    total_supply: null,
  });
  expect(await read(client, STRK, 'balanceOf', [HOLDER])).toEqual([
    '0x7',
    `0x${(2n ** 72n).toString(16)}`,
  ]);
  // The slot of one is not that of another.
  const other = { ...params, address: '0xabd', slot: storageAddress('ERC20_balances', [HOLDER]) };
  expect(await client.failure('devnet_deal', other)).toMatchObject({
    code: -1,
    data: { tried: [{ variable: null }, { variable: null, key: other.slot }] },
  });
});

test('a contract without balances is refused, with what was tried', async () => {
  const { client } = await startFixture();
  const deal = (params: object) =>
    client.failure('devnet_deal', { token: STRK, address: HOLDER, amount: 1, ...params });
  expect(await deal({ token: '0x5' })).toMatchObject({
    code: ERRORS.CONTRACT_NOT_FOUND.code,
    message: expect.stringContaining('0x5'),
  });
  const before = await client.call('starknet_blockHashAndNumber');
  expect(await deal({ token: UDC })).toMatchObject({
    code: -1,
    message: expect.stringContaining('balance_of'),
  });
  expect(await deal({ variable: 'holdings' })).toMatchObject({
    code: -1,
    message: expect.stringContaining('holdings'),
    data: { tried: [{ variable: 'holdings', key: storageAddress('holdings', [HOLDER]) }] },
  });
  expect(await deal({ variable: 'ERC20_balances', slot: '0x1' })).toMatchObject({ code: -1 });
  const least = 2n ** 251n - 256n;
  expect(await deal({ slot: hex(least) })).toMatchObject({ code: -1 });
  for (const slot of ['0x0', hex(least - 1n)]) {
    expect(await deal({ slot })).toMatchObject({ code: -1, data: { tried: expect.any(Array) } });
  }
  expect(await deal({ amount: (2n ** 256n).toString() })).toMatchObject({ code: -1 });
  expect(await client.call('starknet_blockHashAndNumber')).toEqual(before);
});

test('a journal repeats it', async () => {
  const { client } = await startFixture({ dumpOn: 'request' });
  await client.call('devnet_deal', { token: STRK, address: HOLDER, amount: 12 });
  const events = await client.call('devnet_dump', {});
  const other = await startFixture({ dumpOn: 'request' });
  await other.client.call('devnet_load', { events });
  expect(await read(other.client, STRK, 'balanceOf', [HOLDER])).toEqual(['0xc', '0x0']);
});
