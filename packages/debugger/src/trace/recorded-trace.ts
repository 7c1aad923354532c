// A recorded execution in the node: its runs and actions, its registers, and its memory by pages.
import { isObject } from '@starkbox/abi/basics';
import type { DEBUG_ACTION, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';
import type { Caller, OpenOptions, Target } from '../debugger.js';
import type { MemoryReader, Cell as MemoryValue } from '../values/cells.js';
import { wordsOfBase64 } from './base64.js';

/** Steps of one request. */
const MAX_STEPS = 262_144;
/** Requests for steps that are under way at the same time. */
const CONCURRENT = 4;
/** Cells of a page. Most variables need few cells, and arrays read many pages at once. */
const PAGE = 512;
/** Pages that are read at the same time. */
const CONCURRENT_PAGES = 32;
/** Pages that stay: about a million cells. */
const MAX_PAGES = 2_048;

/** A cell: a number in hexadecimal, a pointer as `segment:offset`, or nothing. */
export type Cell = string | null;

/** Registers of consecutive steps of a run: pc, ap, fp of each. */
export interface StepRange {
  readonly run: number;
  /** Counted from the start of the run. */
  readonly first: number;
  readonly registers: Uint32Array;
}

export class RecordedTrace {
  readonly trace: DEBUG_TRACE;
  readonly #call: Caller;
  readonly #pages = new Map<string, Promise<readonly Cell[]>>();

  constructor(call: Caller, trace: DEBUG_TRACE) {
    this.#call = call;
    this.trace = trace;
  }

  static async open(call: Caller, target: Target, options: OpenOptions): Promise<RecordedTrace> {
    const { maxSteps, maxBytes } = options;
    const answer = await call('devnet_openDebugTrace', {
      ...paramsOf(target),
      ...(maxSteps === undefined ? {} : { max_steps: maxSteps }),
      ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
    });
    if (!isTrace(answer)) {
      throw new TypeError('Expected a debug trace from devnet_openDebugTrace. Update the node.');
    }
    return new RecordedTrace(call, answer);
  }

  /** All steps, run by run in the order in which they began. */
  async *steps(onProgress: OpenOptions['onProgress']): AsyncGenerator<StepRange> {
    const ranges: (readonly [run: number, first: number, count: number])[] = [];
    let all = 0;
    for (const [run, { first_step, step_count }] of this.trace.runs.entries()) {
      for (let first = first_step; first < step_count; first += MAX_STEPS) {
        const count = Math.min(MAX_STEPS, step_count - first);
        ranges.push([run, first, count]);
        all += count;
      }
    }
    let loaded = 0;
    const pending: Promise<StepRange>[] = [];
    let next = 0;
    while (next < ranges.length || pending.length > 0) {
      while (pending.length < CONCURRENT && next < ranges.length) {
        const range = ranges[next++];
        if (range) pending.push(this.#range(...range));
      }
      const range = await pending.shift();
      if (!range) break;
      loaded += range.registers.length / 3;
      onProgress?.(loaded, all);
      yield range;
    }
  }

  async #range(run: number, first: number, count: number): Promise<StepRange> {
    const { trace_id } = this.trace;
    const answer = await this.#call('devnet_readDebugSteps', { trace_id, run, first, count });
    const text = isObject(answer) ? answer['registers'] : undefined;
    const registers = typeof text === 'string' ? wordsOfBase64(text) : undefined;
    if (registers?.length !== count * 3) {
      throw new TypeError(`Expected ${count} steps from devnet_readDebugSteps.`);
    }
    return { run, first, registers };
  }

  /** Consecutive cells of a segment; those beyond its end are null. */
  async cells(
    run: number,
    segment: number,
    first: number,
    count: number,
  ): Promise<readonly Cell[]> {
    const start = Math.max(0, first);
    const end = Math.min(first + count, this.trace.runs[run]?.segments[segment] ?? 0);
    const cells: Cell[] = new Array(Math.max(0, count)).fill(null);
    for (let offset = start; offset < end; ) {
      const limit = Math.min(end, offset + PAGE * CONCURRENT_PAGES);
      const pages: Promise<readonly Cell[]>[] = [];
      const firstPage = Math.floor(offset / PAGE);
      for (let page = firstPage; page * PAGE < limit; page += 1) {
        pages.push(this.#page(run, segment, page));
      }
      const read = (await Promise.all(pages)).flat();
      for (; offset < limit; offset += 1)
        cells[offset - first] = read[offset - firstPage * PAGE] ?? null;
    }
    return cells;
  }

  /** The memory of a run as decoders of values read it. */
  memoryOf(run: number): MemoryReader {
    return async (segment, first, count) =>
      (await this.cells(run, segment, first, count)).map(memoryValue);
  }

  #page(run: number, segment: number, page: number): Promise<readonly Cell[]> {
    const key = `${run}:${segment}:${page}`;
    const cached = this.#pages.get(key);
    if (cached) {
      // The oldest entry of a Map is its first.
      this.#pages.delete(key);
      this.#pages.set(key, cached);
      return cached;
    }
    const reading = this.#readPage(run, segment, page);
    this.#pages.set(key, reading);
    reading.catch(() => this.#pages.delete(key));
    if (this.#pages.size > MAX_PAGES) {
      const [oldest] = this.#pages.keys();
      if (oldest !== undefined) this.#pages.delete(oldest);
    }
    return reading;
  }

  async #readPage(run: number, segment: number, page: number): Promise<readonly Cell[]> {
    const length = this.trace.runs[run]?.segments[segment] ?? 0;
    const first = page * PAGE;
    const count = Math.min(PAGE, length - first);
    if (count <= 0) return [];
    const { trace_id } = this.trace;
    const params = { trace_id, run, segment, first, count };
    const answer = await this.#call('devnet_readDebugMemory', params);
    const cells = isObject(answer) ? answer['cells'] : undefined;
    if (!Array.isArray(cells) || !cells.every(isCell)) {
      throw new TypeError('Expected cells from devnet_readDebugMemory.');
    }
    return cells;
  }

  async close(): Promise<void> {
    this.#pages.clear();
    await this.#call('devnet_closeDebugTrace', { trace_id: this.trace.trace_id });
  }
}

function memoryValue(cell: Cell): MemoryValue {
  if (cell === null) return undefined;
  const at = cell.indexOf(':');
  if (at < 0) return BigInt(cell);
  return { segment: Number(cell.slice(0, at)), offset: Number(cell.slice(at + 1)) };
}

function paramsOf(target: Target): object {
  if ('transactionHash' in target) return { transaction_hash: target.transactionHash };
  const { blockId, overrides } = target;
  const block = {
    ...(blockId === undefined ? {} : { block_id: blockId }),
    ...(overrides === undefined ? {} : { overrides }),
  };
  if ('call' in target) return { call: target.call, ...block };
  const { transactions, skipValidate } = target;
  return {
    transactions,
    ...block,
    ...(skipValidate === undefined ? {} : { skip_validate: skipValidate }),
  };
}

const isCell = (value: unknown): value is Cell => value === null || typeof value === 'string';
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isOptionalCount = (value: unknown): boolean => value === undefined || isCount(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isTrace(value: unknown): value is DEBUG_TRACE {
  if (!isObject(value) || !isText(value['trace_id'])) return false;
  const { runs, actions, printed } = value;
  return (
    Array.isArray(runs) &&
    runs.every(isRun) &&
    Array.isArray(actions) &&
    actions.every(isAction) &&
    Array.isArray(printed) &&
    isCount(value['dropped_steps']) &&
    isCount(value['dropped_memory'])
  );
}

function isRun(value: unknown): value is DEBUG_RUN {
  if (!isObject(value)) return false;
  const { segments, step_count, first_step, failure_step, parent, parent_action } = value;
  return (
    isText(value['contract_address']) &&
    isText(value['class_hash']) &&
    isText(value['code']) &&
    isTexts(value['calldata']) &&
    typeof value['failed'] === 'boolean' &&
    isCount(step_count) &&
    isCount(first_step) &&
    isOptionalCount(failure_step) &&
    isOptionalCount(parent) &&
    isOptionalCount(parent_action) &&
    Array.isArray(segments) &&
    segments.every(isCount)
  );
}

function isAction(value: unknown): value is DEBUG_ACTION {
  return (
    isObject(value) && isCount(value['run']) && isCount(value['step']) && isText(value['name'])
  );
}
