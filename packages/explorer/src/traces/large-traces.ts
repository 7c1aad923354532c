// Long traces of the page: a worker reads and keeps them, and answers what is shown of them.
/// <reference path="../app/assets.d.ts" />

import type { CallTree, Frame } from '@starkbox/abi';
import type { GasTree, Measure } from '@starkbox/abi/internal';
import { parseJson } from '../format/json.js';
import { runTask } from '../state/tasks.js';
import type { JsonPart } from './json-parts.js';
import { type PackedTree, unpack } from './packed-tree.js';
import type { Questions, WorkerResponse } from './trace-worker.js';
import workerUrl from './trace-worker.js?worker&url';

/** A trace that the worker keeps. */
export class LargeTrace {
  readonly tree: CallTree;
  readonly #trace: number;

  constructor(trace: number, tree: CallTree) {
    this.#trace = trace;
    this.tree = tree;
  }

  gas(charged: number, measure: Measure): Promise<GasTree | undefined> {
    return ask('gas', this.#trace, charged, measure);
  }

  parts(path: readonly string[], from: number, count: number): Promise<readonly JsonPart[]> {
    return ask('parts', this.#trace, path, from, count);
  }

  /** The trace as indented JSON. */
  text(): Promise<string> {
    return ask('text', this.#trace);
  }
}

type FrameRest = NonNullable<ReturnType<Questions['frame']>>;

interface FrameLocation {
  readonly trace: number;
  readonly index: number;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

interface PendingQuestion {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const pending = new Map<number, PendingQuestion>();
const large = new WeakMap<object, LargeTrace>();
const locations = new WeakMap<Frame, FrameLocation>();
let nextId = 1;
let started: Worker | undefined;

/** Kept traces whose answers the page no longer has. */
const forgotten = new FinalizationRegistry<number>((trace) => runTask(ask('drop', trace)));

function start(): Worker {
  const { trustedTypes }: { trustedTypes?: TrustedTypes } = Object(globalThis);
  // The content security policy admits one policy, and this one vouches for one address.
  const policy = trustedTypes?.createPolicy('starkbox', {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new Error('Only the worker of traces is started.');
      return url;
    },
  });
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerResponse>) => {
    const { resolve, reject } = pending.get(data.id) ?? {};
    pending.delete(data.id);
    if (data.problem === undefined) resolve?.(data.value);
    else reject?.(new Error(data.problem));
  });
  worker.addEventListener('error', () => {
    for (const { reject } of pending.values()) reject(new Error('The worker of traces failed.'));
    pending.clear();
  });
  return worker;
}

function ask<Q extends keyof Questions>(
  question: Q,
  ...params: Parameters<Questions[Q]>
): Promise<ReturnType<Questions[Q]>> {
  started ??= start();
  const worker = started;
  const id = nextId++;
  return new Promise((resolve, reject) => {
    // The worker answers each question by the function of its name.
    pending.set(id, { resolve: (value) => resolve(value as ReturnType<Questions[Q]>), reject });
    worker.postMessage({ id, question, params });
  });
}

/** Reads answers of the node outside of the page's thread; in it where no worker runs. */
export async function readElsewhere(text: string): Promise<unknown> {
  const read = await ask('read', text).catch(() => undefined);
  if (!read) return parseJson(text);
  const all: readonly unknown[] = Array.isArray(read.answers) ? read.answers : [read.answers];
  for (const { answer, trace, tree } of read.large) learn(all[answer], trace, tree);
  return read.answers;
}

function learn(answer: unknown, trace: number, packed: PackedTree): void {
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) return;
  const { result } = answer;
  if (typeof result !== 'object' || result === null) return;
  const tree = unpack(packed, (frame, index) => locations.set(frame, { trace, index: index }));
  large.set(result, new LargeTrace(trace, tree));
  forgotten.register(result, trace);
}

/** What the worker keeps of a trace; undefined for traces that the page has whole. */
export function largeTraceOf(trace: object | undefined): LargeTrace | undefined {
  return trace && large.get(trace);
}

/** Calldata, result and events of a frame that came without them; undefined if it has them. */
export function restOf(frame: Frame): Promise<FrameRest | undefined> | undefined {
  const location = locations.get(frame);
  return location && ask('frame', location.trace, location.index);
}
