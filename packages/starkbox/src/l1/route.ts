// Dependencies shared by both directions of the relay.
import type { Chain } from '../chain/chain.js';
import type { L1Link } from '../chain/world/messages.js';
import type { Log } from '../log.js';
import type { Ethereum } from './ethereum/client.js';
import { L1Error } from './ethereum/l1-error.js';
import { ethereumAt } from './ethereum/open.js';

export interface RouteOptions {
  readonly chain: Chain;
  readonly log: Log;
  /** Resolves when the present blocks of a managed L1 at this URL are on disk. */
  readonly settle: (url: string) => Promise<void>;
}

export class Route {
  readonly options: RouteOptions;
  #node: Ethereum | undefined;
  #isClosed = false;

  constructor(options: RouteOptions) {
    this.options = options;
  }

  get chain(): Chain {
    return this.options.chain;
  }

  link(): L1Link {
    const { l1 } = this.chain.world.messages;
    if (!l1) throw new L1Error('no L1 is connected: call devnet_postmanLoad.');
    return l1;
  }

  async nodeAt(url: string): Promise<Ethereum> {
    if (this.#node?.url !== url) this.#node = await ethereumAt(url);
    return this.#node;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Called before each step. */
  assertOpen(): void {
    if (this.#isClosed) throw new L1Error('the node is closing');
  }
}
