// What the paymaster refuses, by the published errors, and what its control sets. The client is starknet.js 10.
import { publicKey } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { ACCOUNT_CLASS, ETH, newAccount, STRK, selector } from '@starkbox/test-support/signing';
import {
  Account,
  outsideExecution,
  PaymasterRpc,
  type PreparedTransaction,
  stark,
  type TypedData,
} from 'starknet';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import {
  ARGENT,
  type Call,
  deploymentOf,
  type FeeMode,
  paidIn,
  refusalOf,
  SPONSORED,
  startPaymaster,
  transfer,
} from './dapp.js';

const ONE_STRK = 10n ** 18n;

const { url, node, client, provider, balance, feeOf, dapp, close } = await startPaymaster({
  predeclareArgent: true,
});
afterAll(close);
const paymaster = new PaymasterRpc({ nodeUrl: `${url}/paymaster` });
const [alice, bob] = accountsOf(node.accounts);
const { relayer } = await client.call('devnet_getPaymaster');
const account = accountOf(alice);
const gift: Call[] = [transfer(STRK, bob.address, 5n)];

function accountsOf<T>([first, second]: readonly T[]): readonly [T, T] {
  if (!first || !second) throw new Error('there are no accounts');
  return [first, second];
}

function accountOf({ address, privateKey }: { address: string; privateKey: string }): Account {
  return new Account({ provider, address, signer: privateKey, paymaster });
}

/** A class of Cairo 0 whose outside execution takes any arguments and returns nothing. */
const IDLE_ACCOUNT = {
  abi: [{ type: 'function', name: 'execute_from_outside_v2', inputs: [], outputs: [] }],
  entry_points_by_type: {
    CONSTRUCTOR: [],
    EXTERNAL: [{ selector: selector('execute_from_outside_v2'), offset: '0x0' }],
    L1_HANDLER: [],
  },
  program: {
    builtins: [],
    // [ap] = [[fp - 5]], the system calls; [ap] = 0, the length of the result; [ap] = [fp - 3], any pointer; ret
    data: [
      '0x480280007ffb8000',
      '0x480680017fff8000',
      '0x0',
      '0x480a7ffd7fff8000',
      '0x208b7fff7fff7ffe',
    ],
    debug_info: null,
    hints: {},
    identifiers: {},
    main_scope: '__main__',
    prime: '0x800000000000011000000000000000000000000000000000000000000000001',
    reference_manager: { references: [] },
  },
};

/** What the user signs. */
function build(
  feeMode: FeeMode,
  calls = gift,
  timeBounds?: { readonly executeAfter: number; readonly executeBefore: number },
): Promise<PreparedTransaction> {
  return paymaster.buildTransaction(
    { type: 'invoke', invoke: { userAddress: account.address, calls } },
    { version: '0x1', feeMode, ...(timeBounds ? { timeBounds } : {}) },
  );
}

/** Signs and sends, and returns the result of the paymaster. */
async function execute(built: PreparedTransaction, by = account) {
  const transaction = await by.preparePaymasterTransaction(built);
  return paymaster.executeTransaction(transaction, built.parameters);
}

/** Sends typed data that the user built; the hash of the transaction. */
async function sponsor(by: Account, typedData: TypedData): Promise<string> {
  const signature = stark.signatureToHexArray(await by.signMessage(typedData));
  const request = requestOf(by.address, typedData, { mode: 'sponsored' }, signature);
  return (await client.call('paymaster_executeTransaction', request)).transaction_hash;
}

/** Typed data as the paymaster gets it; not signed by default. */
function requestOf(
  user_address: string,
  { types, primaryType, domain, message }: TypedData,
  fee_mode: { mode: 'sponsored' } | { mode: 'default'; gas_token: string },
  signature: string[] = [],
) {
  const typed_data = { types, primaryType, domain: { ...domain }, message };
  const invoke = { user_address, typed_data, signature };
  return {
    transaction: { type: 'invoke' as const, invoke },
    parameters: { version: '0x1' as const, fee_mode },
  };
}

