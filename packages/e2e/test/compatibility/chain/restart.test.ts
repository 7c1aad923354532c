// What a restart clears, and what it keeps.

import { publicKey, storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { checkedClient } from '@starkbox/test-support';
import {
  contract,
  deployAccountRequest,
  hex,
  newAccount,
  Sender,
  STRK,
} from '@starkbox/test-support/signing';
import { createChain } from 'starkbox';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const BALANCE = 5n * 10n ** 20n;
const PRICE = 2_000_000_000n;

const prices = {
  gasPriceWei: PRICE,
  gasPriceFri: PRICE + 1n,
  dataGasPriceWei: PRICE + 2n,
  dataGasPriceFri: PRICE + 3n,
  l2GasPriceWei: PRICE + 4n,
  l2GasPriceFri: PRICE + 5n,
};
const node = await createChain({ seed: 42, accounts: 3, initialBalance: BALANCE, ...prices });
const client = checkedClient(node.handle);
afterAll(() => node.close());
beforeEach(async () => {
  await client.call('devnet_restart');
});

describe('a restart', () => {
  test('dump.11a clears transactions', async () => {
    const { tx_hash } = await client.call('devnet_mint', { address: '0x1', amount: 1 });
    await client.call('starknet_getTransactionByHash', [tx_hash]);
    expect(await client.call('devnet_restart')).toEqual({});
    for (const method of [
      'starknet_getTransactionByHash',
      'starknet_getTransactionReceipt',
      'starknet_getTransactionStatus',
      'starknet_traceTransaction',
    ]) {
      expect((await client.failure(method, [tx_hash])).code).toBe(ERRORS.TXN_HASH_NOT_FOUND.code);
    }
    expect(await client.call('devnet_getStatus')).toMatchObject({
      block_count: 1,
      transaction_count: 0,
      pre_confirmed_tx_count: 0,
    });
    // The same call is the first transaction of a fresh chain again.
    expect(await client.call('devnet_mint', { address: '0x1', amount: 1 })).toEqual({
      new_balance: '1',
      unit: 'FRI',
      tx_hash,
    });
  });

  test('dump.11a clears blocks', async () => {
    const hashes: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      hashes.push((await client.call('devnet_createBlock')).block_hash);
    }
    await client.call('devnet_restart');
    expect(await client.call('starknet_blockNumber')).toBe(0);
    for (const id of [{ block_number: 1 }, { block_number: 3 }]) {
      expect((await client.failure('starknet_getBlockWithTxs', [id])).code).toBe(
        ERRORS.BLOCK_NOT_FOUND.code,
      );
    }
    for (const block_hash of hashes) {
      const { code } = await client.failure('starknet_getBlockWithTxs', [{ block_hash }]);
      expect(code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
    }
  });

  test('dump.11a clears storage', async () => {
    const address = '0x1';
    const slot = storageAddress('ERC20_balances', [address]);
    const stored = () => client.call('starknet_getStorageAt', [STRK, slot, 'latest']);
    await client.call('devnet_mint', { address, amount: 100 });
    expect(await stored()).toBe('0x64');
    await client.call('devnet_restart');
    expect(await stored()).toBe('0x0');
  });

  test('dump.11a clears deployed accounts, contracts and classes', async () => {
    const key = '0xabc';
    const account = newAccount(key, { constructorCalldata: [publicKey(key)] });
    await client.call('devnet_mint', { address: account.address, amount: 1e21 });
    const request = deployAccountRequest(account);
    expect(await client.call('starknet_addDeployAccountTransaction', [request])).toMatchObject({
      contract_address: account.address,
    });
    const counter = await contract('counter');
    const sender = new Sender(client, node.accounts[0]);
    const address = await sender.deploy(counter, ['0x7']);
    expect(await client.call('starknet_getClassHashAt', ['latest', address])).toBe(counter.hash);
    await client.call('devnet_restart');
    for (const gone of [account.address, address]) {
      expect((await client.failure('starknet_getClassHashAt', ['latest', gone])).code).toBe(
        ERRORS.CONTRACT_NOT_FOUND.code,
      );
      expect((await client.failure('starknet_getNonce', ['latest', gone])).code).toBe(
        ERRORS.CONTRACT_NOT_FOUND.code,
      );
    }
    expect((await client.failure('starknet_getClass', ['latest', counter.hash])).code).toBe(
      ERRORS.CLASS_HASH_NOT_FOUND.code,
    );
  });

  test('dump.11a keeps the gas prices of the command line', async () => {
    const prices = {
      l1_gas_price: { price_in_fri: hex(PRICE + 1n), price_in_wei: hex(PRICE) },
      l1_data_gas_price: { price_in_fri: hex(PRICE + 3n), price_in_wei: hex(PRICE + 2n) },
      l2_gas_price: { price_in_fri: hex(PRICE + 5n), price_in_wei: hex(PRICE + 4n) },
    };
    const expectPrices = async () => {
      for (const tag of ['latest', 'pre_confirmed']) {
        const block = await client.call('starknet_getBlockWithTxHashes', [tag]);
        expect(block).toMatchObject(prices);
      }
    };
    await expectPrices();
    await client.call('devnet_setGasPrice', { l2_gas_price_fri: 7, generate_block: true });
    await client.call('devnet_restart');
    await expectPrices();
    await client.call('devnet_createBlock');
    await expectPrices();
  });

  test('dump.11a keeps the predeployed accounts and what they were given', async () => {
    const accounts = await client.call('devnet_getPredeployedAccounts', { with_balance: true });
    const sender = new Sender(client, node.accounts[0]);
    await sender.invoke([{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }]);
    await client.call('devnet_restart');
    expect(await client.call('devnet_getPredeployedAccounts', { with_balance: true })).toEqual(
      accounts,
    );
    expect(accounts).toHaveLength(3);
    for (const { balance } of accounts) {
      expect(balance).toEqual({
        eth: { amount: BALANCE.toString(), unit: 'WEI' },
        strk: { amount: BALANCE.toString(), unit: 'FRI' },
      });
    }
    expect(await sender.nonce()).toBe(0);
  });

  test('dump.11a takes an empty list, an empty object and the flag, and nothing else', async () => {
    for (const params of [undefined, [], {}, { restart_l1_to_l2_messaging: false }, [true]]) {
      await client.call('devnet_createBlock');
      expect(await client.call('devnet_restart', params)).toEqual({});
      expect(await client.call('starknet_blockNumber')).toBe(0);
    }
    expect((await client.failure('devnet_restart', { restart: true })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });
});
