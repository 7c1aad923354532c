// The interface of a debugger: positions, moves, frames, variables and storage of one recorded execution.
import type { DEBUG_ACTION, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';

/**
 * A position in time. Positions count the steps of all runs in the order in which they ran; a run is a call of a
 * contract. Runs without recorded steps have a position for their start and one for each of their system calls. The
 * last position is the end.
 */
export type Position = number;

/** The direction of a move in time. */
export type Direction = 'forward' | 'backward';

/** A location in a source file. */
export interface SourceLocation {
  /** The class whose debug information names the file. */
  readonly classHash: string;
  /** The path, as the debug information names it. */
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  /** The first column is 1. */
  readonly column: number;
}

/** Why a move ended; `aborted` if the signal of a run ended it. */
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
  | 'aborted';

/** Where a move ended. */
export interface Stop {
  /** The new position. */
  readonly position: Position;
  /** Why it ended there. */
  readonly reason: StopReason;
  /** The breakpoint that the run reached. */
  readonly breakpoint?: Breakpoint;
  /** The system call at the position. */
  readonly action?: DEBUG_ACTION;
  /** Sentences about breakpoints that a run passed because it could not test their conditions. */
  readonly notes?: readonly string[];
}

/** Where to stop. All conditions that are present must hold. */
export interface Breakpoint {
  /** A name of your choice. */
  readonly id: string;
  /** A line of a source file: a path, or its end. */
  readonly line?: { readonly file: string; readonly line: number };
  /** The name of a Cairo function, or its last part; or of an entry point. */
  readonly function?: string;
  /** The address, class hash, label or class name of a contract. */
  readonly contract?: string;
  /**
   * Expressions of {@link Debugger.evaluate} compared to literals, as in `amount > 5` or `owner == 0x1 && is_open`. A
   * condition that names no variable here does not hold.
   */
  readonly condition?: string;
}

/** Where a run goes, and what it stops at. */
export interface RunOptions {
  /** Forwards by default. */
  readonly direction?: Direction;
  /** Stop at these breakpoints. */
  readonly breakpoints?: readonly Breakpoint[];
  /** Stop at the next call between contracts, event, storage write, or failure, also at caught ones. */
  readonly until?: readonly ('call' | 'event' | 'write' | 'failure')[];
  /** Stop at this position, if the run gets there. */
  readonly to?: Position;
  /** Ends a run that tests conditions of breakpoints. */
  readonly signal?: AbortSignalLike;
}

/** What is used of an AbortSignal. */
export interface AbortSignalLike {
  /** Whether to end. */
  readonly aborted: boolean;
}

/** A Cairo function that is active, or a whole call where its functions are unknown. The innermost is the first. */
export interface StackFrame {
  /** Within the stack of this position: 0 is the innermost. */
  readonly index: number;
  /** The call of a contract that it is in. */
  readonly run: DEBUG_RUN;
  /** The index of the run in the trace. */
  readonly runIndex: number;
  /** The Cairo function, or the entry point. */
  readonly name: string;
  /** Where the function is; of a caller, the call. */
  readonly location?: SourceLocation;
  /** The offset of its instruction in the program; none for a whole call. */
  readonly pc?: number;
  /** Whether the compiler inlined it into the next frame. */
  readonly isInlined: boolean;
  /** Turns of a loop or of a recursion that this frame stands for. */
  readonly repetitions: number;
  /** Whether it is of the core library or generated code, which a step does not stop in. */
  readonly isLibrary: boolean;
}

/** Registers of the Cairo machine before a step. `ap` and `fp` are offsets in the stack, segment 1. */
export interface Registers {
  /** The offset of the instruction in the program. */
  readonly pc: number;
  /** The allocation pointer. */
  readonly ap: number;
  /** The frame pointer. */
  readonly fp: number;
}

/** A value as its type shows it. */
export interface Value {
  /** The Cairo type, as in `core::integer::u256`. */
  readonly type: string;
  /** One line, as in `12`, `"name"`, `Point { x: 1, y: 2 }`, `Option::Some(5)`. */
  readonly text: string;
  /** The number of members, elements or payloads of a variant. */
  readonly childCount: number;
  /**
   * Reads members, elements or the payload of a variant, by name or index. They may be many: read them by ranges.
   *
   * @throws if the node does not answer
   */
  children(first?: number, count?: number): Promise<readonly Variable[]>;
}

/** A variable, or a part of a value. */
export interface Variable {
  /** The name in Cairo; of an element, its index. */
  readonly name: string;
  /** Its value. */
  readonly value: Value;
  /** Whether it is a parameter of the function. */
  readonly isParameter: boolean;
}

/** Variables of a frame. Those that the compiler's annotation does not map are counted, not guessed. */
export interface Scope {
  /** In the order of their definitions: a variable hides earlier ones of its name. */
  readonly variables: readonly Variable[];
  /** The number of variables without a name. */
  readonly unmapped: number;
  /** A sentence that says why variables are missing, and how to get them. */
  readonly note?: string;
}

/** A storage slot that the execution read or wrote before or at this position. */
export interface StorageEntry {
  /** The contract. */
  readonly contractAddress: string;
  /** The slot. */
  readonly key: string;
  /** By the names of storage variables, as in `balances[0x1]` or `balances[0x1].low`. */
  readonly name?: string;
  /** The value at this position. */
  readonly value: string;
  /** The value before the execution. */
  readonly initial: string;
  /** The position of the last write; none if it was only read, or if the write was reverted. */
  readonly writtenAt?: Position;
}

/** A point of the timeline. */
export interface Mark {
  /** Where it is; of a return, the first position after the call. */
  readonly position: Position;
  /** What happened. */
  readonly kind: 'call' | 'return' | 'event' | 'write' | 'message' | 'failure';
  /** The index of the run that did it; of a return, of the run that returned. */
  readonly runIndex: number;
  /** The system call. */
  readonly action?: DEBUG_ACTION;
  /** Whether a later revert undid it. */
  readonly isReverted: boolean;
}

/** An instruction of CASM as text. */
export interface Instruction {
  /** Its offset in the program. */
  readonly pc: number;
  /** As in `[ap] = [fp - 3], ap++`. */
  readonly text: string;
  /** The line of user code that it belongs to. */
  readonly location?: SourceLocation;
}

/** The result of an expression. */
export interface Evaluated {
  /** None if the expression names nothing; `note` then says what was expected. */
  readonly value?: Value;
  /** A sentence. */
  readonly note?: string;
}

/** A debugger of one recorded execution. Its moves change `position`, which all other members refer to. */
export interface Debugger {
  /** The runs and system calls of the execution. */
  readonly trace: DEBUG_TRACE;
  /** The number of positions. */
  readonly length: number;
  /** Where the debugger is. */
  readonly position: Position;
  /** Calls, returns, events, writes, messages and failures, in the order of time. */
  readonly marks: readonly Mark[];
  /** The position of the failure that ended the execution; the first position if nothing failed. */
  readonly startOfInterest: Position;
  /** Sentences that say what the trace lacks, and how to get it. */
  readonly notes: readonly string[];
  /** The system call that this position makes. */
  readonly action: DEBUG_ACTION | undefined;

  /** The position of a step of a run, or the nearest one before it if the trace lacks the step. */
  positionOf(runIndex: number, step: number): Position;
  /**
   * Moves to a position; one outside of the range is the first or the last.
   *
   * @throws RangeError if the position is no integer
   */
  goTo(position: Position): Promise<Stop>;
  /**
   * Moves to the next line of user code, in a called function too. In code without lines, to the next system call.
   *
   * From a stop, the start or the end, `stepIn` in the other direction is the inverse. From within a stop, `backward`
   * leads to where the stop begins.
   */
  stepIn(direction?: Direction): Promise<Stop>;
  /**
   * Moves to the next line of this function, or of its caller at its end. Turns of a loop belong to the function around
   * it. `backward` leads to where the line begins, or from there to where the line before it begins.
   *
   * If the move starts where a line begins and ends in the same function, without a return in between, `stepOver` in the
   * other direction is the inverse. Otherwise, `run` in the other direction with the start as `to` is.
   */
  stepOver(direction?: Direction): Promise<Stop>;
  /**
   * Moves to the line of the caller after the call; backwards to where the line of the call begins. The inverse is
   * `run` in the other direction with the start as `to`.
   */
  stepOut(direction?: Direction): Promise<Stop>;
  /** Moves to the next instruction of the machine. The same step in the other direction is the inverse. */
  stepInstruction(direction?: Direction): Promise<Stop>;
  /**
   * Moves to the next position that the options name, or to the end in this direction. From a position that the same
   * options name, the same run in the other direction is the inverse. From others, a run with the start as `to` is.
   *
   * @throws TypeError if a condition is malformed
   */
  run(options?: RunOptions): Promise<Stop>;
  /**
   * Says why a breakpoint can never stop: no class that ran has its line or function, its contract did not run, or its
   * condition is malformed. None if it can.
   */
  checkBreakpoint(breakpoint: Breakpoint): Promise<string | undefined>;

  /**
   * Returns the stack of this position, innermost frame first; none at the end.
   *
   * @param first innermost frames to leave out
   */
  frames(first?: number, count?: number): Promise<readonly StackFrame[]>;
  /** The number of frames of this position. */
  frameCount(): Promise<number>;
  /**
   * Reads the variables of a frame, by default of the innermost one of user code. Without debug information, these are
   * the arguments of the call.
   *
   * @throws if the node does not answer
   */
  scope(frameIndex?: number): Promise<Scope>;
  /**
   * Decodes calldata by the ABI, and the result or panic data where the run has ended.
   *
   * @throws RangeError if the trace has no such run
   */
  callArguments(runIndex: number): Promise<readonly Variable[]>;
  /**
   * Returns slots with their values at this position, without writes that a revert undid before it.
   *
   * @throws if the node does not answer
   */
  storage(contractAddress?: string): Promise<readonly StorageEntry[]>;
  /** Returns the registers; none where no steps are recorded. */
  registers(): Promise<Registers | undefined>;
  /**
   * Returns the Sierra gas left at the last gas check or system call before this position; none in Cairo 0 code.
   *
   * @throws if the node does not answer
   */
  gas(): Promise<number | undefined>;
  /**
   * Evaluates a variable, a member or element of it as in `a.b[2]`, or a slot as in `storage.balances[0x1]`.
   *
   * @throws if the node does not answer
   */
  evaluate(expression: string, frameIndex?: number): Promise<Evaluated>;

  /** Files of the classes that ran. */
  sources(): Promise<readonly { readonly classHash: string; readonly file: string }[]>;
  /** Reads the text of a file; none if the node does not have it or does not give it. */
  sourceText(classHash: string, file: string): Promise<string | undefined>;
  /** Lines of a file that have code. */
  codeLines(file: string): Promise<readonly number[]>;
  /**
   * Returns instructions of the program of a run, around a pc.
   *
   * @throws if the node does not answer
   */
  disassemble(
    runIndex: number,
    pc: number,
    before: number,
    count: number,
  ): Promise<readonly Instruction[]>;

  /**
   * Frees the trace in the node.
   *
   * @throws if the node does not answer
   */
  close(): Promise<void>;
}

/** What to debug: a transaction of the chain, a view call, or the last of several transactions to simulate. */
export type Target =
  | { readonly transactionHash: string }
  | { readonly call: object; readonly blockId?: unknown; readonly overrides?: object }
  | {
      readonly transactions: readonly object[];
      readonly blockId?: unknown;
      readonly skipValidate?: boolean;
      /** Values that the execution assumes instead of the block's, as `devnet_simulateTransactions` takes them. */
      readonly overrides?: object;
    };

/** Limits of a recording, and reports of its progress. */
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
