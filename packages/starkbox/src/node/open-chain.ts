// Creation of a node's chain: from a config to the chain's options, and from a store to the chain.
import type { Artifacts } from '../artifacts/artifacts.js';
import { Chain, type ChainOptions } from '../chain/chain.js';
import { createGenesis, type Genesis } from '../chain/genesis/genesis.js';
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import type { CONFIG } from '../spec.js';
import type { OpenedStore } from '../store/open.js';
import { chainOptionsOf, shownConfig } from './chain-options.js';
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

/** The chain of a store, or a new one. */
export function openChain(options: ChainOptions, opened: OpenedStore | undefined): Promise<Chain> {
  return opened ? Chain.kept(options, opened.store, opened.saved) : Chain.create(options);
}

/** Watches the folder of `--artifacts`, if one is given. */
export async function openArtifacts(
  chain: Chain,
  { artifacts }: Config,
  log: Log,
): Promise<Artifacts | undefined> {
  if (artifacts === undefined) return undefined;
  const { Artifacts } = await import('../artifacts/artifacts.js');
  return Artifacts.watch(chain, artifacts, log).catch((error: unknown) => {
    throw new ConfigError(`--artifacts ${artifacts}: ${reasonOf(error)}`);
  });
}
