// Type of an option, and parsers of its values.
import { readFileSync } from 'node:fs';
import { joinWords, toFelt } from '@starkbox/abi/basics';
import { canonicalName, METHODS, type NETWORK_CONDITIONS } from '@starkbox/spec';
import {
  BLOCK_GENERATION_WORDS,
  type BlockGeneration,
  EXPECTED_BLOCK_GENERATION,
  EXPECTED_L1_ACCEPTANCE,
  type L1Acceptance,
  readBlockGeneration,
  readL1Acceptance,
} from '../block-settings.js';
import { type NetworkConditions, readConditions } from '../chain/network/conditions.js';
import { PRESET_NAMES, presetOf } from '../chain/network/presets.js';
import { reasonOf } from '../errors.js';
import { parse as parseJson } from '../json/json.js';

/** Groups of options: each is a topic of `starkbox help`, with its title. */
export const GROUPS = {
  accounts: 'Accounts',
  chain: 'Chain',
  blocks: 'Blocks and time',
  fees: 'Fees and gas prices',
  storage: 'Storage',
  fork: 'Forking',
  l1: 'L1',
  server: 'Server',
  limits: 'Limits',
  metrics: 'Metrics',
  output: 'Output',
} as const;

export type Group = keyof typeof GROUPS;

/** An option as its table writes it, where the group of the table is its own unless it names another. */
interface TableRow<T> {
  /** Long name and, if it takes one, the placeholder of its value: `--port <PORT>`. */
  readonly flag: string;
  readonly short?: string;
  /** Names of the same option in other tools, which work too. */
  readonly aliases?: readonly string[];
  /** Whether its variable also counts without STARKBOX_, because scripts for starknet-devnet set it by that name. */
  readonly hasShortVariable?: boolean;
  /** Reads that variable, where other programs often set it to values that the option would take. */
  readonly parseShortVariable?: Parse<T>;
  readonly group?: Group;
  /** A variable of other programs that sets it where its own variables are unset. */
  readonly fallback?: {
    readonly variable: string;
    /** The text for this option, if the variable has one. */
    readonly read: (text: string) => string | undefined;
  };
  /** Where `devnet_getConfig` shows it. */
  readonly field?: string;
  /** May be a getter, where every config gets a value of its own. */
  readonly default: T;
  /** Printed as the default instead of the value. */
  readonly defaultText?: string;
  readonly parse: Parse<T>;
  /** The text for a number that is not whole, where the option can have one. */
  readonly fraction?: (value: number) => string;
  /** Between the values of a list; a space by default. */
  readonly separator?: string;
  readonly help: string;
  /** A line for the first screen of help, which lists the options that have one. */
  readonly brief?: string;
  /** Its value is never shown. */
  readonly isSecret?: boolean;
  /** A data directory stores it with the first start of a chain, and a later start cannot change it. */
  readonly isFixed?: boolean;
}

/** One option: everything that the command line, the environment, a config file, help and docs need. */
export interface Option<T> extends TableRow<T> {
  readonly group: Group;
}

/** An option for each key of a config. */
export type OptionTable<C> = { readonly [K in keyof C]: Option<C[K]> };

/** What the value of an option can be; so limited, literal types of defaults are kept. */
type Setting = string | number | bigint | boolean | object | undefined;

/** A table whose options belong to one group, unless they name another. */
export function inGroup<C extends Readonly<Record<string, Setting>>>(
  common: Group,
  options: { readonly [K in keyof C]: TableRow<C[K]> },
): OptionTable<C> {
  for (const option of Object.values<{ readonly group?: Group }>(options)) {
    // In place, because a copy would read a default that is a getter.
    Object.assign(option, { group: option.group ?? common });
  }
  if (!isGrouped<C>(options)) throw new Error('an option has no group');
  return options;
}

function isGrouped<C>(options: Record<keyof C, object>): options is OptionTable<C> {
  return Object.values<object>(options).every((option) => 'group' in option);
}

/** The default of each option of a table. */
export function defaultsOf<C extends object>(table: OptionTable<C>): C {
  const defaults: Partial<C> = {};
  for (const key of Object.keys(table)) if (isKey(table, key)) defaults[key] = table[key].default;
  if (!isComplete(table, defaults)) throw new Error('an option has no value');
  return defaults;
}

function isKey<C>(table: OptionTable<C>, key: string): key is keyof C & string {
  return Object.hasOwn(table, key);
}

function isComplete<C extends object>(table: OptionTable<C>, values: Partial<C>): values is C {
  return Object.keys(table).every((key) => key in values);
}

/** Throws an `InvalidValue` that names the legal values. */
export interface Parse<T> {
  (text: string): T;
  /** The legal values in words, which complete "must be". */
  readonly expects: string;
  /** What a shell offers while the value is typed. */
  readonly suggests?: Suggestions;
}

/** Words, or the files and folders that are there. */
export type Suggestions = readonly string[] | 'paths';

