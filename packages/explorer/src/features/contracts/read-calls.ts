// Pages of the calls of a contract: transactions that called it, and the frames of their traces.
import { buildTree, type CallTree, type Frame } from '@starkbox/abi';
import { call } from '../../rpc/client.js';
import type { Page, TransactionRow } from '../../rpc/queries.js';

export type CallerKind = 'all' | 'contract' | 'account';

export interface CallRow {
  readonly id: string;
  readonly transaction: TransactionRow;
  readonly frame: Frame;
  /** Further calls of the same transaction, which are on its page. */
  readonly unlisted: number;
}

/** Traces are long, so few are read for a page. */
const TRANSACTIONS_PER_PAGE = 10;
const ENOUGH_CALLS = 10;
const MAX_PAGES = 4;
/** Of one transaction. */
const MAX_CALLS = 20;

/** @param isTip whether only the newest transactions are read */
export async function readCalls(
  address: string,
  callers: CallerKind,
  cursor: string | undefined,
  isTip: boolean,
): Promise<Page<CallRow>> {
  const rows: CallRow[] = [];
  let next = cursor;
  for (let page = 0; page < (isTip ? 1 : MAX_PAGES); page++) {
    const answer = await call('devnet_listTransactions', {
      filter: { contract: address },
      limit: TRANSACTIONS_PER_PAGE,
      ...(next === undefined ? {} : { cursor: next }),
    });
    const others = answer.transactions.filter(({ sender_address }) => sender_address !== address);
    const calls = await Promise.all(others.map((row) => callsIn(row, address, callers)));
    rows.push(...calls.flat());
    next = answer.next;
    if (next === undefined || rows.length >= ENOUGH_CALLS) break;
  }
  return { rows, next };
}

async function callsIn(
  transaction: TransactionRow,
  address: string,
  callers: CallerKind,
): Promise<readonly CallRow[]> {
  const tree = await readTree(transaction);
  const frames = framesOf(tree, address).filter(
    ({ caller }) =>
      callers === 'all' || (callers === 'account') === (caller === transaction.sender_address),
  );
  return frames.slice(0, MAX_CALLS).map((frame, at) => ({
    id: `${transaction.transaction_hash} ${frame.id}`,
    transaction,
    frame,
    unlisted: at === MAX_CALLS - 1 ? frames.length - MAX_CALLS : 0,
  }));
}

/** A reverted transaction has no frames in its trace; they follow from its calldata and reason. */
async function readTree(row: TransactionRow): Promise<CallTree> {
  const params = { transaction_hash: row.transaction_hash };
  const isReverted = row.execution_status === 'REVERTED';
  const [trace, transaction] = await Promise.all([
    call('starknet_traceTransaction', params).catch(() => undefined),
    isReverted ? call('starknet_getTransactionByHash', params) : { type: row.type },
  ]);
  return buildTree(transaction, trace, { execution_status: row.execution_status });
}

/** Calls of the contract, in their order; library calls run inside of one. */
function framesOf({ roots }: CallTree, address: string): readonly Frame[] {
  const frames: Frame[] = [];
  const visit = (frame: Frame): void => {
    if (frame.contract === address && frame.kind !== 'DELEGATE') frames.push(frame);
    frame.children.forEach(visit);
  };
  for (const root of roots) {
    if (root.phase !== 'validate' && root.phase !== 'fee') visit(root);
  }
  return frames;
}
