// What a recording of requests contains about its node, and what it must leave out.
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import type { Recorder } from '../server/recorder.js';
import type { ChainBase } from './open-chain.js';

/** Options of one machine, or secret ones: a replay elsewhere runs without them. */
const LOCAL_OPTIONS =
  /^(host|port|dataDir|recentBlocks|dumpPath|dumpDir|fork\w*|offline|l1\w*|allowed\w*|authToken|ui|exitWithParent|metrics\w*|log\w*|traceRequests|banner)$/;

export interface RecordedNode {
  readonly base: Pick<ChainBase, 'config' | 'genesis'>;
  readonly chain: Chain;
  readonly version: string;
}

export interface Secrets {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** Opens the file of `--trace-requests`, if one is given. */
export async function openRecording(node: RecordedNode, log: Log): Promise<Recorder | undefined> {
  const { traceRequests: path } = node.base.config;
  if (path === undefined) return undefined;
  const { openRecorder } = await import('../server/recorder.js');
  return openRecorder({ path, about: aboutNode(node), secrets: () => secretsOf(node), log });
}

/** Keys and words that are redacted wherever requests are shown. */
export function secretsOf({ base, chain }: RecordedNode): Secrets {
  const { config, genesis } = base;
  const { l1 } = chain.world.messages;
  const keys = genesis.accounts.map(({ privateKey }) => privateKey);
  return {
    keys: l1 ? [...keys, l1.key] : keys,
    words: config.authToken === undefined ? [] : [config.authToken],
  };
}

/** What a replay of the requests has to start with. */
export function aboutNode({ base: { config }, chain, version }: RecordedNode): object {
  const { history } = chain.world;
  const { number, hash, timestamp } = history.header(history.first) ?? {};
  return {
    starkbox: version,
    forked: config.forkNetwork !== undefined,
    options: portableOptions(config),
    genesis: { number, hash, timestamp },
  };
}

function portableOptions(config: Config): object {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !LOCAL_OPTIONS.test(key)));
}
