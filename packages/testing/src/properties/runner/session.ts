// Runs of histories on branches of one chain: one session in each thread.

import { inspect } from 'node:util';
import { Coverage } from '@starkbox/engine';
import type { CallBranch } from 'starkbox';
import type { LocalTestChain } from '../../test-chain.js';
import { type EncodedCall, Histories } from '../histories/histories.js';
import {
  type OrderedAddresses,
  withAddresses,
  withPositions,
} from '../histories/replaced-values.js';
import type { StepResult } from '../histories/run.js';
import type { Actor, Target } from '../histories/vocabulary.js';
import type { DirectResult } from '../model/direct-call.js';
import {
  type ActionStep,
  type CallStep,
  type History,
  isStepValue,
  type Step,
} from '../model/history.js';
import type { Action, Invariant, InvariantOptions } from '../model/options.js';
import { reportHistory, type TestPlace } from '../printing/history-report.js';
import type { SeenValues } from '../values/seen.js';
import { MistakenCall, SessionContext } from './context.js';
import { RunDigest } from './digest.js';
import { stepToJson } from './history-text.js';
import { RevertCounts, reasonOf } from './reasons.js';
import { type FoundViolation, Shrinking } from './shrinking.js';
import { actorsOf, targetsOf } from './targets.js';

/** Bytecode offsets by class hash. */
export type Reached = Readonly<Record<string, readonly number[]>>;

/** What a run has shown, as plain data. */
export interface RunResult {
  readonly run: number;
  /** Calls of steps. */
  readonly calls: number;
  /** Calls of invariants and actions. */
  readonly views: number;
  readonly digest: string;
  readonly reverts: readonly (readonly [reason: string, count: number])[];
  /** Of sampled runs. */
  readonly seen: SeenValues | undefined;
  /** Of sampled runs that reached new code. */
  readonly reached: Reached | undefined;
  /** Of runs that reached new code or violated an invariant. */
  readonly history: History | undefined;
  readonly violation: FoundViolation | undefined;
}

/** What the runs of a round depend on besides their indexes: changes since the round before. */
export interface GuideChange {
  /** Replaces the histories to mutate. */
  readonly corpus: readonly History[] | undefined;
  /** Replaces the values. */
  readonly seen: SeenValues | undefined;
  /** Is added. */
  readonly reached: readonly Reached[];
}

/** Runs with successive indexes. */
export interface RunRange {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** Runs whose index is a multiple record coverage; 0 for none. */
  readonly interval: number;
  /** Ends the range: the run that makes so many calls is its last. */
  readonly calls: number;
}

export interface ShrunkHistory {
  readonly history: History;
  /** The history with positions in place of addresses, for the corpus. */
  readonly positioned: History;
  readonly violation: FoundViolation;
  /** Whether a second execution violated the invariant too. */
  readonly isRepeated: boolean;
  /** Whether a limit ended the search for a shorter one. */
  readonly isEnded: boolean;
  readonly milliseconds: number;
}

/** Steps one after the other. `Drawing` fits. */
interface Steps {
  next(time: number): Step | undefined;
  observe?(result: StepResult, readsEvents: boolean): void;
}

/** The longest jump in seconds. */
const MAX_JUMP = 30 * 24 * 3600;
export const DEFAULT_DEPTH = 32;
/** Milliseconds after which timers and messages have a turn. */
const TURN = 50;

/** Runs whose reasons of failed calls are all counted, and the interval of counted runs after. */
const FULLY_COUNTED = 64;
const COUNTED_INTERVAL = 16;

