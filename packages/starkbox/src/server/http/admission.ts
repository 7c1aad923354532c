// Order of accepting and answering: connections that wait are accepted before requests are answered.
import { milliseconds } from '../../scheduling/slices.js';

/** After so many connections, or so long, the requests that came meanwhile are answered. */
const MOST_CONNECTIONS = 512;
const LONGEST_MILLISECONDS = 200;

/**
 * Holds requests while connections wait to be accepted. The event loop accepts one connection in each of its turns,
 * and a turn in which many requests are answered takes long: without this, the last of many clients waits for
 * the sum of all these turns.
 */
export class Admission {
  #held: (() => void)[] = [];
  #isHolding = false;
  /** A connection came in this turn of the event loop, so another one may wait. */
  #hasAccepted = false;
  #accepted = 0;
  #until = 0;

  /** A connection was accepted. */
  accepted(): void {
    this.#hasAccepted = true;
    this.#accepted += 1;
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#accepted = 1;
    this.#until = milliseconds() + LONGEST_MILLISECONDS;
    setImmediate(this.#endTurn);
  }

  /** Resolves, in the order of the calls, when a request may be answered; undefined if it may at once. */
  turn(): Promise<void> | undefined {
    if (!this.#isHolding) return undefined;
    return new Promise((resolve) => {
      this.#held.push(resolve);
    });
  }

  readonly #endTurn = (): void => {
    const mayHold = this.#accepted < MOST_CONNECTIONS && milliseconds() < this.#until;
    if (this.#hasAccepted && mayHold) {
      this.#hasAccepted = false;
      setImmediate(this.#endTurn);
      return;
    }
    this.#isHolding = false;
    this.#hasAccepted = false;
    const admissions = this.#held;
    this.#held = [];
    for (const admit of admissions) admit();
  };
}
