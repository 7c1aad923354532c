// Execution of each kind of transaction, accepted or reverted, and the effect of the flags.

import { type ExecutionFlags, starknetKeccak, Transaction } from '@starkbox/engine';
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
  LEGACY_UDC,
  place,
  STRK,
  transfer,
  UDC,
} from '../fixtures/chain.js';
import {
  applied,
  balanceKey,
  CONTRACT,
  deposit,
  NO_BOUNDS,
  rejected,
} from '../fixtures/transactions.js';

const chain = await genesis(await accountClass());
const account = firstAccount(chain);

describe('accepted', () => {
  test('a transfer moves the amount, charges the fee and tells both in order', async () => {
    const execution = await applied(chain.state, transfer(account, '0x1234', 1000, 0));
    expect(execution.outcome).toBe('accepted');
    expect(execution.receipt.events.map((event) => event.keys[2])).toEqual(['0x1234', '0x1000']);
    expect(await execution.next.storageAt(STRK, balanceKey('0x1234'))).toBe('0x3e8');
    expect(await execution.next.nonceAt(account.address)).toBe('0x1');
    expect(await chain.state.nonceAt(account.address)).toBe('0x0');
    const fee = BigInt(execution.receipt.actual_fee.amount);
    const { l1_gas, l1_data_gas, l2_gas } = execution.receipt.execution_resources;
    expect(fee).toBe(BigInt(l1_gas + l1_data_gas + l2_gas) * 10n ** 9n);
    expect(JSON.parse(execution.trace)).toMatchObject({
      type: 'INVOKE',
      validate_invocation: { class_hash: chain.classes.account.hash },
      execute_invocation: { calls: [{ contract_address: STRK }], is_reverted: false },
      fee_transfer_invocation: { contract_address: STRK },
      state_diff: execution.next.diffOf(1),
    });
  });

  test('a declare makes its class known from the next state on', async () => {
    const counter = await contractClass('counter');
    const values = declareValues(account, counter, 0);
    const execution = await applied(chain.state, new Transaction(values, CHAIN_ID, counter));
    expect(execution.next.diffOf(1).declared_classes).toEqual([
      { class_hash: counter.hash, compiled_class_hash: counter.compiledClassHash },
    ]);
    expect((await execution.next.class(counter.hash))?.hash).toBe(counter.hash);
    expect(await chain.state.class(counter.hash)).toBeUndefined();
    expect(JSON.parse(execution.trace)).not.toHaveProperty('execute_invocation');
  });

  test('a deploy-account runs its constructor, then validates, then pays', async () => {
    const values = deployAccountValues('0xabcdef', chain.classes.account.hash);
    const { address } = new Transaction(values, CHAIN_ID);
    const funded = await chain.state.apply({
      storage_diffs: [
        { address: STRK, storage_entries: [{ key: balanceKey(address), value: hex(10n ** 21n) }] },
      ],
    });
    const execution = await applied(funded, new Transaction(values, CHAIN_ID));
    expect(execution.receipt.contract_address).toBe(address);
    expect(await execution.next.classHashAt(address)).toBe(chain.classes.account.hash);
    expect(JSON.parse(execution.trace).constructor_invocation.entry_point_type).toBe('CONSTRUCTOR');
    const again = await rejected(execution.next, new Transaction(values, CHAIN_ID));
    expect(again.rejection.reason).toBe('nonce');
  });

  test.each([
    ['UDC', UDC],
    ['the Cairo 0 UDC', LEGACY_UDC],
  ])('a deployment through %s runs the constructor and is reported as deployed', async (_, udc) => {
    const counter = await contractClass('counter');
    const state = await chain.state.apply({}, [counter]);
    const calldata = [counter.hash, '0x5', '0x0', '0x1', '0x2a'];
    const execution = await applied(
      state,
      invoke(account, [{ to: udc, name: 'deployContract', calldata }], 0),
    );
    const [deployed] = execution.next.diffOf(1).deployed_contracts;
    expect(deployed?.class_hash).toBe(counter.hash);
    const call = {
      contract_address: deployed?.address ?? '0x0',
      entry_point_selector: starknetKeccak('get'),
      calldata: [],
    };
    expect(await execution.next.call(block(2), call)).toEqual({ result: ['0x2a'] });
  });

  test('an L1 handler pays nothing on L2 and carries its message hash', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const handler = new Transaction(deposit(account, '0x7'), CHAIN_ID);
    const execution = await applied(state, handler);
    expect(execution.receipt).toMatchObject({
      type: 'L1_HANDLER',
      actual_fee: { amount: '0x0', unit: 'WEI' },
      message_hash: handler.messageHash,
    });
    expect(JSON.parse(execution.trace).function_invocation.entry_point_type).toBe('L1_HANDLER');
  });

  test('messages to L1 are in the receipt and the trace', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const calldata = ['0xabc', '0x2', '0x1', '0x2'];
    const execution = await applied(
      state,
      invoke(account, [{ to: CONTRACT, name: 'send', calldata }], 0),
    );
    expect(execution.receipt.messages_sent).toEqual([
      { from_address: CONTRACT, to_address: '0xabc', payload: ['0x1', '0x2'] },
    ]);
  });

  test('a replaced class is reported as replaced, not deployed', async () => {
    const upgraded = await contractClass('upgraded');
    const placed = await place(chain.state, 'upgradable', CONTRACT);
    const state = (await placed.apply({}, [upgraded])).advance();
    const call = { to: CONTRACT, name: 'replace_class', calldata: [upgraded.hash] };
    const execution = await state.execute(block(2), invoke(account, [call], 0));
    if (execution.outcome === 'rejected') throw new Error(execution.rejection.message);
    expect(execution.next.diffOf(2)).toMatchObject({
      deployed_contracts: [],
      replaced_classes: [{ contract_address: CONTRACT, class_hash: upgraded.hash }],
    });
  });

  test('bounds on L1 gas alone are charged in L1 gas', async () => {
    const l1Only = { ...NO_BOUNDS, l1_gas: bounds(100_000n) };
    const execution = await applied(
      chain.state,
      invoke(account, [], 0, { resource_bounds: l1Only }),
    );
    expect(execution.receipt.execution_resources.l2_gas).toBe(0);
    expect(execution.receipt.execution_resources.l1_gas).toBeGreaterThan(0);
  });

  test('the deepest call chain that the protocol allows fits on the stack', async () => {
    const state = await place(chain.state, 'reverter', CONTRACT);
    const call = (depth: number) => ({
      contract_address: CONTRACT,
      entry_point_selector: starknetKeccak('recurse'),
      calldata: [hex(depth)],
    });
    expect(await state.call(block(), call(45))).toEqual({ result: [hex(45)] });
    expect((await state.call(block(), call(60))).failure?.message).toMatch(/recursion|depth/i);
  });
});

