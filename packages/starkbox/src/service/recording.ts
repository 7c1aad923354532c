// Recording and logging of requests: where they go, what they say about the node, and what they leave out.
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Recorder } from '../server/recorder.js';
import type { ChainBase } from './chain-bases.js';

/** Options of one machine, or secret ones: a replay elsewhere runs without them. */
const LOCAL_OPTIONS =
  /^(host|port|artifacts|init|configOut|dataDir|recentBlocks|dumpPath|dumpDir|tenants|fork\w*|offline|l1\w*|allowed\w*|authToken|ui|wallet|exitWithParent|metrics\w*|log\w*|traceRequests|banner)$/;

export interface RecordedNode {
  readonly base: Pick<ChainBase, 'config' | 'genesis'>;
  readonly chain: Chain;
  readonly version: string;
}

export interface Secrets {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** What `--trace-requests` and `--log-bodies` ask for; with neither, the dispatcher stays as it is. */
export async function openRecording(node: RecordedNode, log: Log): Promise<Recorder> {
  const { traceRequests: path, logBodies: which } = node.base.config;
  const secrets = (): Secrets => secretsOf(node);
  // Loaded only where they are used.
  const bodies = which === 'none' ? undefined : await import('../server/body-log.js');
  const recorder =
    path === undefined
      ? undefined
      : (await import('../server/recorder.js')).openRecorder({
          path,
          about: aboutNode(node),
          secrets,
          log,
        });
  return {
    recording: (dispatcher) => {
      const recorded: Pick<Dispatcher, 'handle'> = recorder?.recording(dispatcher) ?? dispatcher;
      if (!bodies || which === 'none') return recorded;
      return bodies.loggingBodies(recorded, { which, secrets, log });
    },
    close: async () => recorder?.close(),
  };
}

/** Keys and words that are redacted wherever requests are shown. */
export function secretsOf({ base, chain }: RecordedNode): Secrets {
  const { config, genesis } = base;
  const { l1 } = chain.world.messages;
  const keys = genesis.accounts.map(({ privateKey }) => privateKey);
  return {
    keys: l1 ? [...keys, l1.key] : keys,
    words: [
      ...(config.authToken === undefined ? [] : [config.authToken]),
      ...(config.forkHeader ?? []).map((line) => line.slice(line.indexOf(':') + 1).trim()),
    ],
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
