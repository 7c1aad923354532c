// The paymaster with releases of starknet.js: sponsored and paid transactions, deployments, and wrong signatures.
import { ERRORS } from '@starkbox/spec';
import { ETH, newAccount, STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';
import {
  deploymentOf,
  type FeeMode,
  LIBRARIES,
  type Library,
  paidIn,
  refusalOf,
  SPONSORED,
  startPaymaster,
  transfer,
} from './dapp.js';

const { node, client, balance, feeOf, dapp, close } = await startPaymaster();
afterAll(close);
const [alice, bob] = node.accounts;
if (!alice || !bob) throw new Error('there are no accounts');
const { relayer } = await client.call('devnet_getPaymaster');

const nonceOf = (contract_address: string): Promise<string> =>
  client.call('starknet_getNonce', { contract_address, block_id: 'latest' });

const NAMES = Object.keys(LIBRARIES).filter((name): name is Library => name in LIBRARIES);

describe.each(NAMES)('%s', (library) => {
  test('finds the paymaster available, with its tokens', async () => {
    const { paymaster } = await dapp(library);
    expect(await paymaster.isAvailable()).toBe(true);
    const tokens = await paymaster.getSupportedTokens();
    expect(tokens.map(({ token_address }) => token_address)).toEqual([STRK, ETH]);
  });

  test('has a transfer sponsored: the relayer sends it and pays all of its fee', async () => {
    const account = (await dapp(library)).account(alice.address, alice.privateKey);
    const before = {
      alice: await balance(STRK, alice.address),
      bob: await balance(STRK, bob.address),
      relayer: await balance(STRK, relayer),
    };
    const nonce = await nonceOf(alice.address);
    const { transaction_hash } = await account.executePaymasterTransaction(
      [transfer(STRK, bob.address, 5n), transfer(STRK, bob.address, 6n)],
      { feeMode: SPONSORED },
    );
    const fee = await feeOf(transaction_hash);
    expect(await balance(STRK, bob.address)).toBe(before.bob + 11n);
    expect(await balance(STRK, alice.address)).toBe(before.alice - 11n);
    expect(await balance(STRK, relayer)).toBe(before.relayer - fee);
    expect(await nonceOf(alice.address)).toBe(nonce);
    expect(await client.call('starknet_getTransactionByHash', { transaction_hash })).toMatchObject({
      type: 'INVOKE',
      sender_address: relayer,
    });
  });

  const paid: readonly (readonly [string, string, bigint])[] = [
    ['STRK', STRK, 1n],
    ['ETH', ETH, 20_000n],
  ];
  test.each(paid)('pays in %s what the relayer paid, and no more', async (_name, token, price) => {
    const account = (await dapp(library)).account(alice.address, alice.privateKey);
    const feeMode = paidIn(token);
    const calls = [transfer(ETH, bob.address, 7n)];
    const fee = await account.estimatePaymasterTransactionFee(calls, { feeMode });
    const before = {
      alice: await balance(token, alice.address),
      relayer: await balance(token, relayer),
      bob: await balance(ETH, bob.address),
    };
    const { transaction_hash } = await account.executePaymasterTransaction(
      calls,
      { feeMode },
      fee.suggested_max_fee_in_gas_token,
    );
    const actual = await feeOf(transaction_hash);
    const cost = (actual + price - 1n) / price;
    const sent = token === ETH ? 7n : 0n;
    expect(await balance(token, alice.address)).toBe(before.alice - cost - sent);
    const spent = token === STRK ? actual : 0n;
    expect(await balance(token, relayer)).toBe(before.relayer + cost - spent);
    expect(await balance(ETH, bob.address)).toBe(before.bob + 7n);
    // An estimate without a signature is close to the fee, and the largest fee three times the estimate.
    const percent = (BigInt(fee.estimated_fee_in_strk) * 100n) / actual;
    expect(percent).toBeGreaterThan(90n);
    expect(percent).toBeLessThan(120n);
    expect(fee.gas_token_price_in_strk).toBe(price * 10n ** 18n);
  });

  test('has a new account deployed', async () => {
    const fresh = newAccount('0x1234', { salt: `0x${library.length}${NAMES.indexOf(library)}` });
    const account = (await dapp(library)).account(fresh.address, fresh.privateKey);
    const { transaction_hash } = await account.executePaymasterTransaction([], {
      feeMode: SPONSORED,
      deploymentData: deploymentOf(fresh),
    });
    await feeOf(transaction_hash);
    expect(
      await client.call('starknet_getClassHashAt', {
        contract_address: fresh.address,
        block_id: 'latest',
      }),
    ).toBe(fresh.classHash);
    // It is an account like any other from here on.
    await client.call('devnet_mint', { address: fresh.address, amount: 100, unit: 'FRI' });
    await account.executePaymasterTransaction([transfer(STRK, bob.address, 100n)], {
      feeMode: SPONSORED,
    });
    expect(await balance(STRK, fresh.address)).toBe(0n);
  });

  const modes: readonly (readonly [string, FeeMode])[] = [
    ['the sponsor', SPONSORED],
    ['the new account, in ETH,', paidIn(ETH)],
  ];
  test.each(modes)('deploys an account and calls from it, and %s pays', async (_who, feeMode) => {
    const salt = `0x${feeMode.mode.length}a${NAMES.indexOf(library)}`;
    const fresh = newAccount('0x5678', { salt });
    const { address } = fresh;
    await client.call('devnet_mint', { address, amount: 10 ** 18, unit: 'WEI' });
    const account = (await dapp(library)).account(address, fresh.privateKey);
    const { transaction_hash } = await account.executePaymasterTransaction(
      [transfer(ETH, bob.address, 9n)],
      { feeMode, deploymentData: deploymentOf(fresh) },
    );
    const fee = await feeOf(transaction_hash);
    const cost = feeMode.mode === 'sponsored' ? 0n : (fee + 19_999n) / 20_000n;
    expect(await balance(ETH, address)).toBe(10n ** 18n - 9n - cost);
    expect(await nonceOf(address)).toBe('0x0');
  });

  test('deploys an account that pays its own deployment', async () => {
    const fresh = newAccount('0x9abc', { salt: `0xb${NAMES.indexOf(library)}` });
    const { address } = fresh;
    await client.call('devnet_mint', { address, amount: 10 ** 18, unit: 'FRI' });
    const account = (await dapp(library)).account(address, fresh.privateKey);
    const { transaction_hash } = await account.executePaymasterTransaction([], {
      feeMode: paidIn(STRK),
      deploymentData: deploymentOf(fresh),
    });
    expect(await balance(STRK, address)).toBe(10n ** 18n - (await feeOf(transaction_hash)));
  });

  test('is refused with the signature of another key, and nothing changes', async () => {
    const account = (await dapp(library)).account(alice.address, bob.privateKey);
    const before = await balance(STRK, alice.address);
    const block = await client.call('starknet_blockNumber');
    const refusal = await refusalOf(
      account.executePaymasterTransaction([transfer(STRK, bob.address, 5n)], {
        feeMode: SPONSORED,
      }),
    );
    expect(refusal).toMatchObject({ code: ERRORS.INVALID_SIGNATURE.code });
    expect(await balance(STRK, alice.address)).toBe(before);
    expect(await client.call('starknet_blockNumber')).toBe(block);
  });

  test('is told why a call fails, before anything is signed', async () => {
    const account = (await dapp(library)).account(alice.address, alice.privateKey);
    const refusal = await refusalOf(
      account.estimatePaymasterTransactionFee([transfer(STRK, bob.address, 2n ** 127n)], {
        feeMode: SPONSORED,
      }),
    );
    expect(refusal.code).toBe(ERRORS.PAYMASTER_EXECUTION_ERROR.code);
    expect(JSON.stringify(refusal.data)).toContain('ERC20: insufficient balance');
  });
});
