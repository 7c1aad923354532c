// Knows how a data directory becomes what a node needs of it.
import type { Standing } from '../chain/keeper.js';
import { type Config, defaultConfig } from '../config.js';
import { birthOf, reborn } from './birth.js';
import { Directory } from './directory.js';
import { Store } from './store.js';

export interface OpenedStore {
  /** What was asked for, with what the chain was born with. */
  readonly config: Config;
  readonly store: Store;
  /** The chain that was left there. */
  readonly standing: Standing | undefined;
  close(): Promise<void>;
}

export async function openStore(path: string, given: Partial<Config>): Promise<OpenedStore> {
  const directory = Directory.take(path);
  try {
    const { birth } = directory;
    const config = defaultConfig(birth ? reborn(birth, given, path) : given);
    const database = await directory.open(birthOf(config));
    const store = new Store(database, {
      keepHistory: config.stateArchive === 'full',
      recent: config.recentBlocks,
      explain: (error) => directory.unwritten(error),
    });
    const standing = await store.read();
    return {
      config,
      store,
      standing,
      async close() {
        await store.close();
        await directory.close();
      },
    };
  } catch (error) {
    await directory.close();
    throw error;
  }
}
