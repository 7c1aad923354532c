// Keeps the transactions of each sender in the order of arrival while a fork reads ahead. It does not look at nonces.

export class SenderQueue {
  /** By sender: resolves when its last transaction has entered or failed. */
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs `enter` after all earlier ones of the same sender have entered, and after `ready`.
   *
   * @param ready if it rejects, `enter` does not run
   */
  async run<T>(sender: string, ready: Promise<void>, enter: () => Promise<T>): Promise<T> {
    const before = this.#last.get(sender);
    let leave = (): void => {};
    const entrance = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(sender, entrance);
    try {
      const [outcome] = await Promise.allSettled([ready, before]);
      if (outcome.status === 'rejected') throw outcome.reason;
      const entered = enter();
      leave();
      return await entered;
    } finally {
      leave();
      if (this.#last.get(sender) === entrance) this.#last.delete(sender);
    }
  }
}