/** Expects that a request fails, and that the chain stays as it is. */
async function expectRefusal(
  request: () => Promise<unknown>,
  name: keyof typeof ERRORS,
): Promise<unknown> {
  const before = [await client.call('starknet_blockNumber'), await balance(STRK, alice.address)];
  const { code, data } = await refusalOf(request());
  expect(code).toBe(ERRORS[name].code);
  expect([await client.call('starknet_blockNumber'), await balance(STRK, alice.address)]).toEqual(
    before,
  );
  return data;
}

const now = async (): Promise<number> =>
  (await client.call('devnet_getBlockSettings')).next_block_timestamp;

beforeEach(async () => {
  await client.call('devnet_setPaymaster', {
    available: true,
    sponsoring: true,
    budget: 'none',
    reject: [],
    api_keys: [],
    tokens: [
      { token_address: STRK, decimals: 18, price_in_strk: `0x${ONE_STRK.toString(16)}` },
      { token_address: ETH, decimals: 18, price_in_strk: `0x${(20_000n * ONE_STRK).toString(16)}` },
    ],
  });
});

describe('time bounds', () => {
  test('that have passed are refused when the transaction is built', async () => {
    const timeBounds = { executeAfter: 1, executeBefore: (await now()) - 1 };
    await expectRefusal(() => build(SPONSORED, gift, timeBounds), 'INVALID_TIME_BOUNDS');
  });

  test('that have not begun are refused when the transaction is built', async () => {
    const time = await now();
    const timeBounds = { executeAfter: time + 1000, executeBefore: time + 2000 };
    await expectRefusal(() => build(SPONSORED, gift, timeBounds), 'INVALID_TIME_BOUNDS');
  });

  test('that pass before the transaction is sent are refused then', async () => {
    const time = await now();
    const built = await build(SPONSORED, gift, { executeAfter: 1, executeBefore: time + 100 });
    await client.call('devnet_increaseTime', { time: 200 });
    const data = await expectRefusal(() => execute(built), 'INVALID_TIME_BOUNDS');
    expect(data).toMatchObject({ reason: expect.stringContaining(`before ${time + 100}`) });
  });

  test('hold the transaction that is sent in time', async () => {
    const time = await now();
    const built = await build(SPONSORED, gift, { executeAfter: 1, executeBefore: time + 1000 });
    await feeOf((await execute(built)).transaction_hash);
  });
});

