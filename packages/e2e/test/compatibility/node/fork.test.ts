// A fork: what it takes from its origin, and what is its own.

import { ERRORS } from '@starkbox/spec';
import type { ListeningNode } from '@starkbox/test-support';
import { mint, type Pair, startPair } from '@starkbox/test-support/fork/pair';
import {
  ACCOUNT_CLASS,
  type Contract,
  contract,
  deployAccountRequest,
  ETH,
  newAccount,
  read,
  Sender,
  STRK,
} from '@starkbox/test-support/signing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let pair: Pair;
let fork: ListeningNode;
let counter: Contract;
let slots: Contract;
let counterAddress: string;
let contextAddress: string;
let firstMint: string;
/** The last block that both have. */
let last: number;

const HOLDER = '0x1234';
const at = (block_number: number) => ({ block_number });

beforeAll(async () => {
  [counter, slots] = await Promise.all([contract('counter'), contract('slots')]);
  pair = await startPair(async (origin) => {
    firstMint = await mint(origin, HOLDER, 100);
    const sender = new Sender(origin.client, origin.node.accounts[0]);
    counterAddress = await sender.deploy(counter, ['0x29']);
    contextAddress = await sender.deploy(await contract('context'));
    await origin.client.call('devnet_acceptOnL1', { starting_block_id: at(1) });
    last = await origin.client.call('starknet_blockNumber');
  });
  fork = await pair.fork();
});
afterAll(() => pair.close());

const senderOn = ({ client, node }: ListeningNode, index = 0): Sender =>
  new Sender(client, node.accounts[index]);
const balance = async (node: ListeningNode, block: unknown = 'latest'): Promise<number> =>
  Number((await read(node.client, STRK, 'balance_of', [HOLDER], block))[0]);

const fund = ({ node }: ListeningNode, address: string): Promise<unknown> =>
  node.request('devnet_mint', { address, amount: 10n ** 20n, unit: 'FRI' });

describe('where it begins', () => {
  test('fork.1a the configuration says what is forked', async () => {
    expect((await pair.origin.client.call('devnet_getConfig')).fork_config).toEqual({
      url: null,
      block_number: null,
      caching_enabled: null,
    });
    expect((await fork.client.call('devnet_getConfig')).fork_config).toEqual({
      url: `${pair.proxy.url}/`,
      block_number: last,
      caching_enabled: false,
    });
  });

  test('fork.1a the keys in its address are never shown', async () => {
    const key = '0123456789abcdef0123456789abcdef';
    const { host } = new URL(pair.proxy.url);
    const secret = await pair.fork({ forkNetwork: `http://me:${key}@${host}/?apikey=${key}` });
    const answers = [
      await secret.client.call('devnet_getConfig'),
      await secret.client.call('devnet_getStatus'),
      await (await fetch(`${secret.url}/config`)).json(),
    ];
    for (const answer of answers) {
      expect(JSON.stringify(answer)).toContain(pair.proxy.url);
      expect(JSON.stringify(answer)).not.toContain(key);
    }
  });

  test('fork.1c blocks that neither has', async () => {
    for (const block_id of [at(999), { block_hash: '0x99' }]) {
      expect(
        await fork.client.failure('starknet_getBlockWithTxHashes', { block_id }),
      ).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    }
  });

  test('fork.1d blocks of the origin by hash, and its own first one after them', async () => {
    const method = 'starknet_getBlockWithTxHashes';
    const theirs = await pair.origin.client.call(method, { block_id: at(0) });
    const block_hash = 'block_hash' in theirs ? theirs.block_hash : '';
    expect(await fork.client.call(method, { block_id: { block_hash } })).toEqual(theirs);
    const young = await pair.fork();
    expect(await young.client.call(method, { block_id: 'latest' })).toMatchObject({
      block_number: last + 1,
      transactions: [],
    });
  });

  test('fork.7c its first block continues the last of the origin', async () => {
    const { block_hash } = await pair.origin.client.call('starknet_blockHashAndNumber');
    expect(
      await fork.client.call('starknet_getBlockWithTxHashes', { block_id: at(last + 1) }),
    ).toMatchObject({ parent_hash: block_hash });
  });
});

