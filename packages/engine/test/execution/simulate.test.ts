// Executions that change nothing: batches, calls, views of older states.

import { Class, type Reports, starknetKeccak, Transaction } from '@starkbox/engine';
import { standardSpec } from '@starkbox/test-support/conformance/published-spec';
import { describe, expect, test } from 'vitest';
import {
  accountClass,
  block,
  CHAIN_ID,
  contractClass,
  declareValues,
  ETH,
  firstAccount,
  genesis,
  hex,
  invoke,
  place,
  STRK,
  transfer,
  UDC,
} from '../fixtures/chain.js';
import { applied, balanceKey, CONTRACT, deposit } from '../fixtures/transactions.js';

const spec = standardSpec();

const chain = await genesis(await accountClass());
const account = firstAccount(chain);

const ALL = { report: 'execution' } as const;

describe('many on a throw-away layer', () => {
  test('each sees the ones before it; differences are its own; the state stays', async () => {
    const transactions = [0, 1, 2].map((nonce) => transfer(account, '0x55', 10, nonce));
    const reports = await chain.state.executeMany(
      block(),
      transactions,
      {},
      { report: 'simulation', initialReads: true },
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

  test('code of a class that the first declares runs in the next, as on a state that has it', async () => {
    const reverter = await contractClass('reverter');
    const declare = new Transaction(declareValues(account, reverter, 0), CHAIN_ID, reverter);
    const calldata = [reverter.hash, '0x7', '0x0', '0x0'];
    const deploy = invoke(account, [{ to: UDC, name: 'deployContract', calldata }], 1);
    const declared = await applied(chain.state, declare);
    const deployed = await applied(declared.next, deploy);
    const to = deployed.next.diffOf(1).deployed_contracts[0]?.address ?? '0x0';
    const call = invoke(account, [{ to, name: 'fail', calldata: ['0x1', '0x62'] }], 2);
    const called = await applied(deployed.next, call);
    expect(called.fault?.panic?.[0]).toBe('0x62');
    const reports = await chain.state.executeMany(block(), [declare, deploy, call], {}, ALL);
    const alone = [declared, deployed, called].map(({ next: _, ...report }) => report);
    expect(reports).toEqual(alone);
  });

  test('it ends at the first that is rejected', async () => {
    const transactions = [0, 9, 1].map((nonce) => transfer(account, '0x55', 10, nonce));
    const reports = await chain.state.executeMany(block(), transactions, {}, ALL);
    expect(reports.map((report) => report.outcome)).toEqual(['accepted', 'rejected']);
  });

  test('each has flags of its own', async () => {
    const transactions = [0, 5, 2].map((nonce) => transfer(account, '0x55', 10, nonce));
    const lax = { strictNonce: false };
    const reports = await chain.state.executeMany(block(), transactions, [{}, lax, {}], ALL);
    expect(reports.map((report) => report.outcome)).toEqual(['accepted', 'accepted', 'accepted']);
    await expect(chain.state.executeMany(block(), transactions, [{}], ALL)).rejects.toMatchObject({
      kind: 'input',
      message: 'flags: 1 for 3 transactions',
    });
  });

  test('none begins when there is no time left', async () => {
    const transactions = Array.from({ length: 100 }, (_, nonce) =>
      transfer(account, '0x55', 10, nonce),
    );
    const run = (timeLimit: number) =>
      chain.state.executeMany(block(), transactions, {}, { report: 'estimate', timeLimit });
    await expect(run(1)).rejects.toMatchObject({
      kind: 'deadline',
      message: expect.stringMatching(/^\d{1,2} of 100 transactions took 0\.001 s$/),
    });
    expect(await run(60_000)).toHaveLength(100);
    await expect(run(-1)).rejects.toMatchObject({ kind: 'input' });
  });

  test('a report contains what was asked for, and no more', async () => {
    const transactions = [transfer(account, '0x55', 10, 0)];
    const run = async (report: keyof Reports) => {
      const [single] = await chain.state.executeMany(block(), transactions, {}, { report });
      return single;
    };
    const [whole] = await chain.state.executeMany(block(), transactions, {}, ALL);
    if (whole?.outcome !== 'accepted') throw new Error('not accepted');
    expect(whole.receipt.events).toHaveLength(2);
    const { execution_resources, data_availability } = whole.receipt;
    const simulation = { ...whole, receipt: { execution_resources, data_availability } };
    expect(await run('simulation')).toEqual(simulation);
    const { trace: _, ...estimate } = simulation;
    expect(await run('estimate')).toEqual(estimate);
  });

  test('reports of more bytes than the limit end it at once', async () => {
    const state = await place(chain.state, 'emitter', CONTRACT);
    const calldata = ['400', '0', '300'].map((count) => hex(Number(count)));
    const call = { to: CONTRACT, name: 'emit_batch', calldata };
    const transactions = [0, 1, 2, 3, 4].map((nonce) => invoke(account, [call], nonce));
    const flags = { chargeFee: false, unboundedGas: true };
    const run = (report: keyof Reports) =>
      state.executeMany(block(), transactions, flags, { report, byteLimit: 2_000_000 });
    await expect(run('simulation')).rejects.toMatchObject({
      kind: 'report_too_large',
      message: 'the reports of 2 of 5 transactions have more than 2000000 bytes',
    });
    expect((await run('estimate')).map(({ outcome }) => outcome)).toEqual(
      Array(5).fill('accepted'),
    );
  });

  test('nothing gives nothing', async () => {
    expect(await chain.state.executeMany(block(), [], {}, ALL)).toEqual([]);
  });

  test('a message is estimated by running it', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const [report] = await state.executeMany(
      block(),
      [new Transaction(deposit(account, '0x7'), CHAIN_ID)],
      {},
      ALL,
    );
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
    const undeployed = await chain.state.call(block(), call('0xdead', 'x'));
    expect(undeployed.failure?.message).toContain('is not deployed');
  });

  test('with malformed felts are refused', async () => {
    const bad = { contract_address: ETH, entry_point_selector: 'symbol', calldata: [] };
    await expect(chain.state.call(block(), bad)).rejects.toMatchObject({ kind: 'input' });
  });
});

test('transactions on views of older versions can be simulated but not applied', async () => {
  const execution = await applied(chain.state, transfer(account, '0x9', 5, 0));
  const later = execution.next.advance();
  const view = later.at(0);
  const [report] = await view.executeMany(block(), [transfer(account, '0x9', 5, 0)], {}, ALL);
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