describe('typed data', () => {
  test('that was executed before is refused by the account', async () => {
    const built = await build(SPONSORED);
    await feeOf((await execute(built)).transaction_hash);
    const data = await expectRefusal(() => execute(built), 'PAYMASTER_EXECUTION_ERROR');
    expect(JSON.stringify(data)).toContain('SRC9: duplicated nonce');
  });

  test('that was changed after it was signed has a wrong signature', async () => {
    const built = await build(SPONSORED);
    const transaction = await account.preparePaymasterTransaction(built);
    if (transaction.type !== 'invoke') throw new Error('it is an invoke');
    const changed = structuredClone(transaction);
    const [call] = Object(changed.invoke.typedData.message).Calls;
    call.Calldata[1] = '0x500';
    const send = () => paymaster.executeTransaction(changed, built.parameters);
    await expectRefusal(send, 'INVALID_SIGNATURE');
  });

  test('that was changed before it was signed must still pay the relayer', async () => {
    const built = await build(paidIn(STRK));
    const changed = structuredClone(built);
    if (changed.type !== 'invoke') throw new Error('it is an invoke');
    Object(changed.typed_data.message).Calls.at(-1).Calldata[0] = bob.address;
    const data = await expectRefusal(() => execute(changed), 'PAYMASTER_EXECUTION_ERROR');
    expect(JSON.stringify(data)).toContain(relayer);
  });

  test('that pays less than the fee is refused', async () => {
    const built = await build(paidIn(STRK));
    const changed = structuredClone(built);
    if (changed.type !== 'invoke') throw new Error('it is an invoke');
    Object(changed.typed_data.message).Calls.at(-1).Calldata[1] = '0x100';
    await expectRefusal(() => execute(changed), 'MAX_AMOUNT_TOO_LOW');
  });

  test('for another chain is refused', async () => {
    const built = structuredClone(await build(SPONSORED));
    if (built.type !== 'invoke') throw new Error('it is an invoke');
    built.typed_data.domain.chainId = 'SN_MAIN';
    await expectRefusal(() => execute(built), 'PAYMASTER_EXECUTION_ERROR');
  });

  test('for another caller is refused', async () => {
    const built = structuredClone(await build(SPONSORED));
    if (built.type !== 'invoke') throw new Error('it is an invoke');
    Object(built.typed_data.message).Caller = bob.address;
    await expectRefusal(() => execute(built), 'PAYMASTER_EXECUTION_ERROR');
  });

  test('with more than 5,000 felts in its calls is refused as a parameter', async () => {
    const long = Array.from({ length: 10 }, () => ({
      contractAddress: STRK,
      entrypoint: 'transfer',
      calldata: Array.from({ length: 498 }, () => '0x1'),
    }));
    await expectRefusal(() => build(SPONSORED, long), 'INVALID_PARAMS');
    const options = { caller: relayer, execute_after: 1, execute_before: (await now()) + 1000 };
    const chainId = await provider.getChainId();
    for (const version of ['1', '2'] as const) {
      const typedData = outsideExecution.getTypedData(chainId, options, '0x1', long, version);
      const request = requestOf(alice.address, typedData, { mode: 'sponsored' });
      const { code, message } = await client.failure('paymaster_executeTransaction', request);
      expect(code).toBe(ERRORS.INVALID_PARAMS.code);
      expect(message).toContain('at most 5000 felts');
    }
  });

  test('that is none of SNIP-9 is refused as a parameter', async () => {
    const built = structuredClone(await build(SPONSORED));
    if (built.type !== 'invoke') throw new Error('it is an invoke');
    Object(built.typed_data.message).Calls = 'all';
    const transaction = {
      type: 'invoke' as const,
      invoke: { userAddress: alice.address, typedData: built.typed_data, signature: ['0x1'] },
    };
    const send = () => paymaster.executeTransaction(transaction, built.parameters);
    await expectRefusal(send, 'INVALID_PARAMS');
  });

  test('that the user builds for any caller is accepted', async () => {
    const before = await balance(STRK, bob.address);
    const typedData = outsideExecution.getTypedData(
      await provider.getChainId(),
      { caller: '0x414e595f43414c4c4552', execute_after: 1, execute_before: (await now()) + 1000 },
      '0x1234567',
      gift,
      '2',
    );
    await feeOf(await sponsor(account, typedData));
    expect(await balance(STRK, bob.address)).toBe(before + 5n);
  });

  test('is what starknet.js builds for the same outside execution', async () => {
    const built = await build(paidIn(ETH));
    if (built.type !== 'invoke') throw new Error('it is an invoke');
    const { message } = Object(built.typed_data);
    const fee = transfer(ETH, relayer, BigInt(built.fee.suggested_max_fee_in_gas_token));
    const options = {
      caller: relayer,
      execute_after: message['Execute After'],
      execute_before: message['Execute Before'],
    };
    const chainId = await provider.getChainId();
    expect(built.typed_data).toEqual(
      outsideExecution.getTypedData(chainId, options, message.Nonce, [...gift, fee], '2'),
    );
  });
});

