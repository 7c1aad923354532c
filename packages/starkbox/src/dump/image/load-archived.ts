// Loading of archived states into memory, so that an image can hold them.

import { type Class, State, type StateDiff, type StateSource } from '@starkbox/engine';
import { declaredIn } from '../../chain/steps/apply-state-diff.js';
import { stateDiffText } from '../../chain/world/find-block.js';
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
  const known = new Map<string, Class>();
  let state = State.create({
    version: history.first,
    keepHistory: keepsHistory,
    ...(origin ? { source: origin } : {}),
  });
  for (let number = history.first; number < history.next; number += 1) {
    state = (await withDiff(state, world, number, known)).advance();
  }
  const latest = state;
  return {
    ...world,
    archived: undefined,
    latestState: latest,
    pendingState: await withDiff(latest, world, history.next, known),
  };
}

async function withDiff(
  state: State,
  world: World,
  number: number,
  known: Map<string, Class>,
): Promise<State> {
  const diff: StateDiff = JSON.parse(stateDiffText(world, number));
  const classes: Class[] = [];
  for (const hash of declaredIn(diff)) {
    const found = known.get(hash) ?? (await world.pendingState.class(hash));
    if (!found) throw new Error(`the class ${hash} is missing`);
    known.set(hash, found);
    classes.push(found);
  }
  return state.apply(diff, classes);
}
