// Runs with the machine's trace: frames, where they failed, and what they visited.

import {
  type RetracedFrame,
  type SierraFunction,
  starknetKeccak,
  type Transaction,
  type Turn,
} from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { GENERATION } from '../../../../contracts/classes.js';
import {
  accountClass,
  block,
  contractClass,
  firstAccount,
  genesis,
  invoke,
  place,
  STRK,
  transfer,
} from '../fixtures/chain.js';
import { applied } from '../fixtures/transactions.js';

const COUNTER = '0xc0';
const REVERTER = '0xe0';
/** `increase` of the counter, and the wrapper that reads its calldata. */
const INCREASE = GENERATION === '2.8' ? [3, 0] : [4, 0];

const started = await genesis(await accountClass());
const account = firstAccount(started);
const state = await place(await place(started.state, 'counter', COUNTER), 'reverter', REVERTER);
const chain = { ...started, state };

function call(to: string, name: string, calldata: readonly string[]) {
  return { contract_address: to, entry_point_selector: starknetKeccak(name), calldata };
}

/** The function that a statement belongs to. */
function functionOf(functions: readonly SierraFunction[], statement: number): number | undefined {
  return functions.findLast(({ first }) => first <= statement)?.id;
}

async function functionsOnStack(frame: RetracedFrame | undefined, name: string) {
  const functions = await (await contractClass(name)).functions();
  return (frame?.stack ?? []).map((statement) => functionOf(functions, statement));
}

test('a call that panics tells the statement in the function and the one that called it', async () => {
  const { frames } = await chain.state.retraceCall(block(), call(COUNTER, 'increase', ['0x0']));
  const { hash } = await contractClass('counter');
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ failed: true, depth: 0, class_hash: hash, call_type: 'CALL' });
  expect((await functionsOnStack(frames[0], 'counter')).slice(-2)).toEqual(INCREASE);
  expect(frames[0]).not.toHaveProperty('visited');
});

test('a call that returns has no stack', async () => {
  const { frames } = await chain.state.retraceCall(block(), call(COUNTER, 'get', []));
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ failed: false });
  expect(frames[0]).not.toHaveProperty('stack');
});

test('visited statements differ by the branch that was taken', async () => {
  const visited = async (amount: string): Promise<readonly number[]> => {
    const functionCall = call(COUNTER, 'increase', [amount]);
    const { frames } = await chain.state.retraceCall(block(), functionCall, { visited: true });
    return (frames[0]?.visited ?? []).map(([statement]) => statement);
  };
  const [failed, passed] = [await visited('0x0'), await visited('0x1')];
  const { frames } = await chain.state.retraceCall(block(), call(COUNTER, 'increase', ['0x0']));
  const statement = frames[0]?.stack?.[0];
  expect(failed).toContain(statement);
  expect(passed).not.toContain(statement);
  expect(passed.length).toBeGreaterThan(failed.length);
});

test('builtins and system calls of a run are counted without those of inner calls', async () => {
  const { frames } = await chain.state.retraceCall(
    block(),
    call(REVERTER, 'forward', [COUNTER, starknetKeccak('get'), '0x0']),
  );
  expect(frames.map(({ syscalls }) => syscalls)).toEqual([{ CallContract: 1 }, { StorageRead: 1 }]);
  expect(frames.map(({ builtins }) => (builtins['range_check'] ?? 0) > 0)).toEqual([true, true]);
});

test('a loop is counted', async () => {
  const turns = async (n: string): Promise<number> => {
    const functionCall = call(REVERTER, 'burn', [n]);
    const { frames } = await chain.state.retraceCall(block(), functionCall, { visited: true });
    return Math.max(...(frames[0]?.visited ?? []).map(([, times]) => times));
  };
  expect((await turns('0x64')) - (await turns('0x32'))).toBe(50);
});

test('a reverted transaction has the frames of its validation, calls and fee', async () => {
  const failing = invoke(account, [{ to: COUNTER, name: 'increase', calldata: ['0x0'] }], 0);
  const [traced, ...others] = await chain.state.retrace(block(), [failing]);
  expect(others).toEqual([]);
  const summaries = traced?.frames.map(({ contract_address, depth, failed }) => [
    contract_address,
    depth,
    failed,
  ]);
  expect(summaries).toEqual([
    [account.address, 0, false],
    [account.address, 0, true],
    [COUNTER, 1, true],
    [STRK, 0, false],
  ]);
  expect((await functionsOnStack(traced?.frames[2], 'counter')).slice(-2)).toEqual(INCREASE);
  expect(traced?.frames[1]?.stack?.length).toBeGreaterThan(0);
});