describe('prices', () => {
  const priced = (price: bigint) =>
    client.call('devnet_setPaymaster', {
      tokens: [{ token_address: ETH, decimals: 18, price_in_strk: `0x${price.toString(16)}` }],
    });

  test('that fall a little before the transaction is sent raise what the user pays', async () => {
    const built = await build(paidIn(ETH));
    await priced(10_000n * ONE_STRK);
    const before = await balance(ETH, alice.address);
    const fee = await feeOf((await execute(built)).transaction_hash);
    expect(await balance(ETH, alice.address)).toBe(before - (fee + 9_999n) / 10_000n);
  });

  test('that fall by more than the largest fee allows refuse the transaction', async () => {
    const built = await build(paidIn(ETH));
    await priced(1_000n * ONE_STRK);
    await expectRefusal(() => execute(built), 'MAX_AMOUNT_TOO_LOW');
  });

  test('of an own token with other decimals are what the user pays', async () => {
    const { classHash } = await node.declare(JSON.parse(await classText('token')));
    const calldata = ['0x0', '0x0', 10n ** 12n, 0n, alice.address];
    const { address } = await node.deploy({ classHash, calldata });
    // A whole token of 6 decimals is worth half a STRK.
    await client.call('devnet_setPaymaster', {
      tokens: [
        { token_address: address, decimals: 6, price_in_strk: `0x${(ONE_STRK / 2n).toString(16)}` },
      ],
    });
    const before = await balance(address, alice.address);
    const built = await build(paidIn(address));
    const fee = await feeOf((await execute(built)).transaction_hash);
    const price = ONE_STRK / 2n / 10n ** 6n;
    expect(await balance(address, alice.address)).toBe(before - (fee + price - 1n) / price);
  });

  test('of 0 are refused', async () => {
    const { code } = await client.failure('devnet_setPaymaster', {
      tokens: [{ token_address: ETH, decimals: 18, price_in_strk: '0x0' }],
    });
    expect(code).toBe(-1);
  });

  test('of a token that is not supported do not exist', async () => {
    await expectRefusal(() => build(paidIn('0x1234')), 'TOKEN_NOT_SUPPORTED');
  });

  test('that the user cannot pay are refused when the transaction is built', async () => {
    const poor = newAccount('0xb00', { salt: '0x1' });
    await client.call('devnet_mint', { address: poor.address, amount: 100, unit: 'FRI' });
    const request = paymaster.buildTransaction(
      { type: 'deploy', deployment: deploymentOf(poor) },
      { version: '0x1', feeMode: paidIn(STRK) },
    );
    const { code, data } = await refusalOf(request);
    expect(code).toBe(ERRORS.PAYMASTER_EXECUTION_ERROR.code);
    expect(JSON.stringify(data)).toContain('ERC20: insufficient balance');
  });
});

describe('the control', () => {
  test('switches the paymaster off', async () => {
    const built = await build(SPONSORED);
    await client.call('devnet_setPaymaster', { available: false });
    expect(await paymaster.isAvailable()).toBe(false);
    await expectRefusal(() => build(SPONSORED), 'PAYMASTER_UNKNOWN_ERROR');
    await expectRefusal(() => execute(built), 'PAYMASTER_UNKNOWN_ERROR');
  });

  test('ends sponsoring, while tokens still pay', async () => {
    await client.call('devnet_setPaymaster', { sponsoring: false });
    await expectRefusal(() => build(SPONSORED), 'PAYMASTER_UNKNOWN_ERROR');
    await feeOf((await execute(await build(paidIn(STRK)))).transaction_hash);
  });

  test('sets a budget, which ends with what was spent', async () => {
    const first = await build(SPONSORED);
    const second = await build(SPONSORED);
    const { estimated_fee_in_strk: fee } = first.fee;
    const budget = (BigInt(fee) * 3n) / 2n;
    await client.call('devnet_setPaymaster', { budget: budget.toString() });
    const spent = await feeOf((await execute(first)).transaction_hash);
    expect(await client.call('devnet_getPaymaster')).toMatchObject({
      budget: budget.toString(),
      spent: spent.toString(),
    });
    const data = await expectRefusal(() => execute(second), 'PAYMASTER_UNKNOWN_ERROR');
    expect(data).toContain('budget');
    await expectRefusal(() => build(SPONSORED), 'PAYMASTER_UNKNOWN_ERROR');
    await feeOf((await execute(await build(paidIn(STRK)))).transaction_hash);
    await client.call('devnet_setPaymaster', { budget: 'none' });
    await feeOf((await execute(second)).transaction_hash);
  });

  test.each([
    ['a user', alice.address],
    ['a contract', STRK],
  ])('refuses %s', async (_kind, address) => {
    const built = await build(SPONSORED);
    await client.call('devnet_setPaymaster', { reject: [address] });
    const data = await expectRefusal(() => build(SPONSORED), 'PAYMASTER_UNKNOWN_ERROR');
    expect(data).toContain(address);
    await expectRefusal(() => execute(built), 'PAYMASTER_UNKNOWN_ERROR');
  });

  test('requires a key for sponsored transactions', async () => {
    await client.call('devnet_setPaymaster', { api_keys: ['paymaster_1', 'paymaster_2'] });
    await expectRefusal(() => build(SPONSORED), 'PAYMASTER_UNKNOWN_ERROR');
    const headers = { 'x-paymaster-api-key': 'paymaster_2' };
    const { account: keyed } = await dapp('starknet.js 10', { headers });
    const { transaction_hash } = await keyed(
      alice.address,
      alice.privateKey,
    ).executePaymasterTransaction(gift, { feeMode: SPONSORED });
    await feeOf(transaction_hash);
    expect((await client.call('devnet_getPaymaster')).requires_api_key).toBe(true);
  });

  test('lists what was sent, newest first', async () => {
    const sent = await execute(await build(paidIn(ETH)));
    const fee = await feeOf(sent.transaction_hash);
    const { transactions } = await client.call('devnet_getPaymaster');
    expect(transactions[0]).toEqual({
      ...sent,
      type: 'invoke',
      user_address: alice.address,
      fee_mode: { mode: 'default', gas_token: ETH },
      fee_in_strk: fee.toString(),
      fee_in_gas_token: ((fee + 19_999n) / 20_000n).toString(),
    });
  });
});

