// Snapshots, reverts and restarts that cover the chain and its managed L1 together.
import type { Chain, ChainOptions } from '../chain/chain.js';
import type { L1Link } from '../chain/world/messages.js';
import { refuse } from '../errors.js';
import type { Ethereum } from './ethereum/client.js';
import { L1Error } from './ethereum/l1-error.js';
import type { Postman } from './postman.js';

/** A managed L1, with a snapshot of its initial state. */
interface PairedL1 {
  readonly node: Ethereum;
  readonly link: L1Link;
  /** Id of the initial snapshot; an id is valid for one revert. */
  readonly beginning: string;
  /** Saves its state if it has a data directory. */
  readonly save: () => Promise<void>;
}

/** Snapshots, reverts and restarts of the chain and, if there is one, of its managed L1. */
export class PairedSnapshots {
  readonly #chain: Chain;
  readonly #postman: Postman;
  #paired: PairedL1 | undefined;
  /** Snapshot ids of L1 by those of the chain. */
  readonly #names = new Map<bigint, string>();

  constructor(chain: Chain, postman: Postman) {
    this.#chain = chain;
    this.#postman = postman;
  }

  /** From now on this L1 is reverted with the chain, at the earliest to its present state. */
  async pairWith(node: Ethereum, link: L1Link, save: PairedL1['save']): Promise<void> {
    this.#paired = { node, link, beginning: await node.snapshot(), save };
  }

  snapshot(title?: string): Promise<bigint> {
    return this.#together(
      async (partner) => {
        const name = await partner.node.snapshot();
        const id = await this.#chain.snapshot(title);
        this.#names.set(id, name);
        return id;
      },
      () => this.#chain.snapshot(title),
    );
  }

  /** The snapshot of L1 stays there: an L1 has no call to delete one. */
  async deleteSnapshot(id: bigint): Promise<boolean> {
    const isDeleted = await this.#chain.deleteSnapshot(id);
    this.#names.delete(id);
    return isDeleted;
  }

  revert(id: bigint): Promise<boolean> {
    return this.#together(
      async (partner) => {
        const name = this.#names.get(id);
        // Loading another chain removes its snapshots.
        if (name === undefined || !this.#chain.hasSnapshot(id)) return this.#chain.revert(id);
        await partner.node.revert(name);
        for (const later of this.#names.keys()) if (later >= id) this.#names.delete(later);
        const isDone = await this.#chain.revert(id, true);
        await partner.save();
        return isDone;
      },
      () => this.#chain.revert(id),
    );
  }

  restart(relink?: (link: L1Link) => L1Link | undefined, options?: ChainOptions): Promise<void> {
    return this.#together(
      async (partner) => {
        const { node, link, beginning } = partner;
        await node.revert(beginning);
        this.#names.clear();
        this.#paired = { ...partner, beginning: await node.snapshot() };
        await this.#chain.restart(
          (now) => (relink ? relink(now) : now.url === link.url ? link : now),
          options,
        );
        await partner.save();
      },
      () => this.#chain.restart(relink, options),
    );
  }

  /** Both sides change while no message is being relayed. */
  async #together<T>(both: (partner: PairedL1) => Promise<T>, alone: () => Promise<T>): Promise<T> {
    const partner = this.#paired;
    if (!partner) return alone();
    try {
      return await this.#postman.exclusive(() => both(this.#paired ?? partner));
    } catch (error) {
      if (error instanceof L1Error)
        refuse(`The L1 cannot be changed with the chain: ${error.message}`);
      throw error;
    }
  }
}
