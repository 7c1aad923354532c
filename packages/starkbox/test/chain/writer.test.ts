// The writer's queue: changes wait in order and time out; failing observers undo nothing.
import { State } from '@starkbox/engine';
import { expect, test } from 'vitest';
import type { WorldAndSnapshots } from '../../src/chain/world/chain-store.js';
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

function standing(): WorldAndSnapshots {
  const world = firstWorld(State.create(), {
    startTime: 0,
    prices: PRICES,
    keepsHistory: true,
  });
  return { world, snapshots: PersistentMap(), notes: PersistentMap(), lastSnapshot: 0n };
}

test('a change whose turn comes too late is not made, and those after it are', async () => {
  const writer = new Writer(standing(), undefined, { patience: 0.1 });
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const made: string[] = [];
  const change = (name: string, wait?: Promise<void>) =>
    writer.change('step', async (after) => {
      await wait;
      made.push(name);
      return { after: { ...after, lastSnapshot: after.lastSnapshot + 1n }, result: name };
    });
  const first = change('first', gate);
  const late = change('late');
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(writer.waiting).toBe(1);
  const after = change('after');
  open();
  expect(await first).toBe('first');
  await expect(late).rejects.toMatchObject({ code: -1 });
  expect(await after).toBe('after');
  expect(made).toEqual(['first', 'after']);
  expect(writer.standing.lastSnapshot).toBe(2n);
  expect(writer.waiting).toBe(0);
});

test('an observer that throws is reported by its name, and neither the change nor another observer fails', async () => {
  const failed: unknown[] = [];
  const seen: string[] = [];
  const writer = new Writer(standing(), undefined, {
    onObserverError: (name, error) => failed.push([name, String(error)]),
  });
  const fails = (): never => {
    throw new Error('no space');
  };
  writer.watch(fails, 'the first');
  writer.watch(() => seen.push('a change'));
  writer.watchAll(fails, 'the second');
  writer.watchAll(() => seen.push('a turn'));
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
  expect(writer.standing.world.acceptedOnL1).toBe(2);
  expect(seen).toEqual(['a change', 'a turn', 'a change', 'a turn']);
  expect(failed.slice(0, 2)).toEqual([
    ['the first', 'Error: no space'],
    ['the second', 'Error: no space'],
  ]);
});
