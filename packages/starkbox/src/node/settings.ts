// Options of a node: as given, completed by its data directory or lock file, and checked.
import { longName } from '../config/option.js';
import { type Config, type ConfigKey, defaultConfig, OPTIONS } from '../config/options.js';
import { ConfigError, checkConfig, checkGiven, withoutEffect } from '../config/rules.js';
import type { OptionValues } from '../config/source.js';
import { reasonOf } from '../errors.js';
import { removeStaleDrafts } from '../files/atomic-file.js';
import { checkFolder, checkPath, checkWritable } from '../files/regular-file.js';
import { withRecorded } from '../fork/open-fork.js';
import type { Log } from '../log.js';
import { withNetworkDefaults } from '../service/options-from-config.js';
import { withDumped } from '../service/recorded-genesis.js';
import type { LockedDirectory } from '../store/open.js';

export interface Settings {
  readonly config: Config;
  /** Keys that were given a value, by the caller or by the data directory. */
  readonly given: ReadonlySet<ConfigKey>;
  /** Whether calls are recorded for a dump. */
  readonly keepsJournal: boolean;
}

/** Locks the data directory, if one is given. */
export async function holdDataDirectory(
  { values }: Pick<OptionValues, 'values'>,
  log: Log,
): Promise<LockedDirectory | undefined> {
  if (values.dataDir === undefined) return undefined;
  // Loaded only when needed: the database is a tenth of a start.
  const { lockDirectory } = await import('../store/open.js');
  return lockDirectory(values.dataDir, values, log);
}

/** @throws UsageError or ConfigError if a node cannot run with these options */
export async function checkSettings(
  { values, keys }: Pick<OptionValues, 'values' | 'keys'>,
  directory: LockedDirectory | undefined,
  log: Log,
): Promise<Settings> {
  const givenKeys = directory?.given ?? keys;
  const config = withNetworkDefaults(
    directory && !directory.isNew
      ? directory.config
      : defaultConfig(await withRecorded(await withDumped(values))),
    givenKeys,
  );
  // Programs may pass a whole config, in which a default was not chosen.
  const chosen = new Set([...keys].filter((key) => config[key] !== OPTIONS[key].default));
  checkGiven(chosen, config, { name: (key) => key, from: () => '' }, givenKeys);
  checkConfig(config);
  checkDumpFiles(config);
  for (const sentence of withoutEffect(chosen, config)) log.warn(sentence);
  const keepsJournal = config.dumpOn !== undefined && config.dumpFormat === 'journal';
  return { config, given: givenKeys, keepsJournal };
}

/** Fails the start, rather than the dump at the end, if a dump cannot be written. */
function checkDumpFiles({ dumpOn, dumpPath, dumpDir }: Config): void {
  const checking = (option: ConfigKey, check: () => void): void => {
    try {
      check();
    } catch (error) {
      throw new ConfigError(`${longName(OPTIONS[option])}: ${reasonOf(error)}`, option);
    }
  };
  if (dumpDir !== undefined) checking('dumpDir', () => checkFolder(dumpDir));
  if (dumpPath === undefined) return;
  checking('dumpPath', () => (dumpOn ? checkWritable(dumpPath) : checkPath(dumpPath)));
  removeStaleDrafts(dumpPath);
}
