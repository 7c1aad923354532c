// What instances begin with that are not branched from another instance.
import {
  baseWith,
  Chain,
  type ChainService,
  type World,
  withOptionErrors,
} from 'starkbox/registry';
import { type Contents, type HostedChainOptions, PreparedContents } from './hosted-chain.js';
import type { LayerStore } from './layers/layer-store.js';

/** The contents of an instance, and the options of its chain. */
export interface InitialContents {
  readonly contents: Contents;
  readonly inherited: readonly object[];
}

export class InitialContentsFactory {
  readonly #root: ChainService;
  readonly #layers: LayerStore;
  /** What branches of the node's own chain begin with, by its world. */
  readonly #ofRoot = new WeakMap<World, Promise<PreparedContents>>();

  constructor(root: ChainService, layers: LayerStore) {
    this.#root = root;
    this.#layers = layers;
  }

  /** A branch of the node's own chain. */
  async ofRoot(): Promise<InitialContents> {
    const { world } = this.#root.chain;
    const existing = this.#ofRoot.get(world);
    const prepared = existing ?? PreparedContents.of(world, hostedOptions(this.#root));
    if (!existing) {
      this.#ofRoot.set(world, prepared);
      prepared.catch(() => this.#ofRoot.delete(world));
    }
    return { contents: await (await prepared).contents(this.#layers), inherited: [] };
  }

  /** A new chain with options over those of another. */
  async withOptions(options: object, over: ChainService): Promise<InitialContents> {
    const base = await withOptionErrors(() => baseWith([options], over));
    const chain = await Chain.create(base.options);
    const prepared = await PreparedContents.of(chain.world, hostedOptions(this.#root));
    await chain.close();
    return {
      contents: await prepared.contents(this.#layers),
      inherited: [...over.options, options],
    };
  }
}

export function hostedOptions({ base: { config }, chain }: ChainService): HostedChainOptions {
  return {
    keepHistory: config.stateArchive === 'full',
    recent: config.recentBlocks,
    fork: chain.options.fork,
  };
}
