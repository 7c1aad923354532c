// Timer that repeats a change of the chain; it does not keep the process running.

export class IntervalTimer {
  #timer: NodeJS.Timeout | undefined;

  /** Starts the interval, or restarts it. */
  start(seconds: number, change: () => Promise<unknown>, onError: (error: unknown) => void): void {
    this.stop();
    let isRunning = false;
    this.#timer = setInterval(() => {
      // The queue of changes must not grow where a change takes longer than the interval.
      if (isRunning) return;
      isRunning = true;
      change()
        .catch(onError)
        .finally(() => {
          isRunning = false;
        });
    }, seconds * 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
