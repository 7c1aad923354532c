// Shows what executing each kind of transaction gives, that it fits the published spec, and every
// way in which one is refused.

import {
  type Applied,
  Class,
  type ExecutionFlags,
  type Rejected,
  type RejectionReason,
  type State,
  starknetKeccak,
  storageAddress,
  Transaction,
} from '@starkbox/engine';
import { loadPublishedSpec } from '@starkbox/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Account,
  AMPLE,
  block,
  bounds,
  CHAIN_ID,
  contractClass,
  declareValues,
  deployAccountValues,
  ETH,
  type Genesis,
  genesis,
  hex,
  invoke,
  LEGACY_UDC,
  place,
  STRK,
  transfer,
  UDC,
} from './fixture.js';

const spec = loadPublishedSpec();
const CONTRACT = '0xc0de';
const NO_BOUNDS = { l1_gas: bounds(0n, 0n), l1_data_gas: bounds(0n, 0n), l2_gas: bounds(0n, 0n) };

let chain: Genesis;
let account: Account;

beforeAll(async () => {
  chain = await genesis();
  const [first] = chain.accounts;
  if (!first) throw new Error('no account');
  account = first;
});

/** What the chain adds to a receipt, and what the RPC does not show of it. */
function published(done: Applied): unknown {
  const { data_availability: _part, ...receipt } = done.receipt;
  return { ...receipt, finality_status: 'ACCEPTED_ON_L2', block_hash: '0x1', block_number: 1 };
}

function fitsTheSpec(done: Applied): void {
  expect(spec.checkSchema('TXN_RECEIPT_WITH_BLOCK_INFO', published(done))).toEqual([]);
  expect(spec.checkSchema('TRANSACTION_TRACE', JSON.parse(done.trace))).toEqual([]);
  expect(spec.checkSchema('STATE_DIFF', done.next.diffOf(1))).toEqual([]);
}

async function applied(state: State, tx: Transaction, flags?: ExecutionFlags): Promise<Applied> {
  const done = await state.execute(block(), tx, flags);
  if (done.outcome === 'rejected') throw new Error(done.rejection.message);
  fitsTheSpec(done);
  return done;
}

async function rejected(state: State, tx: Transaction, flags?: ExecutionFlags): Promise<Rejected> {
  const done = await state.execute(block(), tx, flags);
  if (done.outcome !== 'rejected') throw new Error(`it was ${done.outcome}`);
  return done;
}

const balanceKey = (holder: string): string => storageAddress('ERC20_balances', [holder]);

