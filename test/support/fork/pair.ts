// A chain and a fork of it, both real, with a proxy in between.
import { type ListeningNode, startNode } from '@starkbox/test-support';
import type { Config } from 'starkbox';
import { FaultyProxy } from './proxy.js';

export interface Pair extends AsyncDisposable {
  readonly origin: ListeningNode;
  readonly proxy: FaultyProxy;
  /** Another fork of the same chain. */
  readonly fork: (changes?: Partial<Config>) => Promise<ListeningNode>;
  readonly close: () => Promise<void>;
}

/** @param history makes the origin what it is before it is forked */
export async function startPair(
  history: (origin: ListeningNode) => Promise<unknown> = async () => undefined,
  config: Partial<Config> = {},
): Promise<Pair> {
  const origin = await startNode({ listen: true, ...config });
  await history(origin);
  const proxy = await FaultyProxy.before(origin.url);
  const forks: ListeningNode[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(forks.map((fork) => fork.close()));
    await proxy.close();
    await origin.close();
  };
  return {
    origin,
    proxy,
    async fork(changes = {}) {
      const fork = await startNode({
        listen: true,
        seed: 1,
        forkNetwork: proxy.url,
        forkUpstreamCaching: false,
        ...changes,
      });
      forks.push(fork);
      return fork;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Mints tokens in a block of its own; gives the hash of the transaction. */
export async function mint(
  { client }: Pick<ListeningNode, 'client'>,
  address: string,
  amount: number,
): Promise<string> {
  return (await client.call('devnet_mint', { address, amount, unit: 'FRI' })).tx_hash;
}
