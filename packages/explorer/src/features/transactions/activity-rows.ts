// Rows of the activity page: transactions, folded where they are alike, and changes of the sandbox between them.
import type { Operation } from '../../rpc/live-state.js';
import type { TransactionRow } from '../../rpc/queries.js';

/** Consecutive transactions that are alike. */
interface Run {
  readonly first: TransactionRow;
  readonly count: number;
}
export interface Row {
  readonly id: string;
  readonly run?: Run;
  readonly operation?: Operation;
  readonly source?: TransactionRow;
}

const FEWEST_FOLDED = 4;

function isAlike(a: TransactionRow, b: TransactionRow): boolean {
  return (
    a.type === b.type &&
    a.sender_address === b.sender_address &&
    a.call?.contract_address === b.call?.contract_address &&
    a.call?.selector === b.call?.selector &&
    a.execution_status === b.execution_status &&
    a.call_count === b.call_count
  );
}

/** Folds runs of equal rows, and inserts changes to the sandbox where they happened. */
export function arrange(
  rows: readonly Row[],
  operations: readonly Operation[],
  unfolded: ReadonlySet<string>,
): Row[] {
  const arranged: Row[] = [];
  let nextOperation = 0;
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]?.source;
    if (!row) break;
    for (
      let operation = operations[nextOperation];
      operation && operation.block >= row.block_number;
      operation = operations[++nextOperation]
    ) {
      arranged.push({ id: `operation ${operation.id}`, operation: operation });
    }
    let end = at + 1;
    for (let next = rows[end]?.source; next && isAlike(row, next); next = rows[++end]?.source);
    const count = end - at;
    if (count >= FEWEST_FOLDED && !unfolded.has(row.transaction_hash)) {
      arranged.push({ id: row.transaction_hash, run: { first: row, count } });
      at = end;
    } else {
      arranged.push({ id: row.transaction_hash, run: { first: row, count: 1 } });
      at++;
    }
  }
  for (const operation of operations.slice(nextOperation))
    arranged.push({ id: `operation ${operation.id}`, operation: operation });
  return arranged;
}
