// Search for hashes and errors in the newest part of the chain.
import type { CANDIDATE } from '@starkbox/spec';
import { Slices } from '../../scheduling/slices.js';
import { FAILS, isReverted } from '../history/block-keys.js';
import { pendingNumber } from '../world/find-block.js';
import { transactionHashesOf, type World } from '../world/world.js';
import { type FeltPart, hasPart, type SearchResult } from './search-query.js';

/** Hashes of blocks and transactions that are compared. */
const MAX_HASHES = 20_000;
/** Blocks with failed transactions that are read. */
const MAX_FAILED_BLOCKS = 200;
const MAX_RECEIPTS = 5_000;
/** Candidates of each kind. */
const MAX_COUNT = { block: 3, transaction: 5, error: 5 } as const;
/** Characters of an error that are shown, and of them before the match. */
const MAX_ERROR_LENGTH = 160;
const BEFORE_MATCH = 60;

/** Blocks and transactions whose hashes have these digits, newest first. */
export async function hashesLike(world: World, part: FeltPart): Promise<SearchResult> {
  const { history } = world;
  const blocks: CANDIDATE[] = [];
  const transactions: CANDIDATE[] = [];
  const slices = new Slices();
  let compared = 0;
  let block = pendingNumber(world);
  for (; block >= history.first && compared < MAX_HASHES; block -= 1) {
    const hash = history.hash(block);
    if (hash !== undefined && hasPart(hash, part)) {
      blocks.push({ kind: 'block', value: String(block), detail: hash });
    }
    const hashes = transactionHashesOf(world, block);
    for (const value of hashes) {
      if (!hasPart(value, part)) continue;
      transactions.push({ kind: 'transaction', value, detail: `block ${block}` });
    }
    compared += 1 + hashes.length;
    if (slices.isOver) await slices.next();
  }
  return {
    candidates: [
      ...transactions.slice(0, MAX_COUNT.transaction),
      ...blocks.slice(0, MAX_COUNT.block),
    ],
    ...(block < history.first ? {} : { searched_to_block: block + 1 }),
  };
}

/** Failed transactions whose errors have a text, newest first. */
export async function errorsWith(world: World, text: string): Promise<SearchResult> {
  const { history } = world;
  const errors: CANDIDATE[] = [];
  const slices = new Slices();
  let block: number | undefined = pendingNumber(world);
  let read = 0;
  let compared = 0;
  for (; block !== undefined && errors.length < MAX_COUNT.error; read += 1) {
    if (read >= MAX_FAILED_BLOCKS || compared >= MAX_RECEIPTS)
      return { candidates: errors, searched_to_block: block + 1 };
    const receipts = receiptsIn(world, block);
    compared += receipts.length;
    for (const { hash, receipt } of receipts.toReversed()) {
      const reason = isReverted(receipt) ? reasonIn(receipt) : '';
      const place = reason.toLowerCase().indexOf(text);
      if (place < 0 || errors.length >= MAX_COUNT.error) continue;
      const name = excerpt(reason, place);
      errors.push({ kind: 'error', value: hash, name, detail: `block ${block}` });
    }
    block = history.newest(FAILS, block - 1);
    if (slices.isOver) await slices.next();
  }
  return { candidates: errors };
}

interface Receipt {
  readonly hash: string;
  /** As JSON text. */
  readonly receipt: string;
}

/** Receipts of a closed or pending block, without reading traces. */
function receiptsIn({ history, pending }: World, block: number): readonly Receipt[] {
  if (!history.has(block)) return pending.transactions.toArray().map(({ record }) => record);
  const receipts = history.receipts(block);
  return history.hashes(block).map((hash, at) => ({ hash, receipt: receipts[at] ?? '' }));
}

function reasonIn(receipt: string): string {
  const [, quoted] = /"revert_reason":("(?:[^"\\]|\\.)*")/.exec(receipt) ?? [];
  const reason: unknown = quoted === undefined ? '' : JSON.parse(quoted);
  return typeof reason === 'string' ? reason : '';
}

/** The part around a match, in one line. */
function excerpt(reason: string, place: number): string {
  const begin = Math.max(0, place - BEFORE_MATCH);
  const part = reason.slice(begin, begin + MAX_ERROR_LENGTH).replace(/\s+/g, ' ');
  const end = begin + MAX_ERROR_LENGTH < reason.length ? '…' : '';
  return `${begin > 0 ? '…' : ''}${part}${end}`;
}
