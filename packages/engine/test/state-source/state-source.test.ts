// Reads of a forked state from its origin: lazy, asked once, in parallel, failing with typed errors.

import { setTimeout as delay } from 'node:timers/promises';
import {
  type SourceQuestion,
  type SourceReader,
  State,
  StateSource,
  storageAddress,
  Transaction,
} from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import {
  block,
  CHAIN_ID,
  contractClass,
  declareValues,
  firstAccount,
  genesis,
  hex,
  STRK,
  transfer,
} from '../fixtures/chain.js';

const below = await genesis();
const account = firstAccount(below);

/** Answers from another state, as a remote node would. */
async function answer(question: SourceQuestion): Promise<string | null> {
  const { state } = below;
  switch (question.kind) {
    case 'storage':
      return state.storageAt(question.address, question.key);
    case 'nonce':
      return state.nonceAt(question.address);
    case 'class_hash':
      return state.classHashAt(question.address);
    case 'class':
      return (await (await state.class(question.class_hash))?.json()) ?? null;
  }
}

function fork(ask: SourceReader = answer): {
  state: State;
  origin: StateSource;
  questions: string[];
} {
  const questions: string[] = [];
  const origin = new StateSource((question) => {
    questions.push(JSON.stringify(question));
    return ask(question);
  });
  return { origin, questions, state: State.create({ version: 100, source: origin }) };
}

const balance = storageAddress('ERC20_balances', ['0x1234']);

describe('reads', () => {
  test('come from the origin once and are shared by every version and branch', async () => {
    const { state, origin, questions } = fork();
    const supply = storageAddress('ERC20_total_supply');
    const expected = await below.state.storageAt(STRK, supply);
    expect(await state.storageAt(STRK, supply)).toBe(expected);
    const later = (await state.apply({})).advance();
    const branch = await state.apply({ nonces: [{ contract_address: '0x5', nonce: '0x1' }] });
    expect(await later.storageAt(STRK, supply)).toBe(expected);
    expect(await branch.storageAt(STRK, supply)).toBe(expected);
    expect(await later.at(100).storageAt(STRK, supply)).toBe(expected);
    expect(questions).toEqual([JSON.stringify({ kind: 'storage', address: STRK, key: supply })]);
    expect(origin.answers).toBe(1);
  });

  test('of what was written here do not ask, even if it is zero', async () => {
    const { state, questions } = fork();
    const key = storageAddress('ERC20_total_supply');
    const written = await state.apply({
      storage_diffs: [{ address: STRK, storage_entries: [{ key, value: '0x0' }] }],
    });
    expect(await written.storageAt(STRK, key)).toBe('0x0');
    expect(questions).toEqual([]);
  });

  test('of what the origin does not have are zero or nothing', async () => {
    const { state } = fork(async () => null);
    expect(await state.storageAt('0x1', '0x2')).toBe('0x0');
    expect(await state.nonceAt('0x1')).toBe('0x0');
    expect(await state.classHashAt('0x1')).toBe('0x0');
    expect(await state.class('0x1')).toBeUndefined();
  });

  test('bring classes, compiled and checked against their hash', async () => {
    const { state } = fork();
    const { hash } = below.classes.strk;
    expect((await state.class(hash))?.compiledClassHash).toBe(below.classes.strk.compiledClassHash);
    const liar = fork(async () => below.classes.udc.json());
    await expect(liar.state.class(hash)).rejects.toMatchObject({
      kind: 'state_source',
      message: expect.stringContaining(below.classes.udc.hash),
    });
  });

  test.each([
    ['a rejected promise', () => Promise.reject(new Error('rate limited'))],
    [
      'a thrown error',
      () => {
        throw new Error('rate limited');
      },
    ],
  ])('fail typed on %s, and are asked again the next time', async (_, fail) => {
    let broken = true;
    const { state } = fork((question) => (broken ? fail() : answer(question)));
    await expect(state.nonceAt('0x1')).rejects.toMatchObject({
      name: 'EngineError',
      kind: 'state_source',
      message: expect.stringContaining('rate limited'),
    });
    broken = false;
    expect(await state.nonceAt('0x1')).toBe('0x0');
  });

  test('fail typed on an answer that is no felt or no class', async () => {
    const { state } = fork(async () => 'nonsense');
    await expect(state.storageAt('0x1', '0x2')).rejects.toMatchObject({ kind: 'state_source' });
    await expect(state.class('0x1')).rejects.toMatchObject({ kind: 'state_source' });
  });
});

/** In milliseconds. */
const SLOW_ANSWER = 200;

