// Worker that reads answers with long traces, and keeps these traces: the page gets what it shows of them.
import {
  buildTree,
  type Frame,
  type GasTree,
  gasTree,
  type Measure,
  type TransactionTrace,
} from '@starkbox/abi';
import { parseJson, writeJson } from '../format/json.js';
import { type JsonPart, partsAt } from './json-parts.js';
import { type PackedTree, pack } from './packed-tree.js';

/** Traces with more frames stay in the worker. */
const MOST_FRAMES = 5_000;

export interface KeptTrace {
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
    readonly kept: readonly KeptTrace[];
  };
  /** What an unpacked frame lacks. */
  readonly frame: (
    trace: number,
    place: number,
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

interface Kept {
  readonly value: TransactionTrace;
  readonly frames: readonly Frame[];
}

const kept = new Map<number, Kept>();
let next = 1;

const ANSWERS: Questions = {
  read(text) {
    const answers = parseJson(text);
    const found: KeptTrace[] = [];
    const trimmed = (Array.isArray(answers) ? answers : [answers]).map((answer: unknown, at) => {
      if (!isTraced(answer)) return answer;
      const { result } = answer;
      const tree = buildTree({ type: result.type }, result, { execution_status: 'SUCCEEDED' });
      if (tree.count <= MOST_FRAMES) return answer;
      const trace = next++;
      kept.set(trace, { value: result, frames: inOrder(tree.roots) });
      found.push({ answer: at, trace, tree: pack(tree) });
      return { ...answer, result: trimmedTrace(result) };
    });
    return { answers: Array.isArray(answers) ? trimmed : trimmed[0], kept: found };
  },
  frame(trace, place) {
    const frame = kept.get(trace)?.frames[place];
    return frame && { calldata: frame.calldata, result: frame.result, events: frame.events };
  },
  gas(trace, charged, measure) {
    const found = kept.get(trace);
    return found && gasTree(found.value, charged, measure);
  },
  parts: (trace, path, from, count) => partsAt(kept.get(trace)?.value, path, from, count),
  text: (trace) => writeJson(kept.get(trace)?.value, 2),
  drop(trace) {
    kept.delete(trace);
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
export type Asked = {
  [Q in keyof Questions]: {
    readonly id: number;
    readonly question: Q;
    readonly given: Parameters<Questions[Q]>;
  };
}[keyof Questions];

export interface Answered {
  readonly id: number;
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problem?: string;
}

function answerTo(asked: Asked): unknown {
  switch (asked.question) {
    case 'read':
      return ANSWERS.read(...asked.given);
    case 'frame':
      return ANSWERS.frame(...asked.given);
    case 'gas':
      return ANSWERS.gas(...asked.given);
    case 'parts':
      return ANSWERS.parts(...asked.given);
    case 'text':
      return ANSWERS.text(...asked.given);
    case 'drop':
      return ANSWERS.drop(...asked.given);
  }
}

function reply(answered: Answered): void {
  postMessage(answered);
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const { id } = data;
  try {
    reply({ id, value: answerTo(data) });
  } catch (error) {
    reply({ id, problem: error instanceof Error ? error.message : String(error) });
  }
});
