// The engine for browsers. It computes on the thread that loads it, so that a page loads it in a worker.
import {
  type Compilation,
  type CompilationInput,
  type CompilationLimits,
  compileHere,
  stoppedAfter,
} from './compilation.js';
import type { Engine } from './engine.js';
import { instantiate, type WasmModule } from './instance.js';

export type { CompilationLimits } from './compilation.js';
export type { WithoutThreads } from './engine.js';

/** A worker, by the parts that are used here: programs without the types of browsers declare it themselves. */
export interface CompilerWorker {
  postMessage(message: CompilationInput): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: Compilation }) => void,
  ): void;
  addEventListener(type: 'error', listener: (event: { readonly message: string }) => void): void;
  terminate(): void;
}

/** What a page or a worker gives to the engine before it loads the engine's modules. */
export interface BrowserSetup {
  /** A `WebAssembly.Module` of `engine.wasm`. */
  readonly module: WasmModule;
  /** A built-in class as it was packed. */
  readonly readClass: (name: string) => Promise<Uint8Array>;
  /**
   * Starts a worker that calls {@link answerCompilation}; called for each compilation. Without it, compilations run on
   * this thread, without a limit of time.
   */
  readonly startCompiler?: () => CompilerWorker;
}

/** The engine of a browser. */
export interface BrowserEngine<Binding> extends Engine<Binding> {
  readonly readClass: (name: string) => Promise<Uint8Array>;
}

let setup: BrowserSetup | undefined;

/** Chooses the engine that the modules of `@starkbox/engine` use, which must be imported later. */
export function setUp(chosen: BrowserSetup): void {
  setup = chosen;
}

/** Instantiates the chosen engine on this thread. */
export function load<Binding extends object>(): BrowserEngine<Binding> {
  if (setup === undefined) throw new Error('call setUp before you import @starkbox/engine');
  const { module, readClass, startCompiler } = setup;
  const { binding, takePanic } = instantiate<Binding>(module);
  return {
    addon: binding,
    readClass,
    withoutThreads: {
      binding,
      takePanic,
      compile: (program, output, limits) => {
        const input = { module, program, output, memory: limits.memory };
        if (startCompiler === undefined) return Promise.resolve(compileHere(input));
        return compileIn(startCompiler(), input, limits);
      },
    },
  };
}

/** Compiles for another thread: the body of a worker. */
export function answerCompilation(): void {
  const answer = ({ data }: MessageEvent<CompilationInput>): void => postMessage(compileHere(data));
  addEventListener('message', answer, { once: true });
}

function compileIn(
  worker: CompilerWorker,
  input: CompilationInput,
  { millis }: CompilationLimits,
): Promise<Compilation> {
  return new Promise((resolve) => {
    const finish = (compilation: Compilation): void => {
      clearTimeout(timer);
      worker.terminate();
      resolve(compilation);
    };
    const timer = setTimeout(() => finish(stoppedAfter(millis)), Math.min(millis, 2 ** 31 - 1));
    worker.addEventListener('message', ({ data }) => finish(data));
    worker.addEventListener('error', ({ message }) => finish({ rejected: message }));
    worker.postMessage(input);
  });
}
