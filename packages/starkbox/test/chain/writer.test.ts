// The writer's queue: changes wait in order and time out; failing observers undo nothing.
import { State } from '@starkbox/engine';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChainStore, WorldAndSnapshots } from '../../src/chain/world/chain-store.js';
import { firstWorld } from '../../src/chain/world/world.js';
import { Writer } from '../../src/chain/writer.js';
import { PersistentMap } from '../../src/immutable.js';

const PRICES = {
  gas_price_wei: 1n,
  data_gas_price_wei: 1n,
  gas_price_fri: 1n,
  data_gas_price_fri: 1n,
  l2_gas_price_wei: 1n,
  l2_gas_price_fri: 1n,
};

function emptyChain(): WorldAndSnapshots {
  const world = firstWorld(State.create(), {
    startTime: 0,
    prices: PRICES,
    keepsHistory: true,
  });
  return { world, snapshots: PersistentMap(), lastSnapshot: 0n };
}

test('a change whose turn comes too late is not made, and those after it are', async () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  onTestFinished(() => void vi.useRealTimers());
  const writer = new Writer(emptyChain(), undefined, { queueTimeout: 0.1 });
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const changes: string[] = [];
  const change = (name: string, wait?: Promise<void>) =>
    writer.change('step', async (after) => {
      await wait;
      changes.push(name);
      return { after: { ...after, lastSnapshot: after.lastSnapshot + 1n }, result: name };
    });
  const first = change('first', gate);
  const late = change('late');
  await expect.poll(() => writer.waiting).toBe(1);
  vi.advanceTimersByTime(101);
  const after = change('after');
  open();
  expect(await first).toBe('first');
  await expect(late).rejects.toMatchObject({ code: -1 });
  expect(await after).toBe('after');
  expect(changes).toEqual(['first', 'after']);
  expect(writer.published.lastSnapshot).toBe(2n);
  expect(writer.waiting).toBe(0);
});

test('an observer that throws is reported by its name, and neither the change nor another observer fails', async () => {
  const failed: unknown[] = [];
  const observed: string[] = [];
  const writer = new Writer(emptyChain(), undefined, {
    onObserverError: (name, error) => failed.push([name, String(error)]),
  });
  const fails = (): never => {
    throw new Error('no space');
  };
  writer.watch(fails, 'the first');
  writer.watch(() => observed.push('a change'));
  writer.watchAll(fails, 'the second');
  writer.watchAll(() => observed.push('a turn'));
  const change = () =>
    writer.change('step', async (after) => ({
      after: {
        ...after,
        world: { ...after.world, acceptedOnL1: (after.world.acceptedOnL1 ?? 0) + 1 },
      },
      result: 'done',
    }));
  expect(await change()).toBe('done');
  expect(await change()).toBe('done');
  expect(writer.published.world.acceptedOnL1).toBe(2);
  expect(observed).toEqual(['a change', 'a turn', 'a change', 'a turn']);
  expect(failed.slice(0, 2)).toEqual([
    ['the first', 'Error: no space'],
    ['the second', 'Error: no space'],
  ]);
});

interface HeldCommit {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A store whose commits end when the test says so. */
function heldStore(): { readonly store: ChainStore; readonly commits: readonly HeldCommit[] } {
  const commits: HeldCommit[] = [];
  const commit = (): Promise<void> =>
    new Promise((resolve, reject) => {
      commits.push({ resolve, reject });
    });
  return { store: { prepare: async ({ after }) => ({ after, commit }) }, commits };
}

const counted = (writer: Writer) =>
  writer.change('step', async (now) => ({
    after: { ...now, lastSnapshot: now.lastSnapshot + 1n },
    result: now.lastSnapshot + 1n,
  }));
const unchanged = (writer: Writer) =>
  writer.change('step', async (now) => ({ after: now, result: now.lastSnapshot }));

test('a change that changes nothing is answered after the commit that it depends on', async () => {
  const { store, commits } = heldStore();
  const writer = new Writer(emptyChain(), store);
  const order: string[] = [];
  const first = counted(writer).then(() => order.push('changed'));
  const second = unchanged(writer).then((count) => order.push(`saw ${count}`));
  await expect.poll(() => commits.length).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([]);
  commits[0]?.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['changed', 'saw 1']);
});

test('it fails with the commit that it depends on, and the next one sees what is stored', async () => {
  const { store, commits } = heldStore();
  const writer = new Writer(emptyChain(), store);
  const both = Promise.allSettled([counted(writer), unchanged(writer)]);
  await expect.poll(() => commits.length).toBe(1);
  commits[0]?.reject(new Error('the disk is full'));
  expect(await both).toMatchObject([
    { status: 'rejected', reason: { message: 'the disk is full' } },
    { status: 'rejected', reason: { message: 'the disk is full' } },
  ]);
  expect(await unchanged(writer)).toBe(0n);
});
