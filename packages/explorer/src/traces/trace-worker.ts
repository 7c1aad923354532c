// Worker that reads answers with long traces, and keeps these traces: the page gets what it shows of them.
import { buildTree, type Frame, type TransactionTrace } from '@starkbox/abi';
import { type GasTree, gasTree, type Measure } from '@starkbox/abi/internal';
import { parseJson, writeJson } from '../format/json.js';
import { type JsonPart, partsAt } from './json-parts.js';
import { type PackedTree, pack } from './packed-tree.js';

/** Traces with more frames stay in the worker. */
const MAX_FRAMES = 5_000;

export interface LargeTraceEntry {
  /** Index of its answer in the batch. */
  readonly answer: number;
  readonly trace: number;
  readonly tree: PackedTree;
}

/** What the page asks, with what it is answered. */
export interface Questions {
  /** Reads an answer of the node; long traces in it are kept, and their answers lack the inner calls. */
  readonly read: (text: string) => {
    readonly answers: unknown;
    readonly large: readonly LargeTraceEntry[];
  };
  /** What an unpacked frame lacks. */
  readonly frame: (
    trace: number,
    index: number,
  ) => Pick<Frame, 'calldata' | 'result' | 'events'> | undefined;
  readonly gas: (trace: number, charged: number, measure: Measure) => GasTree | undefined;
  /** Members of a part of the trace. */
  readonly parts: (
    trace: number,
    path: readonly string[],
    from: number,
    count: number,
  ) => readonly JsonPart[];
  /** The trace as indented JSON. */
  readonly text: (trace: number) => string;
  readonly drop: (trace: number) => void;
}

interface StoredTrace {
  readonly value: TransactionTrace;
  readonly frames: readonly Frame[];
}

const traces = new Map<number, StoredTrace>();
let next = 1;

const ANSWERS: Questions = {
  read(text) {
    const answers = parseJson(text);
    const large: LargeTraceEntry[] = [];
    const trimmed = (Array.isArray(answers) ? answers : [answers]).map((answer: unknown, at) => {
      if (!isTraced(answer)) return answer;
      const { result } = answer;
      const tree = buildTree({ type: result.type }, result, { execution_status: 'SUCCEEDED' });
      if (tree.count <= MAX_FRAMES) return answer;
      const trace = next++;
      traces.set(trace, { value: result, frames: inOrder(tree.roots) });
      large.push({ answer: at, trace, tree: pack(tree) });
      return { ...answer, result: trimmedTrace(result) };
    });
    return { answers: Array.isArray(answers) ? trimmed : trimmed[0], large: large };
  },
  frame(trace, index) {
    const frame = traces.get(trace)?.frames[index];
    return frame && { calldata: frame.calldata, result: frame.result, events: frame.events };
  },
  gas(trace, charged, measure) {
    const stored = traces.get(trace);
    return stored && gasTree(stored.value, charged, measure);
  },
  parts: (trace, path, from, count) => partsAt(traces.get(trace)?.value, path, from, count),
  text: (trace) => writeJson(traces.get(trace)?.value, 2),
  drop(trace) {
    traces.delete(trace);
  },
};

function isTraced(
  answer: unknown,
): answer is { readonly result: TransactionTrace & Record<string, unknown> } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'result' in answer &&
    typeof answer.result === 'object' &&
    answer.result !== null &&
    ('execute_invocation' in answer.result || 'function_invocation' in answer.result)
  );
}

/** The frames in the order of `pack`. */
function inOrder(roots: readonly Frame[]): readonly Frame[] {
  const all: Frame[] = [];
  const visit = (frame: Frame): void => {
    all.push(frame);
    frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return all;
}

function trimmedTrace(trace: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(trace).map(([name, part]) => [
      name,
      typeof part === 'object' && part !== null && 'calls' in part ? { ...part, calls: [] } : part,
    ]),
  );
}

/** A question with what it is asked about. */
export type WorkerRequest = {
  [Q in keyof Questions]: {
    readonly id: number;
    readonly question: Q;
    readonly params: Parameters<Questions[Q]>;
  };
}[keyof Questions];

export interface WorkerResponse {
  readonly id: number;
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problem?: string;
}

function answerTo(request: WorkerRequest): unknown {
  switch (request.question) {
    case 'read':
      return ANSWERS.read(...request.params);
    case 'frame':
      return ANSWERS.frame(...request.params);
    case 'gas':
      return ANSWERS.gas(...request.params);
    case 'parts':
      return ANSWERS.parts(...request.params);
    case 'text':
      return ANSWERS.text(...request.params);
    case 'drop':
      return ANSWERS.drop(...request.params);
  }
}

function reply(answered: WorkerResponse): void {
  postMessage(answered);
}

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  const { id } = data;
  try {
    reply({ id, value: answerTo(data) });
  } catch (error) {
    reply({ id, problem: error instanceof Error ? error.message : String(error) });
  }
});