describe('what it takes over', () => {
  test('fork.2a balances of old blocks are the origin’s, later ones both', async () => {
    const young = await pair.fork();
    await mint(young, HOLDER, 7);
    expect(await balance(young, at(0))).toBe(0);
    expect(await balance(young, at(1))).toBe(100);
    expect(await balance(young)).toBe(107);
    expect(await balance(pair.origin)).toBe(100);
  });

  test('fork.2b a class of the old language', async () => {
    await using old = await startPair(undefined, { accountClass: 'cairo0' });
    const young = await old.fork();
    const class_hash = old.origin.node.accountClassHash;
    const contract_address = old.origin.node.accounts[0]?.address;
    const theirs = await old.origin.client.call('starknet_getClass', {
      class_hash,
      block_id: 'latest',
    });
    expect(theirs).not.toHaveProperty('sierra_program');
    for (const block_id of ['latest', at(0), at(1)]) {
      expect(await young.client.call('starknet_getClass', { class_hash, block_id })).toEqual(
        theirs,
      );
      expect(
        await young.client.call('starknet_getClassAt', { contract_address, block_id }),
      ).toEqual(theirs);
    }
  });

  test('fork.2c a class of the new language, by hash and by address', async () => {
    const params = { block_id: 'latest', class_hash: counter.hash };
    const theirs = await pair.origin.client.call('starknet_getClass', params);
    expect(await fork.client.call('starknet_getClass', params)).toEqual(theirs);
    const query = { block_id: 'latest', contract_address: counterAddress };
    expect(await fork.client.call('starknet_getClassAt', query)).toEqual(theirs);
    expect(await fork.client.call('starknet_getClassHashAt', query)).toBe(counter.hash);
  });

  test('fork.2d a contract is called and changed without the origin noticing', async () => {
    const young = await pair.fork();
    expect(await read(young.client, counterAddress, 'get')).toEqual(['0x29']);
    await senderOn(young).invoke([{ to: counterAddress, name: 'increase', calldata: ['0x1'] }]);
    expect(await read(young.client, counterAddress, 'get')).toEqual(['0x2a']);
    expect(await read(pair.origin.client, counterAddress, 'get')).toEqual(['0x29']);
  });

  test('fork.3a an account of a class that neither has', async () => {
    const account = newAccount('0x5', { classHash: '0x4711' });
    await fund(fork, account.address);
    const request = deployAccountRequest(account);
    expect(await fork.client.failure('starknet_addDeployAccountTransaction', [request])).toEqual(
      expect.objectContaining({ code: ERRORS.CLASS_HASH_NOT_FOUND.code }),
    );
  });

  test('fork.3b an account of a class that only the origin has', async () => {
    const rejecting = await contract('account_reject');
    await using other = await startPair(async ({ client, node }) => {
      await new Sender(client, node.accounts[0]).declare(rejecting);
    });
    const young = await other.fork();
    const account = newAccount('0x5', { classHash: rejecting.hash, constructorCalldata: ['0x1'] });
    await fund(young, account.address);
    const { contract_address } = await young.client.call('starknet_addDeployAccountTransaction', [
      deployAccountRequest(account),
    ]);
    expect(
      await young.client.call('starknet_getClassHashAt', { contract_address, block_id: 'latest' }),
    ).toBe(rejecting.hash);
  });

  test('fork.4 nonces and slots: of contracts that the origin has, and of others', async () => {
    const owner = pair.origin.node.accounts[0]?.address;
    for (const method of ['starknet_getNonce', 'starknet_getStorageAt'] as const) {
      const more = method === 'starknet_getStorageAt' ? { key: '0x1' } : {};
      const params = { contract_address: owner, block_id: 'latest', ...more };
      expect(await fork.client.call(method, params)).toBe(
        await pair.origin.client.call(method, params),
      );
      expect(
        await fork.client.failure(method, { ...params, contract_address: '0x4711' }),
      ).toMatchObject({ code: ERRORS.CONTRACT_NOT_FOUND.code });
    }
  });

  test('fork.7b a token of another class keeps it, and the configuration shows it', async () => {
    const { hash } = await contract('upgradable');
    await using other = await startPair(async ({ client, node }) => {
      await new Sender(client, node.accounts[0]).declare(await contract('upgradable'));
      await client.call('devnet_applyStateDiff', {
        state_diff: { replaced_classes: [{ contract_address: ETH, class_hash: hash }] },
      });
      await client.call('devnet_createBlock');
    });
    const young = await other.fork();
    expect(await young.client.call('devnet_getConfig')).toMatchObject({
      eth_erc20_class_hash: hash,
      strk_erc20_class_hash: pair.origin.node.tokens.strk.classHash,
    });
    expect(
      await young.client.call('starknet_getClassHashAt', {
        block_id: 'latest',
        contract_address: ETH,
      }),
    ).toBe(hash);
  });

  test('fork.8a transactions of the origin', async () => {
    const params = { transaction_hash: firstMint };
    for (const method of [
      'starknet_getTransactionByHash',
      'starknet_getTransactionStatus',
      'starknet_getTransactionReceipt',
      'starknet_traceTransaction',
    ] as const) {
      const theirs = await pair.origin.client.call(method, params);
      expect(await fork.client.call(method, params)).toEqual(theirs);
    }
    const method = 'starknet_getTransactionByBlockIdAndIndex';
    const query = { block_id: at(1), index: 0 };
    expect(await fork.client.call(method, query)).toEqual(
      await pair.origin.client.call(method, query),
    );
  });

  test('fork.8c a call at a block that neither has', async () => {
    const request = { contract_address: STRK, entry_point_selector: '0x1', calldata: [] };
    for (const block_id of [at(999), { block_hash: '0x99' }]) {
      expect(await fork.client.failure('starknet_call', { request, block_id })).toMatchObject({
        code: ERRORS.BLOCK_NOT_FOUND.code,
      });
    }
  });

  test('fork.8d what L1 has accepted is what the origin says', async () => {
    const method = 'starknet_getBlockWithTxHashes';
    const block_id = 'l1_accepted';
    const accepted = await fork.client.call(method, { block_id });
    expect(accepted).toMatchObject({ block_number: 1, status: 'ACCEPTED_ON_L1' });
    expect(accepted).toEqual(await pair.origin.client.call(method, { block_id }));
  });
});

