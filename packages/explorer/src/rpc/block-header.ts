// Cached block headers.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from './client.js';
import type { Result } from './methods.js';

export type Header = Result<'starknet_getBlockWithTxHashes'>;

export function useHeader(
  of: { readonly block_number: number; readonly finality_status: string } | undefined,
): UseQueryResult<Header> {
  const isOpen = of?.finality_status === 'PRE_CONFIRMED';
  return useQuery({
    queryKey: ['header', of?.block_number, isOpen],
    enabled: of !== undefined,
    queryFn: () =>
      call('starknet_getBlockWithTxHashes', {
        block_id: isOpen ? 'pre_confirmed' : { block_number: of?.block_number ?? 0 },
      }),
  });
}
