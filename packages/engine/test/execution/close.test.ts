// Execution and closing of a block in one go, against both one after another.

import { type State, Transaction, type TransactionValues } from '@starkbox/engine';
import { expect, test } from 'vitest';
import {
  accountClass,
  block,
  CHAIN_ID,
  contractClass,
  declareValues,
  deployAccountValues,
  firstAccount,
  genesis,
  hex,
  invokeValues,
  place,
  STRK,
} from '../fixtures/chain.js';
import { balanceKey, CONTRACT, deposit } from '../fixtures/transactions.js';

const chain = await genesis(await accountClass());
const account = firstAccount(chain);
const counter = await contractClass('counter');

const call = (name: string, ...calldata: string[]) =>
  invokeValues(account, [{ to: CONTRACT, name, calldata }], 0);

async function funded(): Promise<State> {
  const values = deployAccountValues('0xabcdef', chain.classes.account.hash);
  const { address } = new Transaction(values, CHAIN_ID);
  const storage_entries = [{ key: balanceKey(address), value: hex(10n ** 21n) }];
  return chain.state.apply({ storage_diffs: [{ address: STRK, storage_entries }] });
}

const KINDS: Record<string, () => Promise<readonly [State, TransactionValues]>> = {
  'a transfer': async () => [
    chain.state,
    invokeValues(account, [{ to: STRK, name: 'transfer', calldata: ['0x12', '0x1', '0x0'] }], 0),
  ],
  'an invoke without events of its own': async () => [chain.state, invokeValues(account, [], 0)],
  'messages to L1': async () => [
    await place(chain.state, 'messenger', CONTRACT),
    call('send', '0xabc', '0x2', '0x1', '0x2'),
  ],
  'a revert': async () => [
    await place(chain.state, 'reverter', CONTRACT),
    call('fail_via', CONTRACT, '0x1', '0x626f6f6d'),
  ],
  'a message from L1': async () => [
    await place(chain.state, 'messenger', CONTRACT),
    deposit(account, '0x7'),
  ],
  'a message from L1 that fails': async () => [
    await place(chain.state, 'messenger', CONTRACT),
    deposit(account, '0x0'),
  ],
  'a declaration': async () => [chain.state, declareValues(account, counter, 0)],
  'a new account': async () => [
    await funded(),
    deployAccountValues('0xabcdef', chain.classes.account.hash),
  ],
};

test.each(Object.keys(KINDS))('%s', async (kind) => {
  const [state, values] = (await KINDS[kind]?.()) ?? [];
  if (!state || !values) throw new Error(`no transaction for ${kind}`);
  const declared = values['type'] === 'DECLARE' ? counter : undefined;
  const tx = new Transaction(values, CHAIN_ID, declared);
  const signature = Array.isArray(values['signature']) ? values['signature'].map(String) : [];
  const firstWrite = { address: '0x1', key: '0x5', value: '0xabc' };
  const closing = { parentHash: '0x77', firstWrite };

  const apart = await state.execute(block(), tx);
  if (apart.outcome === 'rejected') throw new Error(apart.rejection.message);
  const { receipt, trace } = apart;
  const expected = await apart.next.close(block(), [{ signature, receipt }], closing);
  const together = await state.executeAndClose(block(), tx, {}, closing);
  if (together.outcome === 'rejected') throw new Error(together.rejection.message);

  expect(together).toMatchObject({ receipt, trace });
  expect(together.closed.seal).toEqual(expected.seal);
  expect(together.closed.diff).toBe(expected.diff);
  const nothing = await expected.next.diffTo(expected.next);
  expect(await together.closed.latest.diffTo(expected.latest)).toEqual(nothing);
  expect(await together.closed.next.diffTo(expected.next)).toEqual(nothing);
  expect(await together.closed.next.storageAt('0x1', '0x5')).toBe('0xabc');
});

test.each([0, 8, 9])('no transaction, and %i slots', async (count) => {
  const entry = (_: unknown, index: number) => ({ key: hex(BigInt(index + 1)), value: '0x1' });
  const storage_entries = Array.from({ length: count }, entry);
  const state = await chain.state.apply({
    storage_diffs: [{ address: CONTRACT, storage_entries }],
  });
  const firstWrite = { address: '0x1', key: '0x5', value: '0xabc' };

  const closed = await state.close(block(), [], { parentHash: '0x77', firstWrite });
  const expected = await state.native.close(block().native, '[]', '0x77', firstWrite);
  const atOnce = state.native.closeEmpty(block().native, '0x77', firstWrite);

  expect(closed.seal).toEqual(JSON.parse(expected.seal));
  expect(closed.diff).toBe(expected.diff);
  expect(atOnce?.seal).toBe(count > 8 ? undefined : expected.seal);
  expect(await closed.next.storageAt('0x1', '0x5')).toBe('0xabc');
});

test('a rejected transaction closes nothing', async () => {
  const tx = new Transaction(invokeValues(account, [], 7), CHAIN_ID);
  const execution = await chain.state.executeAndClose(block(), tx, {}, { parentHash: '0x0' });
  expect(execution).toMatchObject({ outcome: 'rejected', rejection: { reason: 'nonce' } });
  expect(execution).not.toHaveProperty('closed');
});
