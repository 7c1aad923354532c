// The wallet on the page of a dapp that finds it by get-starknet and uses it by starknet.js.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { Class } from '@starkbox/engine';
import { startNode } from '@starkbox/test-support';
import { getWallet } from '@starkbox/wallet/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedPages } from '../../explorer/test/support/stage.js';
import type {} from './support/dapp.js';
import { ask, connect, openStage, STRK, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('discovery', () => {
  test('get-starknet 4 finds it, connects, and remembers it after a reload', async () => {
    const { page, complaints } = await stage.open();
    const wallet = await page.evaluate(async () => {
      const { getStarknet } = window.dapp;
      const before = await getStarknet.getAuthorizedWallets();
      const wallets = await getStarknet.getAvailableWallets();
      const wallet = wallets.find(({ id }) => id === 'starkbox');
      if (!wallet) throw new Error('not found');
      await getStarknet.enable(wallet);
      const accounts = await wallet.request({ type: 'wallet_requestAccounts' });
      return { before: before.length, name: wallet.name, accounts };
    });
    expect(wallet).toEqual({ before: 0, name: 'Starkbox', accounts: [stage.address(0)] });
    await page.reload();
    const last = await page.evaluate(async () => {
      const wallet = await window.dapp.getStarknet.getLastConnectedWallet();
      const params = { silent_mode: true };
      return wallet?.request({ type: 'wallet_requestAccounts', params });
    });
    expect(last).toEqual([stage.address(0)]);
    expect(complaints).toEqual([]);
  });

  test('get-starknet 5 finds it once, and starknet.js sends by it', async () => {
    const { page } = await stage.open();
    const before = await stage.balance(1);
    const { names, address, hash } = await page.evaluate(
      async ([url, strk, to]) => {
        const { store, RpcProvider, WalletAccountV5 } = window.dapp;
        const wallets = store.getWallets();
        const wallet = wallets.find(({ name }) => name === 'Starkbox');
        if (!wallet) throw new Error('not found');
        const provider = new RpcProvider({ nodeUrl: url });
        const account = await WalletAccountV5.connect(provider, wallet);
        const calldata = [to, '7', '0'];
        const transaction = await account.execute({
          contractAddress: strk,
          entrypoint: 'transfer',
          calldata,
        });
        return {
          names: wallets.map(({ name }) => name),
          address: account.address,
          hash: transaction.transaction_hash,
        };
      },
      [stage.node.url, STRK, stage.address(1)] as const,
    );
    expect(names).toEqual(['Starkbox']);
    expect(address).toBe(stage.address(0));
    await stage.node.provider.waitForTransaction(hash);
    expect(await stage.balance(1)).toBe(before + 7n);
  });

  test('get-starknet 3 finds it, connects, sends, and finds it again after a reload', async () => {
    const { page } = await stage.open();
    const before = await stage.balance(1);
    const { hash, ...answers } = await page.evaluate(async (params) => {
      const { getStarknet3 } = window.dapp;
      const authorized = await getStarknet3.getPreAuthorizedWallets();
      const [wallet, ...others] = await getStarknet3.getAvailableWallets();
      if (!wallet) throw new Error('not found');
      const { isConnected, selectedAddress } = await getStarknet3.enable(wallet);
      const type = 'wallet_addInvokeTransaction';
      const { transaction_hash: hash } = await wallet.request({ type, params });
      const names = [wallet, ...others].map(({ name }) => name);
      return { authorized: authorized.length, names, isConnected, selectedAddress, hash };
    }, stage.transfer('3'));
    const selectedAddress = stage.address(0);
    expect(answers).toEqual({
      authorized: 0,
      names: ['Starkbox'],
      isConnected: true,
      selectedAddress,
    });
    await stage.node.provider.waitForTransaction(hash);
    expect(await stage.balance(1)).toBe(before + 3n);

    await page.reload();
    const again = await page.evaluate(async () => {
      const { getStarknet3 } = window.dapp;
      const last = await getStarknet3.getLastConnectedWallet();
      const authorized = await getStarknet3.getPreAuthorizedWallets();
      await getStarknet3.disconnect({ clearLastWallet: true });
      const none = await getStarknet3.getLastConnectedWallet();
      return [last?.name, authorized.length, none?.name];
    });
    expect(again).toEqual(['Starkbox', 1, undefined]);
  });
});

test('a dapp installs it, again and again, and removes it', async () => {
  const { page } = await stage.open('/bare');
  const installed = await page.evaluate(async (url) => {
    const { installWallet, store, getStarknet } = window.dapp;
    const counts: number[] = [];
    const count = async () => {
      counts.push((await getStarknet.getAvailableWallets()).length, store.getWallets().length);
    };
    await count();
    installWallet({ url });
    const wallet = installWallet({ url, policy: 'approve' });
    await count();
    const [address] = await wallet.accounts();
    wallet.uninstall();
    await count();
    return { counts, address, left: window.starkboxWallet === undefined };
  }, stage.node.url);
  expect(installed).toEqual({
    counts: [0, 0, 1, 1, 0, 0],
    address: stage.address(0),
    left: true,
  });
});

test('transactions that wait in a mempool are counted', async () => {
  const mempool = await startNode({ listen: true, wallet: true, blockGenerationOn: 'mempool' });
  const { page } = await stage.openFor(mempool.url);
  await connect(page);
  const send = () => ask(page, 'wallet_addInvokeTransaction', stage.transfer('1'));
  expect([await send(), await send()]).toEqual(
    Array(2).fill({ transaction_hash: expect.any(String) }),
  );
  await mempool.client.call('devnet_createBlock', {});
  // A chain that begins again has the first nonce again.
  await mempool.client.call('devnet_restart', {});
  expect(await send()).toHaveProperty('transaction_hash');
  const { transactions } = await mempool.client.call('devnet_mempoolList', {});
  expect(transactions.map(({ nonce }) => nonce)).toEqual(['0x0']);
});

test('accounts of Cairo 0 send several calls', async () => {
  const old = await startNode({ listen: true, wallet: true, accountClass: 'cairo0' });
  const { page } = await stage.openFor(old.url);
  await connect(page);
  const calls = ['1', '2'].flatMap((amount) => stage.transfer(amount).calls);
  const { transaction_hash } = Object(await ask(page, 'wallet_addInvokeTransaction', { calls }));
  const receipt = await old.client.call('starknet_getTransactionReceipt', { transaction_hash });
  expect(receipt.execution_status).toBe('SUCCEEDED');
});

test('the wallet of an instance sends to that chain', async () => {
  const { instance_id } = await stage.node.client.call('devnet_createInstance', {});
  const url = new URL(`/instances/${instance_id}/rpc`, stage.node.url).href;
  const before = await stage.balance(1);
  const { page } = await stage.openFor(url);
  await connect(page);
  expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('9'))).toHaveProperty(
    'transaction_hash',
  );
  expect(await stage.balance(1)).toBe(before);
  const fresh = await (await sharedPages()).take({});
  const wallet = getWallet(fresh);
  await wallet.install({ url, policy: 'approve' });
  await fresh.goto(`${stage.site.origin}/bare`);
  await connect(fresh);
  expect(await ask(fresh, 'wallet_addInvokeTransaction', stage.transfer('9'))).toHaveProperty(
    'transaction_hash',
  );
  expect(await stage.balance(1)).toBe(before);
});

