// Executions by the engine: the writer's, one at a time, and a bounded number of others.
import { availableParallelism } from 'node:os';
import type {
  Applied,
  AppliedWithin,
  BatchOptions,
  Block,
  BlockRoom,
  CallOutcome,
  ClosingOptions,
  DebugLimits,
  DebugTrace,
  ExecutedAndClosed,
  ExecutionFlags,
  Full,
  FunctionCall,
  Invocation,
  Printed,
  Rejected,
  Reports,
  Retrace,
  RetraceOptions,
  SlotWrite,
  State,
  Transaction,
  Turn,
} from '@starkbox/engine';
import type { FUNCTION_CALL } from '@starkbox/spec';
import { RpcError, refuse } from '../../errors.js';
import { during, type Execution, type Probe, stopwatch } from '../../probe.js';
import { Semaphore } from '../../scheduling/semaphore.js';

export interface ExecutionLimits {
  /** The number that may run at once beside the writer's. */
  readonly maximumExecutions?: number | undefined;
  /** The length of the queue of a client. */
  readonly maximumWaitingExecutions?: number | undefined;
  /** Seconds that one may wait in the queue, and that a batch of transactions may take. */
  readonly queueTimeout?: number | undefined;
  /** Bytes of the reports of one request, which its response cannot exceed. */
  readonly maximumReportBytes?: number | undefined;
  readonly probe?: Probe | undefined;
  readonly onPrinted?: OnPrinted | undefined;
}

/** More than programs send at once; beyond it, a program calls in a loop without waiting. */
export const MAX_WAITING_EXECUTIONS = 4096;

/** Called with what contracts printed; with the transaction's hash unless it was a call. */
export type OnPrinted = (printed: readonly Printed[], transaction?: string) => void;

export interface RunOptions {
  /** Removes a waiting execution from the queue, and ends a batch between two transactions. */
  readonly signal?: AbortSignal | undefined;
}

export interface SimulationOptions<Kind extends keyof Reports> extends RunOptions {
  /** What the reports contain. */
  readonly report: Kind;
  readonly initialReads?: boolean;
}

type Flags = ExecutionFlags | readonly ExecutionFlags[];

/** Semaphores of the executions of all chains of a node. */
class ExecutionSlots {
  /** For calls, and for each slice of a batch. */
  readonly slices: Semaphore;
  /** Batches that have begun: each keeps its changes in memory. */
  readonly batches: Semaphore;
  /** One at a time: a trace takes memory for every step. */
  readonly tracing: Semaphore;
  /** Separate: calls that wait for an unresponsive origin must not delay transactions. */
  readonly readAhead: Semaphore;

  constructor(limits: ExecutionLimits) {
    const { maximumExecutions: places, queueTimeout } = limits;
    const queue = limits.maximumWaitingExecutions ?? MAX_WAITING_EXECUTIONS;
    const waiting = { queue, queueTimeout };
    this.slices = new Semaphore({ places, ...waiting });
    this.readAhead = new Semaphore({ places, ...waiting });
    this.tracing = new Semaphore({ places: 1, ...waiting });
    this.batches = new Semaphore({ places, ...waiting });
  }

  resize(places: number | undefined): void {
    this.slices.resize(places);
    this.readAhead.resize(places);
    this.batches.resize(places);
  }
}

/** Executions whose changes are dropped, under semaphores that the chains of a node share. */
export class Executions {
  readonly #limits: ExecutionLimits;
  readonly #slots: ExecutionSlots;
  #isClosed = false;

  /** @param slots those of the other chains of the node */
  constructor(limits: ExecutionLimits, slots: ExecutionSlots = new ExecutionSlots(limits)) {
    this.#limits = limits;
    this.#slots = slots;
  }

