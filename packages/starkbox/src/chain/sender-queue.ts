// Queue that keeps the transactions of each sender in the order they came.

export class SenderQueue {
  /** By sender: settled when the last one in the lane has entered, or has given up. */
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Enters when all before it in the same lane have, and it is ready.
   *
   * @param ready if it fails, so does this, and nothing is entered
   */
  async run<T>(lane: string, ready: Promise<void>, enter: () => Promise<T>): Promise<T> {
    const before = this.#last.get(lane);
    let leave = (): void => {};
    const own = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(lane, own);
    try {
      const [outcome] = await Promise.allSettled([ready, before]);
      if (outcome.status === 'rejected') throw outcome.reason;
      const entered = enter();
      leave();
      return await entered;
    } finally {
      leave();
      if (this.#last.get(lane) === own) this.#last.delete(lane);
    }
  }
}