describe('what it does not see', () => {
  test('fork.5a the origin after the block that was asked for', async () => {
    const early = await pair.fork({ forkBlock: 0 });
    expect(await balance(early)).toBe(0);
    expect(await early.client.call('starknet_blockNumber')).toBe(1);
    expect(await early.client.failure('starknet_getTransactionByHash', [firstMint])).toMatchObject({
      code: ERRORS.TXN_HASH_NOT_FOUND.code,
    });
    expect(
      await early.client.failure('starknet_getClassHashAt', ['latest', counterAddress]),
    ).toMatchObject({ code: ERRORS.CONTRACT_NOT_FOUND.code });
  });

  test('fork.5b balances are read at once, and later changes of the origin are not', async () => {
    await using other = await startPair(({ client }) => mint({ client }, HOLDER, 5));
    const young = await other.fork();
    await mint(other.origin, HOLDER, 50);
    const params = { address: HOLDER, unit: 'FRI' };
    expect(await young.client.call('devnet_getAccountBalance', params)).toMatchObject({
      amount: '5',
    });
  });

  test('fork.5c an origin that has died', async () => {
    const other = await startPair(({ client }) => mint({ client }, HOLDER, 5));
    const young = await other.fork({ forkTimeout: 1 });
    await other.proxy.close();
    const failure = await young.client.failure('starknet_getNonce', ['latest', '0x1']);
    expect(failure.code).toBe(-1);
    expect(failure.message).toMatch(
      /^Failed to read from state: Error in communication with forking origin \(url: "http:\S+\/"\): Connection refused /,
    );
    const here = young.node.accounts[1]?.address ?? '';
    await mint(young, here, 5);
    await senderOn(young).invoke([{ to: STRK, name: 'transfer', calldata: [here, '0x5', '0x0'] }]);
    await other.close();
  });
});

