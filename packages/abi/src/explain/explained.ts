// Explained transaction: what failed, where, with which values, and what to do about it. A JSON value.
import type { Phase } from '../call-tree.js';
import type { Panic } from '../failure/panic.js';

/** Some lines of a source file, around the one that a stack names. */
export interface SourceExcerpt {
  /** The number of the first of them; the first line of a file is 1. */
  readonly first_line: number;
  /** Each character is one column: tabs are spaces, and what does not print is replaced. */
  readonly lines: readonly string[];
  /** Whether the file is newer than the class, so that its lines may have moved since. */
  readonly changed?: boolean;
}

/** One line of a Cairo stack. */
export interface SourceLine {
  /** The function with its path, as the compiler names it. */
  readonly function: string;
  /** As the compiler saw it: a path of the project, or one of a library. */
  readonly file?: string;
  /** The first line is 1. */
  readonly line?: number;
  /** The first column is 1. */
  readonly column?: number;
  /** Whether the compiler put the code of the function into that of its caller, which is the next line. */
  readonly inlined?: boolean;
  /** The text of the line with some around it, where the node has it. */
  readonly excerpt?: SourceExcerpt;
}

/** A value that a function was called with. */
export interface ExplainedArgument {
  readonly name: string;
  readonly type: string;
  /** The value as text. */
  readonly value: string;
}

/** One call on the path to the failure. */
export interface ExplainedFrame {
  readonly kind: 'call' | 'library_call' | 'constructor' | 'l1_handler';
  readonly phase: Phase;
  readonly contract: string;
  /** A label, the name of a well-known contract or class, the name of an interface, or the address in short. */
  readonly contract_name: string;
  readonly class_hash?: string;
  readonly selector: string;
  /** The name by the ABI, or the selector in short. */
  readonly function: string;
  /** Absent where the calldata is not known, or does not fit the ABI. */
  readonly arguments?: readonly ExplainedArgument[];
  /**
   * Where it made the next call of the path, innermost line first. Absent where it is not known, and for the call
   * that failed first, whose stack is that of the explanation.
   */
  readonly stack?: readonly SourceLine[];
}

/** What a contract printed. */
export interface PrintedText {
  readonly contract: string;
  readonly text: string;
}

export interface Explained {
  /** `REFUSED`: it is in no block. */
  readonly status: 'SUCCEEDED' | 'REVERTED' | 'REFUSED';
  /** One line. */
  readonly summary: string;
  /** The contract that failed first, with its class and function; absent where none was called. */
  readonly contract?: string;
  readonly contract_name?: string;
  readonly class_hash?: string;
  readonly function?: string;
  readonly arguments?: readonly ExplainedArgument[];
  /** Absent where the failure is no panic: a limit, a nonce, a balance. */
  readonly panic?: Panic;
  /** The path to the failure, outermost first; empty if nothing was called. */
  readonly frames: readonly ExplainedFrame[];
  /** Index of the frame that failed first: those before it failed because it did. */
  readonly failed_first?: number;
  /** The Cairo stack of the frame that failed first, innermost line first; empty where it is not known. */
  readonly stack: readonly SourceLine[];
  /** What contracts printed, in order; absent if nothing. */
  readonly printed?: readonly PrintedText[];
  /** What to do. */
  readonly hint?: string;
  /** All of this as lines of text. */
  readonly text: string;
}
