// Calls by any address whose changes are kept, and the code that they reach.
import { Worker } from 'node:worker_threads';
import { Coverage, type FunctionCall, type State, starknetKeccak } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { accountClass, block, contractClass, genesis, place, STRK } from '../fixtures/chain.js';

const COUNTER = '0xc0';
const REVERTER = '0xe0';

const started = await genesis(await accountClass());
const withCounter = await place(started.state, 'counter', COUNTER);
const state = await place(withCounter, 'reverter', REVERTER);
const [alice = '', bob = ''] = started.accounts.map(({ address }) => address);

function call(
  to: string,
  name: string,
  calldata: readonly string[],
  caller?: string,
): FunctionCall {
  return { contract_address: to, entry_point_selector: starknetKeccak(name), calldata, caller };
}

async function balance(of: State, address: string): Promise<string | undefined> {
  const { result } = await of.call(block(), call(STRK, 'balance_of', [address]));
  return result?.[0];
}

describe('a call that is kept', () => {
  test('changes the next state and leaves the one before', async () => {
    const before = await balance(state, bob);
    const transfer = call(STRK, 'transfer', [bob, '0x5', '0x0'], alice);
    const invocation = await state.invoke(block(), transfer);
    expect(invocation).toMatchObject({ hasFailed: false, result: ['0x1'], failure: undefined });
    expect(BigInt((await balance(invocation.next, bob)) ?? 0) - BigInt(before ?? 0)).toBe(5n);
    expect(await balance(state, bob)).toBe(before);
    expect(invocation.gas).toBeGreaterThan(0);
    expect(invocation.events()).toMatchObject([{ from_address: STRK, data: ['0x5', '0x0'] }]);
    expect(invocation.writes().map(({ address }) => address)).toEqual([STRK, STRK]);
    const trace = JSON.parse(invocation.traceText() ?? '');
    expect(trace).toMatchObject({ caller_address: alice, contract_address: STRK, result: ['0x1'] });
  });

  test('that fails changes nothing and says why', async () => {
    const failing = call(REVERTER, 'write_then_fail', ['0x7', '0x1', '0x626164']);
    const invocation = await state.invoke(block(), failing);
    expect(invocation).toMatchObject({ hasFailed: true, result: [], next: state });
    expect(invocation.failure).toMatchObject({ panic: ['0x626164'] });
    expect(invocation.writes()).toEqual([]);
    expect(invocation.events()).toEqual([]);
  });

  test.each([
    ['an unknown function', call(COUNTER, 'unknown', [])],
    ['an unknown contract', call('0xdead', 'get', [])],
  ])('of %s fails', async (_, unknown) => {
    const invocation = await state.invoke(block(), unknown);
    expect(invocation.hasFailed).toBe(true);
    expect(invocation.failure?.message).not.toBe('');
    expect(invocation.next).toBe(state);
  });

  test.each([
    ['caller', call(COUNTER, 'get', [], 'alice')],
    ['calldata', call(COUNTER, 'increase', ['five'])],
  ])('with a malformed felt in %s throws', (part, malformed) => {
    expect(() => state.invoke(block(), malformed)).toThrow(part);
  });

  test('as deep as the protocol allows needs no more stack than a thread has', async () => {
    const shallow = await state.invoke(block(), call(REVERTER, 'recurse', ['0x20']));
    expect(shallow).toMatchObject({ hasFailed: false, result: ['0x20'] });
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.engine).then(async ({ Block, Class, State }) => {
        const contractClass = await Class.compile(workerData.text);
        const state = await State.create().apply(workerData.diff, [contractClass]);
        const { hasFailed, failure } = state.invoke(new Block(workerData.block), workerData.call);
        parentPort.postMessage({ hasFailed, message: failure?.message });
      });`;
    const { hash, compiledClassHash } = await contractClass('reverter');
    const { blockValues } = await import('../fixtures/chain.js');
    const { classText } = await import('../../../../contracts/classes.js');
    const worker = new Worker(script, {
      eval: true,
      resourceLimits: { stackSizeMb: 1 },
      workerData: {
        engine: new URL('../../dist/index.js', import.meta.url).href,
        text: await classText('reverter'),
        diff: {
          declared_classes: [{ class_hash: hash, compiled_class_hash: compiledClassHash }],
          deployed_contracts: [{ address: REVERTER, class_hash: hash }],
        },
        block: blockValues(1),
        call: call(REVERTER, 'recurse', ['0x100']),
      },
    });
    const answer = await new Promise((resolve, reject) => {
      worker.on('message', resolve).on('error', reject);
    });
    await worker.terminate();
    expect(answer).toMatchObject({ hasFailed: true });
    expect(JSON.stringify(answer)).toMatch(/depth/i);
  });
});

describe('coverage', () => {
  const increase = (amount: string): FunctionCall => call(COUNTER, 'increase', [amount]);

  test('has the offsets that a run adds, and keeps none of them', async () => {
    const coverage = new Coverage();
    await state.invoke(block(), increase('0x1'), coverage);
    const first = coverage.take();
    const { hash } = await contractClass('counter');
    expect(Object.keys(first)).toEqual([hash]);
    expect(first[hash]?.length).toBeGreaterThan(10);
    await state.invoke(block(), increase('0x1'), coverage);
    expect(coverage.take()).toEqual(first);
    expect(coverage.size).toBe(0);
  });

  test('tells another branch from code that was reached', async () => {
    const coverage = new Coverage();
    const { hash } = await contractClass('counter');
    await state.invoke(block(), increase('0x1'), coverage);
    const reached = coverage.take();
    coverage.add(reached);
    expect(coverage.size).toBe(reached[hash]?.length);
    await state.invoke(block(), increase('0x1'), coverage);
    expect(coverage.take()).toEqual({});
    const { hasFailed } = await state.invoke(block(), increase('0x0'), coverage);
    const added = coverage.take()[hash] ?? [];
    expect([hasFailed, added.length > 0]).toEqual([true, true]);
    expect(added.filter((offset) => reached[hash]?.includes(offset))).toEqual([]);
  });

  test('that is started again drops the run', async () => {
    const coverage = new Coverage();
    await state.invoke(block(), increase('0x1'), coverage);
    coverage.start();
    expect(coverage.take()).toEqual({});
  });

  test('includes nested calls', async () => {
    const coverage = new Coverage();
    const selector = starknetKeccak('increase');
    const forward = call(REVERTER, 'forward', [COUNTER, selector, '0x1', '0x3']);
    expect((await state.invoke(block(), forward, coverage)).failure).toBeUndefined();
    const classes = await Promise.all([contractClass('counter'), contractClass('reverter')]);
    expect(Object.keys(coverage.take()).sort()).toEqual(classes.map(({ hash }) => hash).sort());
  });

  test.each(['[]', '{"0x1":[-1]}', '{"felt":[1]}'])('rejects %s', (text) => {
    expect(() => new Coverage().add(JSON.parse(text))).toThrow();
  });
});
