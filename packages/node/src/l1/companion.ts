// Knows the L1 that a node was given at its start: another node's, an Anvil of its own, or none.
import { join } from 'node:path';
import type { Chain } from '../chain/chain.js';
import type { Log } from '../log.js';
import type { Anvil } from './anvil.js';
import { ethereumAt } from './ethereum.js';
import { Postman, type PostmanOptions } from './postman.js';
import { Relay } from './relay.js';
import { PairedTimeline } from './timeline.js';

export interface CompanionConfig {
  /** A URL, or `anvil` for one of our own. */
  readonly l1: string | undefined;
  /** Of that Anvil. */
  readonly l1Port: number;
  /** Where the chain is kept, and an Anvil of our own with it. */
  readonly dataDir: string | undefined;
  /** Milliseconds between two looks at L1; messages are only carried on request without. */
  readonly l1AutoRelay: number | undefined;
}

export interface L1Facts {
  readonly url: string;
  readonly messagingContract: string;
  /** Whether it is ours, and goes back with the chain. */
  readonly isManaged: boolean;
}

/** Everything of a node that has to do with L1. */
export class Companion {
  readonly postman: Postman;
  readonly timeline: PairedTimeline;
  readonly #chain: Chain;
  readonly #log: Log;
  #relay: Relay | undefined;
  #anvil: Anvil | undefined;

  constructor(options: PostmanOptions) {
    this.#chain = options.chain;
    this.#log = options.log;
    this.postman = new Postman(options);
    this.timeline = new PairedTimeline(this.#chain, this.postman);
  }

  /** Connects and begins to carry messages, as far as was asked for. */
  async open({ l1, l1Port, l1AutoRelay, dataDir }: CompanionConfig): Promise<L1Facts | undefined> {
    if (l1 === 'anvil') await this.#startAnvil(l1Port, dataDir);
    // A chain that was kept knows its L1, and how far it has read there.
    else if (l1 !== undefined && this.#chain.world.messages.l1?.url !== new URL(l1).href) {
      await this.postman.load({ url: l1 });
    }
    if (l1AutoRelay !== undefined) {
      const { postman } = this;
      this.#relay = new Relay({
        chain: this.#chain,
        postman,
        interval: l1AutoRelay,
        log: this.#log,
      });
      this.#relay.start();
    }
    const link = this.#chain.world.messages.l1;
    return l1 === undefined || !link
      ? undefined
      : { url: link.url, messagingContract: link.contract, isManaged: this.#anvil !== undefined };
  }

  async #startAnvil(port: number, dataDir: string | undefined): Promise<void> {
    const { startAnvil } = await import('./anvil.js');
    this.#anvil = await startAnvil({
      port,
      state: dataDir === undefined ? undefined : join(dataDir, 'anvil.json'),
      onExit: (reason) => this.#log.error(reason),
    });
    const { url } = this.#anvil;
    if (!(await this.postman.resume(url))) await this.postman.load({ url });
    const link = this.#chain.world.messages.l1;
    if (link) await this.timeline.pairWith(await ethereumAt(url), link);
  }

  /** Ends what was begun here. */
  async close(): Promise<void> {
    this.#relay?.stop();
    await this.postman.close();
    await this.#anvil?.close();
  }
}
