// Options of an instance: those of accounts, blocks and the state archive, over the config of its node.
import { isObject, joinWords } from '@starkbox/abi/basics';
import { PRESET_NAMES, presetOf } from '../chain/network/presets.js';
import { ACCOUNT_OPTIONS } from '../config/account-options.js';
import { CHAIN_OPTIONS } from '../config/chain-options.js';
import { longName, UsageError } from '../config/option.js';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  defaultConfig,
  OPTIONS,
} from '../config/options.js';
import { checkConfig } from '../config/rules.js';
import { readSources, sourceOf } from '../config/source.js';
import { withNetworkDefaults } from './options-from-config.js';

/** Options of files, which belong to the node. */
const OF_THE_NODE: readonly string[] = ['artifacts', 'accountClassCustom'];
const OF_STORAGE: readonly string[] = ['stateArchive'];

/** Keys by the names of the command line with underscores: `gas_price` → `gasPriceWei`. */
const KEYS_BY_FLAG: ReadonlyMap<string, ConfigKey> = new Map(
  CONFIG_KEYS.map((key) => [longName(OPTIONS[key]).slice(2).replaceAll('-', '_'), key]),
);

/**
 * @param overrides by the names of a config file, or by those of the command line with underscores
 * @throws UsageError or ConfigError
 */
export function instanceConfig(config: Config, overrides: object): Config {
  const entries = Object.entries(overrides).map(byKey);
  for (const [key] of entries) {
    if (!isOfInstance(key) && Object.hasOwn(config, key)) {
      throw new UsageError(`'${key}' is an option of the node, not of an instance`);
    }
  }
  for (const [key, value] of entries) {
    // A client must not read files of the node.
    if (key === 'networkConditions' && !isObject(value) && !presetOf(String(value))) {
      throw new UsageError(
        `'${key}' of an instance must be ${joinWords(PRESET_NAMES, 'or')}, or an object with conditions; got '${value}'`,
      );
    }
  }
  const { values } = readSources([sourceOf(Object.fromEntries(entries), 'the options')]);
  const merged = defaultConfig({ ...config, ...values });
  const ownKeys = new Set(CONFIG_KEYS.filter((key) => Object.hasOwn(values, key)));
  const isOwnNetwork = ownKeys.has('networkConditions') || ownKeys.has('gasMarket');
  const complete = isOwnNetwork ? withNetworkDefaults(merged, ownKeys) : merged;
  checkConfig(complete);
  return complete;
}

function isOfInstance(key: string): boolean {
  if (OF_THE_NODE.includes(key)) return false;
  const tables = [ACCOUNT_OPTIONS, CHAIN_OPTIONS];
  return OF_STORAGE.includes(key) || tables.some((table) => Object.hasOwn(table, key));
}

/** An entry under the key of the option; `no_fee: true` → `chargeFee: false`. */
function byKey([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  const key = KEYS_BY_FLAG.get(name);
  if (key === undefined) return [camelCase(name), value];
  const isNegated = name.startsWith('no_') && typeof value === 'boolean';
  return [key, isNegated ? !value : value];
}

/** `block_generation_on` → `blockGenerationOn` */
function camelCase(key: string): string {
  return key.replace(/(?<!_)_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