describe('an account', () => {
  test('that is not deployed is refused', async () => {
    const { address } = newAccount('0x77');
    const request = () =>
      paymaster.buildTransaction(
        { type: 'invoke', invoke: { userAddress: address, calls: gift } },
        { version: '0x1', feeMode: SPONSORED },
      );
    await expectRefusal(request, 'INVALID_ADDRESS');
  });

  test('that does not execute what it signed gets nothing back', async () => {
    const { address } = await node.deploy({
      classHash: (await node.declare(JSON.parse(await classText('slots')))).classHash,
    });
    await client.call('devnet_replaceClass', {
      contract_address: address,
      contract_class: IDLE_ACCOUNT,
    });
    const options = { caller: relayer, execute_after: 1, execute_before: (await now()) + 1000 };
    const pay = transfer(STRK, relayer, 9n * 10n ** 23n);
    const chainId = await provider.getChainId();
    const typedData = outsideExecution.getTypedData(chainId, options, '0x1', [pay], '2');
    const request = requestOf(address, typedData, { mode: 'default', gas_token: STRK });
    const error = await client.failure('paymaster_executeTransaction', request);
    expect(error.code).toBe(ERRORS.PAYMASTER_EXECUTION_ERROR.code);
    expect(JSON.stringify(error.data)).toContain('the relayer receives 0');
    expect(await balance(STRK, address)).toBe(0n);
  });

  const deploying = (deployment: ReturnType<typeof deploymentOf>) =>
    paymaster.buildTransaction(
      { type: 'deploy', deployment },
      { version: '0x1', feeMode: SPONSORED },
    );

  test('with another address than its deployment gives is refused', async () => {
    const deployment = { ...deploymentOf(newAccount('0x77')), salt: '0x99' };
    await expectRefusal(() => deploying(deployment), 'INVALID_DEPLOYMENT_DATA');
  });

  test('of a class that is not declared is refused', async () => {
    const deployment = deploymentOf(newAccount('0x77', { classHash: '0x1234' }));
    await expectRefusal(() => deploying(deployment), 'INVALID_CLASS_HASH');
  });

  test('that exists is not deployed again', async () => {
    const fresh = newAccount('0x78');
    const built = await deploying(deploymentOf(fresh));
    await feeOf((await execute(built, accountOf(fresh))).transaction_hash);
    await expectRefusal(() => deploying(deploymentOf(fresh)), 'INVALID_DEPLOYMENT_DATA');
    await expectRefusal(() => execute(built, accountOf(fresh)), 'INVALID_DEPLOYMENT_DATA');
  });

  test('of Argent is deployed and called, with signatures of either version', async () => {
    const key = '0x5eed';
    const fresh = newAccount(key, {
      classHash: ARGENT,
      constructorCalldata: ['0x0', publicKey(key), '0x1'],
    });
    const argent = accountOf(fresh);
    await client.call('devnet_mint', { address: fresh.address, amount: 1e18, unit: 'FRI' });
    const { transaction_hash } = await argent.executePaymasterTransaction(
      [transfer(STRK, bob.address, 5n)],
      { feeMode: paidIn(STRK), deploymentData: deploymentOf(fresh) },
    );
    const spent = 5n + (await feeOf(transaction_hash));
    expect(await balance(STRK, fresh.address)).toBe(10n ** 18n - spent);

    const typedData = outsideExecution.getTypedData(
      await provider.getChainId(),
      { caller: relayer, execute_after: 1, execute_before: (await now()) + 1000 },
      '0x42',
      [transfer(STRK, bob.address, 5n)],
      '1',
    );
    await feeOf(await sponsor(argent, typedData));
    expect(await balance(STRK, fresh.address)).toBe(10n ** 18n - spent - 5n);

    const { privateKey } = bob;
    const wrong = accountOf({ address: fresh.address, privateKey });
    const refused = () => wrong.executePaymasterTransaction(gift, { feeMode: SPONSORED });
    await expectRefusal(refused, 'INVALID_SIGNATURE');
  });
});

