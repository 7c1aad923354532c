// Options of chains: from a config to what a chain is created with.
import type { CONFIG } from '@starkbox/spec';
import type { ChainOptions } from '../chain/chain.js';
import { createGenesis, type Genesis } from '../chain/genesis/genesis.js';
import { type GenesisRecord, isSameGenesis } from '../chain/genesis/genesis-record.js';
import type { Config } from '../config/options.js';
import { failDump } from '../dump/journal.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import { logPrinted } from './log-printed.js';
import { chainOptionsOf, showConfig } from './options-from-config.js';
import type { Forked } from './origins.js';
import { genesisRecordOf, showDifference, withGenesis } from './recorded-genesis.js';

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
    this.#known.set(options, { ...base, shown: showConfig(config, genesis, fork) });
    return base;
  }

  /** What a chain was made with, from its options. */
  of(options: ChainOptions): ChainBase & { readonly shown: CONFIG } {
    const base = this.#known.get(options);
    if (!base) throw new Error('the options of this chain come from another place');
    return base;
  }

  /** The accounts that a chain with these options begins with. */
  genesisOf(options: ChainOptions): GenesisRecord {
    const { config, genesis } = this.of(options);
    return genesisRecordOf(config, genesis.accountClass.hash);
  }

  /**
   * The options of a chain with the accounts of a dump.
   *
   * @param record undefined for a dump that records none
   * @param isKept whether the options are stored beside the chain, and cannot change
   * @throws RpcError if the chain cannot have these accounts
   */
  async withGenesis(
    options: ChainOptions,
    record: GenesisRecord | undefined,
    isKept: boolean,
  ): Promise<ChainOptions> {
    const current = this.genesisOf(options);
    if (!record || isSameGenesis(record, current)) return options;
    if (isKept) {
      failDump(
        `The file and this chain were made with ${showDifference(record, current)}. A stored chain keeps its accounts: load the file in a node without --data-dir, or start with a new directory`,
      );
    }
    const config = withGenesis(this.of(options).config, record);
    const base = await this.create({ config, fork: options.fork }).catch((error: unknown) =>
      failDump(`The accounts of the file cannot be created: ${reasonOf(error)}`),
    );
    const { hash } = base.genesis.accountClass;
    if (hash === record.account_class_hash) return base.options;
    return failDump(
      `The file has accounts of class ${record.account_class_hash}, and this node of class ${hash}: start it with --account-class-custom and the file of that class`,
    );
  }
}