describe('a scripted wallet', () => {
  test('approves, refuses with code 113, and delays', async () => {
    const { page, wallet } = await stage.open();
    await connect(page);
    const before = await stage.balance(1);
    expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('5'))).toEqual({
      transaction_hash: expect.stringMatching(/^0x0[0-7][0-9a-f]{62}$/),
    });
    expect(await stage.balance(1)).toBe(before + 5n);
    await wallet.next('reject');
    expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('5'))).toMatchObject({
      code: 113,
    });
    expect(await stage.balance(1)).toBe(before + 5n);
    // A delay that never passes by itself: the test ends it.
    await wallet.next({
      decision: 'approve',
      delay: 10 ** 8,
      method: 'wallet_addInvokeTransaction',
    });
    const answer = ask(page, 'wallet_addInvokeTransaction', stage.transfer('5'));
    const { id, decision } = await wallet.waitForRequest();
    expect(decision).toBe('approve');
    expect(await stage.balance(1)).toBe(before + 5n);
    await wallet.approve(id);
    expect(await answer).toHaveProperty('transaction_hash');
    expect(await stage.balance(1)).toBe(before + 10n);
    await wallet.setDelay(1);
    await wallet.setPolicy('reject');
    expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('5'))).toMatchObject({
      code: 113,
    });
    expect((await wallet.history()).map(({ decision }) => decision)).toEqual([
      'approve',
      'approve',
      'reject',
      'approve',
      'reject',
    ]);
  });

  test('sends transactions made at once with one nonce each', async () => {
    const { page } = await stage.open();
    await connect(page);
    const before = await stage.balance(1);
    const all = await Promise.all(
      ['1', '2', '3'].map((amount) =>
        ask(page, 'wallet_addInvokeTransaction', stage.transfer(amount)),
      ),
    );
    for (const answer of all) expect(answer).toHaveProperty('transaction_hash');
    expect(await stage.balance(1)).toBe(before + 6n);
  });

  test('sends a transaction that is reverted', async () => {
    const { page } = await stage.open();
    await connect(page);
    const answer = await ask(page, 'wallet_addInvokeTransaction', stage.transfer(`${10n ** 30n}`));
    const { transaction_hash } = Object(answer);
    const receipt = await stage.node.client.call('starknet_getTransactionReceipt', {
      transaction_hash,
    });
    expect(receipt.execution_status).toBe('REVERTED');
  });

  test('signs typed data that the account accepts', async () => {
    const { page } = await stage.open();
    await connect(page);
    const data = {
      types: {
        StarknetDomain: ['name', 'version', 'chainId', 'revision'].map((name) => ({
          name,
          type: 'shortstring',
        })),
        Order: [
          { name: 'amount', type: 'u256' },
          { name: 'note', type: 'string' },
        ],
      },
      primaryType: 'Order',
      domain: { name: 'A dapp', version: '1', chainId: 'SN_SEPOLIA', revision: '1' },
      message: { amount: { low: '5', high: '0' }, note: 'as agreed' },
    };
    const signature = await ask(page, 'wallet_signTypedData', data);
    expect(Array.isArray(signature)).toBe(true);
    const isValid = stage.node.provider.verifyMessageInStarknet(
      data,
      Array.isArray(signature) ? signature : [],
      stage.address(0),
    );
    expect(await isValid).toBe(true);
    expect(await ask(page, 'wallet_signTypedData', { ...data, primaryType: 'None' })).toMatchObject(
      {
        code: 114,
      },
    );
  });

  test('declares a class for starknet.js', async () => {
    const { page } = await stage.open();
    const file = new URL('../../../contracts/cairo/counter.sierra.json', import.meta.url);
    const text = readFileSync(file, 'utf8');
    const { hash, compiledClassHash } = await Class.compile(text);
    const declared = await page.evaluate(
      async ([url, text, compiledClassHash]) => {
        const { RpcProvider, WalletAccount, getStarknet } = window.dapp;
        const [wallet] = await getStarknet.getAvailableWallets();
        if (!wallet) throw new Error('not found');
        const account = await WalletAccount.connect(new RpcProvider({ nodeUrl: url }), wallet);
        return account.declare({ contract: JSON.parse(text), compiledClassHash });
      },
      [stage.node.url, text, compiledClassHash ?? ''] as const,
    );
    expect(BigInt(declared.class_hash)).toBe(BigInt(hash));
    await stage.node.provider.waitForTransaction(declared.transaction_hash);
    expect(
      await stage.node.client.call('starknet_getClass', { block_id: 'latest', class_hash: hash }),
    ).toHaveProperty('abi');
  });

  test('tells the page of another account and of the end of its permission', async () => {
    const { page, wallet } = await stage.open();
    await connect(page);
    await page.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      const listen = (accounts: unknown) => heard.push(accounts);
      const injected = Reflect.get(window, 'starknet_starkbox');
      injected.on('accountsChanged', listen);
      Object.assign(window, { stop: () => injected.off('accountsChanged', listen) });
    });
    expect(await wallet.accounts()).toEqual(stage.node.node.accounts.map(({ address }) => address));
    expect(await wallet.selectAccount(2)).toBe(stage.address(2));
    expect(await connect(page)).toEqual([stage.address(2)]);
    await wallet.disconnect();
    expect(await ask(page, 'wallet_getPermissions')).toEqual([]);
    await page.evaluate(() => Reflect.get(window, 'stop')());
    await connect(page);
    await wallet.disconnect();
    expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([
      [stage.address(2)],
      [],
    ]);
  });

  test('switches to a network that the page adds', async () => {
    const other = await startNode({ listen: true, chainId: 'SN_MAIN', accounts: 1, seed: 7 });
    const { page } = await stage.open();
    await connect(page);
    const chainId = '0x534e5f4d41494e';
    expect(await ask(page, 'wallet_switchStarknetChain', { chainId })).toMatchObject({ code: 112 });
    await page.evaluate(() => {
      Reflect.get(window, 'starknet_starkbox').on('networkChanged', (...heard: unknown[]) =>
        Object.assign(window, { heard }),
      );
    });
    const chain = { id: 'MAIN', chain_id: chainId, chain_name: 'Other', rpc_urls: [other.url] };
    expect(await ask(page, 'wallet_addStarknetChain', chain)).toBe(true);
    expect(await ask(page, 'wallet_switchStarknetChain', { chainId })).toBe(true);
    expect(await ask(page, 'wallet_requestChainId')).toBe(chainId);
    const account = other.node.accounts[0]?.address;
    expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([chainId, [account]]);
    await other.close();
  });
});