describe('accepted', () => {
  test('a transfer moves the amount, charges the fee and tells both in order', async () => {
    const done = await applied(chain.state, transfer(account, '0x1234', 1000, 0));
    expect(done.outcome).toBe('accepted');
    expect(done.receipt.events.map((event) => event.keys[2])).toEqual(['0x1234', '0x1000']);
    expect(await done.next.storageAt(STRK, balanceKey('0x1234'))).toBe('0x3e8');
    expect(await done.next.nonceAt(account.address)).toBe('0x1');
    expect(await chain.state.nonceAt(account.address)).toBe('0x0');
    const fee = BigInt(done.receipt.actual_fee.amount);
    const { l1_gas, l1_data_gas, l2_gas } = done.receipt.execution_resources;
    expect(fee).toBe(BigInt(l1_gas + l1_data_gas + l2_gas) * 10n ** 9n);
    expect(JSON.parse(done.trace)).toMatchObject({
      type: 'INVOKE',
      validate_invocation: { class_hash: chain.classes.account.hash },
      execute_invocation: { calls: [{ contract_address: STRK }], is_reverted: false },
      fee_transfer_invocation: { contract_address: STRK },
      state_diff: done.next.diffOf(1),
    });
  });

  test('a declare makes its class known from the next state on', async () => {
    const counter = await contractClass('counter');
    const values = declareValues(account, counter, 0);
    const done = await applied(chain.state, new Transaction(values, CHAIN_ID, counter));
    expect(done.next.diffOf(1).declared_classes).toEqual([
      { class_hash: counter.hash, compiled_class_hash: counter.compiledClassHash },
    ]);
    expect((await done.next.class(counter.hash))?.hash).toBe(counter.hash);
    expect(await chain.state.class(counter.hash)).toBeUndefined();
    expect(JSON.parse(done.trace)).not.toHaveProperty('execute_invocation');
  });

  test('a deploy-account runs its constructor, then validates, then pays', async () => {
    const values = deployAccountValues('0xabcdef', chain.classes.account.hash);
    const { address } = new Transaction(values, CHAIN_ID);
    const funded = await chain.state.apply({
      storage_diffs: [
        { address: STRK, storage_entries: [{ key: balanceKey(address), value: hex(10n ** 21n) }] },
      ],
    });
    const done = await applied(funded, new Transaction(values, CHAIN_ID));
    expect(done.receipt.contract_address).toBe(address);
    expect(await done.next.classHashAt(address)).toBe(chain.classes.account.hash);
    expect(JSON.parse(done.trace).constructor_invocation.entry_point_type).toBe('CONSTRUCTOR');
    const again = await rejected(done.next, new Transaction(values, CHAIN_ID));
    expect(again.rejection.reason).toBe('nonce');
  });

  test.each([
    ['UDC', UDC],
    ['the Cairo 0 UDC', LEGACY_UDC],
  ])('a deployment through %s runs the constructor and is told as deployed', async (_, udc) => {
    const counter = await contractClass('counter');
    const state = await chain.state.apply({}, [counter]);
    const calldata = [counter.hash, '0x5', '0x0', '0x1', '0x2a'];
    const done = await applied(
      state,
      invoke(account, [{ to: udc, name: 'deployContract', calldata }], 0),
    );
    const [deployed] = done.next.diffOf(1).deployed_contracts;
    expect(deployed?.class_hash).toBe(counter.hash);
    const call = {
      contract_address: deployed?.address ?? '0x0',
      entry_point_selector: starknetKeccak('get'),
      calldata: [],
    };
    expect(await done.next.call(block(2), call)).toEqual({ result: ['0x2a'] });
  });

  test('an L1 handler pays nothing on L2 and carries its message hash', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const handler = new Transaction(deposit('0x7'), CHAIN_ID);
    const done = await applied(state, handler);
    expect(done.receipt).toMatchObject({
      type: 'L1_HANDLER',
      actual_fee: { amount: '0x0', unit: 'WEI' },
      message_hash: handler.messageHash,
    });
    expect(JSON.parse(done.trace).function_invocation.entry_point_type).toBe('L1_HANDLER');
  });

  test('messages to L1 are told in the receipt and the trace', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const calldata = ['0xabc', '0x2', '0x1', '0x2'];
    const done = await applied(
      state,
      invoke(account, [{ to: CONTRACT, name: 'send', calldata }], 0),
    );
    expect(done.receipt.messages_sent).toEqual([
      { from_address: CONTRACT, to_address: '0xabc', payload: ['0x1', '0x2'] },
    ]);
  });

  test('a replaced class is told as replaced, not deployed', async () => {
    const upgraded = await contractClass('upgraded');
    const placed = await place(chain.state, 'upgradable', CONTRACT);
    const state = (await placed.apply({}, [upgraded])).advance();
    const call = { to: CONTRACT, name: 'replace_class', calldata: [upgraded.hash] };
    const done = await state.execute(block(2), invoke(account, [call], 0));
    if (done.outcome === 'rejected') throw new Error(done.rejection.message);
    expect(done.next.diffOf(2)).toMatchObject({
      deployed_contracts: [],
      replaced_classes: [{ contract_address: CONTRACT, class_hash: upgraded.hash }],
    });
  });

  test('bounds on L1 gas alone are charged in L1 gas', async () => {
    const l1Only = { ...NO_BOUNDS, l1_gas: bounds(100_000n) };
    const done = await applied(chain.state, invoke(account, [], 0, { resource_bounds: l1Only }));
    expect(done.receipt.execution_resources.l2_gas).toBe(0);
    expect(done.receipt.execution_resources.l1_gas).toBeGreaterThan(0);
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

function deposit(amount: string) {
  return {
    type: 'L1_HANDLER',
    contract_address: CONTRACT,
    entry_point_selector: starknetKeccak('deposit'),
    calldata: ['0x99', account.address, amount],
    nonce: '0x1',
    paid_fee_on_l1: '0x1',
  };
}

describe('reverted', () => {
  test('an invoke keeps nonce and fee, drops the rest, and tells the frames', async () => {
    const state = await place(chain.state, 'reverter', CONTRACT);
    const calldata = [CONTRACT, '0x1', '0x626f6f6d'];
    const done = await applied(
      state,
      invoke(account, [{ to: CONTRACT, name: 'fail_via', calldata }], 0),
    );
    expect(done.outcome).toBe('reverted');
    expect(done.receipt.execution_status).toBe('REVERTED');
    expect(done.receipt.revert_reason).toContain("0x626f6f6d ('boom')");
    expect(done.fault?.panic).toEqual(['0x626f6f6d']);
    expect(done.fault?.frames.map((frame) => [frame.kind, frame.contract_address])).toEqual([
      ['call', account.address],
      ['panic', account.address],
      ['panic', CONTRACT],
      ['panic', CONTRACT],
    ]);
    expect(done.fault?.frames.at(-1)?.selector).toBe(starknetKeccak('fail'));
    expect(JSON.parse(done.trace).execute_invocation).toEqual({
      revert_reason: done.receipt.revert_reason,
    });
    expect(await done.next.nonceAt(account.address)).toBe('0x1');
    expect(BigInt(done.receipt.actual_fee.amount)).toBeGreaterThan(0n);
  });

  test('an L1 handler that panics is recorded', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const done = await applied(state, new Transaction(deposit('0x0'), CHAIN_ID));
    expect(done.outcome).toBe('reverted');
    expect(done.receipt.revert_reason).toContain('messenger: empty deposit');
  });

  test('too little L2 gas for the run reverts with the amounts', async () => {
    const tight = { ...AMPLE, l2_gas: bounds(1_000_000n) };
    const calls = [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x1', '0x0'] }];
    const done = await applied(chain.state, invoke(account, calls, 0, { resource_bounds: tight }));
    expect(done.fault?.message).toMatch(/Insufficient max L2Gas: max amount: 1000000/);
    expect(done.fault?.frames).toEqual([]);
  });
});

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
    const done = await rejected(chain.state, tx, { chargeFee: false });
    expect(done.rejection.message).toContain('is not declared');
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

  test('an L1 handler that nobody paid for', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const tx = new Transaction({ ...deposit('0x7'), paid_fee_on_l1: '0x0' }, CHAIN_ID);
    expect((await rejected(state, tx)).rejection).toMatchObject({
      reason: 'l1_fee',
      message: expect.stringContaining('exceeded paid fee on L1 (0)'),
    });
  });

  test('a transaction that fits no block', async () => {
    const done = await chain.state.execute(
      block(1, { limits: { n_events: 0 } }),
      transfer(account, '0x1', 1, 0),
    );
    expect(done).toMatchObject({ outcome: 'rejected', rejection: { reason: 'too_large' } });
  });
});

