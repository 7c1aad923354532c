// Loading of archived states into memory, so that an image can hold them.

import { type Class, State, type StateSource } from '@starkbox/engine';
import { declaredIn } from '../../chain/execution/apply-state-diff.js';
import { stateDiff } from '../../chain/world/find-block.js';
import type { World } from '../../chain/world/world.js';

/**
 * The same world with every state in memory, by applying the state diff of each block. Executes no
 * transactions.
 *
 * @param origin the origin of a fork
 */
export async function loadArchivedWorld(
  world: World,
  origin: StateSource | undefined,
): Promise<World> {
  if (!world.archived) return world;
  const { history, keepsHistory } = world;
  const loaded = new Map<string, Class>();
  let state = State.create({
    version: history.first,
    keepHistory: keepsHistory,
    ...(origin ? { source: origin } : {}),
  });
  for (let number = history.first; number < history.next; number += 1) {
    state = (await withDiff(state, world, number, loaded)).advance();
  }
  const latest = state;
  return {
    ...world,
    archived: undefined,
    latestState: latest,
    pendingState: await withDiff(latest, world, history.next, loaded),
  };
}

async function withDiff(
  state: State,
  world: World,
  number: number,
  loaded: Map<string, Class>,
): Promise<State> {
  const diff = stateDiff(world, number);
  const classes: Class[] = [];
  for (const hash of declaredIn(diff)) {
    const contractClass = loaded.get(hash) ?? (await world.pendingState.class(hash));
    if (!contractClass) throw new Error(`the class ${hash} is missing`);
    loaded.set(hash, contractClass);
    classes.push(contractClass);
  }
  return state.apply(diff, classes);
}
