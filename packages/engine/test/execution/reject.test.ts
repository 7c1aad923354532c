// Every reason for which a transaction is rejected.

import { type RejectionReason, starknetKeccak, Transaction } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import {
  AMPLE,
  accountClass,
  block,
  bounds,
  CHAIN_ID,
  contractClass,
  declareValues,
  deployAccountValues,
  firstAccount,
  genesis,
  hex,
  invoke,
  place,
  STRK,
  transfer,
} from '../fixtures/chain.js';
import {
  applied,
  balanceKey,
  CONTRACT,
  deposit,
  invokeValuesOf,
  rejected,
} from '../fixtures/transactions.js';

const chain = await genesis(await accountClass());
const account = firstAccount(chain);

describe('rejected, and nothing changes', () => {
  const cases: readonly [RejectionReason, string, () => Transaction][] = [
    ['nonce', 'Account nonce', () => transfer(account, '0x1', 1, 7)],
    [
      'balance',
      'exceed balance',
      () => invoke(account, [], 0, { resource_bounds: { ...AMPLE, l2_gas: bounds(10n ** 15n) } }),
    ],
    [
      'resource_bounds',
      'lower than the actual gas price',
      () => invoke(account, [], 0, { resource_bounds: { ...AMPLE, l1_gas: bounds(1n, 1n) } }),
    ],
    [
      'resource_bounds',
      'lower than the minimal gas amount',
      () => invoke(account, [], 0, { resource_bounds: { ...AMPLE, l2_gas: bounds(1n) } }),
    ],
    [
      'validation',
      'Account: invalid signature',
      () => invoke({ ...account, privateKey: '0x1' }, [], 0),
    ],
    ['proof_facts', 'Proof', () => invoke(account, [], 0, { proof_facts: ['0x5', '0x6'] })],
  ];
  test.each(cases)('for its %s: %s', async (reason, words, make) => {
    const { rejection } = await rejected(chain.state, make());
    expect(rejection.reason).toBe(reason);
    expect(rejection.message).toContain(words);
  });

  test('a wrong nonce tells both', async () => {
    const { rejection } = await rejected(chain.state, transfer(account, '0x1', 1, 7));
    expect(rejection.nonce).toEqual({ address: account.address, account: '0x0', given: '0x7' });
  });

  test('a failed validation tells the frame', async () => {
    const { rejection } = await rejected(
      chain.state,
      invoke({ ...account, privateKey: '0x1' }, [], 0),
    );
    expect(rejection.frames.at(-1)).toMatchObject({
      contract_address: account.address,
      selector: starknetKeccak('__validate__'),
    });
  });

  test('a validation that returns something else than VALID', async () => {
    const state = await place(chain.state, 'account_reject', CONTRACT);
    const rich = await state.apply({
      storage_diffs: [
        { address: STRK, storage_entries: [{ key: balanceKey(CONTRACT), value: hex(10n ** 21n) }] },
      ],
    });
    const send = (verdict: string) =>
      new Transaction({ ...invokeValuesOf(CONTRACT), signature: [verdict] }, CHAIN_ID);
    expect((await rejected(rich, send('0x2'))).rejection).toMatchObject({ reason: 'validation' });
    expect((await rejected(rich, send('0x3'))).rejection.message).toContain('account: rejected');
    expect((await applied(rich, send('0x1'))).outcome).toBe('accepted');
  });

  test('a class that is declared already', async () => {
    const counter = await contractClass('counter');
    const state = await chain.state.apply({}, [counter]);
    const tx = new Transaction(declareValues(account, counter, 0), CHAIN_ID, counter);
    expect((await rejected(state, tx)).rejection.reason).toBe('class_already_declared');
  });

  test('an account of a class that is not declared', async () => {
    const tx = new Transaction(deployAccountValues('0x77', '0x1234'), CHAIN_ID);
    const execution = await rejected(chain.state, tx, { chargeFee: false });
    expect(execution.rejection.message).toContain('is not declared');
  });

  test('an account whose constructor panics', async () => {
    const tx = new Transaction(
      deployAccountValues('0x77', chain.classes.account.hash, { constructor_calldata: [] }),
      CHAIN_ID,
    );
    const { rejection } = await rejected(chain.state, tx, { chargeFee: false });
    expect(rejection.reason).toBe('constructor');
    expect(rejection.frames.length).toBeGreaterThan(0);
  });

  test('an L1 handler without a paid fee', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const tx = new Transaction({ ...deposit(account, '0x7'), paid_fee_on_l1: '0x0' }, CHAIN_ID);
    expect((await rejected(state, tx)).rejection).toMatchObject({
      reason: 'l1_fee',
      message: expect.stringContaining('exceeded paid fee on L1 (0)'),
    });
  });

  test('a transaction that fits no block', async () => {
    const execution = await chain.state.execute(
      block(1, { limits: { n_events: 0 } }),
      transfer(account, '0x1', 1, 0),
    );
    expect(execution).toMatchObject({ outcome: 'rejected', rejection: { reason: 'too_large' } });
  });
});
