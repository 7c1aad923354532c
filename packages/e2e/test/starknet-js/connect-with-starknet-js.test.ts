// A dapp finds the network, the accounts and the tokens that it expects.

import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { constants, RpcError } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { node, url, provider, connect, account, client, close } = await startRecordedNode();
afterAll(close);

test('the network tells its name, its versions and its height', async () => {
  expect(await provider.getChainId()).toBe(constants.StarknetChainId.SN_SEPOLIA);
  expect(await provider.getSpecVersion()).toBe('0.10.2');
  expect(await provider.channel.getStarknetVersion()).toMatch(/^0\.14\.\d+$/);
  expect(await provider.getBlockNumber()).toBe(0);
  expect(await provider.getSyncingStats()).toBe(false);
});

test('ten accounts are deployed, with keys to sign with and money to spend', async () => {
  const accounts = await client.call('devnet_getPredeployedAccounts', { with_balance: true });
  expect(accounts).toHaveLength(10);
  expect(accounts[0]).toMatchObject({
    address: '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691',
    private_key: '0x71d7bb07b9a64f6f78ac4c816aff4da9',
    initial_balance: '1000000000000000000000',
    balance: { eth: { unit: 'WEI' }, strk: { amount: '1000000000000000000000', unit: 'FRI' } },
  });

  const first = account(0);
  expect(await first.signer.getPubKey()).toBe(accounts[0]?.public_key);
  expect(await first.getNonce()).toBe('0x0');
  expect(await first.getCairoVersion()).toBe('1');
  expect(await provider.getClassHashAt(first.address)).toBe(node.accountClassHash);
});

test('the fee tokens and the deployer are where they are on public networks', async () => {
  const holder = account(0).address;
  for (const { address } of [node.tokens.strk, node.tokens.eth]) {
    const balance = { contractAddress: address, entrypoint: 'balanceOf', calldata: [holder] };
    expect(await provider.callContract(balance)).toEqual(['0x3635c9adc5dea00000', '0x0']);
  }
  expect(await provider.getClassHashAt(constants.UDC.ADDRESS)).toBe(node.udc.classHash);
});

test('the first block is there to look at', async () => {
  const block = await provider.getBlockWithReceipts('latest');
  expect(block).toMatchObject({ block_number: 0, status: 'ACCEPTED_ON_L2', transactions: [] });
  expect(await provider.getBlock(0)).toMatchObject({ parent_hash: '0x0', transactions: [] });
  expect(await provider.getBlock('pre_confirmed')).toMatchObject({ block_number: 1 });
});

test('requests may come in batches', async () => {
  const batching = connect({ nodeUrl: `${url}/rpc`, batch: 0 });
  const [chain, block, nonce] = await Promise.all([
    batching.getChainId(),
    batching.getBlockNumber(),
    batching.getNonceForAddress(account(1).address),
  ]);
  expect({ chain, block, nonce }).toEqual({
    chain: constants.StarknetChainId.SN_SEPOLIA,
    block: 0,
    nonce: '0x0',
  });
});

test('a missing item is an error that starknet.js has a name for', async () => {
  const typeOf = (error: unknown) =>
    error instanceof RpcError && [
      error.isType('CONTRACT_NOT_FOUND'),
      error.isType('BLOCK_NOT_FOUND'),
      error.isType('TXN_HASH_NOT_FOUND'),
    ];
  expect(await provider.getNonceForAddress('0x5').catch(typeOf)).toEqual([true, false, false]);
  expect(await provider.getBlock(7).catch(typeOf)).toEqual([false, true, false]);
  expect(await provider.getTransaction('0x5').catch(typeOf)).toEqual([false, false, true]);
});
