// Calls of an engine without threads. It cannot wait for an answer of a source or for the compiler: the call is rejected
// with a request, which is answered here, and is repeated. States are immutable, so that a repeated call begins as the
// first one did.
import type {
  CompilationLimits,
  WithoutThreads as EngineWithoutThreads,
} from '@starkbox/engine-wasm/browser';
import { EngineError } from './error.js';
import type { SourceQuestion, SourceReader } from './source-questions.js';

/** What the binding has beside its other functions if it has no threads. */
export interface SuspendingBinding {
  answerRequest(request: string, reply: string | Uint8Array | null): void;
  failRequest(request: string, reason: string, stopped: boolean): void;
  takeProgram(request: string): Uint8Array | null;
  takeDroppedSources(): number[];
}

/** An engine without threads, as a package loads it. */
export type WithoutThreads = EngineWithoutThreads<SuspendingBinding>;

interface SourceRequest {
  readonly source: number;
  readonly question: SourceQuestion;
}

interface CompilationRequest extends CompilationLimits {
  readonly output: string;
  readonly class_hash: string;
}

interface Source {
  readonly ask: SourceReader;
  readonly timeLimit: number | undefined;
}

type Answer = { readonly reply: string | Uint8Array | null } | Failed;

interface Failed {
  readonly reason: string;
  readonly isStopped: boolean;
}

/** The code of an error that carries a request. */
const SUSPENDED = 'suspended';
/** Milliseconds of computation after which the event loop gets a turn. */
const TURN = 8;

export class SuspendedCalls {
  readonly #binding: SuspendingBinding;
  readonly #compile: WithoutThreads['compile'];
  readonly #sources = new Map<number, Source>();
  /** Answers under way, so that calls with the same request wait for one. */
  readonly #pending = new Map<string, Promise<Answer>>();
  #turnBegun = 0;

  constructor({ binding, compile }: WithoutThreads) {
    this.#binding = binding;
    this.#compile = compile;
  }

  addSource(id: number, source: Source): void {
    for (const dropped of this.#binding.takeDroppedSources()) this.#sources.delete(dropped);
    this.#sources.set(id, source);
  }

  /** Calls until the call is no longer suspended. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const answers = new Map<string, Answer>();
    for (;;) {
      await this.#yieldIfDue();
      try {
        return await call();
      } catch (error) {
        const request = requestOf(error);
        if (request === undefined) throw error;
        const earlier = answers.get(request);
        // The call took it, and was suspended by a later request.
        if (earlier) this.#handOver(request, earlier);
        else answers.set(request, await this.#answer(request, begun));
      }
    }
  }

  #handOver(request: string, answer: Answer): void {
    if ('reply' in answer) this.#binding.answerRequest(request, answer.reply);
    else this.#binding.failRequest(request, answer.reason, answer.isStopped);
  }

  async #yieldIfDue(): Promise<void> {
    if (performance.now() - this.#turnBegun < TURN) return;
    await nextTurn();
    this.#turnBegun = performance.now();
  }

  /** Gets an answer and hands it over, once for all calls that wait for it. */
  async #answer(text: string, begun: number): Promise<Answer> {
    const request: SourceRequest | CompilationRequest = JSON.parse(text);
    if ('source' in request) this.#checkTime(request, begun);
    // Each suspended call leaves its program.
    const program = 'source' in request ? null : this.#binding.takeProgram(text);
    const pending = this.#pending.get(text);
    if (pending !== undefined) return pending;
    const answering =
      'source' in request ? this.#ask(request) : this.#compileClass(program, request);
    const answered = answering.then((answer) => {
      this.#pending.delete(text);
      this.#handOver(text, answer);
      return answer;
    });
    this.#pending.set(text, answered);
    return answered;
  }

  #checkTime({ source }: SourceRequest, begun: number): void {
    const timeLimit = this.#sources.get(source)?.timeLimit;
    if (timeLimit === undefined || performance.now() - begun <= timeLimit) return;
    const seconds = timeLimit / 1000;
    throw new EngineError(
      'state_source',
      `the execution was given up after ${seconds} s: it reads too much of a slow origin`,
    );
  }

  async #ask({ source, question }: SourceRequest): Promise<Answer> {
    const ask = this.#sources.get(source)?.ask;
    if (ask === undefined) return { reason: 'it was closed', isStopped: false };
    try {
      return { reply: await ask(question) };
    } catch (error) {
      return { reason: messageOf(error), isStopped: false };
    }
  }

  async #compileClass(
    program: Uint8Array | null,
    { output, millis, memory }: CompilationRequest,
  ): Promise<Answer> {
    if (program === null) return { reason: 'its program was lost', isStopped: true };
    const compilation = await this.#compile(program, output, { millis, memory });
    if ('text' in compilation) return { reply: compilation.text };
    return 'stopped' in compilation
      ? { reason: compilation.stopped, isStopped: true }
      : { reason: compilation.rejected, isStopped: false };
  }
}

function requestOf(error: unknown): string | undefined {
  const isSuspended = error instanceof Error && 'code' in error && error.code === SUSPENDED;
  return isSuspended ? error.message : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lets the event loop run other tasks. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
