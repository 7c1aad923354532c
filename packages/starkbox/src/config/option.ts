// Type of an option, and parsers of its values.
import { canonicalName, METHODS } from '@starkbox/spec';
import {
  BLOCK_GENERATION_WORDS,
  type BlockGeneration,
  EXPECTED_BLOCK_GENERATION,
  readBlockGeneration,
} from '../block-settings.js';
import { hex } from '../felt.js';

/** One option: everything that the command line, the environment, a config file, help and docs need. */
export interface Option<T> {
  /** Long name and, if it takes one, the placeholder of its value: `--port <PORT>`. */
  readonly flag: string;
  readonly short?: string;
  /** Whether its variable also counts without STARKBOX_, because scripts for starknet-devnet set it by that name. */
  readonly hasShortVariable?: boolean;
  readonly group: string;
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
  /** Its value is never shown. */
  readonly isSecret?: boolean;
  /** A data directory stores it with the first start of a chain, and a later start cannot change it. */
  readonly isFixed?: boolean;
  /**
   * Recordings hold it, and `starkbox replay` takes it from them. It decides answers, and names no file, host or
   * port, because recordings come from other people.
   */
  readonly isPortable?: boolean;
}

/** An option for each key of a config. */
export type OptionTable<C> = { readonly [K in keyof C]: Option<C[K]> };

type UngroupedTable<C> = {
  readonly [K in keyof C]: Omit<Option<C[K]>, 'group'> & { readonly group?: string };
};

/** A table whose options belong to a group of the help, except those that name another. */
export function inGroup<C>(common: string, options: UngroupedTable<C>): OptionTable<C> {
  for (const option of Object.values<{ readonly group?: string }>(options)) {
    // In place, because a copy would read a default that is a getter.
    Object.assign(option, { group: option.group ?? common });
  }
  if (!isGrouped(options)) throw new Error('an option has no group');
  return options;
}

function isGrouped<C>(options: UngroupedTable<C>): options is OptionTable<C> {
  return Object.values<object>(options).every((option) => 'group' in option);
}

/** Throws an `InvalidValue` that says what would be right. */
export interface Parse<T> {
  (text: string): T;
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

/** How the variables are used: one of a flag needs a word in it. */
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
const MOST_DIGITS = 100;

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Parse<number> {
  const big = bigNumber(BigInt(least), BigInt(most));
  return (text) => Number(big(text));
}

export function bigNumber(least: bigint, most?: bigint): Parse<bigint> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const isNumber = text.length <= MOST_DIGITS && /^\d+$/.test(text);
    const value = isNumber ? BigInt(text) : undefined;
    if (value === undefined || value < least || (most !== undefined && value > most)) {
      throw new InvalidValue(`must be a whole number ${range}`);
    }
    return value;
  };
}

/** A parser whose values a shell can offer. */
export function suggesting<T>(suggests: Suggestions, parse: (text: string) => T): Parse<T> {
  return Object.assign(parse, { suggests });
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parse<T> {
  return suggesting(choices, (text) => {
    const choice = choices.find((word) => word === text.toLowerCase());
    if (choice === undefined) throw new InvalidValue(`must be ${either(choices)}`);
    return choice;
  });
}

const BOOLEANS = ['true', 'false'] as const;
export const trueOrFalse: Parse<boolean> = suggesting(
  BOOLEANS,
  (text) => oneOf(...BOOLEANS)(text) === 'true',
);

export const path: Parse<string> = suggesting('paths', (text) => {
  if (text === '') throw new InvalidValue('must be a path');
  return text;
});

/** An address or a name to listen on; the word `localhost` means the IPv4 one, as clients expect. */
export const host: Parse<string> = (text) => {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (bare.toLowerCase() === 'localhost') return '127.0.0.1';
  const right = bare.includes(':')
    ? URL.canParse(`http://[${bare}]/`)
    : /^[\w.-]+$/.test(bare) && URL.canParse(`http://${bare}/`);
  if (!right) throw new InvalidValue('must be an IPv4 or IPv6 address or a host name');
  return bare;
};

export const webUrl: Parse<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidValue('must be a URL that begins with http:// or https://');
  }
  return url.href;
};

