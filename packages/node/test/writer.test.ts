// Changes wait for their turn, but not for ever.
import { State } from '@starkbox/engine';
import { expect, test } from 'vitest';
import type { Standing } from '../src/chain/keeper.js';
import { PersistentMap } from '../src/chain/persistent.js';
import { firstWorld } from '../src/chain/world.js';
import { Writer } from '../src/chain/writer.js';

const PRICES = {
  gas_price_wei: 1n,
  data_gas_price_wei: 1n,
  gas_price_fri: 1n,
  data_gas_price_fri: 1n,
  l2_gas_price_wei: 1n,
  l2_gas_price_fri: 1n,
};

function standing(): Standing {
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
