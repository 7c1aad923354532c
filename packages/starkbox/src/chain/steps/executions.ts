// Executions by the engine: the writer's, one at a time, and a bounded number of others.
import { availableParallelism } from 'node:os';
import type {
  Applied,
  Block,
  CallOutcome,
  ClosingOptions,
  Executed,
  ExecutedAndClosed,
  ExecutionFlags,
  Printed,
  Rejected,
  Retrace,
  RetraceOptions,
  State,
  Transaction,
} from '@starkbox/engine';
import { during, type Execution, type Probe } from '../../probe.js';
import { countExecutions } from '../../scheduling/execution-meter.js';
import { Semaphore } from '../../scheduling/semaphore.js';
import type { FUNCTION_CALL } from '../../spec.js';

export interface ExecutionLimits {
  /** The number that may run at once beside the writer's. */
  readonly maximumExecutions?: number | undefined;
  /** The length of the queue. */
  readonly maximumWaitingExecutions?: number | undefined;
  /** Seconds that one may wait in the queue, and that a batch of transactions may take. */
  readonly patience?: number | undefined;
  readonly probe?: Probe | undefined;
  readonly onPrinted?: OnPrinted | undefined;
}

/** Called with what contracts printed; with the transaction's hash unless it was a call. */
export type OnPrinted = (printed: readonly Printed[], transaction?: string) => void;

export interface RunOptions {
  /** Removes a waiting execution from the queue. */
  readonly signal?: AbortSignal | undefined;
  readonly initialReads?: boolean;
}

type Flags = ExecutionFlags | readonly ExecutionFlags[];

/** Executions whose changes are dropped, under a semaphore. */
export class Executions {
  readonly #limits: ExecutionLimits;
  readonly #slots: Semaphore;
  /** One at a time: a trace takes memory for every step. */
  readonly #tracing: Semaphore;
  /** Separate: calls that wait for an unresponsive origin must not delay transactions. */
  readonly #readAheadSlots: Semaphore;

  constructor(limits: ExecutionLimits) {
    this.#limits = limits;
    const { maximumExecutions: places, maximumWaitingExecutions: queue, patience } = limits;
    const queueOption = '--maximum-waiting-executions';
    this.#slots = new Semaphore({ places, queue, patience, queueOption });
    this.#readAheadSlots = new Semaphore({ places, queue, patience, queueOption });
    this.#tracing = new Semaphore({ places: 1, queue, patience, queueOption });
  }

  get figures(): { readonly running: number; readonly waiting: number } {
    const [one, other] = [this.#slots.figures, this.#readAheadSlots.figures];
    return { running: one.inside + other.inside, waiting: one.waiting + other.waiting };
  }

  /** Changes the number that may run at once. */
  resize(maximumExecutions: number | undefined): void {
    this.#slots.resize(maximumExecutions);
    this.#readAheadSlots.resize(maximumExecutions);
  }

  /** Calls a function and drops its changes. */
  async call(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    { signal }: RunOptions = {},
  ): Promise<CallOutcome> {
    countExecutions(1);
    const outcome = await this.#run('call', () => state.call(block, call), signal);
    if (outcome.printed) this.#limits.onPrinted?.(outcome.printed);
    return outcome;
  }

  /** Executes transactions one after another and drops the changes. */
  async simulate(
    state: State,
    block: Block,
    transactions: readonly Transaction[],
    flags: Flags,
    { signal, initialReads = false }: RunOptions = {},
  ): Promise<readonly (Executed | Rejected)[]> {
    countExecutions(transactions.length);
    const { patience } = this.#limits;
    const reports = await this.#run(
      'simulation',
      () =>
        state.executeMany(block, transactions, flags, {
          initialReads,
          ...(patience === undefined ? {} : { timeLimit: patience * 1000 }),
        }),
      signal,
    );
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
    options: RetraceOptions,
  ): Promise<readonly Retrace[]> {
    countExecutions(transactions.length);
    return this.#tracing.run(() =>
      this.#run('simulation', () => state.retrace(block, transactions, flags, options), undefined),
    );
  }

  /** As {@link call}, with the machine's trace. */
  retraceCall(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    options: Pick<RetraceOptions, 'visited'>,
  ): Promise<Retrace> {
    countExecutions(1);
    return this.#tracing.run(() =>
      this.#run('call', () => state.retraceCall(block, call, options), undefined),
    );
  }

  /** Executes a transaction ahead of the writer, so that its reads are cached. */
  async readAhead(
    state: State,
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags,
  ): Promise<void> {
    await this.#readAheadSlots.run(() => state.executeMany(block, [transaction], flags));
  }

  #run<T>(of: Execution, run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { probe } = this.#limits;
    return this.#slots.run(() => during(probe, { kind: 'execution', of }, run), signal);
  }
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
  countExecutions(1);
  return during(
    probe,
    { kind: 'execution', of: 'transaction' },
    (): Promise<Applied | ExecutedAndClosed | Rejected> =>
      closing
        ? state.executeAndClose(context, transaction, flags, closing)
        : state.execute(context, transaction, flags),
  );
}

/** A call within a change by the writer. */
export function callForWriter(
  state: State,
  block: Block,
  call: FUNCTION_CALL,
): Promise<CallOutcome> {
  countExecutions(1);
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
