// Failures that are alike: the same message of the same function.
import { readFailure } from '@starkbox/abi';
import type { TransactionRow } from '../../rpc/queries.js';

export interface FailureGroup {
  readonly key: string;
  readonly message: string;
  /** The newest transaction of the group. */
  readonly newest: TransactionRow;
  readonly count: number;
  readonly senders: number;
}

/** @param rows newest first; the groups are in the same order */
export function groupFailures(rows: readonly TransactionRow[]): readonly FailureGroup[] {
  const groups = new Map<string, { message: string; rows: TransactionRow[] }>();
  for (const row of rows) {
    const message = row.revert_reason === undefined ? '' : readFailure(row.revert_reason).message;
    const key = [row.type, row.call?.contract_address, row.call?.selector, message].join(' ');
    const group = groups.get(key) ?? { message, rows: [] };
    groups.set(key, group);
    group.rows.push(row);
  }
  return [...groups].flatMap(([key, { message, rows: alike }]): FailureGroup[] => {
    const [newest] = alike;
    if (!newest) return [];
    const senders = new Set(alike.map(({ sender_address }) => sender_address)).size;
    return [{ key, message, newest, count: alike.length, senders }];
  });
}

/**
 * Filters of the page of transactions that list the group. The trace of a reverted execution names no contract, so the
 * function stands for it.
 */
export function groupQuery({ message, newest }: FailureGroup): Record<string, string> {
  const isPart = message !== '' && newest.revert_reason?.includes(message) === true;
  return {
    status: 'REVERTED',
    ...(newest.call ? { function: newest.call.selector } : {}),
    ...(isPart && message.length <= 200 ? { panic: message } : {}),
  };
}
