// A new account: a key, an address, tokens, and its deployment.

import { startRecordedNode } from '@starkbox/test-support/recorded-node';
import { Account, ec, hash, RpcError } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const { node, provider, client, close } = await startRecordedNode();
afterAll(close);

const classHash = node.accountClassHash;

function newAccount(privateKey: string) {
  const publicKey = ec.starkCurve.getStarkKey(privateKey);
  const constructorCalldata = [publicKey];
  const address = hash.calculateContractAddressFromHash(
    publicKey,
    classHash,
    constructorCalldata,
    0,
  );
  return {
    account: new Account({ provider, address, signer: privateKey }),
    payload: { classHash, constructorCalldata, addressSalt: publicKey },
  };
}

test('an account is funded, deployed and used', async () => {
  const { account, payload } = newAccount('0x1234567890abcdef');
  const mint = { address: account.address, amount: 10 ** 18, unit: 'FRI' };
  const { new_balance } = await client.call('devnet_mint', mint);
  expect(new_balance).toBe('1000000000000000000');

  const { transaction_hash, contract_address } = await account.deployAccount(payload);
  const receipt = await provider.waitForTransaction(transaction_hash);
  expect(receipt).toMatchObject({ type: 'DEPLOY_ACCOUNT', execution_status: 'SUCCEEDED' });
  expect(BigInt(contract_address)).toBe(BigInt(account.address));
  expect(await provider.getClassHashAt(contract_address)).toBe(classHash);
  expect(await account.getNonce()).toBe('0x1');

  const response = await account.execute({
    contractAddress: node.tokens.strk.address,
    entrypoint: 'transfer',
    calldata: ['0x123', 1, 0],
  });
  expect((await provider.waitForTransaction(response.transaction_hash)).isSuccess()).toBe(true);
});

test('without money there is no account', async () => {
  const { account, payload } = newAccount('0xfeed');
  const estimate = await account.estimateAccountDeployFee(payload);
  const refused = await account
    .deployAccount(payload, { tip: 0, resourceBounds: estimate.resourceBounds })
    .catch((error: unknown) => (error instanceof RpcError ? error.code : error));
  expect(refused).toBe(54);
  await expect(provider.getClassHashAt(account.address)).rejects.toThrow(RpcError);
});

test('an account signs messages that its contract accepts', async () => {
  const { account, payload } = newAccount('0xabc');
  await client.call('devnet_mint', { address: account.address, amount: 10 ** 18 });
  const { transaction_hash } = await account.deployAccount(payload);
  await provider.waitForTransaction(transaction_hash);

  const message = (text: string) => ({
    types: {
      StarknetDomain: [
        { name: 'name', type: 'shortstring' },
        { name: 'version', type: 'shortstring' },
        { name: 'chainId', type: 'shortstring' },
        { name: 'revision', type: 'shortstring' },
      ],
      Greeting: [{ name: 'text', type: 'string' }],
    },
    primaryType: 'Greeting',
    domain: { name: 'a dapp', version: '1', chainId: 'SN_SEPOLIA', revision: '1' },
    message: { text },
  });
  const signature = await account.signMessage(message('good day'));
  const verify = (text: string) =>
    provider.verifyMessageInStarknet(message(text), signature, account.address);
  expect(await verify('good day')).toBe(true);
  expect(await verify('good night')).toBe(false);
});