test('only the transactions from the first asked on are traced, and those before it count', async () => {
  const transactions = [0, 1, 2].map((nonce) => transfer(account, '0x1', 5, nonce));
  expect(await chain.state.retrace(block(), transactions)).toHaveLength(1);
  expect(await chain.state.retrace(block(), transactions, {}, { first: 1 })).toHaveLength(2);
});

describe('a run of many transactions', () => {
  const transactions = (): Transaction[] =>
    Array.from({ length: 100 }, (_, nonce) => transfer(account, '0x1', 5, nonce));

  test('goes in turns, of which those with a trace are told apart', async () => {
    const turns: boolean[] = [];
    const turn: Turn = (slice, isTraced) => {
      turns.push(isTraced);
      return slice();
    };
    const [traced, ...others] = await chain.state.retrace(block(), transactions(), {}, { turn });
    expect(others).toEqual([]);
    expect(traced?.frames.length).toBeGreaterThan(2);
    expect(turns.length).toBeGreaterThanOrEqual(2);
    expect(turns.filter((isTraced) => isTraced)).toEqual([true]);
    expect(turns.at(-1)).toBe(true);
    const [alone] = await chain.state.retrace(block(), transactions());
    expect(traced).toEqual(alone);
  });

  test('ends when there is no time left', async () => {
    const run = (timeLimit: number) =>
      chain.state.retrace(block(), transactions(), {}, { timeLimit });
    await expect(run(1)).rejects.toMatchObject({
      kind: 'deadline',
      message: expect.stringMatching(/^\d{1,2} of 100 transactions took 0\.001 s$/),
    });
    await expect(run(Number.NaN)).rejects.toMatchObject({ kind: 'input' });
  });

  test('ends between two turns when it is aborted', async () => {
    const leaving = new AbortController();
    const turn: Turn = (slice) => slice().finally(() => leaving.abort());
    const { signal } = leaving;
    await expect(
      chain.state.retrace(block(), transactions(), {}, { signal, turn }),
    ).rejects.toMatchObject({
      kind: 'cancelled',
      message: expect.stringMatching(/^stopped after \d{1,2} of 100 transactions$/),
    });
  });

  test('ends with the error of a turn, and the next one is as before', async () => {
    const turn: Turn = () => Promise.reject(new Error('no slot'));
    const run = chain.state.retrace(block(), transactions(), {}, { turn });
    await expect(run).rejects.toThrow('no slot');
    expect(await chain.state.retrace(block(), transactions())).toHaveLength(1);
  });
});

test('a failure that a contract caught is told apart', async () => {
  const caught = call(REVERTER, 'catch', [COUNTER, starknetKeccak('increase'), '0x1', '0x0']);
  const { frames } = await chain.state.retraceCall(block(), caught);
  expect(frames.map(({ depth, failed }) => [depth, failed])).toEqual([
    [0, false],
    [1, true],
  ]);
});

test('a panic with felts that were made elsewhere names the function that panicked', async () => {
  const { frames } = await chain.state.retraceCall(
    block(),
    call(REVERTER, 'fail', ['0x2', '0x1', '0x2']),
  );
  expect(frames[0]?.stack?.length).toBeGreaterThan(0);
});

test('a function that is not there fails without a place', async () => {
  const { frames } = await chain.state.retraceCall(block(), call(COUNTER, 'nothing', []));
  expect(frames.map(({ failed, stack }) => [failed, stack])).toEqual([[true, undefined]]);
});

test('an execution after a retrace is as before', async () => {
  const first = await applied(chain.state, transfer(account, '0x1', 5, 0));
  await chain.state.retrace(block(), [transfer(account, '0x1', 5, 0)]);
  const second = await applied(chain.state, transfer(account, '0x1', 5, 0));
  expect(second.receipt).toEqual(first.receipt);
  expect(second.printed).toEqual([]);
});
