// Report of a rehearsal as plain data.

/** What differs: in the order of reports. */
export const CHANGE_KINDS = [
  'status',
  'result',
  'call',
  'event',
  'message',
  'storage',
  'gas',
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A value that differs between the old and the new class; absent on the side that has none. */
export interface Change {
  readonly kind: ChangeKind;
  /** What the value belongs to: a function, an event, a slot or a resource. */
  readonly subject: string;
  readonly old?: string;
  readonly new?: string;
}

/** A transaction with a difference. */
export interface DifferentTransaction {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly index: number;
  readonly sender: string;
  /** The function of the contract that it calls first. */
  readonly function: string;
  readonly changes: readonly Change[];
}

/** A transaction that could not run, and the reason. */
export interface SkippedTransaction {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly reason: string;
}

/** How the layout of a variable changes. */
export interface LayoutChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved' | 'compatible';
  readonly variable: string;
  readonly old?: string;
  readonly new?: string;
  /** Effects on values that are stored already. */
  readonly effects: readonly string[];
}

export interface LayoutComparison {
  readonly changes: readonly LayoutChange[];
  /** Variables whose type only one class or none tells. */
  readonly unknown: readonly string[];
}

export interface Rehearsal {
  readonly contract: string;
  readonly chain_id: string;
  readonly from_block: number;
  readonly to_block: number;
  /** Blocks that were searched. */
  readonly blocks: number;
  readonly old_classes: readonly string[];
  readonly new_class: string;
  readonly mode: 'independent' | 'carried';
  /** Transactions that ran with both classes. */
  readonly transactions: number;
  /** Number of transactions with a difference, by its kind. */
  readonly counts: Readonly<Record<ChangeKind, number>>;
  readonly layout: LayoutComparison;
  readonly different: readonly DifferentTransaction[];
  readonly skipped: readonly SkippedTransaction[];
  /** Transactions whose run with the old class differs from the network's. */
  readonly not_reproduced: readonly SkippedTransaction[];
  readonly notes: readonly string[];
}

/** Whether stored values would be read as others. */
export function isRisk({ kind }: LayoutChange): boolean {
  return kind === 'changed' || kind === 'moved';
}

/** Whether a rehearsal shows a difference that an upgrade would make. */
export function hasDifference({ layout, different }: Rehearsal): boolean {
  return different.length > 0 || layout.changes.some(isRisk);
}

export function countKinds(
  different: readonly DifferentTransaction[],
): Readonly<Record<ChangeKind, number>> {
  const countOf = (kind: ChangeKind): number =>
    different.filter(({ changes }) => changes.some((change) => change.kind === kind)).length;
  return {
    status: countOf('status'),
    result: countOf('result'),
    call: countOf('call'),
    event: countOf('event'),
    message: countOf('message'),
    storage: countOf('storage'),
    gas: countOf('gas'),
  };
}