describe('blocks', () => {
  test('fork.6a numbers go on after those of the origin', async () => {
    const young = await pair.fork();
    for (let more = 2; more <= 4; more += 1) {
      await young.client.call('devnet_createBlock');
      expect(await young.client.call('starknet_blockNumber')).toBe(last + more);
    }
  });

  test('fork.6b the block number that a contract sees', async () => {
    const young = await pair.fork();
    const contextBlock = async (block: unknown): Promise<number> =>
      Number((await read(young.client, contextAddress, 'current', [], block))[0]);
    const before = await contextBlock('latest');
    expect(await contextBlock('pre_confirmed')).toBe(last + 2);
    await young.client.call('devnet_createBlock');
    expect(await contextBlock('latest')).toBe(before + 1);
  });
});

describe('impersonation of accounts of the origin', () => {
  let young: ListeningNode;
  let owner: string;

  beforeAll(async () => {
    young = await pair.fork();
    owner = pair.origin.node.accounts[0]?.address ?? '';
  });
  beforeEach(() => young.client.call('devnet_restart'));

  const impostor = (): Sender => new Sender(young.client, { address: owner, privateKey: '0x5' });
  const tell = (method: string): Promise<unknown> =>
    young.node.requestRaw(
      `devnet_${method}`,
      method.endsWith('Account') ? { account_address: owner } : {},
    );
  const call = { to: STRK, name: 'transfer', calldata: ['0x77', '0x5', '0x0'] };
  const send = async (): Promise<unknown> => {
    const request = await impostor().invokeRequest([call]);
    return young.client.call('starknet_addInvokeTransaction', [request]).then(
      () => 'accepted',
      ({ code }: { code: number }) => code,
    );
  };

  test('impersonation.1 it can be forbidden', async () => {
    const strict = await pair.fork({
      restrictedMethods: ['devnet_impersonateAccount', 'devnet_autoImpersonate'],
    });
    for (const method of ['devnet_impersonateAccount', 'devnet_autoImpersonate']) {
      const params = method.endsWith('Account') ? { account_address: owner } : {};
      expect(await strict.client.failure(method, params)).toMatchObject({
        code: ERRORS.METHOD_FORBIDDEN.code,
      });
    }
  });

  test.each([
    ['one account', 'impersonateAccount', 'stopImpersonateAccount'],
    ['all', 'autoImpersonate', 'stopAutoImpersonate'],
  ])(
    'impersonation.2a %s, until it is stopped or the chain begins anew',
    async (_, start, stop) => {
      expect(await send()).toBe(55);
      await tell(start);
      expect(await send()).toBe('accepted');
      await tell(stop);
      expect(await send()).toBe(55);
      await tell(start);
      await tell('restart');
      expect(await send()).toBe(55);
    },
  );

  test('impersonation.2b declarations', async () => {
    const request = await impostor().declareRequest(slots);
    expect(await young.client.failure('starknet_addDeclareTransaction', [request])).toMatchObject({
      code: ERRORS.VALIDATION_FAILURE.code,
    });
    await tell('impersonateAccount');
    await young.client.call('starknet_addDeclareTransaction', [request]);
  });

  test('impersonation.2c simulations', async () => {
    const request = await impostor().invokeRequest([call]);
    const params = { block_id: 'latest', transactions: [request], simulation_flags: [] };
    const method = 'starknet_simulateTransactions';
    expect(await young.client.failure(method, params)).toMatchObject({
      code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
    });
    await tell('impersonateAccount');
    expect(await young.client.call(method, params)).toHaveLength(1);
  });

  test('impersonation.2d cheats reach contracts of the origin', async () => {
    await young.client.call('devnet_applyStateDiff', {
      state_diff: {
        storage_diffs: [
          { address: counterAddress, storage_entries: [{ key: '0x111', value: '0x5' }] },
        ],
        replaced_classes: [{ contract_address: counterAddress, class_hash: ACCOUNT_CLASS }],
        nonces: [{ contract_address: owner, nonce: '0x99' }],
      },
    });
    await young.client.call('devnet_createBlock');
    const query = { block_id: 'latest', contract_address: counterAddress };
    const slot = await young.client.call('starknet_getStorageAt', { ...query, key: '0x111' });
    expect(slot).toBe('0x5');
    expect(await young.client.call('starknet_getClassHashAt', query)).toBe(ACCOUNT_CLASS);
    expect(await young.client.call('starknet_getNonce', ['latest', owner])).toBe('0x99');
  });
});