  /** The same slots for another chain. */
  ofChain(): Executions {
    return new Executions(this.#limits, this.#slots);
  }

  get figures(): { readonly running: number; readonly waiting: number } {
    const { slices, readAhead, batches, tracing } = this.#slots;
    return {
      running: slices.figures.inside + readAhead.figures.inside,
      waiting: [slices, readAhead, batches, tracing].reduce(
        (sum, { figures }) => sum + figures.waiting,
        0,
      ),
    };
  }

  /** Changes the number that may run at once. */
  resize(maximumExecutions: number | undefined): void {
    this.#slots.resize(maximumExecutions);
  }

  /** Ends batches before their next slice. */
  close(): void {
    this.#isClosed = true;
  }

  /** Calls a function and drops its changes. */
  async call(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    { signal }: RunOptions = {},
  ): Promise<CallOutcome> {
    const outcome = await this.#run('call', () => state.call(block, call), signal);
    if (outcome.printed) this.#limits.onPrinted?.(outcome.printed);
    return outcome;
  }

  /** Calls a function; the result has the state after it. */
  async invoke(
    state: State,
    block: Block,
    call: FunctionCall,
    { signal }: RunOptions = {},
  ): Promise<Invocation<State>> {
    return this.#run('call', () => state.invokeOffThread(block, call), signal);
  }

  /** Executes transactions one after another and drops the changes. */
  async simulate<Kind extends keyof Reports>(
    state: State,
    block: Block,
    transactions: readonly Transaction[],
    flags: Flags,
    { signal, ...options }: SimulationOptions<Kind>,
  ): Promise<readonly (Reports[Kind] | Rejected)[]> {
    const { maximumReportBytes: byteLimit } = this.#limits;
    const execute = (limits: BatchOptions) =>
      state.executeMany(block, transactions, flags, { ...options, ...limits, byteLimit });
    const reports =
      transactions.length > 1
        ? await this.#batch(execute, signal)
        : await this.#run('simulation', () => execute({}), signal);
    for (const [index, { printed }] of reports.entries()) {
      if (printed.length > 0) this.#limits.onPrinted?.(printed, transactions[index]?.hash);
    }
    return reports;
  }

  /** As {@link simulate}, the transactions from `first` on, or the last alone, with the machine's trace. */
  retrace(
    state: State,
    block: Block,
    transactions: readonly Transaction[],
    flags: Flags,
    { signal, ...options }: RetraceOptions & RunOptions,
  ): Promise<readonly Retrace[]> {
    return this.#batch(
      (limits) => state.retrace(block, transactions, flags, { ...options, ...limits }),
      signal,
    );
  }

  /** As {@link call}, with the machine's trace. */
  retraceCall(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    { visited = false, signal }: Pick<RetraceOptions, 'visited'> & RunOptions,
  ): Promise<Retrace> {
    const run = (): Promise<Retrace> => state.retraceCall(block, call, { visited });
    return this.#slots.tracing.run(() => this.#run('call', run, signal), signal);
  }

  /** As {@link simulate}, the last transaction recorded step by step. */
  record(
    state: State,
    block: Block,
    transactions: readonly Transaction[],
    flags: Flags,
    {
      signal,
      ...limits
    }: DebugLimits & RunOptions & { readonly firstWrite?: SlotWrite | undefined },
  ): Promise<DebugTrace> {
    return this.#batch(
      (batchLimits) => state.record(block, transactions, flags, { ...limits, ...batchLimits }),
      signal,
    );
  }

  /** As {@link call}, recorded step by step. */
  recordCall(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    { signal, ...limits }: DebugLimits & RunOptions,
  ): Promise<DebugTrace> {
    const run = (): Promise<DebugTrace> => state.recordCall(block, call, limits);
    return this.#slots.tracing.run(() => this.#run('call', run, signal), signal);
  }

  /** Executes a transaction ahead of the writer, so that its reads are cached. */
  async readAhead(
    state: State,
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags,
  ): Promise<void> {
    const run = (): Promise<unknown> =>
      state.executeMany(block, [transaction], flags, { report: 'estimate' });
    await this.#slots.readAhead.run(run);
  }

  /** A batch whose slices wait for a slot each, so that a long one does not keep others from running. */
  #batch<T>(
    run: (limits: BatchOptions) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { queueTimeout } = this.#limits;
    const { batches, tracing } = this.#slots;
    const turn: Turn = (slice, isTraced) => {
      if (this.#isClosed) throw new RpcError(-1, 'The chain is closed');
      const inSlot = (): ReturnType<typeof slice> => this.#run('simulation', slice, signal);
      return isTraced ? tracing.run(inSlot, signal) : inSlot();
    };
    const limits: BatchOptions = {
      signal,
      turn,
      timeLimit: queueTimeout === undefined ? undefined : queueTimeout * 1000,
    };
    return batches.run(() => run(limits), signal);
  }

  #run<T>(of: Execution, run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { probe } = this.#limits;
    const measured = (): Promise<T> => during(probe, { kind: 'execution', of }, run);
    return this.#slots.slices.run(measured, signal);
  }
}