export type OptionKind = 'value' | 'flag' | 'list';

/** An invalid value; the message completes "invalid value …:". */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

/** Invalid options on the command line, in the environment or in a config file. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What follows a flag: one value, nothing, or any number of values. */
export function optionKind({ flag }: Pick<Option<unknown>, 'flag'>): OptionKind {
  if (flag.includes('<')) return 'value';
  return flag.includes('[') ? 'list' : 'flag';
}

/** `--port <PORT>` → `--port` */
export function longName({ flag }: Pick<Option<unknown>, 'flag'>): string {
  return flag.replace(/ .*/, '');
}

/** The environment variable that only this program reads: `STARKBOX_PORT`; `--no-banner` → `STARKBOX_BANNER`. */
export function environmentName(option: Pick<Option<unknown>, 'flag'>): string {
  return `STARKBOX_${shortEnvironmentName(option)}`;
}

/** Variables that are read: the first one that is set counts. */
export function environmentNames(
  option: Pick<Option<unknown>, 'flag' | 'hasShortVariable'>,
): readonly string[] {
  const name = environmentName(option);
  return option.hasShortVariable ? [name, shortEnvironmentName(option)] : [name];
}

/** The long name in capitals. Such a name may belong to another program, as `HOST` does. */
function shortEnvironmentName(option: Pick<Option<unknown>, 'flag'>): string {
  return longName(option)
    .replace(/^--(no-)?/, '')
    .replaceAll('-', '_')
    .toUpperCase();
}

/** The variables as they are written: the variable of a flag needs a word. */
export function environmentExamples(
  option: Pick<Option<unknown>, 'flag' | 'hasShortVariable'>,
): readonly string[] {
  const names = environmentNames(option);
  if (optionKind(option) !== 'flag') return names;
  return names.map((name) => `${name}=${!option.flag.startsWith('--no-')}`);
}

/** The default in words, or nothing where an option is simply unset. */
export function defaultText(option: Option<unknown>): string | undefined {
  if (option.defaultText !== undefined) return option.defaultText;
  if (optionKind(option) === 'flag') return undefined;
  return option.default === undefined ? undefined : String(option.default);
}

/** What `--restrictive-mode` without names forbids: everything beside transactions that is not just a read. */
export const RESTRICTED_BY_DEFAULT: readonly string[] = Object.entries(METHODS).flatMap(
  ([name, { restricted }]) => (restricted ? [name] : []),
);

/** More than 2^256 has; the time to read a number grows with the square of its digits. */
const MAX_DIGITS = 100;

/**
 * A parser of texts.
 *
 * @param expects the legal values, which complete "must be"
 * @param read gives `undefined` for any other text
 */
export function accepting<T>(
  expects: string,
  read: (text: string) => T | undefined,
  suggests?: Suggestions,
): Parse<T> {
  const parse = (text: string): T => {
    const value = read(text);
    if (value === undefined) throw new InvalidValue(`must be ${expects}`);
    return value;
  };
  return Object.assign(parse, { expects, ...(suggests === undefined ? {} : { suggests }) });
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Parse<number> {
  const big = bigNumber(BigInt(least), BigInt(most));
  // The bound of exact numbers is no limit of an option.
  const { expects } = most === Number.MAX_SAFE_INTEGER ? bigNumber(BigInt(least)) : big;
  return Object.assign((text: string) => Number(big(text)), { expects });
}

export function bigNumber(least: bigint, most?: bigint): Parse<bigint> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  return accepting(`a whole number ${range}`, (text) => {
    const isNumber = text.length <= MAX_DIGITS && /^\d+$/.test(text);
    const value = isNumber ? BigInt(text) : undefined;
    if (value === undefined || value < least) return undefined;
    return most !== undefined && value > most ? undefined : value;
  });
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parse<T> {
  return accepting(
    joinWords(choices, 'or'),
    (text) => choices.find((word) => word === text.toLowerCase()),
    choices,
  );
}

const BOOLEANS = ['true', 'false'] as const;
const BOOLEAN_WORD = oneOf(...BOOLEANS);
export const trueOrFalse: Parse<boolean> = accepting(
  BOOLEAN_WORD.expects,
  (text) => BOOLEAN_WORD(text) === 'true',
  BOOLEANS,
);

export const path: Parse<string> = accepting(
  'a path',
  (text) => (text === '' ? undefined : text),
  'paths',
);

/** An address or a name to listen on; the word `localhost` means the IPv4 address, as clients expect. */
export const host: Parse<string> = accepting('an IPv4 or IPv6 address or a host name', (text) => {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (bare.toLowerCase() === 'localhost') return '127.0.0.1';
  const isValid = bare.includes(':')
    ? URL.canParse(`http://[${bare}]/`)
    : /^[\w.-]+$/.test(bare) && URL.canParse(`http://${bare}/`);
  return isValid ? bare : undefined;
});

/** An address to listen on, without names of machines. */
export const ipAddress: Parse<string> = accepting('an IP address or localhost', (text) => {
  const address = host(text);
  return address.includes(':') || /^\d+(\.\d+){3}$/.test(address) ? address : undefined;
});

export const webUrl: Parse<string> = accepting(
  'a URL that begins with http:// or https://',
  webUrlIn,
);

/** The URL in a text; undefined for any other text. */
export function webUrlIn(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

/** Headers of HTTP requests, one in each line. */
export const httpHeaders: Parse<readonly string[]> = accepting(
  "headers in ASCII such as 'X-Api-Key: abc', one in each line",
  (text) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const isHeader = (line: string): boolean => /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]+$/.test(line);
    return lines.length > 0 && lines.every(isHeader) ? lines : undefined;
  },
);