/** A URL that paths are appended to. */
export const baseUrl: Parse<string> = (text) => webUrl(text).replace(/\/$/, '');

/** Headers of HTTP requests, one in each line. */
export const httpHeaders: Parse<readonly string[]> = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isHeader = (line: string): boolean => /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]+$/.test(line);
  if (lines.length === 0 || !lines.every(isHeader)) {
    throw new InvalidValue("must be headers in ASCII such as 'X-Api-Key: abc', one in each line");
  }
  return lines;
};

/** One address or several of the same network, separated by commas. */
export const webUrls: Parse<string> = (text) => text.split(',').map(webUrl).join(',');

export const transactionHash: Parse<string> = (text) => {
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(text)) throw new InvalidValue('must be a transaction hash');
  return hex(BigInt(text));
};

/** A number, a hash, or below zero how many blocks before the latest. */
export const forkPoint: Parse<number | string> = (text) => {
  if (/^0x[0-9a-fA-F]{1,64}$/.test(text)) {
    return hex(BigInt(text));
  }
  const number = /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (number === undefined) {
    throw new InvalidValue('must be a block number, a block hash or a number below zero');
  }
  return number;
};

const KNOWN_CHAINS: ReadonlyMap<string, string> = new Map([
  ['MAINNET', 'SN_MAIN'],
  ['SN_MAIN', 'SN_MAIN'],
  ['TESTNET', 'SN_SEPOLIA'],
  ['SN_SEPOLIA', 'SN_SEPOLIA'],
]);

/** A known network in any case, or any name that fits into a felt, kept as it is. */
export const chainName: Parse<string> = suggesting([...KNOWN_CHAINS.keys()], (text) => {
  const network = KNOWN_CHAINS.get(text.toUpperCase());
  if (network !== undefined) return network;
  if (!/^[\x21-\x7e]{1,31}$/.test(text)) {
    throw new InvalidValue('must be MAINNET, TESTNET or 1 to 31 ASCII characters without spaces');
  }
  return text;
});

export const blockGeneration: Parse<BlockGeneration> = suggesting(
  BLOCK_GENERATION_WORDS,
  (text) => {
    const generation = readBlockGeneration(text);
    if (generation === undefined) throw new InvalidValue(EXPECTED_BLOCK_GENERATION);
    return generation;
  },
);

/** Names in any of the four prefixes; nothing or `true` for the default list. */
export const methodNames: Parse<readonly string[] | undefined> = suggesting(
  Object.keys(METHODS),
  (text) => {
    const words = text.split(/[\s,]+/).filter(Boolean);
    if (words.length === 0 || text === 'true') return RESTRICTED_BY_DEFAULT;
    if (text === 'false') return undefined;
    return words.map(canonicalName);
  },
);

/** Words with commas or spaces between them. */
export const words: Parse<readonly string[]> = (text) => {
  const names = text.split(/[\s,]+/).filter(Boolean);
  if (names.length === 0)
    throw new InvalidValue('must be one or more names with commas between them');
  return names;
};

/** Names as clients send them in the Host header, without the port. */
export const hostNames: Parse<readonly string[]> = (text) =>
  words(text).map((word) => {
    if (word !== '*' && !/^([\w.-]+|\[?[\da-f:.]*:[\da-f:.]*\]?)$/i.test(word)) {
      throw new InvalidValue(
        'must be host names without a scheme, a port or a path, such as example.org, with commas between them',
      );
    }
    return word;
  });

/** Sites as browsers name them: scheme, host and port. */
export const origins: Parse<readonly string[]> = (text) =>
  words(text).map((word) => {
    if (word === '*' || word === 'null') return word;
    const url = URL.canParse(word) ? new URL(word) : undefined;
    if (!url?.host || (url.pathname !== '/' && url.pathname !== '')) {
      throw new InvalidValue('must be sites such as https://example.org, with commas between them');
    }
    // Only the schemes of the web have an origin of this form; extensions keep their own.
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin;
  });

export const token: Parse<string> = (text) => {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new InvalidValue('must be ASCII characters without spaces');
  return text;
};

function either(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(', '), choices.at(-1)].filter(Boolean).join(' or ');
}
