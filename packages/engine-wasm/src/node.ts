// The engine for Node where no addon fits.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Compilation, type CompilationLimits, stoppedAfter } from './compilation.js';
import type { Engine } from './engine.js';
import { instantiate } from './instance.js';

/** Deeply nested types make the compiler recurse. */
const STACK_MEGABYTES = 256;
/** Compilations at the same time, each with the memory of an instance. */
const MAX_COMPILATIONS = 2;

/** Instantiates the engine on this thread. */
export function load<Binding extends object>(): Engine<Binding> {
  const file = new URL('../../engine.wasm', import.meta.url);
  const module = new WebAssembly.Module(readFileSync(file));
  const { binding, takePanic } = instantiate<Binding>(module);
  const compilers = new Compilers(module);
  return {
    addon: binding,
    withoutThreads: {
      binding,
      compile: (program, output, limits) => compilers.compile(program, output, limits),
      takePanic,
    },
  };
}

/** Threads that compile. */
class Compilers {
  readonly #module: WebAssembly.Module;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  async compile(
    program: Uint8Array,
    output: string,
    limits: CompilationLimits,
  ): Promise<Compilation> {
    if (this.#running === MAX_COMPILATIONS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await this.#run(program, output, limits);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #run(
    program: Uint8Array,
    output: string,
    { millis, memory }: CompilationLimits,
  ): Promise<Compilation> {
    const worker = new Worker(new URL('./node-compiler.cjs', import.meta.url), {
      workerData: { module: this.#module, program, output, memory },
      resourceLimits: { stackSizeMb: STACK_MEGABYTES },
      // The program is untrusted, and variables may hold secrets.
      env: {},
      execArgv: [],
    });
    return new Promise((resolve) => {
      const finish = (compilation: Compilation): void => {
        clearTimeout(timer);
        resolve(compilation);
        void worker.terminate();
      };
      const timer = setTimeout(() => finish(stoppedAfter(millis)), Math.min(millis, 2 ** 31 - 1));
      worker.on('message', finish);
      worker.on('error', (error) => finish({ rejected: error.message }));
      worker.on('exit', (code) => finish({ rejected: `its thread ended with code ${code}` }));
    });
  }
}
