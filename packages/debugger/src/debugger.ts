// The interface of a debugger: positions, moves, frames, variables and storage of one recorded execution.
import type { DEBUG_ACTION, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';

/**
 * A place in time. Positions count the steps of all runs in the order in which they ran; runs without recorded steps
 * have one position for their start and one for each of their system calls. The last position is the end.
 */
export type Position = number;

export type Direction = 'forward' | 'backward';

export interface SourceLocation {
  readonly classHash: string;
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  /** The first column is 1. */
  readonly column: number;
}

/** Why a move ended. */
export type StopReason =
  | 'start'
  | 'end'
  | 'step'
  | 'breakpoint'
  | 'call'
  | 'event'
  | 'write'
  | 'failure'
  | 'goto'
  /** The signal of a run ended it. */
  | 'aborted';

export interface Stop {
  readonly position: Position;
  readonly reason: StopReason;
  /** The breakpoint that was reached. */
  readonly breakpoint?: Breakpoint;
  /** The system call at the position. */
  readonly action?: DEBUG_ACTION;
}

/** Where to stop. All conditions that are present must hold. */
export interface Breakpoint {
  readonly id: string;
  /** A line of a source file: a path, or its end. */
  readonly line?: { readonly file: string; readonly line: number };
  /** The name of a Cairo function, or its last part; or of an entry point. */
  readonly function?: string;
  /** The address, label or class name of a contract. */
  readonly contract?: string;
  /** An expression of {@link Debugger.evaluate} compared to a literal, as in `amount > 5` or `owner == 0x1`. */
  readonly condition?: string;
}

export interface RunOptions {
  readonly direction?: Direction;
  readonly breakpoints?: readonly Breakpoint[];
  /** Stop at the next call between contracts, event, storage write, or failure, also at caught ones. */
  readonly until?: readonly ('call' | 'event' | 'write' | 'failure')[];
  /** A position to stop at, if the run gets there. */
  readonly to?: Position;
  readonly signal?: AbortSignalLike;
}

/** What is used of an AbortSignal. */
export interface AbortSignalLike {
  readonly aborted: boolean;
}

/** A Cairo function that is active, or a whole call where its functions are unknown. The innermost is the first. */
export interface StackFrame {
  /** Within the stack of this position: 0 is the innermost. */
  readonly index: number;
  readonly run: DEBUG_RUN;
  readonly runIndex: number;
  /** The Cairo function, or the entry point. */
  readonly name: string;
  readonly location?: SourceLocation;
  /** Whether the compiler inlined it into the next frame. */
  readonly isInlined: boolean;
  /** Turns of a loop or of a recursion that this frame stands for. */
  readonly repetitions: number;
  /** Whether it is of the core library or generated code, which a step does not stop in. */
  readonly isLibrary: boolean;
  /** The offset of its instruction in the program; none for a whole call. */
  readonly pc?: number;
}

/** Registers before a step: the offset in the program, and offsets in the stack. */
export interface Registers {
  readonly pc: number;
  readonly ap: number;
  readonly fp: number;
}

/** A value as its type shows it. */
export interface Value {
  /** The Cairo type, as in `core::integer::u256`. */
  readonly type: string;
  /** One line, as in `12`, `"name"`, `Point { x: 1, y: 2 }`, `Option::Some(5)`. */
  readonly text: string;
  /** Members, elements or the payload of a variant, by name or index. They may be many: read by ranges. */
  readonly childCount: number;
  children(first?: number, count?: number): Promise<readonly Variable[]>;
}

export interface Variable {
  readonly name: string;
  readonly value: Value;
  /** Whether it is a parameter of the function. */
  readonly isParameter: boolean;
}

/** Variables of a frame. Those that the compiler's annotation does not map are counted, not guessed. */
export interface Scope {
  readonly variables: readonly Variable[];
  readonly unmapped: number;
  /** A sentence that says why variables are missing, and how to get them. */
  readonly note?: string;
}

/** A storage slot that the execution read or wrote before or at this position. */
export interface StorageEntry {
  readonly contractAddress: string;
  readonly key: string;
  /** By the names of storage variables, as in `balances[0x1]`. */
  readonly name?: string;
  readonly value: string;
  /** The value before the execution. */
  readonly initial: string;
  /** The position of the last write; none if it was only read, or if the write was reverted. */
  readonly writtenAt?: Position;
}

/** A point of the timeline. */
export interface Mark {
  readonly position: Position;
  readonly kind: 'call' | 'return' | 'event' | 'write' | 'message' | 'failure';
  readonly runIndex: number;
  readonly action?: DEBUG_ACTION;
  /** Whether a later revert undid it. */
  readonly isReverted: boolean;
}

/** An instruction of CASM as text. */
export interface Instruction {
  readonly pc: number;
  readonly text: string;
  readonly location?: SourceLocation;
}

export interface Evaluated {
  /** None if the expression names nothing; `note` then says what was expected. */
  readonly value?: Value;
  readonly note?: string;
}

export interface Debugger {
  readonly trace: DEBUG_TRACE;
  /** The number of positions. */
  readonly length: number;
  readonly position: Position;
  readonly marks: readonly Mark[];
  /** The position of the failure that ended the execution; the first position if nothing failed. */
  readonly startOfInterest: Position;
  /** Sentences that say what the trace lacks, and how to get it. */
  readonly notes: readonly string[];

  /** The position of a step of a run. */
  positionOf(runIndex: number, step: number): Position;
  /** Moves to a position; one outside of the range is the first or the last. */
  goTo(position: Position): Promise<Stop>;
  /**
   * To the next line of user code, in a called function too. In code without lines, to the next system call.
   *
   * From a stop, the start or the end, `stepIn` in the other direction is the inverse. From within a stop, `backward`
   * leads to where the stop begins.
   */
  stepIn(direction?: Direction): Promise<Stop>;
  /**
   * To the next line of this function, or of its caller at its end. Turns of a loop belong to the function around it.
   * `backward` leads to where the line begins, or from there to where the line before it begins.
   *
   * If the move starts where a line begins and ends in the same function, `stepOver` in the other direction is the
   * inverse. Otherwise, `run` in the other direction with the start as `to` is.
   */
  stepOver(direction?: Direction): Promise<Stop>;
  /**
   * To the line of the caller after the call; backwards to where the line of the call begins. The inverse is `run` in
   * the other direction with the start as `to`.
   */
  stepOut(direction?: Direction): Promise<Stop>;
  /** To the next instruction of the machine. The same step in the other direction is the inverse. */
  stepInstruction(direction?: Direction): Promise<Stop>;
  /**
   * To the next position that the options name, or to the end in this direction. From a position that the same options
   * name, the same run in the other direction is the inverse; from others, a run with the start as `to`.
   */
  run(options?: RunOptions): Promise<Stop>;

  /** @param first innermost frames to leave out */
  frames(first?: number, count?: number): Promise<readonly StackFrame[]>;
  frameCount(): Promise<number>;
  /** Variables of a frame, by default of the innermost one of user code. */
  scope(frameIndex?: number): Promise<Scope>;
  /** Calldata by the ABI, and the result where the run has ended. */
  callArguments(runIndex: number): Promise<readonly Variable[]>;
  /** Slots with their values at this position, without writes that a revert undid before it. */
  storage(contractAddress?: string): Promise<readonly StorageEntry[]>;
  /** None where no steps are recorded. */
  registers(): Promise<Registers | undefined>;
  /** Sierra gas left at the last gas check or system call before this position; none in Cairo 0 code. */
  gas(): Promise<number | undefined>;
  /** The system call that this position makes. */
  readonly action: DEBUG_ACTION | undefined;
  /** A variable, a member or element of it as in `a.b[2]`, or a slot as in `storage.balances[0x1]`. */
  evaluate(expression: string, frameIndex?: number): Promise<Evaluated>;

  /** Files of the classes that ran. */
  sources(): Promise<readonly { readonly classHash: string; readonly file: string }[]>;
  sourceText(classHash: string, file: string): Promise<string | undefined>;
  /** Lines of a file that have code. */
  codeLines(file: string): Promise<readonly number[]>;
  disassemble(
    runIndex: number,
    pc: number,
    before: number,
    count: number,
  ): Promise<readonly Instruction[]>;

  /** Frees the trace in the node. */
  close(): Promise<void>;
}

/** What is debugged. */
export type Target =
  | { readonly transactionHash: string }
  | { readonly call: object; readonly blockId?: unknown }
  | {
      readonly transactions: readonly object[];
      readonly blockId?: unknown;
      readonly skipValidate?: boolean;
    };

export interface OpenOptions {
  /** Steps to keep. Beyond it, the node keeps the last steps before the end. */
  readonly maxSteps?: number;
  /** Bytes to keep in the node. Beyond it, the node drops the memory of the earliest calls. */
  readonly maxBytes?: number;
  /** Reports the steps that the debugger has read. */
  readonly onProgress?: (loadedSteps: number, allSteps: number) => void;
}

/** Makes a JSON-RPC request, and throws the error of the answer. */
export type Caller = (method: string, params: object) => Promise<unknown>;