test('errors have the codes of the wallet API', async () => {
  const { page, wallet } = await stage.open();
  const code = async (type: string, params?: unknown) => Object(await ask(page, type, params)).code;
  expect(await code('wallet_addInvokeTransaction', stage.transfer('1'))).toBe(163);
  await wallet.next('reject');
  expect(await code('wallet_requestAccounts')).toBe(113);
  expect(await ask(page, 'wallet_requestAccounts', { silent_mode: true })).toEqual([]);
  await connect(page);
  expect(await code('wallet_addInvokeTransaction', { calls: [] })).toBe(114);
  expect(await code('wallet_addInvokeTransaction', { calls: [{ entry_point: 'x' }] })).toBe(114);
  expect(await code('wallet_addDeclareTransaction', { contract_class: {} })).toBe(114);
  expect(await code('wallet_deploymentData')).toBe(115);
  expect(await code('wallet_requestChainId', { api_version: '9.9' })).toBe(162);
  expect(await code('wallet_nothing')).toBe(163);
  const token = (address: string) => ({ type: 'ERC20', options: { address } });
  expect(await code('wallet_watchAsset', token(stage.address(0)))).toBe(111);
  expect(await ask(page, 'wallet_watchAsset', token(STRK))).toBe(true);
  expect(await ask(page, 'wallet_requestChainId', { api_version: '0.7.2' })).toBe(
    '0x534e5f5345504f4c4941',
  );
  expect(await ask(page, 'wallet_supportedWalletApi')).toContain('0.10');
  expect(await ask(page, 'wallet_supportedSpecs')).toEqual([
    await stage.node.client.call('starknet_specVersion', {}),
  ]);
});

