// Accepted, refused and reverted transactions, and the errors of refusals.
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  type Account,
  type Bounds,
  bounds,
  boundsOf,
  contract,
  deployAccountRequest,
  deployment,
  GWEI,
  hex,
  newAccount,
  read,
  Sender,
  STRK,
  short,
  ZERO,
} from '@starkbox/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../../../contracts/classes.js';

const { node, client, sender } = await startFixture(ACCOUNTS);
const counter = await contract('counter');
const reverter = await contract('reverter');
const reverterAddress = await sender.deploy(reverter);

const status = (hash: string) => client.call('starknet_getTransactionStatus', [hash]);
const SUCCEEDED = {
  finality_status: 'ACCEPTED_ON_L2',
  execution_status: 'SUCCEEDED',
  failure_reason: null,
};

/** Puts an account in place and gives it tokens. */
async function deployedAccount(privateKey: string, amount = 1e20): Promise<Account> {
  const account = newAccount(privateKey);
  await client.call('devnet_mint', { address: account.address, amount });
  await client.call('starknet_addDeployAccountTransaction', [deployAccountRequest(account)]);
  return account;
}

describe('funds', () => {
  test('transactions.1 an account without funds cannot deploy itself', async () => {
    const account = newAccount('0x111');
    const params = [deployAccountRequest(account)];
    const { code } = await client.failure('starknet_addDeployAccountTransaction', params);
    expect(code).toBe(ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code);
    expect((await client.failure('starknet_getNonce', ['latest', account.address])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
  });

  test('transactions.1 an account with funds declares, deploys and invokes', async () => {
    const slots = await contract('slots');
    const account = await deployedAccount('0x222');
    const accountSender = new Sender(client, account);
    const declared = await client.call('starknet_addDeclareTransaction', [
      await accountSender.declareRequest(slots),
    ]);
    expect(declared.class_hash).toBe(slots.hash);
    expect(await status(declared.transaction_hash)).toEqual(SUCCEEDED);
    const { call, address } = deployment(slots.hash);
    expect(await status(await accountSender.invoke([call]))).toEqual(SUCCEEDED);
    const put = { to: address, name: 'put', calldata: ['0x5', '0x6'] };
    expect(await status(await accountSender.invoke([put]))).toEqual(SUCCEEDED);
    expect(await read(client, address, 'read', ['0x5'])).toEqual(['0x6']);
    expect(await client.call('starknet_getNonce', ['latest', account.address])).toBe('0x4');
  });

  test('transactions.1 an account that spent its funds cannot declare', async () => {
    const accountSender = new Sender(client, await deployedAccount('0x333'));
    const [low = '0x0'] = await read(client, STRK, 'balance_of', [accountSender.account.address]);
    // What is left pays for this transfer and not for a declaration.
    const remainder = 2n * 10n ** 16n;
    const calldata = ['0x1', hex(BigInt(low) - remainder), '0x0'];
    const scant = bounds({ l1_data_gas: 1000n, l2_gas: 10n ** 7n }, GWEI);
    const hash = await accountSender.invoke([{ to: STRK, name: 'transfer', calldata }], {
      resource_bounds: scant,
    });
    expect(await status(hash)).toEqual(SUCCEEDED);
    const params = [await accountSender.declareRequest(counter)];
    expect((await client.failure('starknet_addDeclareTransaction', params)).code).toBe(
      ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code,
    );
    expect(await accountSender.nonce()).toBe(2);
  });
});

describe('bounds that are too low', () => {
  /** A little less gas, or a price below that of the block. */
  const lower: Readonly<Record<string, (enough: Bounds) => Bounds>> = {
    'L2 gas': (enough) => ({ ...enough, l2_gas: less(enough.l2_gas, 'max_amount') }),
    'L2 price': (enough) => ({ ...enough, l2_gas: less(enough.l2_gas, 'max_price_per_unit') }),
    'data gas': (enough) => ({ ...enough, l1_data_gas: less(enough.l1_data_gas, 'max_amount') }),
    'data price': (enough) => ({
      ...enough,
      l1_data_gas: less(enough.l1_data_gas, 'max_price_per_unit'),
    }),
    'L1 price': (enough) => ({ ...enough, l1_gas: less(enough.l1_gas, 'max_price_per_unit') }),
  };
  const LACKS = Object.keys(lower);

  function less(bound: Bounds['l2_gas'], part: keyof Bounds['l2_gas']): Bounds['l2_gas'] {
    return { ...bound, [part]: hex(BigInt(bound[part]) - 1n) };
  }

  async function enough(request: unknown): Promise<Bounds> {
    const [fee] = await client.call('starknet_estimateFee', [[request], [], 'latest']);
    if (!fee) throw new Error('nothing was estimated');
    return boundsOf(fee);
  }

  function withLess(lack: string, all: Bounds): Bounds {
    const make = lower[lack];
    if (!make) throw new Error(`no bounds with less ${lack}`);
    return make(all);
  }

  test.each(LACKS)('transactions.2 a declaration with too little %s is refused', async (lack) => {
    const all = await enough(await sender.declareRequest(counter, { resource_bounds: ZERO }));
    const resource_bounds = withLess(lack, all);
    const params = [await sender.declareRequest(counter, { resource_bounds })];
    expect((await client.failure('starknet_addDeclareTransaction', params)).code).toBe(
      ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
    );
  });

  test.each(LACKS)(
    'transactions.2 an account deployed with too little %s is refused',
    async (lack) => {
      const account = newAccount('0x444');
      await client.call('devnet_mint', { address: account.address, amount: 1e20 });
      const request = (resource_bounds: Bounds) =>
        deployAccountRequest(account, { changes: { resource_bounds } });
      const params = [request(withLess(lack, await enough(request(ZERO))))];
      expect((await client.failure('starknet_addDeployAccountTransaction', params)).code).toBe(
        ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
      );
    },
  );

  // Of data gas, this call uses no more than any transaction does.
  const burn = () => [{ to: reverterAddress, name: 'burn', calldata: [hex(2000)] }];

  test.each(LACKS.filter((lack) => lack !== 'L2 gas'))(
    'transactions.2 an invocation with too little %s is refused',
    async (lack) => {
      const all = await enough(await sender.invokeRequest(burn(), { resource_bounds: ZERO }));
      const resource_bounds = withLess(lack, all);
      const params = [await sender.invokeRequest(burn(), { resource_bounds })];
      expect((await client.failure('starknet_addInvokeTransaction', params)).code).toBe(
        ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
      );
    },
  );

  test('transactions.2 an invocation with too little L2 gas reverts', async () => {
    const all = await enough(await sender.invokeRequest(burn(), { resource_bounds: ZERO }));
    const resource_bounds = withLess('L2 gas', all);
    expect(await status(await sender.invoke(burn(), { resource_bounds }))).toEqual({
      finality_status: 'ACCEPTED_ON_L2',
      execution_status: 'REVERTED',
      failure_reason: expect.stringContaining('Insufficient max L2Gas'),
    });
  });

  test('transactions.2 gas that is far too little does not even pay for looking at an invocation', async () => {
    const resource_bounds = bounds({ l1_data_gas: 1000n, l2_gas: 10n }, GWEI);
    const params = [await sender.invokeRequest(burn(), { resource_bounds })];
    expect((await client.failure('starknet_addInvokeTransaction', params)).code).toBe(
      ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
    );
  });
});

describe('classes', () => {
  test('transactions.3 a class is declared once', async () => {
    const params = [await sender.declareRequest(reverter)];
    const { code, data } = await client.failure('starknet_addDeclareTransaction', params);
    expect([code, data]).toMatchObject([51, { explained: { status: 'REJECTED' } }]);
    const other = new Sender(client, node.accounts[1]);
    const again = [await other.declareRequest(reverter)];
    expect((await client.failure('starknet_addDeclareTransaction', again)).code).toBe(
      ERRORS.CLASS_ALREADY_DECLARED.code,
    );
  });

  test.each([
    {
      limit: 'maximumContractClassSize',
      value: 1000,
      reason:
        /^The compiled class has \d+ bytes, \d+ more than the limit of 1000: raise --maximum-contract-class-size, or/,
    },
    {
      limit: 'maximumContractBytecodeSize',
      value: 100,
      reason:
        /^The bytecode has \d+ felts, \d+ more than the limit of 100: raise --maximum-contract-bytecode-size, or/,
    },
    {
      limit: 'maximumSierraLength',
      value: 100,
      reason:
        /^The Sierra program has \d+ felts, \d+ more than the limit of 100: raise --maximum-sierra-length, or/,
    },
  ] as const)(
    'transactions.3 a class beyond $limit is too large',
    async ({ limit, value, reason }) => {
      const small = await startFixture({ [limit]: value });
      const smallSender = small.sender;
      const params = [await smallSender.declareRequest(counter)];
      const { code, data } = await small.client.failure('starknet_addDeclareTransaction', params);
      expect(code).toBe(ERRORS.CONTRACT_CLASS_SIZE_IS_TOO_LARGE.code);
      expect(data).toMatch(reason);
      expect(await smallSender.nonce()).toBe(0);
    },
  );

  test('transactions.3 a class beyond the default limit is too large', async () => {
    const { sierra_program, ...rest } = Object.fromEntries(Object.entries(counter.body ?? {}));
    if (!Array.isArray(sierra_program)) throw new Error('the counter has no program');
    const padding = Array.from({ length: 81_921 - sierra_program.length }, () => '0x0');
    const contract_class = { ...rest, sierra_program: [...sierra_program, ...padding] };
    const request = { ...(await sender.declareRequest(counter)), contract_class };
    const { code, data } = await client.failure('starknet_addDeclareTransaction', [request]);
    expect(code).toBe(ERRORS.CONTRACT_CLASS_SIZE_IS_TOO_LARGE.code);
    expect(data).toMatch(/has 81921 felts, 1 more than the limit of 81920/);
  });

  describe('an account that decides by its signature', () => {
    let fickleSender: Sender;
    beforeAll(async () => {
      const fickle = await contract('account_reject');
      const address = await sender.deploy(fickle, ['0x0']);
      await client.call('devnet_mint', { address, amount: 1e20 });
      fickleSender = new Sender(client, { address, privateKey: '0x1' });
    });

    test('transactions.4 it can refuse to validate a declaration', async () => {
      const panics = [await fickleSender.declareRequest(counter, { signature: ['0x3'] })];
      const failure = await client.failure('starknet_addDeclareTransaction', panics);
      expect(failure.code).toBe(ERRORS.VALIDATION_FAILURE.code);
      expect(failure.data).toEqual(
        expect.stringMatching(
          /^The `validate` entry point panicked with:\n[\s\S]*\('account: rejected'\)\.\n$/,
        ),
      );
      const denies = [await fickleSender.declareRequest(counter, { signature: ['0x2'] })];
      const denied = await client.failure('starknet_addDeclareTransaction', denies);
      expect(denied.code).toBe(ERRORS.VALIDATION_FAILURE.code);
      expect(denied.data).toEqual(expect.stringContaining(short('NOT VALID').slice(2)));
      expect(await fickleSender.nonce()).toBe(0);
      expect((await client.failure('starknet_getClass', ['latest', counter.hash])).code).toBe(
        ERRORS.CLASS_HASH_NOT_FOUND.code,
      );
    });

    test('transactions.4 a wrong compiled class hash: reported by estimates, and refused', async () => {
      const wrong = { compiled_class_hash: '0x123' };
      const request = await sender.declareRequest(counter, wrong);
      const { code, data } = await client.failure('starknet_estimateFee', [
        [request],
        [],
        'latest',
      ]);
      expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
      expect(data).toMatchObject({
        transaction_index: 0,
        execution_error: expect.stringContaining('Mismatch compiled class hash'),
      });
      const refused = await client.failure('starknet_addDeclareTransaction', [request]);
      expect(refused.code).toBe(ERRORS.COMPILED_CLASS_HASH_MISMATCH.code);
    });
  });
});

test('transactions.5 a failed invocation is accepted and reverted, and says why', async () => {
  const nonce = await sender.nonce();
  const hash = await sender.invoke([
    { to: reverterAddress, name: 'write', calldata: ['0x5'] },
    { to: reverterAddress, name: 'fail', calldata: ['0x1', short('boom')] },
  ]);
  const failure_reason = expect.stringMatching(
    /^Transaction execution has failed:\n0: Error in the called contract [\s\S]*\('boom'\)\.\n$/,
  );
  expect(await status(hash)).toEqual({
    finality_status: 'ACCEPTED_ON_L2',
    execution_status: 'REVERTED',
    failure_reason,
  });
  expect(await client.call('starknet_getTransactionReceipt', [hash])).toMatchObject({
    execution_status: 'REVERTED',
    revert_reason: failure_reason,
    events: [{ from_address: STRK }],
  });
  expect(await read(client, reverterAddress, 'written')).toEqual(['0x0']);
  expect(await sender.nonce()).toBe(nonce + 1);
});
