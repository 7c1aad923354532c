// Worker threads that run the histories of a file.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { History } from '../model/history.js';
import type { SearchOptions } from '../model/options.js';
import type { TestPlace } from '../printing/history-report.js';
import type { SeenValues } from '../values/seen.js';
import type { Executor } from './search.js';
import type { GuideChange, RunRange, RunResult, ShrunkHistory } from './session.js';
import type { FoundViolation } from './shrinking.js';

/** What a worker starts with. */
export interface WorkerStart {
  /** The URL of the file. */
  readonly file: string;
  readonly overrides: SearchOptions;
}

/** Work of a worker, and its result. */
export interface WorkerTasks {
  readonly open: { readonly input: undefined; readonly output: OpenedFile };
  readonly run: {
    readonly input: { readonly range: RunRange; readonly change: GuideChange | undefined };
    readonly output: readonly RunResult[];
  };
  readonly replay: { readonly input: History; readonly output: FoundViolation | undefined };
  readonly shrink: {
    readonly input: { readonly history: History; readonly found: FoundViolation };
    readonly output: ShrunkHistory;
  };
  readonly describe: {
    readonly input: { readonly shrunk: ShrunkHistory; readonly place: TestPlace };
    readonly output: string;
  };
  readonly close: { readonly input: undefined; readonly output: undefined };
}

/** A file that a worker has opened. */
export interface OpenedFile {
  readonly seen: SeenValues;
  /** The options of the file, without functions. */
  readonly options: SearchOptions;
}

type TaskKind = keyof WorkerTasks;

/** A task as it is sent. */
export type WorkerTask = {
  readonly [K in TaskKind]: { readonly kind: K; readonly input: WorkerTasks[K]['input'] };
}[TaskKind];

/** The answer of a worker: an error is sent as data, because its class may not survive. */
export type WorkerAnswer =
  | { readonly output: WorkerTasks[TaskKind]['output'] }
  | { readonly error: { readonly message: string; readonly stack: string | undefined } };

/** Milliseconds that a worker may take to end by itself. */
const CLOSING = 5_000;

/** A thread that does one task at a time. */
class WorkerThread {
  readonly #worker: Worker;
  readonly #name: string;
  #reject: ((error: Error) => void) | undefined;
  #failure: Error | undefined;
  #task = 'starting';
  readonly ended: Promise<void>;

