// Reads that an origin looks up in the process: answered without a worker thread, remote ones still asked.

import { type FeltQuestion, type SourceQuestion, State, StateSource } from '@starkbox/engine';
import { expect, test, vi } from 'vitest';
import { hex } from '../fixtures/chain.js';

/** More reads than the engine has worker threads. */
const CROWD = 520;

const VALUES: Readonly<Record<FeltQuestion['kind'], string>> = {
  storage: '0x51',
  nonce: '0x4',
  class_hash: '0xc1a55',
};
const lookup = ({ kind }: FeltQuestion): string => VALUES[kind];
const unexpected = async (question: SourceQuestion): Promise<never> => {
  throw new Error(`asked for ${question.kind}`);
};

/** What a promise has come to before the event loop goes on to timers and other threads. */
async function atOnce<T>(promise: Promise<T>): Promise<T | 'not yet'> {
  const later: Promise<'not yet'> = new Promise((resolve) => setImmediate(resolve, 'not yet'));
  return Promise.race([promise, later]);
}

test('values that are looked up are there before any other thread could answer', async () => {
  const state = State.create({ version: 8, source: new StateSource(unexpected, { lookup }) });
  expect(await atOnce(state.storageAt('0xa', '0x1'))).toBe('0x51');
  expect(await atOnce(state.nonceAt('0xa'))).toBe('0x4');
  expect(await atOnce(state.classHashAt('0xa'))).toBe('0xc1a55');
});

test('what the origin does not have is zero, and a failed look-up is an error of the origin', async () => {
  const empty = State.create({ source: new StateSource(unexpected, { lookup: () => null }) });
  expect(await atOnce(empty.storageAt('0xa', '0x1'))).toBe('0x0');
  const broken = State.create({
    source: new StateSource(unexpected, {
      lookup: () => {
        throw new Error('page 7 is damaged');
      },
    }),
  });
  await expect(broken.nonceAt('0xa')).rejects.toMatchObject({
    kind: 'state_source',
    message: 'the origin did not answer {"kind":"nonce","address":"0xa"}: page 7 is damaged',
  });
  await expect(broken.nonceAt('0xz')).rejects.toMatchObject({ kind: 'input' });
});

test('what this chain wrote hides the origin, on every handle that comes of a state', async () => {
  const first = State.create({ version: 8, source: new StateSource(unexpected, { lookup }) });
  const entry = { address: '0xa', storage_entries: [{ key: '0x1', value: '0x2' }] };
  const changed = await first.apply({ storage_diffs: [entry] });
  const closed = changed.advance();
  for (const state of [changed, closed, closed.copy(), closed.at(8), await closed.rewind(8)]) {
    expect(await atOnce(state.storageAt('0xa', '0x1'))).toBe('0x2');
    expect(await atOnce(state.storageAt('0xa', '0x2'))).toBe('0x51');
  }
  expect(await atOnce(closed.at(7).storageAt('0xa', '0x1'))).toBe('0x51');
  const other = new StateSource(unexpected, { lookup: () => '0x99' });
  const settled = await closed.settle(8, other);
  expect(await atOnce(settled.storageAt('0xa', '0x1'))).toBe('0x99');
});

test('what cannot be looked up is asked for, once', async () => {
  const ask = vi.fn(async () => '0x77');
  const state = State.create({ source: new StateSource(ask, { lookup: () => undefined }) });
  expect(await atOnce(state.storageAt('0xa', '0x1'))).toBe('not yet');
  expect(await state.storageAt('0xa', '0x1')).toBe('0x77');
  expect(await atOnce(state.storageAt('0xa', '0x1'))).toBe('0x77');
  expect(ask).toHaveBeenCalledTimes(1);
});

test('looked-up reads answer while every worker thread waits for a remote origin', async () => {
  let release = (_value: string): void => {};
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  const remote = State.create({ source: new StateSource(() => released) });
  let answered = 0;
  const waiting = Array.from({ length: CROWD }, async (_, index) => {
    await remote.storageAt('0xa', hex(index));
    answered += 1;
  });
  const archived = State.create({ source: new StateSource(unexpected, { lookup }) });
  expect(await archived.storageAt('0xa', '0x1')).toBe('0x51');
  expect(answered).toBe(0);
  release('0x1');
  await Promise.all(waiting);
  expect(answered).toBe(CROWD);
});

test('values that a difference replaces are remembered, so that it lists only changes', async () => {
  const ask = async (question: SourceQuestion) =>
    question.kind === 'class' ? null : VALUES[question.kind];
  const diff = {
    nonces: [{ contract_address: '0xa', nonce: '0x4' }],
    storage_diffs: [
      {
        address: '0xa',
        storage_entries: [
          { key: '0x1', value: '0x51' },
          { key: '0x2', value: '0x52' },
        ],
      },
    ],
  };
  const state = State.create({ version: 8, source: new StateSource(ask, { lookup }) });
  await state.prefetch(diff);
  const { storage_diffs, nonces } = (await state.apply(diff)).diffOf(8);
  expect(nonces).toEqual([]);
  expect(storage_diffs).toEqual([
    { address: '0xa', storage_entries: [{ key: '0x2', value: '0x52' }] },
  ]);
});
