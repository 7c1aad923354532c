// Opening of a fork: from options to the origin and what is inherited from it.

import { SPEC_VERSION } from '@starkbox/spec';
import { defaultForkCache, environment } from '../config/environment.js';
import { networkUrls } from '../config/fork-options.js';
import { type Config, type ConfigKey, OPTIONS, queueTimeoutOf } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { invalidParams, reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';
import { nearestVersion } from '../starknet-versions.js';
import { type ForkStart, readForkStart } from './after-transaction.js';
import { Fork } from './fork.js';
import { withInherited } from './inherited-options.js';
import type { OriginClient, OriginClientOptions } from './origin/client.js';
import { OriginError, shownUrl } from './origin/failure.js';
import { readForkBlock } from './origin/header.js';
import { Proxies } from './origin/proxies.js';
import { isSpoken } from './origin-version.js';

export interface OpenedFork {
  readonly fork: Fork;
  /** Must be closed: it writes the cache and the lock file. */
  readonly origin: OriginClient;
  /** The config with inherited options. */
  readonly config: Config;
}

/**
 * Opens a fork if the config has one. The client is imported only then.
 *
 * @param givenKeys keys of the config that were given a value, by options or by the data directory
 */
export async function openFork(
  config: Config,
  givenKeys: ReadonlySet<ConfigKey>,
  log: Log,
  probe?: Probe,
): Promise<OpenedFork | undefined> {
  const { forkNetwork, forkBlock, forkUpstreamCaching, forkCacheDir, forkLock, offline } = config;
  const { forkTransaction } = config;
  if (forkNetwork === undefined && !offline) return withoutNetwork(config);
  if (!offline) await checkRecordedBlock(config);
  const { OriginClient } = await import('./origin/client.js');
  const urls = forkNetwork?.split(',') ?? [];
  const options: OriginClientOptions = {
    urls,
    headers: config.forkHeader,
    proxies: proxiesFor(urls),
    cacheDirectory:
      forkUpstreamCaching === false ? undefined : (forkCacheDir ?? defaultForkCache()),
    lockFile: forkLock,
    run: {
      seed: config.seed,
      accounts: config.accounts,
      accountClass: config.accountClassCustom === undefined ? config.accountClass : 'custom',
    },
    offline,
    suite: process.cwd(),
    policy: { queueTimeout: config.forkTimeout * 1000 },
    log,
    probe,
  };
  const start =
    forkTransaction === undefined
      ? undefined
      : await startAfter(forkTransaction, options, OriginClient.connect);
  const origin = await OriginClient.connect({ ...options, block: start?.parent ?? forkBlock });
  const { specVersion, block } = origin;
  if (specVersion !== undefined && !isSpoken(specVersion)) {
    log.warn(
      `JSON-RPC API version of origin (${specVersion}) does not match this node's version (${SPEC_VERSION}).`,
    );
  }
  try {
    const fork = await Fork.from(origin, { timeLimit: queueTimeoutOf(config) * 1000 }, start);
    const inherited = withInherited(config, givenKeys, fork);
    if (!givenKeys.has('starknetVersion')) noteVersion(fork.starknetVersion, log);
    const source = offline ? `${forkLock}, offline` : shownNetwork(config);
    log.info(
      `Forked ${inherited.chainId} after block ${block.number} (${block.hash}) of ${source}`,
    );
    return { fork, origin, config: inherited };
  } catch (error) {
    await origin.close();
    throw error instanceof OriginError ? error.asFailure('starknet_getBlockWithTxHashes') : error;
  }
}

/** @throws ConfigError for a variable whose value is no address of a proxy */
function proxiesFor(urls: readonly string[]): Proxies {
  const proxies = new Proxies(environment());
  try {
    for (const url of urls) proxies.of(new URL(url));
  } catch (error) {
    throw new ConfigError(reasonOf(error));
  }
  return proxies;
}

/** Logs if the network's version has no constants of its own here. */
function noteVersion(text: string, log: Log): void {
  const { version, relation } = nearestVersion(text);
  if (relation === 'same') return;
  const reason = {
    absent: 'The fork block states no Starknet version',
    newer: `The fork block has Starknet ${text}, which this node does not support`,
    older: `The fork block has Starknet ${text}, which is too old for new blocks`,
  }[relation];
  log.warn(
    `${reason}: blocks of this chain use the constants of ${version}. Choose another version with --starknet-version`,
  );
}

/** The changes of a block up to a transaction, read by a client of its own at the latest block. */
async function startAfter(
  hash: string,
  options: OriginClientOptions,
  connect: typeof OriginClient.connect,
): Promise<ForkStart> {
  const client = await connect({ ...options, cacheDirectory: undefined });
  try {
    return await readForkStart(client, hash);
  } finally {
    await client.close();
  }
}

/** Throws if the lock file is a recording of another block, which would be lost. */
async function checkRecordedBlock({ forkLock, forkBlock }: Config): Promise<void> {
  if (forkLock === undefined || forkBlock === undefined) return;
  const { LockFile } = await import('./origin/lock-file.js');
  const { origin } = await LockFile.open(forkLock);
  if (!origin) return;
  const { number, hash } = readForkBlock(origin.block);
  // A negative number counts from the latest block, which only the network has.
  const isOther =
    typeof forkBlock === 'string'
      ? BigInt(forkBlock) !== BigInt(hash)
      : forkBlock >= 0 && forkBlock !== number;
  if (!isOther) return;
  throw new ConfigError(
    `${forkLock} is a recording of block ${number}: delete it to record block ${forkBlock}, or leave out --fork-block`,
    'forkBlock',
  );
}

/** Throws if a lock file is given without a network. */
function withoutNetwork({ forkLock }: Config): undefined {
  if (forkLock === undefined) return undefined;
  throw new ConfigError(
    `--fork-lock ${forkLock} needs a network to read from: add --fork-network <URL>, or add --offline to read only that file`,
  );
}

/**
 * Given options, completed with those that the lock file was recorded with: the reads of other
 * accounts at the start would not be in the file.
 */
export async function withRecorded(overrides: Partial<Config>): Promise<Partial<Config>> {
  if (overrides.forkLock === undefined) return overrides;
  const { LockFile } = await import('./origin/lock-file.js');
  const { options } = await LockFile.open(overrides.forkLock);
  if (!options) return overrides;
  const { seed, accounts, accountClass } = options;
  const isCustom = accountClass === 'custom' || overrides.accountClassCustom !== undefined;
  return {
    ...overrides,
    seed: overrides.seed ?? OPTIONS.seed.parse(String(seed)),
    accounts: overrides.accounts ?? OPTIONS.accounts.parse(String(accounts)),
    ...(isCustom
      ? {}
      : { accountClass: overrides.accountClass ?? OPTIONS.accountClass.parse(accountClass) }),
  };
}

/** Addresses of the network, without secrets. */
export function shownNetwork({ forkNetwork }: Config): string | null {
  const displayedUrls = forkNetwork?.split(',').map((url) => new URL(shownUrl(url)).href);
  return displayedUrls?.map(decodeURI).join(',') ?? null;
}

function areOfSameSites(urls: string, otherUrls: string | undefined): boolean {
  const sites = (list: string) => list.split(',').map((url) => new URL(url).origin);
  const trusted = otherUrls === undefined ? [] : sites(otherUrls);
  return sites(urls).every((site) => trusted.includes(site));
}

/** The config for another network, given by a caller. */
export function onNetwork(
  config: Config,
  urls: string,
  block: number | string | undefined,
): Config {
  try {
    const forkNetwork = networkUrls(urls);
    // A lock file is of one block of one network.
    return {
      ...config,
      forkNetwork,
      forkBlock: block,
      forkTransaction: undefined,
      forkLock: undefined,
      offline: false,
      // Secrets of one site must not be sent to another one that a caller names.
      forkHeader: areOfSameSites(forkNetwork, config.forkNetwork) ? config.forkHeader : undefined,
    };
  } catch {
    return invalidParams('params.fork.url: must be a URL that begins with http:// or https://');
  }
}
