// Sierra statements that transactions visited, by class.
import type { Retrace } from '@starkbox/engine';
import type { World } from '../world/world.js';

export class StatementCoverage {
  readonly #visits = new Map<string, Map<number, number>>();

  add({ frames }: Retrace, runs = 1): void {
    for (const { class_hash, visited } of frames) {
      const visits = this.#visits.get(class_hash) ?? new Map<number, number>();
      this.#visits.set(class_hash, visits);
      for (const [statement, times] of visited ?? []) {
        visits.set(statement, (visits.get(statement) ?? 0) + times * runs);
      }
    }
  }

  /** Each statement that has code, and how often it ran; undefined if the class runs code of another compiler. */
  async of(
    world: World,
    classHash: string,
  ): Promise<readonly (readonly [statement: number, times: number])[] | undefined> {
    const contractClass = await world.pendingState.class(classHash);
    const coded = await contractClass?.codedStatements().catch(() => undefined);
    const visits = this.#visits.get(classHash);
    return coded?.map((statement) => [statement, visits?.get(statement) ?? 0] as const);
  }
}