describe('reverted', () => {
  test('an invoke keeps nonce and fee, drops the rest, and tells the frames', async () => {
    const state = await place(chain.state, 'reverter', CONTRACT);
    const calldata = [CONTRACT, '0x1', '0x626f6f6d'];
    const execution = await applied(
      state,
      invoke(account, [{ to: CONTRACT, name: 'fail_via', calldata }], 0),
    );
    expect(execution.outcome).toBe('reverted');
    expect(execution.receipt.execution_status).toBe('REVERTED');
    expect(execution.receipt.revert_reason).toContain("0x626f6f6d ('boom')");
    expect(execution.fault?.panic).toEqual(['0x626f6f6d']);
    expect(execution.fault?.frames.map((frame) => [frame.kind, frame.contract_address])).toEqual([
      ['call', account.address],
      ['panic', account.address],
      ['panic', CONTRACT],
      ['panic', CONTRACT],
    ]);
    expect(execution.fault?.frames.at(-1)?.selector).toBe(starknetKeccak('fail'));
    expect(JSON.parse(execution.trace).execute_invocation).toEqual({
      revert_reason: execution.receipt.revert_reason,
    });
    expect(await execution.next.nonceAt(account.address)).toBe('0x1');
    expect(BigInt(execution.receipt.actual_fee.amount)).toBeGreaterThan(0n);
  });

  test('an L1 handler that panics is recorded', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const execution = await applied(state, new Transaction(deposit(account, '0x0'), CHAIN_ID));
    expect(execution.outcome).toBe('reverted');
    expect(execution.receipt.revert_reason).toContain('messenger: empty deposit');
  });

  test('too little L2 gas for the run reverts with the amounts', async () => {
    const tight = { ...AMPLE, l2_gas: bounds(1_000_000n) };
    const calls = [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }];
    const execution = await applied(
      chain.state,
      invoke(account, calls, 0, { resource_bounds: tight }),
    );
    expect(execution.fault?.message).toMatch(/Insufficient max L2Gas: max amount: 1000000/);
    expect(execution.fault?.frames).toEqual([]);
  });
});

describe('flags', () => {
  test('without validation a wrong signature does not matter', async () => {
    const tx = invoke({ ...account, privateKey: '0x1' }, [], 0);
    const execution = await applied(chain.state, tx, { validate: false });
    expect(JSON.parse(execution.trace)).not.toHaveProperty('validate_invocation');
  });

  test('without charging no fee is paid, and bounds may be zero', async () => {
    const tx = invoke(account, [], 0, { resource_bounds: NO_BOUNDS });
    const execution = await applied(chain.state, tx, { chargeFee: false, unboundedGas: true });
    expect(JSON.parse(execution.trace)).not.toHaveProperty('fee_transfer_invocation');
    expect(BigInt(execution.receipt.actual_fee.amount)).toBeGreaterThan(0n);
    expect(execution.receipt.events).toEqual([]);
  });

  test('a nonce ahead is accepted when gaps are, and counts by one', async () => {
    const tx = transfer(account, '0x1', 1, 5);
    const execution = await applied(chain.state, tx, { strictNonce: false });
    expect(await execution.next.nonceAt(account.address)).toBe('0x1');
    const behind = await execution.next.execute(block(), transfer(account, '0x1', 1, 0), {
      strictNonce: false,
    });
    expect(behind.outcome).toBe('rejected');
  });

  test('contracts see the query version when asked to', async () => {
    const state = await place(chain.state, 'context', CONTRACT);
    const tx = invoke(account, [{ to: CONTRACT, name: 'store', calldata: [] }], 0);
    const version = async (flags: ExecutionFlags) => {
      const { next } = await applied(state, tx, flags);
      const stored = await next.call(block(), {
        contract_address: CONTRACT,
        entry_point_selector: starknetKeccak('stored'),
        calldata: [],
      });
      return stored.result?.[5];
    };
    expect(await version({})).toBe('0x3');
    expect(await version({ query: true, validate: false })).toBe(hex(2n ** 128n + 3n));
  });
});
