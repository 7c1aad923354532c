// One compilation of Sierra, in an instance that is dropped afterwards: the compiler may loop, exhaust memory or panic.
import { instantiate, type WasmModule } from './instance.js';

export interface CompilationLimits {
  readonly millis: number;
  readonly memory: number;
}

/** The output of a compilation, why the compiler rejected the program, or at which limit it was stopped. */
export type Compilation =
  | { readonly text: string }
  | { readonly rejected: string }
  | { readonly stopped: string };

/** What a worker that compiles is started with. */
export interface CompilationInput {
  readonly module: WasmModule;
  readonly program: Uint8Array;
  readonly output: string;
  readonly memory: number;
}

interface CompilerBinding {
  compileProgram(program: Uint8Array, output: string): string;
}

/** Compiles on this thread, within the limit of memory. */
export function compileHere({ module, program, output, memory }: CompilationInput): Compilation {
  const { binding, takePanic } = instantiate<CompilerBinding>(module, memory);
  try {
    return { text: binding.compileProgram(program, output) };
  } catch (error) {
    const panic = takePanic().trim();
    if (/memory allocation of \d+ bytes failed/.test(panic)) {
      return { stopped: `compiling needed more than ${memory / 2 ** 20} MiB and was stopped` };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { rejected: (panic || message).slice(0, 500) };
  }
}

export function stoppedAfter(millis: number): Compilation {
  return { stopped: `compiling took longer than ${millis / 1000} s and was stopped` };
}
