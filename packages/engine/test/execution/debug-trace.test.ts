// Executions recorded step by step: runs, system calls, registers, memory, and limits.

import { type DebugTrace, starknetKeccak } from '@starkbox/engine';
import { expect, test } from 'vitest';
import {
  accountClass,
  block,
  contractClass,
  firstAccount,
  genesis,
  invoke,
  LEGACY_UDC,
  place,
} from '../fixtures/chain.js';

const REVERTER = '0xe0';
const COUNTER = '0xc0';
const LIMITS = { maxSteps: 4_000_000, maxBytes: 2 ** 28 };
const COUNT = starknetKeccak('count');

const started = await genesis(await accountClass());
const account = firstAccount(started);
const declared = await started.state.apply({}, [
  await contractClass('counter'),
  await contractClass('reverter'),
]);
const state = await place(await place(declared, 'counter', COUNTER), 'reverter', REVERTER);
const chain = { ...started, state };

type Calls = Parameters<typeof invoke>[1];

function record(calls: Calls, limits = LIMITS): Promise<DebugTrace> {
  return chain.state.record(block(), [invoke(account, calls, 0)], {}, limits);
}

/** Triples of program counter, allocation pointer and frame pointer. */
function registers(trace: DebugTrace, run: number): readonly (readonly number[])[] {
  const { first_step = 0, step_count = 0 } = trace.report().runs[run] ?? {};
  const bytes = Buffer.from(trace.steps(run, first_step, step_count - first_step), 'base64');
  return Array.from({ length: bytes.length / 12 }, (_, step) =>
    [0, 4, 8].map((at) => bytes.readUInt32LE(step * 12 + at)),
  );
}

const forward = {
  to: REVERTER,
  name: 'forward',
  calldata: [COUNTER, starknetKeccak('increase'), '0x1', '0x5'],
};

test('runs are in the order of their calls, with the system call that made each', async () => {
  const { runs, actions } = (await record([forward])).report();
  expect(runs.slice(1, 4).map(({ contract_address }) => contract_address)).toEqual([
    account.address,
    REVERTER,
    COUNTER,
  ]);
  expect(runs.slice(1, 4).map(({ parent }) => parent)).toEqual([undefined, 1, 2]);
  for (const [index, { parent, parent_action = -1 }] of runs.entries()) {
    if (parent === undefined) continue;
    expect(actions[parent_action]).toMatchObject({ run: parent, called_run: index });
  }
  expect(runs[3]).toMatchObject({ calldata: ['0x5'], result: ['0x5'], failed: false });
});

test('every step of a call has its registers, and each address is in the program of its class', async () => {
  const trace = await record([forward]);
  const { runs } = trace.report();
  const [traced] = await chain.state.retrace(block(), [invoke(account, [forward], 0)]);
  expect(runs.map(({ step_count }) => step_count)).toEqual(
    traced?.frames.map(({ steps }) => steps),
  );
  for (const [run, name] of [
    [2, 'reverter'],
    [3, 'counter'],
  ] as const) {
    const { bytecode } = JSON.parse(await (await contractClass(name)).casm());
    const steps = registers(trace, run);
    expect(steps).toHaveLength(runs[run]?.step_count ?? 0);
    expect(steps.length).toBeGreaterThan(50);
    // A return instruction follows the bytecode.
    for (const [pc = 0] of steps) expect(pc <= bytecode.length).toBe(true);
  }
});

test('memory has the program, and the pointers and numbers of the stack', async () => {
  const trace = await record([forward]);
  const { segments = [] } = trace.report().runs[3] ?? {};
  const { bytecode } = JSON.parse(await (await contractClass('counter')).casm());
  expect(trace.memory(3, 0, 0, bytecode.length)).toEqual(bytecode);
  const [, , fp = 0] = registers(trace, 3)[0] ?? [];
  // Below the first frame pointer are no frame pointer of a caller, and the address to return to.
  const [callerFp, returnAddress] = trace.memory(3, 1, fp - 2, 2);
  expect(callerFp).toBe('0x0');
  expect(returnAddress).toMatch(/^\d+:\d+$/);
  const stack = trace.memory(3, 1, 0, segments[1] ?? 0);
  expect(stack).toContain('0x5');
  expect(trace.memory(3, 1, (segments[1] ?? 0) + 10, 2)).toEqual([null, null]);
});

test('system calls have the step, the gas and the values of storage before and after', async () => {
  const increase = { to: COUNTER, name: 'increase', calldata: ['0x5'] };
  const trace = await record([increase, increase]);
  const { actions, runs } = trace.report();
  const writes = actions.filter(({ key, name }) => key === COUNT && name === 'StorageWrite');
  expect(writes.map(({ previous, value }) => [previous, value])).toEqual([
    ['0x0', '0x5'],
    ['0x5', '0xa'],
  ]);
  const reads = actions.filter(({ key, name }) => key === COUNT && name === 'StorageRead');
  expect(reads.map(({ value }) => value)).toEqual(['0x0', '0x5']);
  const systemCalls = await hintOffsets('counter');
  for (const { run, step, gas = 0 } of [...reads, ...writes]) {
    expect(runs[run]?.contract_address).toBe(COUNTER);
    expect(systemCalls).toContain(registers(trace, run)[step]?.[0]);
    expect(gas).toBeGreaterThan(0);
  }
  const events = actions.filter(({ keys }) => keys);
  expect(events.length).toBeGreaterThanOrEqual(2);
  expect(events.every(({ name }) => name === 'EmitEvent')).toBe(true);
});

