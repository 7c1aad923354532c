// Grouping of recorded requests: a batch or a run of equal calls takes one row.
import type { Result } from '../../rpc/methods.js';

export type RequestRow = Result<'devnet_getRequests'>['requests'][number];

export type Line =
  | { readonly kind: 'call'; readonly rows: readonly RequestRow[]; readonly isInner: boolean }
  | { readonly kind: 'batch'; readonly rows: readonly RequestRow[]; readonly isOpen: boolean };

export interface RequestFilter {
  readonly method: string;
  readonly errors: boolean;
  /** For example `http 1`. */
  readonly client: string;
  readonly slow: boolean;
  /** Including the explorer's own requests. */
  readonly own: boolean;
}

export const SLOW_MILLISECONDS = 50;
/** The tag of calls that pages of the explorer make by themselves. */
export const EXPLORER = 'ui';
const MAX_PREVIEWED = 200;

export const clientOf = ({ transport, client }: RequestRow): string => `${transport} ${client}`;

export function passes(row: RequestRow, filter: RequestFilter): boolean {
  if (!filter.own && row.tag === EXPLORER) return false;
  if (filter.errors && row.outcome === 'ok') return false;
  if (filter.slow && row.duration_ms <= SLOW_MILLISECONDS) return false;
  if (filter.client !== '' && clientOf(row) !== filter.client) return false;
  return row.method.toLowerCase().includes(filter.method.toLowerCase());
}

/** Newest first, as the rows are. */
export function linesOf(
  rows: readonly RequestRow[],
  openBatches: ReadonlySet<number>,
): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < rows.length; ) {
    const first = rows[at];
    if (!first) break;
    const isLike = first.batch === undefined ? isRepeated : isOfBatch;
    let end = at + 1;
    for (let next = rows[end]; next && isLike(first, next); next = rows[end]) end += 1;
    const group = rows.slice(at, end);
    at = end;
    if (first.batch === undefined || group.length === 1) {
      lines.push({ kind: 'call', rows: group, isInner: false });
      continue;
    }
    const isOpen = openBatches.has(first.batch);
    lines.push({ kind: 'batch', rows: group, isOpen });
    if (isOpen) {
      // In the order in which they were made.
      for (const row of group.toReversed())
        lines.push({ kind: 'call', rows: [row], isInner: true });
    }
  }
  return lines;
}

const isOfBatch = (a: RequestRow, b: RequestRow): boolean => a.batch === b.batch;

/** Whether two requests look equal and come from the same client. */
function isRepeated(a: RequestRow, b: RequestRow): boolean {
  const isWhole = (a.params_preview ?? '').length < MAX_PREVIEWED;
  return (
    b.batch === undefined &&
    isWhole &&
    a.method === b.method &&
    a.method !== 'unknown' &&
    a.outcome === b.outcome &&
    a.params_preview === b.params_preview &&
    clientOf(a) === clientOf(b)
  );
}

/** Stable while more equal requests are added on top. */
export function idOfLine({ kind, rows }: Line): string {
  return `${kind} ${rows.at(-1)?.id ?? 0}`;
}
