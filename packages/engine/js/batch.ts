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
  /** Bytes: fails when the reports are longer. */
  readonly byteLimit?: number | undefined;
  /** Fails if it is aborted before a slice begins. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each slice; by default a slice begins at once. */
  readonly turn?: Turn | undefined;
}

const atOnce: Turn = (slice) => slice();

/** What a batch executes, and how its reports are converted. */
interface BatchWork<Native, Report> {
  /** Number of transactions. */
  readonly count: number;
  /** Index of the first one with the machine's trace. */
  readonly firstTraced?: number;
  /** Executes some of them. */
  readonly runSlice: (milliseconds: number) => Promise<Native[]>;
  readonly convert: (native: Native) => Report;
  readonly sizeOf?: (native: Native) => number;
}

/**
 * Runs a batch to its end; the reports of all slices.
 *
 * @internal
 */
export async function runBatch<Native, Report>(
  batch: binding.Batch,
  { count, firstTraced = count, runSlice, convert, sizeOf = () => 0 }: BatchWork<Native, Report>,
  { timeLimit = Infinity, byteLimit = Infinity, signal, turn = atOnce }: BatchOptions,
): Promise<Report[]> {
  if (!(timeLimit >= 0)) throw new EngineError('input', `timeLimit: ${timeLimit} is not a time`);
  const begun = performance.now();
  const reports: Report[] = [];
  let bytes = 0;
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
    for (const native of await callWorker(() => runSlice(Math.min(SLICE, remaining)))) {
      bytes += sizeOf(native);
      if (bytes > byteLimit) {
        const message = `the reports of ${batch.next} of ${count} transactions have more than ${byteLimit} bytes`;
        throw new EngineError('report_too_large', message);
      }
      reports.push(convert(native));
    }
  };
  try {
    while (batch.next < count) await turn(slice, batch.next >= firstTraced);
  } finally {
    if (batch.next < count) await callWorker(() => batch.end());
  }
  return reports;
}
