// Automatic relay of messages: at an interval, and after each block that sends one.

import { AsyncResource } from 'node:async_hooks';
import type { Chain } from '../chain/chain.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Postman } from './postman.js';

export interface AutoRelayOptions {
  readonly chain: Chain;
  readonly postman: Postman;
  /** How often L1 is looked at, in milliseconds. */
  readonly interval: number;
  readonly log: Log;
}

/** An L1 that is away is asked less and less often, but not less than this, in milliseconds. */
const LONGEST_PAUSE = 5_000;

export class AutoRelay {
  readonly #options: AutoRelayOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isUnderWay = false;
  /** Something was sent while messages were being carried. */
  #isDue = false;
  /** Why the last attempt failed, so that one reason is told once. */
  #lastError: string | undefined;
  #pause: number;
  /** What is carried belongs to no call, also when one has just made the block that sent it. */
  readonly #runDetached: () => void;

  constructor(options: AutoRelayOptions) {
    this.#options = options;
    this.#runDetached = AsyncResource.bind(() => void this.#run());
    this.#pause = options.interval;
  }

  start(): void {
    this.#options.chain.watch(({ before, after }) => {
      // Those that come back with a revert can wait for the clock.
      if (after.messages.nextId > before.messages.nextId) this.#runSoon(0);
    }, 'relaying messages to L1');
    this.#runSoon(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #runSoon(milliseconds: number): void {
    if (this.#isStopped) return;
    if (this.#isUnderWay) {
      this.#isDue = true;
      return;
    }
    // A trouble is not over because a block was made.
    if (this.#lastError !== undefined && milliseconds < this.#pause) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#runDetached, milliseconds);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    this.#isDue = false;
    await this.#carry();
    this.#isUnderWay = false;
    this.#runSoon(this.#isDue && this.#lastError === undefined ? 0 : this.#pause);
  }

  async #carry(): Promise<void> {
    const { postman, log, interval } = this.#options;
    if (!postman.isConnected) return;
    try {
      const { toL1, toL2, url } = await postman.flush();
      if (this.#lastError !== undefined) log.info(`messages flow again between here and ${url}`);
      if (toL1.length + toL2.length > 0) {
        log.info(`carried ${toL2.length} messages from L1 and ${toL1.length} to L1`);
      }
      this.#lastError = undefined;
      this.#pause = interval;
    } catch (error) {
      const reason = reasonOf(error);
      if (this.#isStopped) return;
      if (reason !== this.#lastError) log.warn(`messages wait: ${reason}`);
      this.#lastError = reason;
      this.#pause = Math.max(interval, Math.min(this.#pause * 2, LONGEST_PAUSE));
    }
  }
}