test('private balances and proofs are rejected by the published errors', async () => {
  const { page } = await stage.open();
  const rejects = async (type: string, params?: unknown) =>
    Object(await ask(page, type, params)).code;
  const [malformed, unregistered, unsupported] = [114, 118, 163];
  const calls = [{ contract_address: STRK, entry_point: 'transfer', calldata: [] }];
  const shadow = { type: 'shadow_account_invoke', dapp_name: 'game', nonce: '0x1', calls };
  const placeholders = ['openNoteIds[0]', 'poolAddress'].map((name) => `\${${name}}`);
  const actions = [
    { type: 'deposit', token: STRK, amount: '0x5' },
    { type: 'withdraw', token: STRK, amount: '0x5', recipient: '0x1' },
    { type: 'transfer', token: STRK, amount: 'OPEN', recipient: '0x1' },
    { type: 'invoke', contract: STRK, calldata: ['0x1', ...placeholders] },
    { ...shadow, collect_policy: { type: 'exact', amount: '0x1' } },
  ];
  for (const [type, params, wrong] of [
    ['wallet_strk20InvokeTransaction', { actions }, { actions: [] }],
    ['wallet_strk20PrepareInvoke', { actions, simulate: true }, { actions: [{ type: 'burn' }] }],
    ['wallet_strk20PrepareInvoke', { actions }, { actions: [{ ...shadow, collect_policy: {} }] }],
    ['wallet_strk20Balances', { tokens: [] }, { tokens: ['none'] }],
    ['wallet_strk20Balances', { tokens: [STRK], valid_until: 9 }, { tokens: [], valid_until: '' }],
    ['wallet_strk20ShadowAccountCommitment', { dapp_name: 'game' }, { dapp_name: 'a'.repeat(32) }],
    ['wallet_strk20ShadowAccountCommitment', { dapp_name: '0x1', nonce: '0x2' }, {}],
  ] as const) {
    expect(await rejects(type, params), type).toBe(unregistered);
    expect(await rejects(type, wrong), type).toBe(malformed);
    expect(await rejects(type), type).toBe(malformed);
    expect(await rejects(type, { ...params, api_version: '9.9' })).toBe(162);
  }
  await connect(page);
  const proof = { data: '', output: ['0x1'], proof_facts: [] };
  const transfer = stage.transfer('1');
  expect(await rejects('wallet_addInvokeTransaction', { ...transfer, proof })).toBe(unsupported);
  const cut = { ...transfer, proof: { ...proof, output: undefined } };
  expect(await rejects('wallet_addInvokeTransaction', cut)).toBe(malformed);
});

test('Playwright adds it to a page that does not include it', async () => {
  const page = await (await sharedPages()).take({});
  const wallet = getWallet(page);
  await wallet.install({ url: stage.node.url, policy: 'reject' });
  await page.goto(`${stage.site.origin}/bare`);
  expect(await connect(page)).toMatchObject({ code: 113 });
  await wallet.setPolicy('approve');
  expect(await connect(page)).toEqual([stage.address(0)]);
  const plain = await startNode({ listen: true });
  await expect(wallet.install({ url: plain.url })).rejects.toThrow('--wallet');
});
