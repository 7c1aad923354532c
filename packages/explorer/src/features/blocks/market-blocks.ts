// Price and fullness of the newest blocks, on a chain that imitates a network.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Result } from '../../rpc/methods.js';

type Network = Result<'devnet_getNetworkConditions'>;
export type MarketBlock = Network['recent_blocks'][number];

/** By block number; undefined on a chain without a gas market. Other chains are asked once. */
export function useMarketBlocks(): ReadonlyMap<number, MarketBlock> | undefined {
  const operation = useLive((live) => live.operations[0]?.id ?? 0);
  const head = useLive((live) => live.head?.number);
  const first = useQuery({
    queryKey: ['network', operation],
    queryFn: () => call('devnet_getNetworkConditions', {}).catch(() => null),
  });
  const isOn = (first.data?.conditions ?? null) !== null;
  const newest = useQuery({
    queryKey: ['now', 'network', head],
    enabled: isOn,
    placeholderData: (old: Network | undefined) => old,
    queryFn: () => call('devnet_getNetworkConditions', {}),
  });
  const network = newest.data ?? first.data;
  return useMemo(() => {
    if (!isOn || !network) return undefined;
    return new Map(network.recent_blocks.map((block) => [block.block_number, block]));
  }, [isOn, network]);
}
