// Options of a fork.
import {
  forkPoint,
  httpHeaders,
  inGroup,
  type OptionTable,
  path,
  transactionHash,
  trueOrFalse,
  webUrls,
  wholeNumber,
} from './option.js';

const U16 = 2 ** 16 - 1;

export interface ForkConfig {
  /** One URL or several, separated by commas. */
  readonly forkNetwork: string | undefined;
  /** A number, a hash, or below zero how many blocks before the latest. */
  readonly forkBlock: number | string | undefined;
  /** A hash. */
  readonly forkTransaction: string | undefined;
  readonly forkUpstreamCaching: boolean | undefined;
  /** A folder; see `defaultForkCache`. */
  readonly forkCacheDir: string | undefined;
  /** A file. */
  readonly forkLock: string | undefined;
  readonly offline: boolean;
  /** `Name: value` each. */
  readonly forkHeader: readonly string[] | undefined;
  /** Seconds of silence. */
  readonly forkTimeout: number;
}

export const FORK_OPTIONS: OptionTable<ForkConfig> = inGroup('Forking', {
  forkNetwork: {
    flag: '--fork-network <URL>',
    hasShortVariable: true,
    field: 'fork_config.url',
    default: undefined,
    parse: webUrls,
    help: 'URL of a node of the network to fork; with several, separated by commas, the others are fallbacks. Gas prices and the start time come from the fork block, unless you give options for them.',
  },
  forkBlock: {
    flag: '--fork-block <BLOCK>',
    hasShortVariable: true,
    field: 'fork_config.block_number',
    default: undefined,
    defaultText: 'the latest',
    parse: forkPoint,
    help: 'Block to fork after: a number, a hash, or -N for N blocks before the latest.',
  },
  forkTransaction: {
    flag: '--fork-transaction <HASH>',
    default: undefined,
    parse: transactionHash,
    help: 'Transaction to fork after, in the middle of its block: the first block has the changes of that block up to it.',
  },
  forkUpstreamCaching: {
    flag: '--fork-upstream-caching <BOOL>',
    hasShortVariable: true,
    field: 'fork_config.caching_enabled',
    default: undefined,
    defaultText: 'true',
    parse: trueOrFalse,
    help: 'Whether answers of that network are cached on disk for later runs: true or false.',
  },
  forkCacheDir: {
    flag: '--fork-cache-dir <PATH>',
    default: undefined,
    defaultText: '~/.cache/starkbox/fork',
    parse: path,
    help: 'Directory of that cache.',
  },
  forkLock: {
    flag: '--fork-lock <PATH>',
    default: undefined,
    parse: path,
    help: 'Lock file that records every read of that network; later runs fork the same block.',
  },
  offline: {
    flag: '--offline',
    default: false,
    parse: trueOrFalse,
    help: 'Answer from the lock file only, without the network.',
  },
  forkHeader: {
    flag: '--fork-header <HEADER...>',
    default: undefined,
    parse: httpHeaders,
    separator: '\n',
    isSecret: true,
    help: "HTTP header of requests to that network, as 'Name: value'; can be repeated. In the variable, one in each line.",
  },
  forkTimeout: {
    flag: '--fork-timeout <SECONDS>',
    default: 10,
    parse: wholeNumber(1, U16),
    help: 'Seconds without an answer after which a request to that network fails.',
  },
});
