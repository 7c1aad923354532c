// Options of an instance: those of accounts and blocks, over the config of its node.
import { ACCOUNT_OPTIONS } from '../config/account-options.js';
import { CHAIN_OPTIONS } from '../config/chain-options.js';
import { UsageError } from '../config/option.js';
import { type Config, defaultConfig } from '../config/options.js';
import { checkConfig } from '../config/rules.js';
import { readSources, sourceOf } from '../config/source.js';

/** Options of files, which belong to the node. */
const OF_THE_NODE: readonly string[] = ['artifacts', 'accountClassCustom'];

/**
 * @param given by the names of a config file, or by those of the command line with underscores
 * @throws UsageError or ConfigError
 */
export function instanceConfig(config: Config, given: object): Config {
  const named = Object.entries(given).map(([key, value]) => [camelCase(key), value] as const);
  for (const [key] of named) {
    const isOwn = Object.hasOwn(ACCOUNT_OPTIONS, key) || Object.hasOwn(CHAIN_OPTIONS, key);
    if (OF_THE_NODE.includes(key) || (!isOwn && Object.hasOwn(config, key))) {
      throw new UsageError(`'${key}' is an option of the node, not of an instance`);
    }
  }
  const { values } = readSources([sourceOf(Object.fromEntries(named), 'the options')]);
  const merged = defaultConfig({ ...config, ...values });
  checkConfig(merged);
  return merged;
}

/** `block_generation_on` → `blockGenerationOn` */
function camelCase(key: string): string {
  return key.replace(/(?<!_)_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
