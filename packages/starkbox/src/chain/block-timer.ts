// Timer that closes a block in each interval.

export class BlockTimer {
  #timer: NodeJS.Timeout | undefined;

  /** Starts the interval, or restarts it. */
  start(seconds: number, close: () => Promise<unknown>, onError: (error: unknown) => void): void {
    this.stop();
    let isClosing = false;
    this.#timer = setInterval(() => {
      // The queue of changes must not grow where closing takes longer than the interval.
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
