// Options of chains: from a config to what a chain is created with.
import type { ChainOptions } from '../chain/chain-options.js';
import { createGenesis, type Genesis } from '../chain/genesis/genesis.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import type { CONFIG } from '../spec.js';
import { chainOptionsOf, shownConfig } from './chain-options.js';
import { logPrinted } from './log-printed.js';
import type { Forked } from './origins.js';

/** What a chain is created with. */
export interface ChainBase {
  readonly config: Config;
  readonly genesis: Genesis;
  readonly options: ChainOptions;
}

/** Creates the options of chains, and keeps the config that is shown for each of them. */
export class ChainBases {
  readonly #keepsJournal: boolean;
  readonly #log: Log;
  readonly #probe: Probe | undefined;
  readonly #shown = new WeakMap<ChainOptions, CONFIG>();

  constructor(keepsJournal: boolean, log: Log, probe: Probe | undefined) {
    this.#keepsJournal = keepsJournal;
    this.#log = log;
    this.#probe = probe;
  }

  async create({ config, fork }: Forked): Promise<ChainBase> {
    const genesis = await createGenesis(config, fork);
    const options: ChainOptions = {
      ...chainOptionsOf(config, genesis, fork, this.#keepsJournal),
      fork,
      ...(this.#probe ? { probe: this.#probe } : {}),
      onPrinted: logPrinted(this.#log),
      onObserverError: (name, err) => this.#log.error({ err }, `${name} failed after a change`),
    };
    this.#shown.set(options, shownConfig(config, genesis, fork));
    return { config, genesis, options };
  }

  /** The config of a chain that was made with options from here. */
  shown(options: ChainOptions): CONFIG {
    const config = this.#shown.get(options);
    if (!config) throw new Error('the options of this chain were made elsewhere');
    return config;
  }
}
