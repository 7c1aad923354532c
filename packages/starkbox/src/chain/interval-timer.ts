// Timer that runs a step in each interval: it closes blocks, or runs the steps that lead to them.

/** A step to run at an interval. */
export interface TimedSteps {
  /** Seconds. */
  readonly interval: number;
  /** @param isActive whether it may continue; false once the interval is stopped */
  readonly step: (isActive: () => boolean) => Promise<unknown>;
}

export class IntervalTimer {
  #timer: NodeJS.Timeout | undefined;

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Starts the interval, or restarts it. */
  start({ interval, step }: TimedSteps, onError: (error: unknown) => void): void {
    this.stop();
    let isRunning = false;
    const timer = setInterval(() => {
      // The queue of changes must not grow where a step takes longer than the interval.
      if (isRunning) return;
      isRunning = true;
      step(() => this.#timer === timer)
        .catch(onError)
        .finally(() => {
          isRunning = false;
        });
    }, interval * 1000);
    this.#timer = timer;
    timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
