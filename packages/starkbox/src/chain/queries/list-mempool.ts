// List of the transactions in the mempool.

import type { MEMPOOL_ROW } from '@starkbox/spec';
import { hex } from '../../felt.js';
import { inSlices } from '../../scheduling/slices.js';
import {
  arrivalKey,
  inOrder,
  lacksNonce,
  type Mempool,
  type MempoolOrder,
  type QueuedTransaction,
  withSelected,
} from '../mempool/mempool.js';
import type { World } from '../world/world.js';
import type { PageRequest } from './list-contracts.js';
import { type Page, readCursor } from './page.js';

interface MempoolPage extends Page<MEMPOOL_ROW> {
  readonly order: MempoolOrder['kind'];
  readonly size: number;
  /** Hashes of the first ones to execute, in order. */
  readonly upcoming: readonly string[];
}

/** A page in the order of arrival. */
export async function listMempool(
  world: World,
  { cursor, limit }: PageRequest,
  order: MempoolOrder = world.mempool.order,
): Promise<MempoolPage> {
  const pool = await inSlices(inOrder(world.mempool, order));
  const rows: MEMPOOL_ROW[] = [];
  let next: string | undefined;
  for (const [, one] of pool.waiting.from(arrivalKey(startOf(pool, cursor)))) {
    if (rows.length === limit) {
      next = `${one.arrival}.0`;
      break;
    }
    rows.push(rowOf(pool, one));
  }
  const { size } = pool.waiting;
  return { order: order.kind, size, rows, next, upcoming: upcomingIn(pool, limit) };
}

function startOf({ first }: Mempool, cursor: string | undefined): number {
  return cursor === undefined ? first : readCursor(cursor)[0];
}

function rowOf(pool: Mempool, one: QueuedTransaction): MEMPOOL_ROW {
  return {
    transaction_hash: one.hash,
    type: one.type,
    sender_address: one.sender,
    nonce: hex(one.nonce),
    tip: hex(one.tip),
    status: one.position === undefined ? 'RECEIVED' : 'CANDIDATE',
    waits_for_nonce: lacksNonce(pool, one),
  };
}

/** The selected ones, and then what would be selected. */
function upcomingIn(pool: Mempool, limit: number): readonly string[] {
  const hashes: string[] = [];
  for (const [, hash] of pool.selected.from()) {
    if (hashes.length === limit) return hashes;
    hashes.push(hash);
  }
  let found = withSelected(pool);
  while (found && hashes.length < limit) {
    hashes.push(found[1].hash);
    found = withSelected(found[0]);
  }
  return hashes;
}
