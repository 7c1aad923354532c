// Recorded executions of a chain, which debuggers read by ranges.
import { toFelt } from '@starkbox/abi/basics';
import type {
  Class,
  DebugLimits,
  DebugReport,
  DebugRun,
  DebugTrace,
  State,
} from '@starkbox/engine';
import type {
  BLOCK_ID,
  DEBUG_CLASS,
  DEBUG_RUN,
  DEBUG_TRACE,
  Methods,
  OVERRIDES,
} from '@starkbox/spec';
import type { SourceText } from '../../debug-info/source-texts.js';
import { reasonOf, refuse } from '../../errors.js';
import type { Fork } from '../../fork/fork.js';
import type { Chain } from '../chain.js';
import { withExecutionErrors } from '../execution/execution-errors.js';
import { callNames, type NameSources, namesOfCalls } from '../queries/call-names.js';
import { originExecution } from '../queries/replay-transaction.js';
import { classAt } from '../queries/visible-class.js';
import {
  checkSubject,
  contextAt,
  feeIndex,
  locateRepeatable,
  locationAt,
  type Repetition,
  type RetraceLocation,
  repeatAttempt,
  repeatBlock,
} from '../retrace/retrace.js';
import { findTransaction } from '../world/world.js';
import { debugClass } from './debug-class.js';

type OpenRequest = Methods['devnet_openDebugTrace']['params'];

/** Traces of a chain that are open at once. */
const MAX_TRACES = 4;
/** Of a trace, unless its request asks for others. */
const DEFAULT_STEPS = 4_000_000;
/** More than the gas of a transaction buys. */
const MAX_STEPS = 16_000_000;
/** Of all traces of all chains of the process together, because programs forget to close them. */
const MAX_BYTES = 256 * 2 ** 20;
/** Steps and cells of one answer. */
const MAX_READ_STEPS = 262_144;
const MAX_READ_CELLS = 65_536;

interface OpenTrace {
  readonly trace: DebugTrace;
  readonly report: DebugReport;
  /** With classes that the chain may lack; undefined without overrides. */
  readonly overridden: State | undefined;
  /** How many uses of traces came before its last one. */
  lastUse: number;
  readonly close: () => void;
}

/** Uses of the traces of all chains. */
let uses = 0;
/** Of the chains of the process; one that was collected is left out. */
const chains = new Set<WeakRef<DebugTraces>>();

/** An execution that was recorded, and the state in which the names of its classes are found. */
interface Recorded {
  readonly trace: DebugTrace;
  readonly state: State;
  /** Whether the trace ends with the transfer of the fee. */
  readonly hasFee: boolean;
  readonly isOverridden?: boolean;
}

/** Where names and overridden states come from. */
export interface TraceSources {
  readonly nameSources: NameSources;
  locateOverridden(
    id: BLOCK_ID,
    overrides: OVERRIDES,
    signal?: AbortSignal,
  ): Promise<Required<RetraceLocation>>;
}

export class DebugTraces {
  readonly #chain: Chain;
  readonly #explainer: TraceSources;
  readonly #maxBytes: number;
  readonly #traces = new Map<string, OpenTrace>();
  #opened = 0;

  /** @param maxBytes of the traces of all chains together */
  constructor(chain: Chain, explainer: TraceSources, maxBytes: number = MAX_BYTES) {
    this.#chain = chain;
    this.#explainer = explainer;
    this.#maxBytes = maxBytes;
    chains.add(new WeakRef(this));
  }

