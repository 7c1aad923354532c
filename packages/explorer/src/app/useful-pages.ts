// Pages that are of use in the present mode of the node.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../rpc/client.js';
import { useLive } from '../rpc/live-state.js';
import { queries } from '../rpc/queries.js';
import { runTask } from '../state/tasks.js';
import type { NavigationEntry } from './pages.js';

const KEY = ['has-mempool'];

/** Only operations of a user change the mode, so it is not read again for new blocks. */
export function useUseful(): (entry: NavigationEntry) => boolean {
  const operation = useLive((live) => live.operations[0]?.id ?? 0);
  const { data: hasMempool = false } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await call('devnet_getStatus')).mempool_tx_count !== undefined,
  });
  useEffect(() => {
    if (operation > 0) runTask(queries.invalidateQueries({ queryKey: KEY }));
  }, [operation]);
  return ({ mode }) => mode === undefined || hasMempool;
}
