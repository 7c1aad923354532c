// Explanations in errors, and by hash: what failed, and what to do.
import { Transaction } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import {
  bounds,
  contract,
  deployAccountRequest,
  ETH,
  hex,
  newAccount,
  Sender,
  STRK,
  selector,
  short,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const fixture: Fixture = await startFixture();
const { client, account } = fixture;
const sender = new Sender(client, account());
const reverter = await sender.deploy(await contract('reverter'));

const fails = { to: reverter, name: 'fail_via', calldata: [reverter, '0x2', short('oops'), '0x7'] };

describe('an error carries an explanation', () => {
  test('of a call', async () => {
    const request = {
      contract_address: reverter,
      entry_point_selector: selector('fail'),
      calldata: ['0x1', short('oops')],
    };
    const { code, data } = await client.failure('starknet_call', [request, 'latest']);
    expect([code, data]).toMatchObject([
      40,
      {
        revert_error: { contract_address: reverter },
        explained: {
          status: 'REVERTED',
          contract: reverter,
          contract_name: 'reverter',
          function: 'fail',
          arguments: [{ name: 'data', type: 'Array<felt252>', value: "['oops']" }],
          panic: { felts: [short('oops')], text: 'oops' },
          failed_first: 0,
        },
      },
    ]);
  });

  test('of a function that does not exist, with the one that was meant', async () => {
    const request = {
      contract_address: reverter,
      entry_point_selector: selector('failVia'),
      calldata: [],
    };
    const { code, data } = await client.failure('starknet_call', [request, 'latest']);
    expect([code, data]).toMatchObject([21, { explained: { hint: "Did you mean 'fail_via'?" } }]);
  });

  test('of an estimate, with all frames', async () => {
    const request = [await sender.invokeRequest([fails])];
    const { code, data } = await client.failure('starknet_estimateFee', [request, [], 'latest']);
    expect([code, data]).toMatchObject([
      41,
      {
        transaction_index: 0,
        explained: {
          frames: [
            { function: '__execute__', contract_name: 'account 0' },
            { function: 'fail_via' },
            { function: 'fail', contract: reverter },
          ],
          failed_first: 2,
          panic: { text: 'oops, 0x7' },
        },
      },
    ]);
  });

  test('of a refused transaction, with what is missing', async () => {
    const [poor] = [newAccount('0x77')];
    const request = deployAccountRequest(poor, {
      changes: { resource_bounds: bounds({ l1_data_gas: 1000n, l2_gas: 10n ** 7n }) },
    });
    const { code, data } = await client.failure('starknet_addDeployAccountTransaction', [request]);
    const missing = 10n ** 10n * (10n ** 7n + 1000n);
    expect([code, data]).toMatchObject([54, { explained: { status: 'REJECTED', frames: [] } }]);
    expect(Object(data).explained.hint).toContain(
      `{"address": "${poor.address}", "amount": "${missing}", "unit": "FRI"}`,
    );
  });

  test('of which a text has only the hint; the transaction is then explained by its hash', async () => {
    const request = await sender.invokeRequest([], { signature: ['0x1', '0x2'] });
    const { code, data } = await client.failure('starknet_addInvokeTransaction', [request]);
    const { hash } = new Transaction(request, 'SN_SEPOLIA');
    const explained = await client.call('devnet_explainTransaction', [hash]);
    expect(explained).toMatchObject({
      status: 'REJECTED',
      function: '__validate__',
      panic: { text: 'Account: invalid signature' },
      hint: expect.any(String),
    });
    expect(code).toBe(55);
    expect(data).toMatch(/^The `validate` entry point panicked with:/);
    expect(data).toContain(`\nhint: ${explained.hint}`);
  });
});

describe('devnet_explainTransaction', () => {
  test('says how much is missing with fees, as its action does', async () => {
    const calldata = [account(1).address, hex(10n ** 30n), '0x0'];
    const hash = await sender.invoke([{ to: STRK, name: 'transfer', calldata }]);
    const { summary, hint, actions, text } = await client.call('devnet_explainTransaction', [hash]);
    expect(summary).toBe("Reverted: STRK.transfer panicked with 'ERC20: insufficient balance'");
    const [, amount] =
      /"amount": "(\d+)", "unit": "FRI"}, which includes fees/.exec(hint ?? '') ?? [];
    expect(actions?.[0]?.params).toMatchObject({ amount });
    expect(text).toContain(hint);
  });

  test('says that the balance is less at this point if it was enough before', async () => {
    const { address } = sender.account;
    const balance = await client.call('devnet_getAccountBalance', { address, unit: 'WEI' });
    const [{ address: recipient }, amount] = [account(1), BigInt(balance.amount)];
    // By another function, so that it is clear which call has failed.
    const hash = await sender.invoke([
      { to: ETH, name: 'approve', calldata: [address, '0x1', '0x0'] },
      { to: ETH, name: 'transfer_from', calldata: [address, recipient, '0x1', '0x0'] },
      { to: ETH, name: 'transfer', calldata: [recipient, hex(amount), '0x0'] },
    ]);
    const { actions, hint } = await client.call('devnet_explainTransaction', [hash]);
    expect(actions ?? []).toEqual([]);
    expect(hint).toContain('at this point');
  });

  test('shows a successful transaction as its tree', async () => {
    const hash = await sender.invoke([
      { to: STRK, name: 'transfer', calldata: [account(1).address, '0x5', '0x0'] },
    ]);
    const { status, text } = await client.call('devnet_explainTransaction', [hash]);
    expect(status).toBe('SUCCEEDED');
    expect(text).toMatch(
      /└─ ✓ STRK\.transfer\(recipient: account 1, amount: 5\) → true \[[\d,]+ gas\]/,
    );
    expect(text).toContain('emits Transfer(from: account 0, to: account 1, value: 5)');
  });

  test('uses labels', async () => {
    await client.call('devnet_setLabel', { value: reverter, label: 'my contract' });
    const hash = await sender.invoke([fails]);
    const { summary } = await client.call('devnet_explainTransaction', [hash]);
    expect(summary).toBe("Reverted: my contract.fail panicked with 'oops', 0x7");
  });

  test('runs a transaction that used all of its gas only as far as it came', async () => {
    const resource_bounds = bounds({ l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas: 3_000_000n });
    const burns = { to: reverter, name: 'burn', calldata: [hex(1_000_000)] };
    const request = await sender.invokeRequest([burns], { resource_bounds });
    const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [request]);
    const { summary } = await client.call('devnet_explainTransaction', [transaction_hash]);
    expect(summary).toContain('it used all of the 3000000 l2_gas that it offered');
    const { classes } = await client.call('devnet_coverage', { include: ['statements'], limit: 1 });
    const ran = classes.flatMap(({ statements = [] }) => statements.map(([, times = 0]) => times));
    // A step takes 100 gas at least.
    expect(Math.max(...ran)).toBeGreaterThan(1_000);
    expect(Math.max(...ran)).toBeLessThan(30_000);
  });

  test('does not know what was never sent', async () => {
    expect((await client.failure('devnet_explainTransaction', ['0x123'])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
  });
});