/** A check that fails when several parts of a request take longer than a batch may, from now on. */
export function startTimeLimit(
  { queueTimeout = Number.POSITIVE_INFINITY }: ExecutionLimits,
  parts: string,
): (done: number) => void {
  const elapsed = stopwatch();
  return (done) => {
    if (elapsed() <= queueTimeout) return;
    refuse(`${done} of ${parts} took ${queueTimeout} s: send fewer at once`);
  };
}

/** A transaction that the writer executes. */
export interface WriterExecution {
  readonly context: Block;
  readonly transaction: Transaction;
  readonly flags: ExecutionFlags;
  /** Given if its block is closed with it. */
  readonly closing?: ClosingOptions | undefined;
}

/** The writer's execution; it needs no slot, because the writer makes one change at a time. */
export function executeForWriter(
  state: State,
  { context, transaction, flags, closing }: WriterExecution,
  probe: Probe | undefined,
): Promise<Applied | ExecutedAndClosed | Rejected> {
  return during(
    probe,
    { kind: 'execution', of: 'transaction' },
    (): Promise<Applied | ExecutedAndClosed | Rejected> =>
      closing
        ? state.executeAndClose(context, transaction, flags, closing)
        : state.execute(context, transaction, flags),
  );
}

/** As `executeForWriter`, within the capacity of a block. */
export function executeInBlock(
  state: State,
  { context, transaction, flags }: WriterExecution,
  room: BlockRoom,
  probe: Probe | undefined,
): Promise<AppliedWithin | Rejected | Full> {
  return during(probe, { kind: 'execution', of: 'transaction' }, () =>
    state.executeWithin(context, transaction, flags, room),
  );
}

/** A call within a change by the writer. */
export function callForWriter(
  state: State,
  block: Block,
  call: FUNCTION_CALL,
): Promise<CallOutcome> {
  return state.call(block, call);
}

/** The number of slots that options give, or the default. */
export function slotsOf({
  maximumExecutions,
  fork,
}: ExecutionLimits & { readonly fork?: object | undefined }): number {
  return maximumExecutions ?? defaultExecutions(fork !== undefined);
}

/** The measured maximum of memory that one execution takes. */
const EXECUTION_BYTES = 2 ** 29;
/** Bounds on a fork, where executions mostly wait for the origin and may outnumber the cores. */
const FORKED = { least: 4, most: 64 };

/**
 * The default number of slots: one for each core but the writer's, if each has twice the memory
 * it may need. On a fork, which has as many slots again for reading ahead, the memory alone sets
 * the number, within bounds.
 */
export function defaultExecutions(
  isForked: boolean,
  memory: number = process.availableMemory(),
  cores: number = availableParallelism(),
): number {
  const fitting = Math.floor(memory / EXECUTION_BYTES);
  return isForked
    ? Math.min(FORKED.most, Math.max(FORKED.least, Math.floor(fitting / 4)))
    : Math.max(1, Math.min(cores - 1, Math.floor(fitting / 2)));
}
