// Instances as calls show them: their addresses, and the row of a list.
import type { INSTANCE, INSTANCE_ROW } from '@starkbox/spec';
import { realMilliseconds } from '../chain/world/clock.js';
import { latestHeader } from '../chain/world/find-block.js';
import type { World } from '../chain/world/world.js';
import type { InstanceRecord } from '../store/instance-records.js';
import type { InstanceFigures } from '../store/store.js';

/** @param url of the node; undefined before it listens */
export function showInstance(url: string | undefined, id: string): INSTANCE {
  const path = url === undefined ? undefined : `${url}/instances/${id}`;
  return {
    instance_id: id,
    http_url: path === undefined ? null : `${path}/rpc`,
    ws_url: path === undefined ? null : `${path.replace(/^http/, 'ws')}/ws`,
  };
}

/** @param idle seconds without a request */
export function instanceRow(
  url: string | undefined,
  { id, name, from, created, ttl }: Omit<InstanceRecord, 'number'>,
  { blockNumber, transactionCount }: InstanceFigures,
  idle: number,
): INSTANCE_ROW {
  return {
    ...showInstance(url, id),
    ...(name === undefined ? {} : { name }),
    ...(from === undefined ? {} : { from }),
    block_number: blockNumber,
    transaction_count: transactionCount,
    age: secondsSince(created),
    idle: Math.floor(idle),
    ttl: ttl ?? null,
  };
}

/** What a list shows of the chain of an instance. */
export function figuresOf(world: World): InstanceFigures {
  return {
    blockNumber: latestHeader(world).number,
    transactionCount: world.history.transactionCount + world.pending.transactions.size,
  };
}

function secondsSince(time: number): number {
  return Math.max(0, Math.floor((realMilliseconds() - time) / 1000));
}
