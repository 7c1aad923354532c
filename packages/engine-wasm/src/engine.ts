// What a loader of the engine returns.
import type { Compilation, CompilationLimits } from './compilation.js';

/** The engine without threads: its functions, and the compiler that runs apart from them. */
export interface Engine<Binding> {
  readonly addon: Binding;
  readonly withoutThreads: {
    readonly binding: Binding;
    compile(program: Uint8Array, output: string, limits: CompilationLimits): Promise<Compilation>;
    /** The message of a panic that ended the last call, once. */
    takePanic(): string;
  };
}
