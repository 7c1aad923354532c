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
  for (const [, queued] of pool.waiting.from(arrivalKey(startOf(pool, cursor)))) {
    if (rows.length === limit) {
      next = `${queued.arrival}.0`;
      break;
    }
    rows.push(rowOf(pool, queued));
  }
  const { size } = pool.waiting;
  return { order: order.kind, size, rows, next, upcoming: upcomingIn(pool, limit) };
}

function startOf({ first }: Mempool, cursor: string | undefined): number {
  return cursor === undefined ? first : readCursor(cursor)[0];
}

function rowOf(pool: Mempool, queued: QueuedTransaction): MEMPOOL_ROW {
  return {
    transaction_hash: queued.hash,
    type: queued.type,
    sender_address: queued.sender,
    nonce: hex(queued.nonce),
    tip: hex(queued.tip),
    status: queued.position === undefined ? 'RECEIVED' : 'CANDIDATE',
    waits_for_nonce: lacksNonce(pool, queued),
  };
}

/** The selected ones, and then what would be selected. */
function upcomingIn(pool: Mempool, limit: number): readonly string[] {
  const hashes: string[] = [];
  for (const [, hash] of pool.selected.from()) {
    if (hashes.length === limit) return hashes;
    hashes.push(hash);
  }
  let selection = withSelected(pool);
  while (selection && hashes.length < limit) {
    hashes.push(selection[1].hash);
    selection = withSelected(selection[0]);
  }
  return hashes;
}
