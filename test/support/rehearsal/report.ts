// The parts of a rehearsal's report that tests and benches read.

export type ChangeKind = 'status' | 'result' | 'call' | 'event' | 'message' | 'storage' | 'gas';

export interface Change {
  readonly kind: ChangeKind;
  readonly subject: string;
  readonly old?: string;
  readonly new?: string;
}

export interface Rehearsal {
  readonly blocks: number;
  readonly mode: 'independent' | 'carried';
  readonly transactions: number;
  readonly old_classes: readonly string[];
  readonly new_class: string;
  readonly counts: Readonly<Record<ChangeKind, number>>;
  readonly layout: { readonly changes: readonly unknown[]; readonly unknown: readonly string[] };
  readonly different: readonly {
    readonly transaction_hash: string;
    readonly changes: readonly Change[];
  }[];
  readonly skipped: readonly unknown[];
  readonly not_reproduced: readonly unknown[];
}