export const transactionHash: Parse<string> = accepting('a transaction hash', (text) =>
  /^0x[0-9a-fA-F]{1,64}$/.test(text) ? toFelt(BigInt(text)) : undefined,
);

/** A number, a hash, or below zero how many blocks before the latest. */
export const forkPoint: Parse<number | string> = accepting(
  'a block number, a block hash, or a negative number of blocks before the latest',
  (text) => {
    if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) return toFelt(BigInt(text));
    return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  },
);

const KNOWN_CHAINS: ReadonlyMap<string, string> = new Map([
  ['MAINNET', 'SN_MAIN'],
  ['SN_MAIN', 'SN_MAIN'],
  ['TESTNET', 'SN_SEPOLIA'],
  ['SN_SEPOLIA', 'SN_SEPOLIA'],
]);

/** A known network in any case, or any name that fits into a felt, kept as it is. */
export const chainName: Parse<string> = accepting(
  'MAINNET, TESTNET or 1 to 31 ASCII characters without spaces',
  (text) =>
    KNOWN_CHAINS.get(text.toUpperCase()) ?? (/^[\x21-\x7e]{1,31}$/.test(text) ? text : undefined),
  [...KNOWN_CHAINS.keys()],
);

export const blockGeneration: Parse<BlockGeneration> = accepting(
  EXPECTED_BLOCK_GENERATION,
  readBlockGeneration,
  BLOCK_GENERATION_WORDS,
);

/** A preset, conditions as JSON, or a file that holds them. */
export const networkConditions: Parse<NETWORK_CONDITIONS> = accepting(
  `${joinWords(PRESET_NAMES, 'or')}, or a JSON file with conditions`,
  (text) => presetOf(text) ?? conditionsIn(text),
  PRESET_NAMES,
);

function conditionsIn(text: string): NetworkConditions {
  try {
    const isJson = text.trimStart().startsWith('{');
    return readConditions(parseJson(isJson ? text : readFileSync(text, 'utf8')));
  } catch (error) {
    throw new InvalidValue(
      `must be ${joinWords(PRESET_NAMES, 'or')}, or a JSON file with conditions: ${reasonOf(error)}`,
    );
  }
}

export const l1Acceptance: Parse<L1Acceptance> = accepting(
  EXPECTED_L1_ACCEPTANCE,
  readL1Acceptance,
  ['off'],
);

const namesIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

/** Names in any of the four prefixes; nothing or `true` for the default list. */
export const methodNames: Parse<readonly string[] | undefined> = Object.assign(
  (text: string) => {
    const names = namesIn(text);
    if (names.length === 0 || text === 'true') return RESTRICTED_BY_DEFAULT;
    return text === 'false' ? undefined : names.map(canonicalName);
  },
  { expects: 'method names with spaces between them, or nothing', suggests: Object.keys(METHODS) },
);

/** Words with commas or spaces between them, each of which is read alone. */
function words(expects: string, read: (word: string) => string | undefined) {
  return accepting<readonly string[]>(`${expects}, with commas between them`, (text) => {
    const values = namesIn(text).map(read);
    const valid = values.filter((value) => value !== undefined);
    return values.length > 0 && valid.length === values.length ? valid : undefined;
  });
}

/** Names as clients send them in the Host header, without the port. */
export const hostNames: Parse<readonly string[]> = words(
  'host names without a scheme, a port or a path, such as example.org',
  (word) =>
    word === '*' || /^([\w.-]+|\[?[\da-f:.]*:[\da-f:.]*\]?)$/i.test(word) ? word : undefined,
);

/** Sites as browsers name them: scheme, host and port. */
export const origins: Parse<readonly string[]> = words(
  'sites such as https://example.org',
  (word) => {
    if (word === '*' || word === 'null') return word;
    const url = URL.canParse(word) ? new URL(word) : undefined;
    if (!url?.host || (url.pathname !== '/' && url.pathname !== '')) return undefined;
    // Only the schemes of the web have an origin of this form; extensions keep their own.
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin;
  },
);

export const token: Parse<string> = accepting('ASCII characters without spaces', (text) =>
  /^[\x21-\x7e]+$/.test(text) ? text : undefined,
);
