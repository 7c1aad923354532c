// Batches of executions: they run in turns with those of other clients, end with their client, and have limits of time
// and bytes.
import { membersOf } from '@starkbox/abi/basics';
import { configure, type Reports, State, Transaction } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  contract,
  declareRequest,
  invokeRequest,
  STRK,
  selector,
} from '@starkbox/test-support/signing';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.js';
import { contextOf } from '../../src/chain/execution/block-context.js';
import { Executions } from '../../src/chain/execution/executions.js';
import { bareChain } from '../support/bare-chain.js';

const COUNT = 200;
const TRANSFER = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const CALL = { contract_address: STRK, entry_point_selector: selector('decimals'), calldata: [] };
const FLAGS = { validate: false, chargeFee: false, unboundedGas: true };

let chain: Chain;
let transactions: readonly Transaction[];

beforeAll(async () => {
  chain = await bareChain('transaction');
  const { genesis, chainId } = chain.options;
  const [account] = genesis.accounts;
  if (!account) throw new Error('no account');
  transactions = Array.from(
    { length: COUNT },
    (_, nonce) => new Transaction(invokeRequest(account, [TRANSFER], nonce), chainId),
  );
});

/** The runs of one client on one state. */
function runsOf(executions: Executions) {
  const { world, options } = chain;
  const stateAndContext = [world.pendingState, contextOf(world, options, 1)] as const;
  return {
    call: () => executions.call(...stateAndContext, CALL),
    retrace: (signal?: AbortSignal) =>
      executions.retrace(...stateAndContext, transactions, FLAGS, { signal }),
    simulate: (signal?: AbortSignal) =>
      executions.simulate(...stateAndContext, transactions, FLAGS, { report: 'estimate', signal }),
  };
}

/** Names of runs in the order in which they end. */
function ending() {
  const order: string[] = [];
  const run = (name: string, work: Promise<unknown>): Promise<unknown> =>
    work.finally(() => order.push(name));
  return { order, run };
}

test.each(['retrace', 'simulate'] as const)(
  'a call is answered before a %s of many transactions that began earlier',
  async (kind) => {
    const executions = new Executions({ maximumExecutions: 1 });
    const { order, run } = ending();
    const batch = run('batch', runsOf(executions)[kind]());
    await expect.poll(() => executions.figures.running).toBe(1);
    const call = run('call', runsOf(executions.ofChain()).call());
    await Promise.all([batch, call]);
    expect(order).toEqual(['call', 'batch']);
  },
);

test('more batches than may wait are rejected, and the others run', async () => {
  const executions = new Executions({ maximumExecutions: 1, maximumWaitingExecutions: 1 });
  const running = [runsOf(executions).retrace(), runsOf(executions.ofChain()).retrace()];
  await expect(runsOf(executions).retrace()).rejects.toThrow('1 executions are already waiting');
  await Promise.all(running);
});

test.each(['retrace', 'simulate'] as const)('a %s ends when its client leaves', async (kind) => {
  const executions = new Executions({ maximumExecutions: 1 });
  const leaving = new AbortController();
  const batch = expect(runsOf(executions)[kind](leaving.signal)).rejects.toThrow(
    /stopped after \d+ of 200|The client disconnected/,
  );
  await expect.poll(() => executions.figures.running).toBe(1);
  leaving.abort();
  await batch;
  expect(executions.figures).toEqual({ running: 0, waiting: 0 });
});

test('a batch ends when its chain is closed', async () => {
  const executions = new Executions({ maximumExecutions: 1 });
  const batch = expect(runsOf(executions).retrace()).rejects.toThrow('The chain is closed');
  await expect.poll(() => executions.figures.running).toBe(1);
  executions.close();
  await batch;
});

test('a retrace has the time limit of executions', async () => {
  const executions = new Executions({ maximumExecutions: 1, queueTimeout: 0.001 });
  await expect(runsOf(executions).retrace()).rejects.toMatchObject({
    kind: 'deadline',
    message: expect.stringMatching(/of 200 transactions took 0\.001 s$/),
  });
});

test('a simulation has the limit of bytes of a response', async () => {
  const { world, options } = chain;
  const executions = new Executions({ maximumReportBytes: 100_000 });
  const run = (report: keyof Reports) =>
    executions.simulate(world.pendingState, contextOf(world, options, 1), transactions, FLAGS, {
      report,
    });
  await expect(run('simulation')).rejects.toMatchObject({ kind: 'report_too_large' });
  expect(await run('estimate')).toHaveLength(COUNT);
});

test('an estimate has the time limit of executions while it compiles classes', async () => {
  configure({ cacheDir: null });
  onTestFinished(() => configure());
  const { client, sender } = await startFixture({ timeout: 2 });
  const failures = await contract('failures');
  const request = Array.from({ length: 40 }, (_, nonce) => {
    const body = { ...membersOf(failures.body), abi: `class ${nonce}` };
    return declareRequest(sender.account, { ...failures, body }, nonce);
  });
  const { code } = await client.failure('starknet_estimateFee', [request, [], 'latest']);
  expect(code).toBe(-1);
});

describe('a sequence of calls', () => {
  const watchInvocations = () => {
    const spy = vi.spyOn(State.prototype, 'invokeOffThread');
    onTestFinished(() => spy.mockRestore());
    return spy;
  };

  test('ends when its outcomes are longer than a response', async () => {
    const { client } = await startFixture({ maximumResponseSize: 4096 });
    const spy = watchInvocations();
    const calls = Array.from({ length: COUNT }, () => CALL);
    const failure = await client.failure('devnet_callSequence', { calls, block_id: 'latest' });
    expect(failure.code).toBe(ERRORS.SERVICE_BUSY.code);
    expect(spy.mock.calls.length).toBeLessThan(COUNT);
  });

  test('ends at the time limit of executions', async () => {
    const { client, sender } = await startFixture({ timeout: 2 });
    const contract_address = await sender.deploy(await contract('slots'));
    const spy = watchInvocations();
    const call = { contract_address, entry_point_selector: selector('fill') };
    const calls = Array.from({ length: COUNT }, () => ({ ...call, calldata: ['0x0', '0x7d0'] }));
    const failure = await client.failure('devnet_callSequence', { calls, block_id: 'latest' });
    expect(failure.code).toBe(-1);
    expect(spy.mock.calls.length).toBeLessThan(COUNT);
  });
});

test('an error is answered though its explanation does not come', { timeout: 60_000 }, async () => {
  const { node, client } = await startFixture({ timeout: 20 });
  const wrong = { ...CALL, entry_point_selector: selector('transfer') };
  const explained = await client.failure('starknet_call', [wrong, 'latest']);
  expect(explained).toMatchObject({
    code: ERRORS.CONTRACT_ERROR.code,
    data: { explained: { status: 'REVERTED' } },
  });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { retraceCall } = State.prototype;
  const spy = vi.spyOn(State.prototype, 'retraceCall').mockImplementation(async function (
    this: State,
    ...args
  ) {
    await released;
    return retraceCall.apply(this, args);
  });
  onTestFinished(() => {
    release();
    spy.mockRestore();
  });
  const plain = node.requestRaw('starknet_call', { request: wrong, block_id: 'latest' });
  await expect(plain).rejects.toSatisfy((error: unknown) => {
    expect(error).toMatchObject({
      code: ERRORS.CONTRACT_ERROR.code,
      data: { revert_error: expect.anything() },
    });
    expect(error).not.toHaveProperty('data.explained');
    return true;
  });
});
