// Options of a fork.
import {
  accepting,
  forkPoint,
  httpHeaders,
  inGroup,
  type Parse,
  path,
  transactionHash,
  trueOrFalse,
  webUrl,
  wholeNumber,
} from './option.js';

const U16 = 2 ** 16 - 1;

/** Public nodes of the networks that have a name here: the default nodes of starknet.js. */
const PUBLIC_NODES: ReadonlyMap<string, string> = new Map([
  ['mainnet', 'https://api.zan.top/public/starknet-mainnet/rpc/v0_10'],
  ['sepolia', 'https://api.zan.top/public/starknet-sepolia/rpc/v0_10'],
]);

/** One network or several URLs of the same network, separated by commas. */
export const networkUrls: Parse<string> = accepting(
  'mainnet, sepolia, or a URL that begins with http:// or https://',
  (text) => {
    const urls = text.split(',').map((name) => PUBLIC_NODES.get(name.toLowerCase()) ?? name);
    return urls.every(isWebUrl) ? urls.map(webUrl).join(',') : undefined;
  },
  [...PUBLIC_NODES.keys()],
);

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export const FORK_OPTIONS = inGroup('fork', {
  /** One URL or several, separated by commas. */
  forkNetwork: {
    flag: '--fork-network <URL>',
    aliases: ['--fork-url'],
    hasShortVariable: true,
    field: 'fork_config.url',
    default: undefined,
    parse: networkUrls,
    help: 'Network to fork: mainnet, sepolia, or the URL of a node. With several URLs, separated by commas, the others are fallbacks. The fork block sets gas prices and the start time unless you set them.',
    brief: 'mainnet, sepolia or the URL of a node to fork',
  },
  /** A number, a hash, or below zero how many blocks before the latest. */
  forkBlock: {
    flag: '--fork-block <BLOCK>',
    hasShortVariable: true,
    field: 'fork_config.block_number',
    default: undefined,
    defaultText: 'the latest',
    parse: forkPoint,
    help: 'Fork after this block. -N means N blocks before the latest.',
    brief: 'Fork after this block; -N counts from the latest',
  },
  /** A hash. */
  forkTransaction: {
    flag: '--fork-transaction <HASH>',
    default: undefined,
    parse: transactionHash,
    help: 'Fork after this transaction, in the middle of its block. The first block then contains the changes of its block up to this transaction.',
  },
  forkUpstreamCaching: {
    flag: '--fork-upstream-caching <BOOL>',
    hasShortVariable: true,
    field: 'fork_config.caching_enabled',
    default: undefined,
    defaultText: 'true',
    parse: trueOrFalse,
    help: 'Cache responses of the forked network on disk for later runs.',
  },
  /** A folder; see `defaultForkCache`. */
  forkCacheDir: {
    flag: '--fork-cache-dir <FOLDER>',
    default: undefined,
    defaultText: '~/.cache/starkbox/fork',
    parse: path,
    help: 'Folder of this cache.',
  },
  /** A file. */
  forkLock: {
    flag: '--fork-lock <FILE>',
    default: undefined,
    parse: path,
    help: 'Record every read of the forked network in this lock file. Later runs fork the same block.',
    brief: 'Record reads, for later runs to repeat',
  },
  offline: {
    flag: '--offline',
    default: false,
    parse: trueOrFalse,
    help: 'Read the lock file only, without the network.',
  },
  /** `Name: value` each. */
  forkHeader: {
    flag: '--fork-header <HEADER...>',
    default: undefined,
    parse: httpHeaders,
    separator: '\n',
    isSecret: true,
    help: "Send this HTTP header, 'Name: value', to the forked network. Repeat the option for more headers. The variable holds one header in each line.",
  },
  /** Seconds of silence. */
  forkTimeout: {
    flag: '--fork-timeout <SECONDS>',
    default: 10,
    parse: wholeNumber(1, U16),
    help: 'Fail a request to the forked network after this many seconds without a response.',
  },
});
