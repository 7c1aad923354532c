// Funded accounts of several classes from the start: --more-accounts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BLOCK_ID } from '@starkbox/spec';
import { imageOf, openNode, startFixture } from '@starkbox/test-support/fixture';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { STRK } from '@starkbox/test-support/signing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { Account, RpcProvider } from 'starknet';
import { expect, test } from 'vitest';

const OPTIONS = { seed: 5, accounts: 2, moreAccounts: 'argent=2,cairo0=1,cairo1=1' } as const;

const strkOf = async (node: LocalChain, address: string): Promise<bigint> => {
  const params = { address, unit: 'FRI', block_id: 'pre_confirmed' } as const;
  return BigInt((await node.request('devnet_getAccountBalance', params)).amount);
};

test('they follow the other accounts, which stay the same, and are listed with their classes', async () => {
  const plain = await openNode({ seed: 5, accounts: 2 });
  const { client, node } = await startFixture({ ...OPTIONS, initialBalance: 7n });
  expect(node.accounts.slice(0, 2)).toEqual(plain.accounts);
  expect(node.accountClassHash).toBe(plain.accountClassHash);
  const listed = await client.call('devnet_getPredeployedAccounts', { with_balance: true });
  const regular = node.argent?.regular;
  const [first, second, ...others] = listed.map(({ class_hash }) => class_hash);
  expect([first, second]).toEqual([undefined, undefined]);
  expect(others.slice(0, 2)).toEqual([regular, regular]);
  expect(others[3]).toBe(node.accountClassHash);
  expect(new Set(others).size).toBe(3);
  for (const { address, class_hash = node.accountClassHash, balance } of listed) {
    expect(await client.call('starknet_getClassHashAt', ['latest', address])).toBe(class_hash);
    expect(balance?.strk.amount).toBe('7');
  }
  expect(new Set(listed.map(({ address }) => address)).size).toBe(6);
});

test('the same seed gives the same accounts of a class, beside any others', async () => {
  const many = await openNode(OPTIONS);
  const few = await openNode({ seed: 5, accounts: 0, moreAccounts: 'argent=1' });
  expect(few.accounts).toEqual([many.accounts[2]]);
  const other = await openNode({ seed: 6, accounts: 0, moreAccounts: 'argent=1' });
  expect(other.accounts).not.toEqual(few.accounts);
});

test('starknet.js signs for each of them', async () => {
  const node = await openNode(OPTIONS);
  const { url } = await node.listen({ port: 0 });
  const provider = new RpcProvider({ nodeUrl: url });
  for (const [index, { address, privateKey: signer }] of node.accounts.entries()) {
    const account = new Account({ provider, address, signer });
    const calldata = ['0x77', '5', '0'];
    const call = { contractAddress: STRK, entrypoint: 'transfer', calldata };
    await account.execute([call, call], { tip: 0n });
    expect(await strkOf(node, '0x77')).toBe(10n * BigInt(index + 1));
    expect(BigInt(await account.getNonce())).toBe(1n);
  }
});

test('an Argent account has the address and the storage of its deployment', async () => {
  const node = await openNode({ seed: 5, accounts: 0, moreAccounts: 'argent=1' });
  const account = node.accounts[0] ?? expect.unreachable();
  const { address, privateKey, publicKey, classHash = '' } = account;
  const deploying = await openNode({ accounts: 0, predeclareArgent: true });
  const { url } = await deploying.listen({ port: 0 });
  await deploying.request('devnet_mint', { address, amount: 10 ** 21, unit: 'FRI' });
  const owner = new Account({
    provider: new RpcProvider({ nodeUrl: url }),
    address,
    signer: privateKey,
  });
  const deployment = {
    classHash,
    constructorCalldata: ['0x0', publicKey, '0x1'],
    addressSalt: publicKey,
  };
  const { contract_address } = await owner.deployAccount(deployment, { tip: 0n });
  expect(BigInt(contract_address)).toBe(BigInt(address));
  const storageIn = async (chain: LocalChain, block_id: BLOCK_ID): Promise<unknown> => {
    const { state_diff } = await chain.request('starknet_getStateUpdate', { block_id });
    return state_diff.storage_diffs.filter((diff) => diff.address === address);
  };
  expect(await storageIn(node, { block_number: 0 })).toHaveLength(1);
  expect(await storageIn(node, { block_number: 0 })).toEqual(await storageIn(deploying, 'latest'));
});

test('images, data directories and forks keep them', async () => {
  const node = await openNode(OPTIONS);
  await node.request('devnet_createBlock');
  const image = await imageOf(node);
  const other = await openNode({ seed: 5, accounts: 2 });
  await other.request('devnet_load', { image });
  expect(other.accounts).toEqual(node.accounts);

  const path = join(temporaryFolder(), 'chain.sbx');
  await node.request('devnet_dump', { path, format: 'image' });
  await expect(createChain({ dumpPath: path, moreAccounts: 'argent=1' })).rejects.toThrow(
    '--more-accounts argent=2,cairo0=1,cairo1=1 and cannot be loaded with --more-accounts argent=1',
  );

  const dataDir = temporaryFolder();
  const first = await createChain({ ...OPTIONS, dataDir });
  const { accounts } = first;
  await first.close();
  await expect(createChain({ dataDir, moreAccounts: 'argent=1' })).rejects.toThrow('more-accounts');
  const second = await createChain({ dataDir });
  expect(second.accounts).toEqual(accounts);
  await second.close();

  const { url } = await node.listen({ port: 0 });
  const fork = await openNode({
    ...OPTIONS,
    seed: 8,
    forkNetwork: url,
    forkUpstreamCaching: false,
  });
  const [, , argent] = fork.accounts;
  expect(await strkOf(fork, argent?.address ?? '')).toBe(10n ** 21n);
});

test.each([
  '',
  'argent',
  'argent=0',
  'argent=256',
  'braavos=1',
  'argent=1,argent=2',
  'argent=1;cairo0=1',
])('the value "%s" is rejected', async (moreAccounts) => {
  await expect(createChain({ moreAccounts })).rejects.toThrow(
    'classes (cairo0, cairo1, argent) with numbers from 1 to 255, such as argent=2,cairo0=1',
  );
});

test('the option, its variable and the file of --config-out', async () => {
  const file = join(temporaryFolder(), 'out.json');
  const shell = ['env', 'STARKBOX_MORE_ACCOUNTS=argent=1'];
  const command = await RunningCommand.start(['--accounts', '1', '--config-out', file], { shell });
  const accounts = await command.call('devnet_getPredeployedAccounts');
  const written = Object(JSON.parse(readFileSync(file, 'utf8')));
  const [, argent] = written.accounts;
  expect(accounts).toMatchObject(written.accounts);
  expect(argent.class_hash).toBe(written.argent_class_hashes.regular);
  await command.stop();
});