/** Offsets of the instructions of a class that call the system. */
async function hintOffsets(name: string): Promise<readonly number[]> {
  const { hints } = JSON.parse(await (await contractClass(name)).casm());
  return hints.flatMap(([offset, list]: [number, unknown]) =>
    JSON.stringify(list).includes('SystemCall') ? offset : [],
  );
}

test('effects of a call that reverts are in the trace', async () => {
  const caught = {
    to: REVERTER,
    name: 'catch',
    calldata: [REVERTER, starknetKeccak('write_then_fail'), '0x3', '0x7', '0x1', '0x626164'],
  };
  const { runs, actions } = (await record([caught])).report();
  const failed = runs.findLastIndex((run) => run.failed);
  expect(runs[failed]).toMatchObject({
    contract_address: REVERTER,
    calldata: ['0x7', '0x1', '0x626164'],
  });
  expect(runs.filter((run) => run.failed)).toHaveLength(1);
  const { failure_step = -1, step_count = 0 } = runs[failed] ?? {};
  expect(failure_step > 0 && failure_step < step_count).toBe(true);
  const write = actions.find(({ run, name }) => run === failed && name === 'StorageWrite');
  expect(write).toMatchObject({ previous: '0x0', value: '0x7', failed: false });
  expect(actions[runs[failed]?.parent_action ?? -1]?.failed).toBe(true);
});

test('a deployment without a constructor is a run without code', async () => {
  const { hash } = await contractClass('reverter');
  const calldata = [hash, '0x5', '0x0', '0x0'];
  const { runs } = (await record([{ to: LEGACY_UDC, name: 'deployContract', calldata }])).report();
  const udc = runs.findIndex(({ code }) => code === 'cairo0');
  expect(runs.filter(({ parent }) => parent === udc)).toMatchObject([
    { code: 'none', class_hash: hash, calldata: [], step_count: 0, failed: false },
  ]);
});

test('Cairo 0 code has its system calls', async () => {
  const { hash } = await contractClass('counter');
  const calldata = [hash, '0x5', '0x0', '0x1', '0x2a'];
  const { runs, actions } = (
    await record([{ to: LEGACY_UDC, name: 'deployContract', calldata }])
  ).report();
  const udc = runs.findIndex(({ code }) => code === 'cairo0');
  expect(runs[udc]).toMatchObject({ step_count: 0, segments: [], failed: false });
  const ofUdc = actions.filter(({ run }) => run === udc);
  expect(ofUdc.map(({ name, step }) => [step, name])).toEqual([
    [0, 'GetCallerAddress'],
    [1, 'Deploy'],
    [2, 'EmitEvent'],
  ]);
  expect(runs[ofUdc[1]?.called_run ?? -1]).toMatchObject({
    entry_point_type: 'CONSTRUCTOR',
    class_hash: hash,
    parent: udc,
  });
  expect(ofUdc[2]?.data).toContain(hash);
});

test('a call is recorded as well', async () => {
  const call = {
    contract_address: REVERTER,
    entry_point_selector: starknetKeccak('fail'),
    calldata: ['0x1', '0x626164'],
  };
  const trace = await chain.state.recordCall(block(), call, LIMITS);
  expect(trace.report().runs).toMatchObject([{ failed: true, result: ['0x626164'] }]);
});

test('beyond the limit of steps the last ones are kept', async () => {
  const whole = await record([forward]);
  const all = whole.report().runs;
  const total = all.reduce((sum, { step_count }) => sum + step_count, 0);
  const maxSteps = Math.floor(total / 2);
  const trace = await record([forward], { ...LIMITS, maxSteps });
  const { runs, dropped_steps } = trace.report();
  expect(dropped_steps).toBe(total - maxSteps);
  expect(runs.reduce((sum, { step_count, first_step }) => sum + step_count - first_step, 0)).toBe(
    maxSteps,
  );
  // The validation was the first.
  expect(runs[0]?.first_step).toBe(runs[0]?.step_count);
  for (const [index, { first_step, step_count }] of runs.entries()) {
    expect(registers(trace, index)).toEqual(registers(whole, index).slice(first_step));
    if (first_step > 0) expect(() => trace.steps(index, 0, 1)).toThrow(/not within/);
    expect(() => trace.steps(index, step_count, 1)).toThrow(/not within/);
  }
});

test('beyond the limit of bytes the memory of runs that ended first is dropped', async () => {
  const { bytes } = (await record([forward])).report();
  const trace = await record([forward], { ...LIMITS, maxBytes: bytes - 1 });
  const { runs, dropped_memory } = trace.report();
  expect(dropped_memory).toBe(1);
  // The validation ended first.
  expect(runs.map(({ segments }) => segments.length > 0).indexOf(false)).toBe(0);
  expect(trace.memory(0, 1, 0, 1)).toEqual([null]);
  expect(trace.report().bytes).toBeLessThan(bytes);
});

test('runs and ranges that a trace does not have are rejected', async () => {
  const trace = await record([forward]);
  expect(() => trace.steps(1_000, 0, 1)).toThrow(/run: 1000/);
  expect(() => trace.memory(1_000, 1, 0, 1)).toThrow(/run: 1000/);
  expect(trace.memory(1, 4_000_000_000, 0, 1)).toEqual([null]);
});
