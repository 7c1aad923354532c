// Queue that runs tasks one after another.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all tasks that were added before, whether these succeeded or failed. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks that were added so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
