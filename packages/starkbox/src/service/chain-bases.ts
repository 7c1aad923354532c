// Options of chains: from a config to what a chain is created with.
import type { ChainOptions } from '../chain/chain-options.js';
import { createGenesis, type Genesis } from '../chain/genesis/genesis.js';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { Config } from '../config/options.js';
import { failDump } from '../dump/journal.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import type { CONFIG } from '../spec.js';
import { chainOptionsOf, shownConfig } from './chain-options.js';
import { logPrinted } from './log-printed.js';
import type { Forked } from './origins.js';
import { withGenesis } from './recorded-genesis.js';

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
  readonly #known = new WeakMap<ChainOptions, ChainBase & { readonly shown: CONFIG }>();

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
    const base = { config, genesis, options };
    this.#known.set(options, { ...base, shown: shownConfig(config, genesis, fork) });
    return base;
  }

  /** What a chain was made with, from its options. */
  of(options: ChainOptions): ChainBase & { readonly shown: CONFIG } {
    const base = this.#known.get(options);
    if (!base) throw new Error('the options of this chain were made elsewhere');
    return base;
  }

  /** The options of a chain with the accounts of a record. @throws RpcError if its class is not here */
  async withGenesis(options: ChainOptions, record: GenesisRecord): Promise<ChainOptions> {
    const config = withGenesis(this.of(options).config, record);
    const base = await this.create({ config, fork: options.fork }).catch((error: unknown) =>
      failDump(`The accounts of the file cannot be made: ${reasonOf(error)}`),
    );
    const { genesis, options: made } = base;
    const { hash } = genesis.accountClass;
    if (hash === record.account_class_hash) return made;
    return failDump(
      `The file has accounts of class ${record.account_class_hash}, and this node of class ${hash}: start it with --account-class-custom and the file of that class`,
    );
  }
}
