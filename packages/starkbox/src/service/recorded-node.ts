// Facts about a node in recordings of its requests, and secrets that they leave out.
import type { Chain } from '../chain/chain.js';
import { portableOptions } from '../config/options.js';
import type { ChainBase } from './chain-bases.js';

export interface RecordedNode {
  readonly base: Pick<ChainBase, 'config'>;
  readonly chain: Chain;
  readonly version: string;
}

export interface Secrets {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** Keys and words that are redacted wherever requests are shown. */
export function secretsOf({ base, chain }: RecordedNode): Secrets {
  const { config } = base;
  const { l1 } = chain.world.messages;
  // A load can bring other accounts than the node was started with.
  const keys = chain.options.genesis.accounts.map(({ privateKey }) => privateKey);
  return {
    keys: l1 ? [...keys, l1.key] : keys,
    words: [
      ...(config.authToken === undefined ? [] : [config.authToken]),
      ...(config.forkHeader ?? []).map((line) => line.slice(line.indexOf(':') + 1).trim()),
    ],
  };
}

/** The facts that a replay of the requests starts with. */
export function aboutNode({ base: { config }, chain, version }: RecordedNode): object {
  const { history } = chain.world;
  const { number, hash, timestamp } = history.header(history.first) ?? {};
  return {
    starkbox: version,
    forked: config.forkNetwork !== undefined,
    // Its file is not part of a recording.
    ...(config.accountClassCustom === undefined ? {} : { custom_account_class: true }),
    options: portableOptions(config),
    genesis: { number, hash, timestamp },
  };
}

/** The same for callers: without the seed where the private keys, which follow from it, are restricted. */
export function aboutNodeForCallers(node: RecordedNode): object {
  const about = aboutNode(node);
  const { config } = node.base;
  if (!config.restrictedMethods?.includes('devnet_getPredeployedAccounts')) return about;
  return { ...about, options: { ...portableOptions(config), seed: undefined } };
}
