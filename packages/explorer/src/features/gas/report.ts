// Gas of a block range, read block by block from the newest, within a limit.

import { GasReport } from '@starkbox/abi';
import type { Grouping, Measure } from '@starkbox/abi/internal';
import { useEffect, useState } from 'react';
import { call } from '../../rpc/client.js';
import { useLive } from '../../rpc/live-state.js';
import type { Trace } from '../../rpc/methods.js';

export const MAX_TRACES = 2_000;
/** Traces per request. */
const AT_ONCE = 100;
const MAX_BLOCKS_AT_ONCE = 40;
const BLOCKS_IN_A_PAGE = 200;
/** Most empty blocks that are read. */
const MAX_PAGES = 100;

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Default number of transactions. */
const FEW_BLOCKS = 50;

/** Sums for every grouping and measure, so that switching needs no request. */
export class Report {
  readonly #of: Readonly<Record<Grouping, GasReport>> = {
    contract: new GasReport('contract'),
    class: new GasReport('class'),
  };
  transactions = 0;
  /** Blocks whose traces could not be read. */
  untraced = 0;
  lowest = Number.POSITIVE_INFINITY;

  add(trace: Trace): void {
    this.transactions++;
    for (const report of Object.values(this.#of)) report.add(trace);
  }

  of(measure: Measure, grouping: Grouping): ReturnType<GasReport['of']> {
    return this.#of[grouping].of(measure);
  }
}

export interface Reading {
  readonly report: Report;
  /** Increases with every block that was read. */
  readonly version: number;
  /** Undefined until the head is known. */
  readonly range: Range | undefined;
  readonly planned: number;
  readonly isDone: boolean;
  readonly isCancelled: boolean;
  /** Whether the range holds more than the limit. */
  readonly isCut: boolean;
  readonly error: unknown;
}

interface ReadingObserver {
  onRange(range: Range): void;
  planned(count: number, isCut: boolean): void;
  progressed(): void;
}

interface BlockToTrace {
  readonly number: number;
  readonly count: number;
}

/** The first page of blocks also gives the head, which saves a request. */
async function plan(
  range: Partial<Range>,
  signal: AbortSignal,
  observer: ReadingObserver,
): Promise<{ blocks: readonly BlockToTrace[]; count: number; isCut: boolean }> {
  const blocks: BlockToTrace[] = [];
  let count = 0;
  let answer = await listBlocks(range.to === undefined ? undefined : range.to + 1);
  const to = range.to ?? answer.blocks[0]?.block_number ?? 0;
  const from = range.from ?? Math.max(0, to - FEW_BLOCKS + 1);
  observer.onRange({ from, to });
  for (let page = 1; !signal.aborted; page++) {
    for (const { block_number, transaction_count } of answer.blocks) {
      if (block_number < from) return { blocks, count, isCut: false };
      if (transaction_count === 0) continue;
      if (count > 0 && count + transaction_count > MAX_TRACES)
        return { blocks, count, isCut: true };
      count += transaction_count;
      blocks.push({ number: block_number, count: transaction_count });
    }
    if (answer.next === undefined) return { blocks, count, isCut: false };
    if (page >= MAX_PAGES) break;
    answer = await listBlocks(answer.next);
  }
  return { blocks, count, isCut: true };
}

const listBlocks = (before: number | undefined) =>
  call('devnet_listBlocks', {
    limit: BLOCKS_IN_A_PAGE,
    ...(before === undefined ? {} : { before }),
  });

async function readInto(
  report: Report,
  range: Partial<Range>,
  signal: AbortSignal,
  observer: ReadingObserver,
): Promise<void> {
  const { blocks, count, isCut } = await plan(range, signal, observer);
  observer.planned(count, isCut);
  let at = 0;
  while (at < blocks.length && !signal.aborted) {
    const group: BlockToTrace[] = [];
    let size = 0;
    for (let next = blocks[at]; next; next = blocks[at]) {
      if (group.length > 0 && size + next.count > AT_ONCE) break;
      if (group.length >= MAX_BLOCKS_AT_ONCE) break;
      group.push(next);
      size += next.count;
      at++;
    }
    const answers = await Promise.allSettled(
      group.map(({ number }) =>
        call('starknet_traceBlockTransactions', { block_id: { block_number: number } }),
      ),
    );
    if (signal.aborted) return;
    answers.forEach((answer, index) => {
      if (answer.status === 'rejected') {
        report.untraced++;
        return;
      }
      const traces = 'traces' in answer.value ? answer.value.traces : answer.value;
      for (const { trace_root } of traces) report.add(trace_root);
      report.lowest = Math.min(report.lowest, group[index]?.number ?? report.lowest);
    });
    observer.progressed();
  }
}

function begin(): Reading {
  return {
    report: new Report(),
    version: 0,
    range: undefined,
    planned: 0,
    isDone: false,
    isCancelled: false,
    isCut: false,
    error: undefined,
  };
}

/** Reads the range when it changes or on request. */
export function useReport({
  from,
  to,
}: {
  readonly from: number | undefined;
  readonly to: number | undefined;
}): Reading & { readonly cancel: () => void; readonly again: () => void } {
  const epoch = useLive((live) => live.epoch);
  const [attempt, setAttempt] = useState(0);
  const [reading, setReading] = useState(begin);
  const [stop, setStop] = useState<AbortController | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another epoch is another chain
  useEffect(() => {
    const abort = new AbortController();
    const fresh = begin();
    const change = (by: Partial<Reading>): void => {
      if (!abort.signal.aborted) {
        setReading((old) => ({ ...old, ...by, version: old.version + 1 }));
      }
    };
    setStop(abort);
    setReading(fresh);
    const range = {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    readInto(fresh.report, range, abort.signal, {
      onRange: (range) => change({ range }),
      planned: (planned, isCut) => change({ planned, isCut }),
      progressed: () => change({}),
    })
      .then(() => change({ isDone: true }))
      .catch((error: unknown) => change({ isDone: true, error }));
    return () => abort.abort();
  }, [from, to, epoch, attempt]);
  return {
    ...reading,
    cancel: () => {
      stop?.abort();
      setReading((old) => ({ ...old, isDone: true, isCancelled: true, version: old.version + 1 }));
    },
    again: () => setAttempt((count) => count + 1),
  };
}
