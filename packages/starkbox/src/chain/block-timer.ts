// Timer that closes a block in each interval.

export class BlockTimer {
  #timer: NodeJS.Timeout | undefined;

  /** Begins the interval, anew if it has begun before. */
  start(seconds: number, close: () => Promise<unknown>, onError: (error: unknown) => void): void {
    this.stop();
    let isClosing = false;
    this.#timer = setInterval(() => {
      // Where closing takes longer than the interval, the queue of changes must not grow.
      if (isClosing) return;
      isClosing = true;
      close()
        .catch(onError)
        .finally(() => {
          isClosing = false;
        });
    }, seconds * 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
