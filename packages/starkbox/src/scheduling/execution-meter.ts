// Count of the executions that a call causes, wherever they are made.
import { AsyncLocalStorage } from 'node:async_hooks';

const METERS = new AsyncLocalStorage<ExecutionMeter>();

export class ExecutionMeter {
  #count = 0;

  /** Executions so far. */
  get count(): number {
    return this.#count;
  }

  /** Counts the executions that work causes, in queues too. */
  during<T>(work: () => T): T {
    return METERS.run(this, work);
  }

  add(count: number): void {
    this.#count += count;
  }
}

/** Counts executions for the call that causes them, if there is a meter for it. */
export function countExecutions(count: number): void {
  METERS.getStore()?.add(count);
}
