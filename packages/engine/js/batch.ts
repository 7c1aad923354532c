// Batches of transactions that are executed in slices of time, between which other work gets its turn.
import type * as binding from '../binding.js';
import { callWorker } from './call.js';
import { EngineError } from './error.js';

/** Milliseconds after which a slice begins no further transaction. */
const SLICE = 50;

/** Runs one slice; a semaphore may let it wait. `isTraced` if it takes the memory of a machine's trace. */
export type Turn = <T>(slice: () => Promise<T>, isTraced: boolean) => Promise<T>;

export interface BatchOptions {
  /** Milliseconds: fails if a transaction would begin later than that. */
  readonly timeLimit?: number | undefined;
  /** Fails if it is aborted before a slice begins. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each slice; by default a slice begins at once. */
  readonly turn?: Turn | undefined;
}

const atOnce: Turn = (slice) => slice();

/**
 * Runs a batch to its end; the reports of all slices.
 *
 * @internal
 * @param runSlice executes some of its transactions
 * @param size.count of transactions
 * @param size.firstTraced the first one with the machine's trace
 */
export async function runBatch<T>(
  batch: binding.Batch,
  runSlice: (milliseconds: number) => Promise<T[]>,
  { count, firstTraced = count }: { readonly count: number; readonly firstTraced?: number },
  { timeLimit = Number.POSITIVE_INFINITY, signal, turn = atOnce }: BatchOptions,
): Promise<T[]> {
  if (!(timeLimit >= 0)) throw new EngineError('input', `timeLimit: ${timeLimit} is not a time`);
  const begun = performance.now();
  const reports: T[] = [];
  const slice = async (): Promise<void> => {
    const { next } = batch;
    const remaining = timeLimit - (performance.now() - begun);
    if (signal?.aborted) {
      throw new EngineError('cancelled', `stopped after ${next} of ${count} transactions`);
    }
    if (remaining < 0) {
      const seconds = timeLimit / 1000;
      throw new EngineError('deadline', `${next} of ${count} transactions took ${seconds} s`);
    }
    const sliceReports = await callWorker(() => runSlice(Math.min(SLICE, remaining)));
    for (const report of sliceReports) reports.push(report);
  };
  try {
    while (batch.next < count) await turn(slice, batch.next >= firstTraced);
  } finally {
    if (batch.next < count) await callWorker(() => batch.end());
  }
  return reports;
}
