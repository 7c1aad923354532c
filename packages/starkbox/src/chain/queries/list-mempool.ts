// List of the transactions in the mempool.
import { toFelt } from '@starkbox/abi/basics';
import type { MEMPOOL_ROW } from '@starkbox/spec';
import { inSlices } from '../../scheduling/slices.js';
import { readTransaction } from '../history/stored-texts.js';
import { underRules } from '../mempool/apply-rules.js';
import {
  lacksNonce,
  type Mempool,
  type QueuedTransaction,
  withSelected,
} from '../mempool/mempool.js';
import {
  arrivalKey,
  isDelayed,
  isUnderpriced,
  type MempoolOrder,
  type PoolRules,
  READY,
} from '../mempool/rules.js';
import type { World } from '../world/world.js';
import { callsIn } from './called-functions.js';
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
  rules: PoolRules,
): Promise<MempoolPage> {
  const pool = await inSlices(underRules(world.mempool, rules));
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
  return { order: rules.order.kind, size, rows, next, upcoming: upcomingIn(pool, limit) };
}

function startOf({ first }: Mempool, cursor: string | undefined): number {
  return cursor === undefined ? first : readCursor(cursor)[0];
}

function rowOf(pool: Mempool, queued: QueuedTransaction): MEMPOOL_ROW {
  const functionCalls = callsIn(readTransaction(queued.transaction));
  const [first] = functionCalls;
  return {
    transaction_hash: queued.hash,
    type: queued.type,
    sender_address: queued.sender,
    ...(first ? { call: first } : {}),
    call_count: functionCalls.length,
    nonce: toFelt(queued.nonce),
    tip: toFelt(queued.tip),
    status: queued.position === undefined ? 'RECEIVED' : 'CANDIDATE',
    waits_for_nonce: lacksNonce(pool, queued),
    ...(isUnderpriced(pool, queued) ? { waits_for_price: true } : {}),
    ...(isDelayed(pool, queued) ? { waits_for_blocks: blocksUntil(pool, queued) } : {}),
  };
}

function blocksUntil({ gate }: Mempool, { since = 0 }: QueuedTransaction): number {
  return since - (gate?.round ?? 0);
}

/** The selected ones, and then what would be selected. */
function upcomingIn(pool: Mempool, limit: number): readonly string[] {
  const hashes: string[] = [];
  for (const [key, hash] of pool.upcoming.from()) {
    if (hashes.length === limit) return hashes;
    if (key >= READY) break;
    hashes.push(hash);
  }
  let selection = withSelected(pool);
  while (selection && hashes.length < limit) {
    hashes.push(selection[1].hash);
    selection = withSelected(selection[0]);
  }
  return hashes;
}
