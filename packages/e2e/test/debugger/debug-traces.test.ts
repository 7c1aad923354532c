// Debug traces over the wire: subjects, ranges, limits, and states that no transaction made.

import { startFixture } from '@starkbox/test-support/fixture';
import { contract, hex, selector } from '@starkbox/test-support/signing';
import type { Methods } from 'starkbox';
import { expect, test } from 'vitest';

type Trace = Methods['devnet_openDebugTrace']['result'];

const { client, sender } = await startFixture();
const reverter = await sender.deploy(await contract('reverter'));
const context = await sender.deploy(await contract('context'));

const burn = (turns: number) => ({ to: reverter, name: 'burn', calldata: [hex(turns)] });
const open = (params: object): Promise<Trace> => client.call('devnet_openDebugTrace', params);
const opened = async (turns: number): Promise<Trace> =>
  open({ transaction_hash: await sender.invoke([burn(turns)]) });
const counts = ({ runs }: Trace): readonly number[] => runs.map(({ step_count }) => step_count);

test('a transaction, a simulated one and a call are recorded', async () => {
  const sent = await opened(3);
  expect(sent.runs.map(({ function_name }) => function_name)).toEqual([
    '__validate__',
    '__execute__',
    'burn',
  ]);
  const transaction = await sender.invokeRequest([burn(3)]);
  const simulated = await open({ transactions: [transaction] });
  expect(simulated.runs.map(({ calldata }) => calldata)).toEqual(
    sent.runs.map(({ calldata }) => calldata),
  );
  expect(counts(simulated).at(-1)).toBe(counts(sent).at(-1));
  const unvalidated = await open({ transactions: [transaction], skip_validate: true });
  expect(counts(unvalidated)).toEqual(counts(simulated).slice(1));
  const call = {
    contract_address: reverter,
    entry_point_selector: selector('burn'),
    calldata: ['0x3'],
  };
  const called = await open({ call, block_id: 'latest' });
  expect(called.runs).toMatchObject([{ function_name: 'burn', failed: false }]);
  expect(called.runs[0]?.result).toEqual(sent.runs[2]?.result);
});

test('steps and memory are read by ranges', async () => {
  const { trace_id, runs } = await opened(3);
  const run = 2;
  const count = runs[run]?.step_count ?? 0;
  const steps = async (first: number, length: number): Promise<Buffer> => {
    const range = { trace_id, run, first, count: length };
    return Buffer.from((await client.call('devnet_readDebugSteps', range)).registers, 'base64');
  };
  const whole = await steps(0, count);
  expect(whole).toHaveLength(12 * count);
  const half = Math.floor(count / 2);
  expect(Buffer.concat([await steps(0, half), await steps(half, count - half)])).toEqual(whole);
  const cells = { trace_id, run, segment: 1, first: 0, count: runs[run]?.segments[1] ?? 0 };
  const memory = await client.call('devnet_readDebugMemory', cells);
  expect(memory.cells).toContain('0x3');
  for (const [method, params] of [
    ['devnet_readDebugSteps', { trace_id, run, first: 0, count: count + 1 }],
    ['devnet_readDebugSteps', { trace_id, run: 99, first: 0, count: 1 }],
    ['devnet_readDebugSteps', { trace_id, run, first: 0, count: 262_145 }],
    ['devnet_readDebugMemory', { ...cells, count: 65_537 }],
  ] as const) {
    expect((await client.failure(method, params)).code).toBe(-1);
  }
});

test('a closed trace is rejected, and the fifth closes the one that was used least recently', async () => {
  const traces: Trace[] = [];
  const read = (index: number) => ({
    trace_id: traces[index]?.trace_id,
    run: 0,
    first: 0,
    count: 1,
  });
  for (let number = 0; number < 4; number += 1) traces.push(await opened(1));
  await client.call('devnet_readDebugSteps', read(0));
  traces.push(await opened(1));
  expect((await client.failure('devnet_readDebugSteps', read(1))).message).toMatch(/is closed/);
  await client.call('devnet_readDebugSteps', read(0));
  traces.push(await opened(1));
  expect((await client.failure('devnet_readDebugSteps', read(2))).message).toMatch(/is closed/);
  await client.call('devnet_readDebugSteps', read(3));
  await client.call('devnet_closeDebugTrace', { trace_id: traces[3]?.trace_id });
  expect((await client.failure('devnet_readDebugSteps', read(3))).message).toMatch(/is closed/);
});

test('the last steps are kept within the limits of the request', async () => {
  const { runs, dropped_steps } = await open({
    transaction_hash: await sender.invoke([burn(1_000)]),
    max_steps: 500,
  });
  const kept = runs.map(({ step_count, first_step }) => step_count - first_step);
  expect(kept.reduce((sum, count) => sum + count, 0)).toBe(500);
  expect(dropped_steps).toBe(runs.reduce((sum, { step_count }) => sum + step_count, -500));
});

test('gas is the rest of a budget, and missing where steps are charged', async () => {
  const { runs, actions } = await opened(1);
  const initial = runs[1]?.initial_gas;
  for (const { gas } of actions) {
    if (initial === undefined) expect(gas).toBeUndefined();
    else expect(gas).toBeLessThanOrEqual(initial);
  }
  // The usual account counts steps, and so does all that it calls.
  expect(initial).toBeUndefined();
  const call = {
    contract_address: reverter,
    entry_point_selector: selector('written'),
    calldata: [],
  };
  const called = await open({ call, block_id: 'latest' });
  expect(called.runs[0]?.initial_gas).toBeGreaterThan(called.actions[0]?.gas ?? 0);
});

test('one subject is expected, which exists', async () => {
  expect((await client.failure('devnet_openDebugTrace', {})).message).toMatch(/got 0 of them/);
  const call = { contract_address: '0x1', entry_point_selector: '0x1', calldata: [] };
  const two = { call, transaction_hash: '0x1' };
  expect((await client.failure('devnet_openDebugTrace', two)).message).toMatch(/got 2 of them/);
  const unknown = { transaction_hash: '0x1234' };
  expect((await client.failure('devnet_openDebugTrace', unknown)).code).toBe(29);
  const missing = { call, block_id: { block_number: 9_999 } };
  expect((await client.failure('devnet_openDebugTrace', missing)).code).toBe(24);
});

test('a transaction runs again on a state that was written directly in its block', async () => {
  const { hash } = await contract('reverter');
  const copy = '0xabc';
  const state_diff = { deployed_contracts: [{ address: copy, class_hash: hash }] };
  await client.call('devnet_applyStateDiff', { state_diff });
  const transaction_hash = await sender.invoke([{ ...burn(2), to: copy }]);
  const { runs } = await open({ transaction_hash });
  expect(runs.at(-1)).toMatchObject({ contract_address: copy, failed: false });
});

test('a transaction runs again with the block hashes that it saw', async () => {
  for (let number = 0; number < 12; number += 1) await client.call('devnet_createBlock');
  const number = (await client.call('starknet_blockNumber')) + 1 - 10;
  const store = { to: context, name: 'store_block_hash', calldata: [hex(number)] };
  const transaction_hash = await sender.invoke([store]);
  const block_id = { block_number: number };
  const block = await client.call('starknet_getBlockWithTxHashes', { block_id });
  const { actions } = await open({ transaction_hash });
  const writes = actions.filter(({ name }) => name === 'StorageWrite');
  expect(writes.map(({ value }) => value)).toEqual([
    'block_hash' in block ? block.block_hash : undefined,
  ]);
});
