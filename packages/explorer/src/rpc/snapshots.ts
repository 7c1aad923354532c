// Snapshots of the chain.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call, unlessMissing } from './client.js';
import { useLive } from './live-state.js';
import type { Result } from './methods.js';

export type Snapshot = Result<'devnet_listSnapshots'>['snapshots'][number];

/** Read again after operations on the sandbox; blocks do not change them. */
export function useSnapshots(): UseQueryResult<readonly Snapshot[]> {
  const operation = useLive((live) => live.operations[0]?.id);
  const epoch = useLive((live) => live.epoch);
  return useQuery({
    queryKey: ['now', 'snapshots', operation, epoch],
    placeholderData: (old) => old,
    queryFn: async () =>
      (await unlessMissing(call('devnet_listSnapshots'), { snapshots: [] })).snapshots,
  });
}
