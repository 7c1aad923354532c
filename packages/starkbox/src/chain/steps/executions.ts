// Executions by the engine: the writer's, one at a time, and a bounded number of others.
import { availableParallelism } from 'node:os';
import type {
  Applied,
  Block,
  CallOutcome,
  Executed,
  ExecutionFlags,
  Rejected,
  State,
  Transaction,
} from '@starkbox/engine';
import { during, type Execution, type Probe } from '../../probe.js';
import { Semaphore } from '../../scheduling/semaphore.js';
import type { FUNCTION_CALL } from '../../spec.js';

export interface ExecutionLimits {
  /** How many may run at once beside the writer's. */
  readonly maximumExecutions?: number | undefined;
  /** How many may wait for that. */
  readonly maximumWaitingExecutions?: number | undefined;
  /** Seconds that one may wait, and that a batch of transactions may take. */
  readonly patience?: number | undefined;
  readonly probe?: Probe | undefined;
}

/** What is said of one execution. */
export interface RunOptions {
  /** An execution that has not begun is dropped when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly initialReads?: boolean;
}

type Flags = ExecutionFlags | readonly ExecutionFlags[];

/** Executions that leave nothing behind, so many at a time. */
export class Executions {
  readonly #limits: ExecutionLimits;
  readonly #slots: Semaphore;
  /** Of their own: calls that wait for a silent origin must not hold up transactions. */
  readonly #slotsAhead: Semaphore;

  constructor(limits: ExecutionLimits) {
    this.#limits = limits;
    const { maximumExecutions: places, maximumWaitingExecutions: queue, patience } = limits;
    const queueOption = '--maximum-waiting-executions';
    this.#slots = new Semaphore({ places, queue, patience, queueOption });
    this.#slotsAhead = new Semaphore({ places, queue, patience, queueOption });
  }

  get figures(): { readonly running: number; readonly waiting: number } {
    const [one, other] = [this.#slots.figures, this.#slotsAhead.figures];
    return { running: one.inside + other.inside, waiting: one.waiting + other.waiting };
  }

  /** Changes how many may run at once from now on. */
  resize(maximumExecutions: number | undefined): void {
    this.#slots.resize(maximumExecutions);
    this.#slotsAhead.resize(maximumExecutions);
  }

  /** Calls a function and drops its changes. */
  call(
    state: State,
    block: Block,
    call: FUNCTION_CALL,
    { signal }: RunOptions = {},
  ): Promise<CallOutcome> {
    return this.#run('call', () => state.call(block, call), signal);
  }

  /** Executes transactions one after another on a state that is then dropped. */
  simulate(
    state: State,
    block: Block,
    transactions: readonly Transaction[],
    flags: Flags,
    { signal, initialReads = false }: RunOptions = {},
  ): Promise<readonly (Executed | Rejected)[]> {
    const { patience } = this.#limits;
    return this.#run(
      'simulation',
      () =>
        state.executeMany(block, transactions, flags, {
          initialReads,
          ...(patience === undefined ? {} : { timeLimit: patience * 1000 }),
        }),
      signal,
    );
  }

  /** Executes a transaction before its turn, for what it reads. */
  async readAhead(
    state: State,
    block: Block,
    transaction: Transaction,
    flags: ExecutionFlags,
  ): Promise<void> {
    await this.#slotsAhead.run(() => state.executeMany(block, [transaction], flags));
  }

  #run<T>(of: Execution, run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { probe } = this.#limits;
    return this.#slots.run(() => during(probe, { kind: 'execution', of }, run), signal);
  }
}

/** The writer's execution: it waits for no slot, because the writer makes one change at a time. */
export function executeForWriter(
  state: State,
  block: Block,
  transaction: Transaction,
  flags: ExecutionFlags,
  probe: Probe | undefined,
): Promise<Applied | Rejected> {
  return during(probe, { kind: 'execution', of: 'transaction' }, () =>
    state.execute(block, transaction, flags),
  );
}

/** A call as a part of the writer's change. */
export function callForWriter(
  state: State,
  block: Block,
  call: FUNCTION_CALL,
): Promise<CallOutcome> {
  return state.call(block, call);
}

/** The most memory that one execution was seen to take. */
const EXECUTION_BYTES = 2 ** 29;
/** On a fork executions mostly wait for the origin, so that more of them than cores make sense. */
const FORKED = { least: 4, most: 64 };

/**
 * How many executions a machine takes at once: one for each core but the writer's, if each can have twice the memory that it may
 * need; on a fork, where transactions read ahead in as many slots again, as many as there is memory for,
 * within bounds.
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
