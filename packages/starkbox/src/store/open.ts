// Opening of a data directory for a node.

import type { WorldAndSnapshots } from '../chain/world/chain-store.js';
import { type Config, type ConfigKey, defaultConfig, givenIn } from '../config/options.js';
import type { Fork } from '../fork/fork.js';
import type { Log } from '../log.js';
import { LMDB } from './database/lmdb-database.js';
import { Directory } from './directory/directory.js';
import { checkSameFork, fixedOptionsOf, withFixedOptions } from './directory/fixed-options.js';
import { Store } from './store.js';
import type { StoredChain } from './stored-chain.js';

/** A directory that this process has locked, before its chain is read. */
export interface LockedDirectory {
  /** The given options, completed with the fixed ones of the chain. */
  readonly config: Config;
  /** Keys of the given and of the fixed options. */
  readonly given: ReadonlySet<ConfigKey>;
  /** True if it holds no chain. */
  readonly isNew: boolean;
  open(config: Config, fork: Fork | undefined): Promise<OpenedStore>;
  close(): Promise<void>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Where the chain of the node is kept. */
  readonly stored: StoredChain;
  /** The chain on disk. */
  readonly saved: WorldAndSnapshots | undefined;
}

export async function lockDirectory(
  path: string,
  overrides: Partial<Config>,
  log: Log,
): Promise<LockedDirectory> {
  const directory = await Directory.acquire(path, LMDB, log);
  let store: Store | undefined;
  const close = async (): Promise<void> => {
    await store?.close();
    await directory.close();
  };
  try {
    const { fixedOptions } = directory;
    const chosen = fixedOptions ? withFixedOptions(fixedOptions, overrides, path) : overrides;
    return {
      config: defaultConfig(chosen),
      given: givenIn(chosen),
      isNew: fixedOptions === undefined,
      async open(config, fork) {
        if (fixedOptions) checkSameFork(fixedOptions, fork?.block.hash, path);
        const fixed = fixedOptionsOf(config, fork?.block.hash);
        const database = await directory.open(fixed);
        store = new Store(database, {
          recent: config.recentBlocks,
          fork,
          explain: (error) => directory.writeError(error),
        });
        const stored = store.chain(0, config.stateArchive === 'full');
        return { store, stored, saved: await stored.read() };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