const turnOfTimers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Session<T = unknown> {
  readonly source: Histories;
  readonly targets: readonly Target[];
  readonly actors: readonly Actor[];
  /** Branches that were opened. */
  branches = 0;
  readonly #base: CallBranch;
  readonly #context: SessionContext<T>;
  readonly #invariants: readonly (readonly [name: string, invariant: Invariant<T>])[];
  readonly #actions: Readonly<Record<string, Action<T>>>;
  readonly #rejectsFailures: boolean;
  readonly #targetNames: ReadonlyMap<string, string>;
  readonly #coverage = new Coverage();
  #corpus: readonly History[] = [];
  #seen: SeenValues;
  /** Of the run under way. */
  #calls = 0;
  #reverts: RevertCounts | undefined;
  #digest = new RunDigest();
  #turned = performance.now();
  /** How many failed calls a counted one stands for; 0 in runs that count none. */
  #reasonWeight = 1;

  /** @internal `open` creates them. */
  constructor(
    chain: LocalTestChain,
    options: InvariantOptions<T>,
    { data, targets }: { readonly data: T; readonly targets: readonly Target[] },
  ) {
    this.#base = chain.callBranch();
    this.targets = targets;
    this.actors = actorsOf(chain, options.actors);
    this.#invariants = Object.entries(options.invariants);
    this.#actions = options.actions ?? {};
    this.#rejectsFailures = options.failures === 'reject';
    this.#targetNames = new Map(targets.map(({ address, name }) => [address, name]));
    const { depth = DEFAULT_DEPTH, time = true, blocks = true, strategy = 'guided' } = options;
    this.source = new Histories({
      targets,
      actors: this.actors,
      actions: Object.entries(this.#actions).map(([name, { run: _run, ...action }]) => ({
        ...action,
        name,
      })),
      depth,
      time: time === true ? MAX_JUMP : time,
      blocks,
      strategy,
      startTime: this.#base.time,
    });
    this.#seen = this.source.constants;
    this.#context = new SessionContext(this.#base, {
      data,
      actors: this.actors.map(({ address }) => address),
      targets,
    });
  }

  static async open<T>(
    chain: LocalTestChain,
    options: InvariantOptions<T>,
    data: T,
  ): Promise<Session<T>> {
    const targets = await targetsOf(chain, options.contracts);
    const session = new Session(chain, options, { data, targets });
    await session.#probe();
    return session;
  }

  /** Values with which a search begins: constants of classes, and results of views. */
  get seen(): SeenValues {
    return this.#seen;
  }

  async #probe(): Promise<void> {
    const shown: SeenValues[] = [];
    for (const step of this.source.probes()) {
      const result = await this.#base.view(this.source.encode(step));
      if (!result.hasFailed) shown.push(this.source.observed(step, result));
    }
    this.#seen = this.source.merge(this.#seen, ...shown);
  }

  get invariantNames(): readonly string[] {
    return this.#invariants.map(([name]) => name);
  }

  /** Applies what the rounds before have shown. */
  update({ corpus, seen, reached }: GuideChange): void {
    if (corpus) this.#corpus = corpus;
    if (seen) this.#seen = seen;
    for (const offsets of reached) this.#coverage.add(offsets);
  }

  /** Runs new histories. */
  async run(range: RunRange, signal?: AbortSignal): Promise<readonly RunResult[]> {
    const { seed, first, count, interval } = range;
    const results: RunResult[] = [];
    let calls = 0;
    for (let run = first; run < first + count && calls < range.calls; run += 1) {
      if (signal?.aborted) break;
      const drawing = this.source.draw(seed, run, { corpus: this.#corpus, seen: this.#seen });
      const coverage = interval > 0 && run % interval === 0 ? this.#coverage : undefined;
      coverage?.start();
      const viewsBefore = this.#context.views;
      this.#reasonWeight = this.#rejectsFailures ? 1 : reasonWeight(run);
      const violation = await this.#execute(drawing, coverage);
      const reached = coverage && nonEmpty(coverage.take());
      calls += this.#calls;
      results.push({
        run,
        calls: this.#calls,
        views: this.#context.views - viewsBefore,
        digest: this.#digest.hex,
        reverts: this.#reverts?.pairs ?? [],
        seen: coverage && drawing.seen(),
        reached,
        history: reached || violation ? drawing.history : undefined,
        violation,
      });
      if (violation) break;
    }
    return results;
  }

  /** Executes a history as it stands, or with positions for addresses, and returns the first violation. */
  replay(recorded: History): Promise<FoundViolation | undefined> {
    const history = withAddresses(recorded, this.#addresses);
    let index = 0;
    this.#reasonWeight = 1;
    // An invariant that does not hold at the start needs no step.
    if (history.length === 0) return this.#judgeStart();
    return this.#execute({ next: () => history[index++] }, undefined);
  }

  /** Finds the shortest history that violates the same invariant. */
  async shrink(recorded: History, found: FoundViolation): Promise<ShrunkHistory> {
    const started = performance.now();
    const shrinking = new Shrinking(withAddresses(recorded, this.#addresses), found, (history) =>
      this.replay(history),
    );
    await shrinking.run(this.source.shrinker);
    const { history, violation, isRepeated, isEnded } = shrinking;
    const positioned = withPositions(history, this.#addresses);
    const milliseconds = performance.now() - started;
    return { history, positioned, violation, isRepeated, isEnded, milliseconds };
  }

  get #addresses(): OrderedAddresses {
    return {
      contracts: this.targets.map(({ address }) => address),
      actors: this.#context.actors,
    };
  }

  /** The text of a history: its steps, the explained last call, and a test that repeats it. */
  describe({ history, violation }: ShrunkHistory, place: TestPlace): Promise<string> {
    const { invariant } = violation;
    const isInvariant = this.#invariants.some(([name]) => name === invariant);
    return reportHistory({
      history,
      start: this.#base,
      source: this.source,
      actors: this.actors,
      targets: this.targets,
      invariant: isInvariant ? invariant : undefined,
      title: invariant,
      place,
      act: async (step, branch) => {
        this.#context.branch = branch;
        const outcome = await this.#act(step);
        const failure = typeof outcome === 'object' ? outcome.message : outcome;
        return { branch: this.#context.branch, failure };
      },
      reasonOf,
    });
  }

  async #judgeStart(): Promise<FoundViolation | undefined> {
    this.#open();
    return this.#judge(0);
  }

  #open(): void {
    this.branches += 1;
    this.#context.branch = this.#base.branch();
    this.#calls = 0;
    this.#reverts = undefined;
    this.#digest = new RunDigest();
  }

  async #execute(
    steps: Steps,
    coverage: Coverage | undefined,
  ): Promise<FoundViolation | undefined> {
    this.#open();
    const context = this.#context;
    let count = 0;
    for (;;) {
      const step = steps.next(context.branch.time);
      if (step === undefined) return undefined;
      count += 1;
      let failure: string | undefined;
      if (step.kind === 'call') {
        const encoded = this.source.encode(step);
        this.#digestCall(encoded);
        this.#calls += 1;
        const pending = context.branch.call(encoded, coverage);
        const result = 'then' in pending ? await pending : pending;
        if (result.hasFailed) failure = this.#failureOf(step, result);
        else steps.observe?.(result, coverage !== undefined);
      } else {
        this.#digest.add(JSON.stringify(stepToJson(step)));
        if (step.kind === 'time') context.branch.increaseTime(step.seconds);
        else if (step.kind === 'block') await context.branch.mine();
        else {
          const outcome = await this.#act(step);
          if (typeof outcome === 'object') return { ...outcome, steps: count };
          failure = outcome;
        }
      }
      // A failed step has changed nothing.
      if (failure === undefined) {
        const violation = await this.#judge(count);
        if (violation) return violation;
      } else if (this.#rejectsFailures) {
        return { invariant: `${this.#labelOf(step)} succeeds`, message: failure, steps: count };
      }
      if (performance.now() - this.#turned > TURN) {
        await turnOfTimers();
        this.#turned = performance.now();
      }
    }
  }

  /** The first invariant that does not hold. */
  async #judge(steps: number): Promise<FoundViolation | undefined> {
    const context = this.#context;
    for (const [invariant, holds] of this.#invariants) {
      try {
        const judged = holds(context);
        const isHeld: unknown = isPending(judged) ? await judged : judged;
        if (isHeld === false) return { invariant, message: 'It returned false', steps };
      } catch (error) {
        if (error instanceof MistakenCall) throw mistakeIn(`Invariant '${invariant}'`, error);
        return { invariant, message: messageOf(error), steps };
      } finally {
        if (context.hasChains) await context.closeChains();
      }
    }
    return undefined;
  }

  /**
   * Performs an action as a whole or not at all.
   *
   * @returns the reason of a failed call, or the violation of an assertion
   */
  async #act({
    name,
    arguments: args,
  }: ActionStep): Promise<string | Omit<FoundViolation, 'steps'> | undefined> {
    const context = this.#context;
    const action = this.#actions[name];
    if (!action)
      throw new Error(`The history has an action '${name}' that the options do not have`);
    if (!args.every(isStepValue)) {
      throw new TypeError(
        `Action '${name}' got the arguments ${inspect(args)}. Draw only bigints, whole numbers below 2^53, booleans, strings, and lists and plain objects of them`,
      );
    }
    try {
      const failed = await context.perform(action, args);
      if (failed) this.#countReason(`${name}: ${failed.reason}`);
      return failed?.message;
    } catch (error) {
      if (error instanceof MistakenCall) throw mistakeIn(`Action '${name}'`, error);
      return { invariant: `action ${name}`, message: messageOf(error) };
    }
  }

  /** The reason costs a tenth of a call, so most runs do without. */
  #failureOf(step: CallStep, result: DirectResult): string {
    if (this.#reasonWeight === 0) return '';
    const reason = result.failure ? reasonOf(result.failure) : 'unknown';
    this.#countReason(`${step.function}: ${reason}`);
    return reason;
  }

  #countReason(reason: string): void {
    if (this.#reasonWeight === 0) return;
    this.#reverts ??= new RevertCounts();
    this.#reverts.add(reason, this.#reasonWeight);
  }

  #labelOf(step: Step): string {
    if (step.kind === 'action') return step.name;
    if (step.kind !== 'call') return step.kind;
    return `${this.#targetNames.get(step.to) ?? step.to}.${step.function}`;
  }

  #digestCall({ caller, contract, selector, calldata }: EncodedCall): void {
    const digest = this.#digest;
    digest.addEnd(caller);
    digest.addEnd(contract);
    digest.addEnd(selector);
    for (const felt of calldata) digest.add(felt);
  }
}

/** All reasons of the first runs are counted, and of every sixteenth run after. */
function reasonWeight(run: number): number {
  if (run < FULLY_COUNTED) return 1;
  return run % COUNTED_INTERVAL === 0 ? COUNTED_INTERVAL : 0;
}

const isPending = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

const mistakeIn = (subject: string, { message }: MistakenCall): TypeError =>
  new TypeError(`${subject}: ${message}`);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nonEmpty(reached: Reached): Reached | undefined {
  for (const _hash in reached) return reached;
  return undefined;
}