function invokeValuesOf(sender: string) {
  return {
    type: 'INVOKE',
    version: '0x3',
    tip: '0x0',
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
    resource_bounds: AMPLE,
    sender_address: sender,
    calldata: ['0x0'],
    account_deployment_data: [],
    nonce: '0x0',
  };
}

describe('flags', () => {
  test('without validation a wrong signature does not matter', async () => {
    const tx = invoke({ ...account, privateKey: '0x1' }, [], 0);
    const done = await applied(chain.state, tx, { validate: false });
    expect(JSON.parse(done.trace)).not.toHaveProperty('validate_invocation');
  });

  test('without charging nobody pays, and bounds may be zero', async () => {
    const tx = invoke(account, [], 0, { resource_bounds: NO_BOUNDS });
    const done = await applied(chain.state, tx, { chargeFee: false, unboundedGas: true });
    expect(JSON.parse(done.trace)).not.toHaveProperty('fee_transfer_invocation');
    expect(BigInt(done.receipt.actual_fee.amount)).toBeGreaterThan(0n);
    expect(done.receipt.events).toEqual([]);
  });

  test('a nonce ahead is accepted when gaps are, and counts by one', async () => {
    const tx = transfer(account, '0x1', 1, 5);
    const done = await applied(chain.state, tx, { strictNonce: false });
    expect(await done.next.nonceAt(account.address)).toBe('0x1');
    const behind = await done.next.execute(block(), transfer(account, '0x1', 1, 0), {
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

describe('many on a throw-away layer', () => {
  test('each sees the ones before it; differences are its own; the state stays', async () => {
    const transactions = [0, 1, 2].map((nonce) => transfer(account, '0x55', 10, nonce));
    const reports = await chain.state.executeMany(
      block(),
      transactions,
      {},
      { initialReads: true },
    );
    expect(reports.map((report) => report.outcome)).toEqual(['accepted', 'accepted', 'accepted']);
    const received = reports.map((report) => {
      if (report.outcome === 'rejected') throw new Error('rejected');
      const { storage_diffs } = JSON.parse(report.trace).state_diff;
      return storage_diffs[0].storage_entries.find(
        (entry: { key: string }) => entry.key === balanceKey('0x55'),
      ).value;
    });
    expect(received).toEqual(['0xa', '0x14', '0x1e']);
    expect(await chain.state.storageAt(STRK, balanceKey('0x55'))).toBe('0x0');
    const reads: unknown = JSON.parse(reports.at(-1)?.initialReads ?? 'null');
    expect(spec.checkSchema('INITIAL_READS', reads)).toEqual([]);
    expect(reads).toMatchObject({ nonces: [{ nonce: '0x0' }] });
  });

  test('it ends at the first that is rejected', async () => {
    const transactions = [0, 9, 1].map((nonce) => transfer(account, '0x55', 10, nonce));
    const reports = await chain.state.executeMany(block(), transactions);
    expect(reports.map((report) => report.outcome)).toEqual(['accepted', 'rejected']);
  });

  test('nothing gives nothing', async () => {
    expect(await chain.state.executeMany(block(), [])).toEqual([]);
  });

  test('a message is estimated by running it', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const [report] = await state.executeMany(block(), [new Transaction(deposit('0x7'), CHAIN_ID)]);
    expect(report).toMatchObject({ outcome: 'accepted' });
    if (report?.outcome === 'accepted') {
      expect(report.receipt.execution_resources.l1_gas).toBeGreaterThan(0);
    }
  });
});

describe('calls', () => {
  const call = (contract_address: string, name: string, calldata: readonly string[] = []) => ({
    contract_address,
    entry_point_selector: starknetKeccak(name),
    calldata,
  });

  test('return what the function returns', async () => {
    expect(await chain.state.call(block(), call(ETH, 'symbol'))).toEqual({
      result: ['0x0', '0x455448', '0x3'],
    });
  });

  test('see number and time of the given block', async () => {
    const state = await place(chain.state, 'context', CONTRACT);
    const { result } = await state.call(block(77), call(CONTRACT, 'current'));
    expect(result?.slice(0, 3)).toEqual([hex(77), hex(1_700_000_077), '0x1000']);
  });

  test('tell every failed frame and what it returned', async () => {
    const state = await place(chain.state, 'reverter', CONTRACT);
    const data = [CONTRACT, '0x1', '0x626f6f6d'];
    const { failure } = await state.call(block(), call(CONTRACT, 'fail_via', data));
    expect(failure?.frames.map((frame) => frame.selector)).toEqual([
      starknetKeccak('fail_via'),
      starknetKeccak('fail'),
    ]);
    expect(failure?.returned).toEqual([
      ['0x626f6f6d', '0x454e545259504f494e545f4641494c4544'],
      ['0x626f6f6d'],
    ]);
    expect(failure?.panic).toEqual(['0x626f6f6d']);
  });

  test('of a missing function or contract fail with a reason', async () => {
    const missing = await chain.state.call(block(), call(ETH, 'nonsense'));
    expect(missing.failure?.returned).toEqual([['0x454e545259504f494e545f4e4f545f464f554e44']]);
    const nobody = await chain.state.call(block(), call('0xdead', 'x'));
    expect(nobody.failure?.message).toContain('is not deployed');
  });

  test('with malformed felts are refused', async () => {
    const bad = { contract_address: ETH, entry_point_selector: 'symbol', calldata: [] };
    await expect(chain.state.call(block(), bad)).rejects.toMatchObject({ kind: 'input' });
  });
});

test('transactions on views of older versions can be simulated but not applied', async () => {
  const done = await applied(chain.state, transfer(account, '0x9', 5, 0));
  const later = done.next.advance();
  const view = later.at(0);
  const [report] = await view.executeMany(block(), [transfer(account, '0x9', 5, 0)]);
  expect(report?.outcome).toBe('accepted');
  await expect(view.execute(block(), transfer(account, '0x9', 5, 0))).rejects.toMatchObject({
    kind: 'state',
  });
});

test('the class of a DECLARE is read and compiled with it', async () => {
  const json = JSON.parse(await (await contractClass('counter')).json());
  const values = {
    ...declareValues(account, await contractClass('counter'), 0),
    contract_class: json,
  };
  const tx = await Transaction.read(values, CHAIN_ID);
  expect(tx.declared).toBeInstanceOf(Class);
  await expect(
    Transaction.read({ ...values, contract_class: { sierra_program: [] } }, CHAIN_ID),
  ).rejects.toMatchObject({ kind: 'class' });
});
