// Secrets of a chain that logs of its requests leave out.
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/options.js';

export interface Secrets {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** Keys and words that are redacted wherever requests are shown. */
export function secretsOf(config: Config, chain: Chain): Secrets {
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