  /** The open traces of all chains. */
  static *#open(): Generator<OpenTrace, void, undefined> {
    for (const chain of chains) {
      const traces = chain.deref();
      if (traces) yield* traces.#traces.values();
      else chains.delete(chain);
    }
  }

  get #sources(): NameSources {
    return this.#explainer.nameSources;
  }

  /** Runs an execution again, and keeps its trace until it is closed. */
  async open(request: OpenRequest, signal: AbortSignal | undefined): Promise<DEBUG_TRACE> {
    const limits: DebugLimits = {
      maxSteps: Math.min(request.max_steps ?? DEFAULT_STEPS, MAX_STEPS),
      maxBytes: Math.min(request.max_bytes ?? this.#maxBytes, this.#maxBytes),
    };
    const recorded = await this.#record(request, limits, signal);
    const { trace, state, hasFee } = recorded;
    const whole = trace.report();
    const report = hasFee ? withoutFee(whole) : whole;
    if (report.runs.length === 0) {
      refuse(
        'The transaction ran no code: it is a declaration without validation. Debug a transaction that calls a contract.',
      );
    }
    this.#opened += 1;
    const id = toFelt(this.#opened);
    const overridden = recorded.isOverridden ? state : undefined;
    const close = (): void => this.close(id);
    this.#traces.set(id, { trace, report, overridden, lastUse: uses++, close });
    this.#closeLeastUsed();
    const charged = withoutUnchargedGas(report);
    return { trace_id: id, ...charged, runs: await this.#nameRuns(charged.runs, state) };
  }

  async #record(
    request: OpenRequest,
    limits: DebugLimits,
    signal: AbortSignal | undefined,
  ): Promise<Recorded> {
    checkSubject(request);
    const { transaction_hash: hash, call, transactions = [], block_id, overrides } = request;
    checkOverrides(request);
    const chain = this.#chain;
    const { world } = chain;
    if (hash !== undefined) {
      const repetition = await this.#repetitionOf(hash, signal);
      const trace = await this.#recordLast(repetition, limits, signal);
      const isIncluded = findTransaction(world, hash) !== undefined;
      const hasFee = repetition.flags.at(-1)?.chargeFee === true;
      return { trace, state: isIncluded ? world.pendingState : repetition.state, hasFee };
    }
    const location: RetraceLocation = overrides
      ? await this.#explainer.locateOverridden(block_id ?? 'pre_confirmed', overrides, signal)
      : locationAt(world, block_id);
    const { state } = location;
    const facts = { state, hasFee: false, isOverridden: overrides !== undefined };
    if (call) {
      const { caller } = overrides ?? {};
      const called = caller === undefined ? call : { ...call, caller };
      const context = contextAt(location, chain.options);
      const run = chain.executions.recordCall(state, context, called, { ...limits, signal });
      return { trace: await withExecutionErrors(run), ...facts };
    }
    const options = { validate: request.skip_validate !== true, signal };
    const attempt = await repeatAttempt(chain, transactions, location, options);
    return { trace: await this.#recordLast(attempt, limits, signal), ...facts };
  }

  #recordLast(
    { state, context, transactions, flags, firstWrite }: Repetition,
    limits: DebugLimits,
    signal: AbortSignal | undefined,
  ): Promise<DebugTrace> {
    const options = { ...limits, firstWrite, signal };
    return withExecutionErrors(
      this.#chain.executions.record(state, context, transactions, flags, options),
    );
  }

  /** A transaction of this chain with those before it, or one from before the fork point. */
  async #repetitionOf(hash: string, signal: AbortSignal | undefined): Promise<Repetition> {
    const chain = this.#chain;
    const { fork } = chain.options;
    if (fork && !findTransaction(chain.world, hash)) return this.#ofOrigin(fork, hash, signal);
    const { block, index } = locateRepeatable(chain, hash);
    const range = { block, first: index, last: index };
    const repetition = await repeatBlock(chain, chain.world, range, signal);
    return repetition ?? refuse('The request was cancelled.');
  }

  /** On the state that the origin had before the transaction. */
  async #ofOrigin(fork: Fork, hash: string, signal: AbortSignal | undefined): Promise<Repetition> {
    const { options } = this.#chain;
    const { state, context, transaction, receipt, trace } = await originExecution(
      fork,
      options,
      hash,
      undefined,
      signal,
    );
    const flags = {
      validate: trace['validate_invocation'] !== undefined,
      // Only with its fee a transaction that used all of its gas ends where it did.
      chargeFee: transaction.type !== 'L1_HANDLER' && receipt['execution_status'] === 'REVERTED',
      strictNonce: false,
    };
    return { state, context, transactions: [transaction], flags: [flags] };
  }

  async #nameRuns(runs: ChargedReport['runs'], state: State): Promise<readonly DEBUG_RUN[]> {
    const names = await namesOfCalls(this.#sources, runs);
    const namedRuns: DEBUG_RUN[] = [];
    for (const run of runs) {
      const abi = await this.#sources.abis.of(run.class_hash, state);
      namedRuns.push({ ...run, ...callNames(run, abi, names) });
    }
    const named = namedRuns.map(({ contract_address, contract_name = '' }): [string, string] => [
      contract_address,
      contract_name,
    ]);
    const distinct = (await this.#sources.names()).distinctIn(named);
    return namedRuns.map((run, at) => ({
      ...run,
      contract_name: distinct(run.contract_address, named[at]?.[1] ?? ''),
    }));
  }

  #closeLeastUsed(): void {
    const ofChain = byLastUse(this.#traces.values());
    for (const { close } of ofChain.slice(0, -MAX_TRACES)) close();
    const open = byLastUse(DebugTraces.#open());
    let bytes = open.reduce((sum, { report }) => sum + report.bytes, 0);
    // The newest one stays, whatever its size: its own limit holds.
    for (const { report, close } of open.slice(0, -1)) {
      if (bytes <= this.#maxBytes) return;
      close();
      bytes -= report.bytes;
    }
  }

  #find(id: string): OpenTrace {
    const trace =
      this.#traces.get(id) ??
      refuse(
        `The debug trace ${id} is closed. The node keeps the ${MAX_TRACES} traces of a chain that were used last, as far as the traces of all its chains take ${MAX_BYTES / 2 ** 20} MiB together. Open the trace again.`,
      );
    trace.lastUse = uses++;
    return trace;
  }

  /** Registers of consecutive steps. */
  steps(id: string, run: number, first: number, count: number): string {
    const { trace } = this.#find(id);
    if (count > MAX_READ_STEPS) refuse(`count: ${count} is more than ${MAX_READ_STEPS} steps.`);
    return reading(() => trace.steps(run, first, count));
  }

  /** Consecutive cells of a segment. */
  memory(
    id: string,
    { run, segment }: { readonly run: number; readonly segment: number },
    first: number,
    count: number,
  ): readonly (string | null)[] {
    const { trace } = this.#find(id);
    if (count > MAX_READ_CELLS) refuse(`count: ${count} is more than ${MAX_READ_CELLS} cells.`);
    return reading(() => trace.memory(run, segment, first, count));
  }

  /** The code and debug information of a class. */
  async debugClass(hash: string, id: BLOCK_ID): Promise<DEBUG_CLASS> {
    const { world } = this.#chain;
    const contractClass = (await this.#overriddenClass(hash)) ?? (await classAt(world, hash, id));
    const { genesis } = this.#chain.options;
    const described: DEBUG_CLASS = {
      ...(await debugClass(contractClass, this.#sources.infos, world.labels)),
      ...(genesis.shippedClasses.has(hash) ? { predeployed: true } : {}),
    };
    const { name } = described;
    if (name === undefined) return described;
    const distinct = (await this.#sources.names()).distinctIn([[hash, name]]);
    return { ...described, name: distinct(hash, name) };
  }

  /** A class of an open trace's overrides. */
  async #overriddenClass(hash: string): Promise<Class | undefined> {
    for (const { overridden } of this.#traces.values()) {
      const contractClass = await overridden?.class(hash);
      if (contractClass) return contractClass;
    }
    return undefined;
  }

  /** A file that the debug information of a class names. */
  async sourceText(hash: string, file: string): Promise<SourceText | undefined> {
    return this.#sources.infos.texts(hash)?.read(file);
  }

  close(id: string): void {
    this.#traces.delete(id);
  }
}

function byLastUse(traces: Iterable<OpenTrace>): readonly OpenTrace[] {
  return [...traces].sort((first, other) => first.lastUse - other.lastUse);
}

/** Rejects overrides where they would have no effect. */
function checkOverrides({ transaction_hash, transactions, overrides }: OpenRequest): void {
  if (overrides && transaction_hash !== undefined) {
    refuse(
      'Expected overrides with call or transactions, got them with transaction_hash. Pass the transaction in transactions.',
    );
  }
  if (overrides?.caller !== undefined && transactions) {
    refuse('Expected overrides.caller with call, got it with transactions. Change their sender.');
  }
}

/** A range outside of the trace is a mistake of the caller. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

type ChargedReport = Omit<DebugReport, 'runs'> & {
  readonly runs: readonly (Omit<DebugRun, 'initial_gas'> & Partial<DebugRun>)[];
};

/**
 * Without the gas of calls that are charged by steps. Their code counts down from a number that no budget has, so that
 * a system call has more than its outermost call began with.
 */
function withoutUnchargedGas({ runs, actions, ...report }: DebugReport): ChargedReport {
  // A run begins after the run that calls it.
  const roots: number[] = [];
  for (const [index, { parent }] of runs.entries()) {
    roots.push(parent === undefined ? index : (roots[parent] ?? parent));
  }
  const chargedBySteps = new Set(
    actions.flatMap(({ run, gas = 0 }) => {
      const root = roots[run] ?? run;
      return gas > (runs[root]?.initial_gas ?? 0) ? root : [];
    }),
  );
  const hasGas = (run: number): boolean => !chargedBySteps.has(roots[run] ?? run);
  return {
    ...report,
    runs: runs.map(({ initial_gas, ...run }, index) =>
      hasGas(index) ? { ...run, initial_gas } : run,
    ),
    actions: actions.map(({ gas, ...action }) =>
      gas !== undefined && hasGas(action.run) ? { ...action, gas } : action,
    ),
  };
}

function withoutFee(report: DebugReport): DebugReport {
  const fee = feeIndex(report.runs, ({ parent }) => parent === undefined);
  return {
    ...report,
    runs: report.runs.slice(0, fee),
    actions: report.actions.filter(({ run }) => run < fee),
    printed: report.printed.filter(({ run }) => run < fee),
  };
}
