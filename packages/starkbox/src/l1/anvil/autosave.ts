// Saves of the managed Anvil's state: before L2 depends on it, and soon after each of its blocks.

import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { SerialQueue } from '../../scheduling/serial-queue.js';
import type { Ethereum } from '../ethereum/client.js';
import { L1Error } from '../ethereum/l1-error.js';
import type { AnvilState } from './state-files.js';

/** Interval of polling for new blocks. */
const LOOK_MILLISECONDS = 250;
/** The pause between two polls is at least this multiple of the last poll's duration. */
const REST = 10;

export class AnvilAutosave {
  readonly #node: Ethereum;
  readonly #state: AnvilState;
  readonly #log: Log;
  /** The hash of the newest block that is saved. */
  #saved: string | undefined;
  readonly #saves = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The reason of the last failure; a repeated one is logged once. */
  #lastError: string | undefined;

  constructor(node: Ethereum, state: AnvilState, log: Log) {
    this.#node = node;
    this.#state = state;
    this.#log = log;
  }

  start(): void {
    this.#lookIn(LOOK_MILLISECONDS);
  }

  /** Resolves when every block that Anvil has now is on disk. */
  save(): Promise<void> {
    return this.#saves.run(() => this.#save());
  }

  /** Saves a last time if Anvil still answers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#look();
  }

  async #save(): Promise<void> {
    const { hash } = await this.#node.head();
    if (hash === this.#saved) return;
    const dumped = await this.#node.dumpState();
    try {
      await this.#state.save(dumped);
    } catch (error) {
      throw new L1Error(`the state of Anvil cannot be saved: ${reasonOf(error)}`);
    }
    this.#saved = hash;
  }

  #lookIn(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      const begin = process.uptime();
      void this.#look().then(() =>
        this.#lookIn(Math.max(LOOK_MILLISECONDS, REST * 1000 * (process.uptime() - begin))),
      );
    }, milliseconds);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      await this.save();
      this.#lastError = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.#lastError) this.#log.warn(reason);
      this.#lastError = reason;
    }
  }
}
