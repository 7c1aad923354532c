// Automatic relay of messages: at an interval, and after each block that sends one.

import { AsyncResource } from 'node:async_hooks';
import type { Chain } from '../chain/chain.js';
import { reasonOf, shortUrl } from '../errors.js';
import type { Log } from '../log.js';
import type { Postman } from './postman.js';

export interface AutoRelayOptions {
  readonly chain: Chain;
  readonly postman: Postman;
  /** Time between two polls of L1, in milliseconds. */
  readonly interval: number;
  readonly log: Log;
}

/** Upper bound of the backoff while L1 fails, in milliseconds. */
const MAX_PAUSE = 5_000;

export class AutoRelay {
  readonly #options: AutoRelayOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isUnderWay = false;
  /** A block sent a message during the current run. */
  #isDue = false;
  /** The reason of the last failure; a repeated one is logged once. */
  #lastError: string | undefined;
  #pause: number;
  /** Outside of the async context of the call that made the block. */
  readonly #runDetached: () => void;

  constructor(options: AutoRelayOptions) {
    this.#options = options;
    this.#runDetached = AsyncResource.bind(() => void this.#run());
    this.#pause = options.interval;
  }

  start(): void {
    this.#options.chain.watch(({ before, after }) => {
      // Messages that a revert restores wait for the next interval.
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
    // A new block does not shorten the backoff.
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
      if (this.#lastError !== undefined) log.info(`the relay to ${shortUrl(url)} works again`);
      if (toL1.length + toL2.length > 0) {
        log.info(`relayed ${toL2.length} messages from L1 and ${toL1.length} to L1`);
      }
      this.#lastError = undefined;
      this.#pause = interval;
    } catch (error) {
      const reason = reasonOf(error);
      if (this.#isStopped) return;
      if (reason !== this.#lastError) log.warn(`relaying messages failed, retrying: ${reason}`);
      this.#lastError = reason;
      this.#pause = Math.max(interval, Math.min(this.#pause * 2, MAX_PAUSE));
    }
  }
}
