// What a loader of the engine returns.
import type { Compilation, CompilationLimits } from './compilation.js';

/** An engine without threads: the functions for its requests, and the compiler that runs apart from it. */
export interface WithoutThreads<Binding> {
  readonly binding: Binding;
  /** Compiles a program where it can be stopped. */
  compile(program: Uint8Array, output: string, limits: CompilationLimits): Promise<Compilation>;
  /** The message of a panic that ended the last call, once: the kind of the failure, a colon and its text. */
  takePanic(): string;
}

export interface Engine<Binding> {
  readonly addon: Binding;
  readonly withoutThreads: WithoutThreads<Binding>;
}