  constructor(start: WorkerStart, index: number) {
    this.#name = `Worker ${index + 1}`;
    this.#worker = new Worker(fileURLToPath(new URL('./worker.js', import.meta.url)), {
      workerData: start,
      name: `starkbox-fuzz-${index + 1}`,
    });
    this.#worker.on('error', (error) => this.#fail(reasonOfEnd(error), error));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#fail(`it ended with exit code ${code}`);
        resolve();
      });
    });
  }

  #fail(reason: string, cause?: unknown): void {
    this.#failure ??= new Error(`${this.#name} failed while ${this.#task}: ${reason}`, { cause });
    this.#reject?.(this.#failure);
  }

  /** @param task for the message of a failure */
  ask<K extends TaskKind>(
    kind: K,
    input: WorkerTasks[K]['input'],
    task: string,
  ): Promise<WorkerTasks[K]['output']> {
    this.#task = task;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#failure) {
        reject(this.#failure);
        return;
      }
      this.#worker.once('message', (answer) => {
        this.#reject = undefined;
        if (answer.error === undefined) resolve(answer.output);
        else reject(Object.assign(new Error(answer.error.message), { stack: answer.error.stack }));
      });
      this.#worker.postMessage({ kind, input });
    });
  }

  /** Ends the thread: by itself unless it is busy. */
  async close(isBusy: boolean): Promise<void> {
    if (this.#failure) return;
    if (!isBusy) {
      this.#worker.postMessage({ kind: 'close', input: undefined });
      const timer = setTimeout(() => this.#worker.terminate(), CLOSING);
      await this.ended;
      clearTimeout(timer);
      return;
    }
    await this.#worker.terminate();
  }
}

function reasonOfEnd(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A thread of a pool. */
interface Member {
  readonly thread: WorkerThread;
  /** What the thread has not received yet. */
  change: GuideChange | undefined;
  isReady: boolean;
  isBusy: boolean;
}

/** Milliseconds after an abort in which runs under way may end. */
const GRACE = 2_000;
/** Parts of a round for each thread: small ones at its end let threads end together. */
const PARTS = 3;

/** Runs histories in all threads. The first one begins as soon as it is ready; the others join at the next round. */
export class WorkerPool implements Executor {
  readonly opened: OpenedFile;
  readonly #start: WorkerStart;
  readonly #signal: AbortSignal | undefined;
  readonly #first: Member;
  readonly #members: Member[];
  /** Of a thread that could not open the file. */
  #failure: unknown;
  /** Ends the round under way. */
  #endRound: { resolve(): void; reject(reason: unknown): void } | undefined;

  /** @internal `open` creates them. */
  constructor(
    start: WorkerStart,
    first: { readonly member: Member; readonly opened: OpenedFile },
    signal: AbortSignal | undefined,
  ) {
    this.#start = start;
    this.opened = first.opened;
    this.#first = first.member;
    this.#members = [first.member];
    this.#signal = signal;
    signal?.addEventListener('abort', () => {
      setTimeout(() => this.#endRound?.resolve(), GRACE).unref();
    });
  }

  /**
   * Opens the file in one thread, which prepares the fixture.
   *
   * @throws Error if the file cannot be opened
   */
  static async open(start: WorkerStart, signal?: AbortSignal): Promise<WorkerPool> {
    const member = createMember(start, 0);
    try {
      const opened = await open(member);
      return new WorkerPool(start, { member, opened }, signal);
    } catch (error) {
      await member.thread.close(true);
      throw error;
    }
  }

  /** Starts more threads, which load the image of the fixture. */
  grow(workers: number): void {
    while (this.#members.length < workers) {
      const member = createMember(this.#start, this.#members.length);
      this.#members.push(member);
      open(member).catch((reason: unknown) => {
        this.#failure = reason;
        this.#endRound?.reject(reason);
      });
    }
  }

  get workers(): number {
    return this.#members.length;
  }

  get seen(): SeenValues {
    return this.opened.seen;
  }

  async run(range: RunRange, change: GuideChange): Promise<readonly RunResult[]> {
    for (const member of this.#members) member.change = joinChanges(member.change, change);
    const round = new Round(range, this.#members.length * PARTS);
    await new Promise<void>((resolve, reject) => {
      this.#endRound = { resolve, reject };
      if (this.#failure !== undefined) reject(this.#failure);
      const ready = this.#members.filter(({ isReady }) => isReady);
      const parts = ready.map((member) => runParts(member, round, this.#signal));
      Promise.all(parts).then(() => resolve(), reject);
    });
    return round.results;
  }

  replay(history: History): Promise<FoundViolation | undefined> {
    return this.#askFirst('replay', history, 'repeating a history of the corpus');
  }

  shrink(history: History, found: FoundViolation): Promise<ShrunkHistory> {
    return this.#askFirst('shrink', { history, found }, 'shrinking a history');
  }

  describe(shrunk: ShrunkHistory, place: TestPlace): Promise<string> {
    return this.#askFirst('describe', { shrunk, place }, 'printing a history');
  }

  #askFirst<K extends TaskKind>(
    kind: K,
    input: WorkerTasks[K]['input'],
    task: string,
  ): Promise<WorkerTasks[K]['output']> {
    return askWorker(this.#first, kind, input, task);
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ thread, isBusy }) => thread.close(isBusy)));
  }
}

function createMember(start: WorkerStart, index: number): Member {
  const thread = new WorkerThread(start, index);
  return { thread, change: undefined, isReady: false, isBusy: true };
}

async function askWorker<K extends TaskKind>(
  member: Member,
  kind: K,
  input: WorkerTasks[K]['input'],
  task: string,
): Promise<WorkerTasks[K]['output']> {
  member.isBusy = true;
  const output = await member.thread.ask(kind, input, task);
  member.isBusy = false;
  return output;
}

async function open(member: Member): Promise<OpenedFile> {
  const opened = await askWorker(member, 'open', undefined, 'opening the file');
  member.isReady = true;
  return opened;
}

/** The runs of a round, which threads take in parts. */
class Round {
  readonly #range: RunRange;
  readonly #parts: number;
  readonly #results: RunResult[] = [];
  #next: number;
  /** After the first run that violates an invariant, no other is needed. */
  #end: number;

  constructor(range: RunRange, parts: number) {
    this.#range = range;
    this.#parts = parts;
    this.#next = range.first;
    this.#end = range.first + range.count;
  }

  take(): RunRange | undefined {
    const remaining = this.#end - this.#next;
    if (remaining <= 0) return undefined;
    const first = this.#next;
    const count = Math.max(1, Math.floor(remaining / this.#parts));
    this.#next += count;
    return { ...this.#range, first, count };
  }

  add(results: readonly RunResult[]): void {
    for (const result of results) {
      this.#results.push(result);
      if (result.violation) this.#end = Math.min(this.#end, result.run + 1);
    }
  }

  /** In order, without gaps. */
  get results(): readonly RunResult[] {
    const ordered = this.#results.toSorted((result, other) => result.run - other.run);
    const gap = ordered.findIndex(({ run }, at) => run !== this.#range.first + at);
    return gap < 0 ? ordered : ordered.slice(0, gap);
  }
}

async function runParts(
  member: Member,
  round: Round,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const range = signal?.aborted ? undefined : round.take();
    if (!range) return;
    const { change } = member;
    member.change = undefined;
    const task = `running the runs ${range.first} to ${range.first + range.count - 1}`;
    round.add(await askWorker(member, 'run', { range, change }, task));
  }
}

function joinChanges(before: GuideChange | undefined, change: GuideChange): GuideChange {
  if (!before) return change;
  return {
    corpus: change.corpus ?? before.corpus,
    seen: change.seen ?? before.seen,
    reached: [...before.reached, ...change.reached],
  };
}
