// Simulations: the parts of a trace, reverts, refusals.

import { storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  AMPLE,
  type Bounds,
  boundsOf,
  contract,
  declareRequest,
  deployAccountRequest,
  deployment,
  hex,
  invokeRequest,
  newAccount,
  QUERY_VERSION,
  read,
  STRK,
  selector,
  short,
  ZERO,
} from '@starkbox/test-support/signing';
import type { Methods } from 'starkbox';
import { describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../../../contracts/classes.js';

type Flag = 'SKIP_VALIDATE' | 'SKIP_FEE_CHARGE' | 'RETURN_INITIAL_READS';
type Simulated = Extract<
  Methods['starknet_simulateTransactions']['result'],
  readonly unknown[]
>[number];

/** Has funds and is not deployed. */
const account = newAccount('0x4321');

const { client, sender } = await startFixture(ACCOUNTS);
const counter = await contract('counter');
const reverter = await contract('reverter');
const reverterAddress = await sender.deploy(reverter);
const contextAddress = await sender.deploy(await contract('context'));
await client.call('devnet_mint', { address: account.address, amount: 1e20 });

async function simulate(
  transactions: readonly unknown[],
  flags: readonly Flag[] = [],
): Promise<readonly Simulated[]> {
  const params = ['latest', transactions, flags];
  const simulated = await client.call('starknet_simulateTransactions', params);
  return 'simulated_transactions' in simulated ? simulated.simulated_transactions : simulated;
}

async function simulateOne(transaction: unknown, flags: readonly Flag[] = []): Promise<Simulated> {
  const [simulation] = await simulate([transaction], flags);
  if (!simulation) throw new Error('nothing was simulated');
  return simulation;
}

const refused = (transactions: readonly unknown[], flags: readonly Flag[] = []) =>
  client.failure('starknet_simulateTransactions', ['latest', transactions, flags]);

const transfer = { to: STRK, name: 'transfer', calldata: ['0x99', '0x5', '0x0'] };
const fail = (text: string) => ({
  to: reverterAddress,
  name: 'fail',
  calldata: ['0x1', short(text)],
});

/** One request of each kind, with nonces that are due. */
const requests: Readonly<Record<string, (bounds?: Bounds) => Promise<object>>> = {
  DECLARE: (resource_bounds = AMPLE) => sender.declareRequest(counter, { resource_bounds }),
  DEPLOY_ACCOUNT: async (resource_bounds = AMPLE) =>
    deployAccountRequest(account, { changes: { resource_bounds } }),
  INVOKE: (resource_bounds = AMPLE) => sender.invokeRequest([transfer], { resource_bounds }),
};
const KINDS = Object.keys(requests);

async function request(kind: string, resourceBounds?: Bounds): Promise<object> {
  const builtRequest = await requests[kind]?.(resourceBounds);
  if (!builtRequest) throw new Error(`there is no ${kind}`);
  return builtRequest;
}

describe('the parts of a trace', () => {
  const main: Readonly<Record<string, string>> = {
    DECLARE: 'state_diff',
    DEPLOY_ACCOUNT: 'constructor_invocation',
    INVOKE: 'execute_invocation',
  };

  test.each(KINDS)('simulation.1 %s with and without validation and fee', async (kind) => {
    const transaction = await request(kind);
    const block = await client.call('starknet_blockHashAndNumber');

    const whole = await simulateOne(transaction);
    expect(whole.transaction_trace).toMatchObject({
      type: kind,
      validate_invocation: { call_type: 'CALL', entry_point_type: 'EXTERNAL' },
      fee_transfer_invocation: {
        contract_address: STRK,
        entry_point_selector: selector('transfer'),
        calldata: ['0x1000', whole.fee_estimation.overall_fee, '0x0'],
      },
      [main[kind] ?? '']: expect.anything(),
    });

    const trusted = await simulateOne(transaction, ['SKIP_VALIDATE']);
    expect(trusted.transaction_trace).not.toHaveProperty('validate_invocation');
    expect(trusted.transaction_trace).toHaveProperty('fee_transfer_invocation');

    const free = await simulateOne(transaction, ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE']);
    expect(free.transaction_trace).not.toHaveProperty('validate_invocation');
    expect(free.transaction_trace).not.toHaveProperty('fee_transfer_invocation');
    expect(free.transaction_trace).toHaveProperty(main[kind] ?? '');

    const fees = [whole, trusted, free].map(({ fee_estimation }) =>
      BigInt(fee_estimation.overall_fee),
    );
    expect(fees[1]).toBeLessThan(fees[0] ?? 0n);
    expect(fees[2]).toBe(fees[1]);

    expect(await client.call('starknet_blockHashAndNumber')).toEqual(block);
    expect((await client.failure('starknet_getClass', ['latest', counter.hash])).code).toBe(
      ERRORS.CLASS_HASH_NOT_FOUND.code,
    );
    expect((await client.failure('starknet_getNonce', ['latest', account.address])).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
    expect(await read(client, STRK, 'balance_of', ['0x99'])).toEqual(['0x0', '0x0']);
  });

  test('simulation.1 without validation the signature does not matter, with it a wrong one is refused', async () => {
    const forged = await sender.invokeRequest([transfer], { signature: ['0x1', '0x2'] });
    const { code, data } = await refused([forged]);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: {
        contract_address: sender.account.address,
        selector: selector('__validate__'),
        error: expect.stringContaining("('Account: invalid signature')"),
      },
    });
    expect(await simulate([forged], ['SKIP_VALIDATE'])).toHaveLength(1);
  });
});

describe('what is simulated', () => {
  test.each(['0x3', QUERY_VERSION])(
    'simulation.2a contracts see the query version of a transaction of version %s',
    async (version) => {
      const calls = [{ to: contextAddress, name: 'current' }];
      const simulation = await simulateOne(await sender.invokeRequest(calls, { version }));
      const expectedCall = {
        contract_address: contextAddress,
        result: expect.arrayContaining([QUERY_VERSION]),
      };
      expect(simulation.transaction_trace).toMatchObject({
        execute_invocation: { calls: [expectedCall] },
      });
    },
  );

  test('simulation.2a an invocation that panics has the reason in its trace', async () => {
    const simulation = await simulateOne(await sender.invokeRequest([fail('boom')]));
    expect(simulation.transaction_trace).toMatchObject({
      type: 'INVOKE',
      execute_invocation: { revert_reason: expect.stringContaining("('boom')") },
      validate_invocation: { result: [short('VALID')] },
      fee_transfer_invocation: { contract_address: STRK },
    });
    expect(BigInt(simulation.fee_estimation.overall_fee)).toBeGreaterThan(0n);
  });

  /** Pays, fails and pays again, from a nonce on. */
  const mixed = (nonce: number) => [
    invokeRequest(sender.account, [transfer], nonce),
    invokeRequest(sender.account, [fail('halt')], nonce + 1),
    invokeRequest(sender.account, [transfer], nonce + 2),
  ];

  test('simulation.2a a batch goes on after a revert', async () => {
    const [first, second, third] = await simulate(mixed(await sender.nonce()));
    for (const simulation of [first, third]) {
      expect(simulation?.transaction_trace).toMatchObject({
        execute_invocation: { is_reverted: false },
      });
    }
    expect(second?.transaction_trace).toMatchObject({
      execute_invocation: { revert_reason: expect.stringContaining("('halt')") },
    });
  });

  /** What a batch read first. */
  async function initialReads(nonce: number) {
    const params = ['latest', mixed(nonce), ['RETURN_INITIAL_READS']];
    const result = await client.call('starknet_simulateTransactions', params);
    if (!('simulated_transactions' in result)) throw new Error('the reads are missing');
    expect(result.simulated_transactions).toHaveLength(3);
    return result.initial_reads;
  }

  test('simulation.2a a batch tells what it read first, if asked', async () => {
    const nonce = await sender.nonce();
    const { nonces, class_hashes, declared_contracts } = await initialReads(nonce);
    expect(nonces).toContainEqual({
      contract_address: sender.account.address,
      nonce: hex(nonce),
    });
    expect(class_hashes).toContainEqual({
      contract_address: reverterAddress,
      class_hash: reverter.hash,
    });
    expect(declared_contracts).toContainEqual({ class_hash: reverter.hash, is_declared: true });
  });

  test('simulation.2b the slots that were read are among it, with the values before', async () => {
    const { storage } = await initialReads(await sender.nonce());
    const key = storageAddress('ERC20_balances', [sender.account.address]);
    const value = await client.call('starknet_getStorageAt', [STRK, key, 'latest']);
    expect(storage).toContainEqual({ contract_address: STRK, key, value });
  });

  test('simulation.2c each trace of a batch has its own state diff', async () => {
    const nonce = await sender.nonce();
    const pay = (to: string, at: number) =>
      invokeRequest(sender.account, [{ ...transfer, calldata: [to, '0x5', '0x0'] }], at);
    const [first, second] = await simulate([pay('0x991', nonce), pay('0x992', nonce + 1)]);
    const diffs = [first, second].map((simulation) => simulation?.transaction_trace.state_diff);
    for (const [index, diff] of diffs.entries()) {
      expect(diff?.nonces).toEqual([
        { contract_address: sender.account.address, nonce: hex(nonce + index + 1) },
      ]);
    }
    const written = diffs.map((diff) =>
      diff?.storage_diffs.flatMap(({ storage_entries }) => storage_entries.map(({ key }) => key)),
    );
    expect(written[1]).toHaveLength(written[0]?.length ?? 0);
    expect(written[1]).not.toEqual(written[0]);
  });
});

describe('what is refused', () => {
  test('simulation.3 the first transaction of a batch without signatures is the one that failed', async () => {
    const nonce = await sender.nonce();
    const changes = { signature: [] };
    const { code, data } = await refused([
      declareRequest(sender.account, counter, nonce, { changes }),
      invokeRequest(sender.account, [deployment(counter.hash, ['0x1']).call], nonce + 1, {
        changes,
      }),
    ]);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error: { selector: selector('__validate_declare__') },
    });
  });

  test('simulation.3 bounds above the balance are refused unless no fee is charged', async () => {
    const dear = {
      ...AMPLE,
      l2_gas: { max_amount: hex(10n ** 12n), max_price_per_unit: hex(10n ** 12n) },
    };
    const transaction = await sender.invokeRequest([transfer], { resource_bounds: dear });
    const { code, data } = await refused([transaction]);
    expect(code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
    const { amount } = await client.call('devnet_getAccountBalance', {
      address: sender.account.address,
    });
    expect(data).toMatchObject({
      transaction_index: 0,
      execution_error:
        'Resources bounds ({ l1_gas: { max_amount: 100000, max_price_per_unit: 10000000000 }, ' +
        'l2_gas: { max_amount: 1000000000000, max_price_per_unit: 1000000000000 }, ' +
        'l1_data_gas: { max_amount: 100000, max_price_per_unit: 10000000000 } }) ' +
        `exceed balance (${amount}).`,
    });
    expect(await simulate([transaction], ['SKIP_FEE_CHARGE'])).toHaveLength(1);
  });

  test('simulation.4 a new account declares and deploys with zero bounds when no fee is charged', async () => {
    const changes = { resource_bounds: ZERO };
    const poor = newAccount('0x777');
    const { call, address } = deployment(counter.hash, ['0x9']);
    const simulated = await simulate(
      [
        deployAccountRequest(poor, { changes }),
        declareRequest(poor, counter, 1, { changes }),
        invokeRequest(poor, [call], 2, { changes }),
      ],
      ['SKIP_FEE_CHARGE'],
    );
    expect(simulated.map(({ transaction_trace }) => transaction_trace.type)).toEqual([
      'DEPLOY_ACCOUNT',
      'DECLARE',
      'INVOKE',
    ]);
    expect(simulated[2]?.transaction_trace.state_diff?.deployed_contracts).toEqual([
      { address, class_hash: counter.hash },
    ]);
  });

  test('simulation.4 one unit of gas too little makes an invocation revert', async () => {
    const calls = [{ to: reverterAddress, name: 'burn', calldata: [hex(2000)] }];
    const { fee_estimation } = await simulateOne(await sender.invokeRequest(calls));
    const resource_bounds = boundsOf(fee_estimation, (gas) => gas - 1n);
    const simulation = await simulateOne(await sender.invokeRequest(calls, { resource_bounds }));
    expect(simulation.transaction_trace).toMatchObject({
      execute_invocation: { revert_reason: expect.stringContaining('Insufficient') },
    });
  });

  const lacking = (['max_amount', 'max_price_per_unit'] as const).flatMap((part) =>
    KINDS.map((kind) => ({ kind, part })),
  );
  test.each(lacking)(
    'simulation.4 $kind with $part 0 needs that no fee is charged',
    async ({ kind, part }) => {
      const bounds = { ...AMPLE, l2_gas: { ...AMPLE.l2_gas, [part]: '0x0' } };
      const transaction = await request(kind, bounds);
      expect(await refused([transaction])).toMatchObject({
        code: ERRORS.TRANSACTION_EXECUTION_ERROR.code,
        data: {
          transaction_index: 0,
          execution_error:
            "The transaction's resources don't cover validation or the minimal transaction fee.",
        },
      });
      expect(await simulate([transaction], ['SKIP_FEE_CHARGE'])).toHaveLength(1);
    },
  );
});
