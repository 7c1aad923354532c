// Gate for one request: tells when it arrives, and lets it pass when it is opened. Benches use it too.

export class Gate {
  /** Resolved when the request has arrived. */
  readonly reached: Promise<void>;
  /** Resolved when the request may go on. */
  readonly opened: Promise<void>;
  #arrive: () => void = () => undefined;
  #open: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Called for the request; what it has to wait for. */
  arrive(): Promise<void> {
    this.#arrive();
    return this.opened;
  }

  open(): void {
    this.#open();
  }
}