describe('an account without outside executions', () => {
  const old = startPaymaster({ accountClass: 'cairo0' });
  beforeAll(async () => {
    await old;
  });
  afterAll(async () => (await old).close());

  test('is refused by an error that names a class with them', async () => {
    const started = await old;
    const [user] = started.node.accounts;
    if (!user) throw new Error('there are no accounts');
    const service = new PaymasterRpc({ nodeUrl: `${started.url}/paymaster` });
    const request = service.buildTransaction(
      { type: 'invoke', invoke: { userAddress: user.address, calls: gift } },
      { version: '0x1', feeMode: SPONSORED },
    );
    const { code, data } = await refusalOf(request);
    expect(code).toBe(ERRORS.CLASS_HASH_NOT_SUPPORTED.code);
    expect(data).toMatchObject({
      class_hash: started.node.accountClassHash,
      supported_class_hash: ACCOUNT_CLASS,
      reason: expect.stringContaining(ACCOUNT_CLASS),
    });
  });

  test('is refused before it is deployed as well', async () => {
    const started = await old;
    const fresh = newAccount('0x99', { classHash: started.node.accountClassHash });
    const user = new Account({
      provider: started.provider,
      address: fresh.address,
      signer: fresh.privateKey,
      paymaster: new PaymasterRpc({ nodeUrl: `${started.url}/paymaster` }),
    });
    const request = user.executePaymasterTransaction(
      [{ contractAddress: STRK, entrypoint: 'approve', calldata: [bob.address, '0x1', '0x0'] }],
      { feeMode: SPONSORED, deploymentData: deploymentOf(fresh) },
    );
    const { code } = await refusalOf(request);
    expect(code).toBe(ERRORS.CLASS_HASH_NOT_SUPPORTED.code);
  });

  test('can call an account of the class that the error names', async () => {
    const started = await old;
    const fresh = newAccount('0x99', { classHash: ACCOUNT_CLASS });
    const user = new Account({
      provider: started.provider,
      address: fresh.address,
      signer: fresh.privateKey,
      paymaster: new PaymasterRpc({ nodeUrl: `${started.url}/paymaster` }),
    });
    const { transaction_hash } = await user.executePaymasterTransaction(
      [{ contractAddress: STRK, entrypoint: 'approve', calldata: [bob.address, '0x1', '0x0'] }],
      { feeMode: SPONSORED, deploymentData: deploymentOf(fresh) },
    );
    await started.feeOf(transaction_hash);
    const request = {
      contract_address: STRK,
      entry_point_selector: selector('allowance'),
      calldata: [fresh.address, bob.address],
    };
    expect(await started.client.call('starknet_call', { request, block_id: 'latest' })).toEqual([
      '0x1',
      '0x0',
    ]);
  });
});