describe('execution', () => {
  test('runs on forked state, writes here, and leaves the origin alone', async () => {
    const { state, questions } = fork();
    const tx = transfer(account, '0x1234', 9, 0);
    const execution = await state.execute(block(100), tx);
    expect(execution.outcome).toBe('accepted');
    if (execution.outcome === 'rejected') return;
    expect(await execution.next.storageAt(STRK, balance)).toBe('0x9');
    expect(await below.state.storageAt(STRK, balance)).toBe('0x0');
    expect(new Set(questions).size).toBe(questions.length);
    const count = questions.length;
    const again = await execution.next.execute(block(100), transfer(account, '0x1234', 9, 1));
    expect(again.outcome).toBe('accepted');
    expect(questions.length).toBe(count);
  });

  test('gives the same receipt and difference as on the origin itself', async () => {
    const { state } = fork();
    const tx = transfer(account, '0x1234', 9, 0);
    const here = await state.execute(block(100), tx);
    const original = await below.state.execute(block(100), tx);
    if (here.outcome === 'rejected' || original.outcome === 'rejected') throw new Error('rejected');
    expect(here.receipt).toEqual(original.receipt);
    expect(here.trace).toBe(original.trace);
    expect(here.next.diffOf(100)).toEqual(original.next.diffOf(1));
  });

  test('of a class that only the origin has refuses to declare it again', async () => {
    const { state } = fork();
    const { account: declared } = below.classes;
    const tx = new Transaction(declareValues(account, declared, 0), CHAIN_ID, declared);
    expect(await state.execute(block(100), tx)).toMatchObject({
      rejection: { reason: 'class_already_declared' },
    });
  });

  test('that reads too long of a slow origin is given up, and what it learnt stays', async () => {
    let answers = 0;
    const origin = new StateSource(
      async (question) => {
        answers += 1;
        await delay(SLOW_ANSWER);
        return answer(question);
      },
      { timeLimit: 500 },
    );
    const state = State.create({ version: 100, source: origin });
    const run = () => state.execute(block(100), transfer(account, '0x1234', 9, 0));
    await expect(run()).rejects.toMatchObject({
      kind: 'state_source',
      message: expect.stringContaining('given up after 0.5 s'),
    });
    const before = answers;
    expect(before).toBeLessThan(5);
    const outcomes = [];
    while (outcomes.length < 60 && outcomes.at(-1) !== 'accepted') {
      outcomes.push(
        await run().then(
          ({ outcome }) => outcome,
          () => 'given up',
        ),
      );
    }
    expect(outcomes.at(-1)).toBe('accepted');
    expect(() => new StateSource(answer, { timeLimit: -1 })).toThrow(
      expect.objectContaining({ kind: 'input' }),
    );
  });

  test('with a failing read is an error, never a revert and never a zero', async () => {
    const slots: string[] = [];
    await fork((question) => {
      if (question.kind === 'storage') slots.push(question.key);
      return answer(question);
    }).state.execute(block(100), transfer(account, '0x1234', 9, 0));
    expect(slots.length).toBeGreaterThan(3);
    for (const slot of slots) {
      const { state } = fork((question) =>
        question.kind === 'storage' && question.key === slot
          ? Promise.reject(new Error('gone'))
          : answer(question),
      );
      await expect(
        state.execute(block(100), transfer(account, '0x1234', 9, 0)),
        slot,
      ).rejects.toMatchObject({ kind: 'state_source', message: expect.stringContaining('gone') });
    }
  });

  test('waits in parallel, and the JavaScript thread stays free', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => hex(index + 1));
    let waiting = 0;
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { state } = fork(async (question) => {
      waiting += 1;
      if (waiting > keys.length / 4) open();
      await opened;
      return question.kind === 'storage' ? question.key : null;
    });
    expect(await Promise.all(keys.map((key) => state.storageAt('0x1', key)))).toEqual(keys);
  });

  test('that many want the same answer is one question', async () => {
    let open = (_: string): void => {};
    const nonce = new Promise<string>((resolve) => {
      open = resolve;
    });
    const { state, questions } = fork(() => nonce);
    const asked = Promise.all(Array.from({ length: 20 }, () => state.nonceAt('0x1')));
    await expect.poll(() => questions.length).toBe(1);
    open('0x7');
    expect(new Set(await asked)).toEqual(new Set(['0x7']));
    expect(questions.length).toBe(1);
  });
});

test('an image of a fork holds what was written here and reads the rest from an origin', async () => {
  const { state, origin } = fork();
  const counter = await contractClass('counter');
  const execution = await state.execute(block(100), transfer(account, '0x1234', 9, 0));
  if (execution.outcome === 'rejected') throw new Error('rejected');
  const written = (await execution.next.apply({}, [counter])).advance();
  const copy = await State.import(written.export(), origin);
  expect(await copy.storageAt(STRK, balance)).toBe('0x9');
  expect(await copy.nonceAt(below.minter.address)).toBe('0x0');
  expect(copy.diffOf(100)).toEqual(written.diffOf(100));
});
