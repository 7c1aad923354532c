// Accounts that a dump was made with, and the options of the node.

import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import { longName } from '../config/option.js';
import { type Config, OPTIONS } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { genesisInFile } from '../dump/load-dump.js';

const KEYS = [
  'seed',
  'accounts',
  'accountClass',
  'initialBalance',
  'predeclareArgent',
  'moreAccounts',
] as const;
type Key = (typeof KEYS)[number];
type RecordedOptions = Pick<Config, Key>;

export function genesisRecordOf(config: Config, accountClassHash: string): GenesisRecord {
  return {
    seed: config.seed,
    accounts: config.accounts,
    account_class: config.accountClassCustom === undefined ? config.accountClass : 'custom',
    account_class_hash: accountClassHash,
    initial_balance: config.initialBalance.toString(),
    predeclare_argent: config.predeclareArgent,
    ...(config.moreAccounts !== undefined && { more_accounts: config.moreAccounts }),
  };
}

/** The config of a chain with the accounts of a record. */
export function withGenesis(config: Config, record: GenesisRecord): Config {
  const { accountClass, ...rest } = optionsOf(record);
  // A custom class is compared by its hash, because a file must not name other files to open.
  return record.account_class === 'custom'
    ? { ...config, ...rest }
    : { ...config, ...rest, accountClass, accountClassCustom: undefined };
}

function optionsOf(record: GenesisRecord): RecordedOptions {
  return {
    seed: record.seed,
    accounts: record.accounts,
    accountClass: record.account_class === 'custom' ? 'cairo1' : record.account_class,
    initialBalance: BigInt(record.initial_balance),
    predeclareArgent: record.predeclare_argent,
    moreAccounts: record.more_accounts,
  };
}

/** The options by which two records differ, for messages: `--seed 5 and --seed 6`. */
export function showDifference(first: GenesisRecord, other: GenesisRecord): string {
  const [options, others] = [optionsOf(first), optionsOf(other)];
  const key = KEYS.find((name) => options[name] !== others[name]);
  if (key === undefined) {
    return `accounts of class ${first.account_class_hash} and of class ${other.account_class_hash}`;
  }
  return `${showOption(key, options)} and ${showOption(key, others)}`;
}

const showOption = (key: Key, options: Partial<RecordedOptions>): string =>
  `${longName(OPTIONS[key])} ${options[key] ?? 'none'}`;

/**
 * Given options, completed with those that the file at `--dump-path` was made with, if there is one.
 *
 * @throws ConfigError if a given option contradicts the file
 */
export async function withDumped(overrides: Partial<Config>): Promise<Partial<Config>> {
  const { dumpPath } = overrides;
  if (dumpPath === undefined) return overrides;
  const record = genesisInFile(dumpPath);
  if (!record) return overrides;
  const { accountClass, ...rest } = optionsOf(record);
  const isCustom = record.account_class === 'custom';
  const recorded: Partial<RecordedOptions> = isCustom ? rest : { ...rest, accountClass };
  for (const key of KEYS) {
    const [was, requested] = [recorded[key], overrides[key]];
    if (key in recorded && requested !== undefined && requested !== was) {
      refuseOption(dumpPath, showOption(key, recorded), showOption(key, overrides));
    }
  }
  const { accountClassCustom } = overrides;
  if (!isCustom && accountClassCustom !== undefined) {
    const option = `${longName(OPTIONS.accountClassCustom)} ${accountClassCustom}`;
    refuseOption(dumpPath, showOption('accountClass', recorded), option);
  }
  return { ...overrides, ...recorded };
}

function refuseOption(path: string, was: string, requested: string): never {
  throw new ConfigError(
    `${path} was made with ${was} and cannot be loaded with ${requested}: omit the option, or choose another file with --dump-path`,
  );
}
