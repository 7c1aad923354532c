// The WebAssembly engine beside the native one, in one process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { classText } from '../../../contracts/classes.js';

type Engine = typeof import('@starkbox/engine');
type Fixtures = typeof import('../../engine/test/fixtures/chain.js');

interface Loaded {
  readonly engine: Engine;
  readonly fixtures: Fixtures;
}

let native: Loaded;
let wasm: Loaded;

/** A second graph of modules with its own engine. */
async function load(name: string): Promise<Loaded> {
  vi.resetModules();
  vi.stubEnv('STARKBOX_ENGINE', name);
  return {
    engine: await import('@starkbox/engine'),
    fixtures: await import('../../engine/test/fixtures/chain.js'),
  };
}

beforeAll(async () => {
  native = await load('');
  wasm = await load('wasm');
  expect(native.engine.State).not.toBe(wasm.engine.State);
});

afterEach(() => vi.unstubAllEnvs());

/** What two transfers and a reverted one report, with the block that they are in. */
async function transfers({ fixtures }: Loaded): Promise<unknown> {
  const chain = await fixtures.genesis();
  const account = fixtures.firstAccount(chain);
  const context = fixtures.block();
  const reports: unknown[] = [];
  let { state } = chain;
  const included = [];
  for (const [nonce, amount] of [1, 2, Number.MAX_SAFE_INTEGER].entries()) {
    const call = {
      to: fixtures.STRK,
      name: nonce === 2 ? 'burn_everything' : 'transfer',
      calldata: ['0x1234', fixtures.hex(amount), '0x0'],
    };
    const transaction = fixtures.invoke(account, [call], nonce);
    const execution = await state.execute(context, transaction);
    if (execution.outcome === 'rejected') throw new Error(execution.rejection.message);
    const { next, ...report } = execution;
    reports.push([transaction.hash, report]);
    included.push({ signature: [], receipt: report.receipt });
    state = next;
  }
  const closed = await state.close(context, included, { parentHash: '0x1' });
  return [reports, closed.seal, closed.diff];
}

test('a transfer has the same receipt, trace and state as natively', async () => {
  const [expected, actual] = [await transfers(native), await transfers(wasm)];
  expect(JSON.stringify(expected)).toContain('REVERTED');
  expect(actual).toEqual(expected);
});

test('a class compiles to the same code as natively', async () => {
  const compiled = async ({ fixtures }: Loaded) => {
    const contract = await fixtures.contractClass('ledger');
    const { hash, compiledClassHash } = contract;
    return [hash, compiledClassHash, await contract.casm(), await contract.functions()];
  };
  expect(await compiled(wasm)).toEqual(await compiled(native));
});

test('a class that is compiled twice at once is compiled in one go', async () => {
  const { abi: _abi, ...sierra } = Object(JSON.parse(await classText('vault')));
  const text = JSON.stringify({ ...sierra, abi: '[]' });
  const [first, second] = await Promise.all([
    wasm.engine.Class.compile(text),
    wasm.engine.Class.compile(text),
  ]);
  const expected = await native.engine.Class.compile(text);
  expect([first.hash, second.hash]).toEqual([expected.hash, expected.hash]);
});

test('a class that does not compile is rejected as natively, and the next one compiles', async () => {
  const { sierra_program, ...sierra } = Object(JSON.parse(await classText('vault')));
  const cut = JSON.stringify({ ...sierra, sierra_program: sierra_program.slice(0, -9) });
  const reasonOf = async ({ engine }: Loaded): Promise<unknown> => {
    const error: unknown = await engine.Class.compile(cut).catch((reason: unknown) => reason);
    return error instanceof Error && 'kind' in error ? [error.kind, error.message] : error;
  };
  const reason = await reasonOf(native);
  expect(reason).toEqual(['compilation', expect.any(String)]);
  expect(await reasonOf(wasm)).toEqual(reason);
  expect((await wasm.fixtures.contractClass('vault')).kind).toBe('sierra');
});

test('a compilation is stopped when its time is over', async () => {
  const { fresh, contract } = await import('../../engine/test/fixtures/sierra.js');
  const text = fresh(await contract('counter'));
  const compiled = wasm.engine.Class.compile(text, { compileMillis: 1 });
  await expect(compiled).rejects.toThrow('compiling took longer than 0.001 s and was stopped');
});

test('an image that one engine writes is read by the other', async () => {
  const { state } = await native.fixtures.genesis();
  const pieces: Uint8Array[] = [];
  for await (const piece of state.export()) pieces.push(piece);
  const copy = await wasm.engine.State.import(pieces);
  const { approximateBytes: _bytes, ...figures } = state.figures();
  expect(figures.slots).toBeGreaterThan(0);
  expect(copy.figures()).toMatchObject(figures);
});

describe('a source', () => {
  const ACCOUNT = '0x77';

  test('is asked during an execution, and each question once', async () => {
    const questions: string[] = [];
    const { state } = await wasm.fixtures.genesis();
    const source = new wasm.engine.StateSource(async (question) => {
      questions.push(JSON.stringify(question));
      if (question.kind === 'class') return null;
      return question.kind === 'storage' ? state.storageAt(question.address, question.key) : '0x0';
    });
    const fork = wasm.engine.State.create({ source });
    const context = wasm.fixtures.block();
    const call = { contract_address: ACCOUNT, entry_point_selector: '0x1', calldata: [] };
    const outcomes = await Promise.all([fork.call(context, call), fork.call(context, call)]);
    expect(outcomes[0]?.failure?.message).toMatch(/not deployed/);
    expect(questions).toEqual([`{"kind":"class_hash","address":"${ACCOUNT}"}`]);
  });

  test('that fails rejects the call with its reason', async () => {
    const source = new wasm.engine.StateSource(() => Promise.reject(new Error('down')));
    const fork = wasm.engine.State.create({ source });
    await expect(fork.storageAt('0x1', '0x2')).rejects.toMatchObject({
      kind: 'state_source',
      message: expect.stringMatching(/: down$/),
    });
  });

  test('that is slow is given up', async () => {
    let key = 0;
    const source = new wasm.engine.StateSource(
      async () => {
        key += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return wasm.fixtures.hex(key);
      },
      { timeLimit: 1 },
    );
    const fork = wasm.engine.State.create({ source });
    const call = { contract_address: '0x1', entry_point_selector: '0x1', calldata: [] };
    await expect(fork.call(wasm.fixtures.block(), call)).rejects.toThrow(/given up after 0.001 s/);
  });
});

describe('a lock on a file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'starkbox-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('has one holder until it is released', () => {
    const file = join(folder, 'file');
    const lock = wasm.engine.FileLock.take(file);
    expect(lock).toBeDefined();
    expect(wasm.engine.FileLock.take(file)).toBeUndefined();
    lock?.release();
    expect(wasm.engine.FileLock.take(file)).toBeDefined();
  });

  test('of a process that has ended is taken over', () => {
    const file = join(folder, 'file');
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    writeFileSync(`${file}.pid`, String(pid));
    const lock = wasm.engine.FileLock.take(file);
    expect(lock).toBeDefined();
    expect(readdirSync(folder)).toEqual(['file.pid']);
    lock?.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('long work leaves the event loop its turns', async () => {
  const { state, accounts } = await wasm.fixtures.genesis();
  const account = wasm.fixtures.firstAccount({ accounts });
  const transactions = Array.from({ length: 40 }, (_, nonce) =>
    wasm.fixtures.transfer(account, '0x1234', 1, nonce),
  );
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await state.executeMany(wasm.fixtures.block(), transactions, {}, { report: 'execution' });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});
