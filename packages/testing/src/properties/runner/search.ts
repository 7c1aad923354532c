// The search: rounds of runs, whose results are merged in the order of run indexes. So it does not depend on the number
// of threads.
import type { History } from '../model/history.js';
import { SeenCollector, type SeenValues } from '../values/seen.js';
import { RunDigest } from './digest.js';
import { RevertCounts } from './reasons.js';
import type { GuideChange, Reached, RunRange, RunResult } from './session.js';
import type { FoundViolation } from './shrinking.js';

/** Where runs are executed: in this process, or in worker threads. */
export interface Executor {
  /**
   * The results in the order of their indexes. Runs after one that violates an invariant may be missing, and all after
   * an abort.
   */
  run(range: RunRange, change: GuideChange): Promise<readonly RunResult[]>;
  /** Values with which the search begins. */
  readonly seen: SeenValues;
}

export interface SearchPlan {
  readonly seed: number;
  readonly runs: number;
  readonly calls: number;
  readonly seconds: number;
  readonly coverage: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What the search has shown so far. */
export interface SearchState {
  readonly plan: SearchPlan;
  /** Runs, and calls of their steps and of invariants. */
  readonly runs: number;
  readonly calls: number;
  readonly views: number;
  /** Bytecode offsets of sampled runs. */
  readonly offsets: number;
  /** Histories that reached new code. */
  readonly kept: number;
  readonly reverts: RevertCounts;
  readonly milliseconds: number;
  readonly digest: string;
}

export interface SearchOutcome {
  readonly state: SearchState;
  /** The violation of the first run that has one. */
  readonly found:
    | { readonly run: number; readonly history: History; readonly violation: FoundViolation }
    | undefined;
  readonly isAborted: boolean;
}

/** Runs of a round: the first rounds are short, because each finds much that guides the next. */
const SHORTEST_ROUND = 32;
const MAX_ROUND = 256;
/** Of the intervals between runs with coverage: it doubles while nothing new is reached. */
const SHORTEST_INTERVAL = 2;
const MAX_INTERVAL = 32;
/** Histories to mutate; the oldest leave first. */
const MAX_HISTORIES = 512;

export class Search implements SearchState {
  readonly plan: SearchPlan;
  runs = 0;
  calls = 0;
  views = 0;
  offsets = 0;
  kept = 0;
  readonly reverts: RevertCounts = new RevertCounts();
  readonly #executor: Executor;
  readonly #digest = new RunDigest();
  readonly #started = performance.now();
  readonly #reached = new Map<string, Set<number>>();
  #corpus: readonly History[] = [];
  #seen: SeenValues;
  #interval = SHORTEST_INTERVAL;
  #change: GuideChange;
  #found: SearchOutcome['found'];

  constructor(executor: Executor, plan: SearchPlan) {
    this.#executor = executor;
    this.plan = plan;
    this.#seen = executor.seen;
    this.#change = { corpus: undefined, seen: undefined, reached: [] };
  }

  get milliseconds(): number {
    return performance.now() - this.#started;
  }

  get digest(): string {
    return this.#digest.hex;
  }

  /** @param onRound called after each round */
  async finish(onRound: (state: SearchState) => void): Promise<SearchOutcome> {
    while (!this.#isOver()) {
      const { seed, runs, coverage } = this.plan;
      const range = {
        seed,
        first: this.runs,
        count: Math.min(roundSize(this.runs), runs - this.runs),
        interval: coverage ? this.#interval : 0,
        calls: this.plan.calls - this.calls,
      };
      const results = await this.#executor.run(range, this.#change);
      this.#merge(results);
      onRound(this);
    }
    const isAborted = this.plan.signal?.aborted === true;
    return { state: this, found: this.#found, isAborted };
  }

  #isOver(): boolean {
    const { runs, calls, seconds, signal } = this.plan;
    return (
      this.#found !== undefined ||
      this.runs >= runs ||
      this.calls >= calls ||
      this.milliseconds >= seconds * 1000 ||
      signal?.aborted === true
    );
  }

  #merge(results: readonly RunResult[]): void {
    const seen: SeenValues[] = [];
    const reached: Reached[] = [];
    const histories: History[] = [];
    for (const result of results) {
      this.#count(result);
      if (result.seen) seen.push(result.seen);
      if (result.reached && this.#addReached(result.reached) > 0) {
        reached.push(result.reached);
        if (result.history) histories.push(result.history);
      }
      if (result.violation && result.history) {
        const { run, history, violation } = result;
        this.#found = { run, history, violation };
        break;
      }
      if (this.calls >= this.plan.calls) break;
    }
    this.kept += histories.length;
    this.#interval =
      histories.length > 0 ? SHORTEST_INTERVAL : Math.min(this.#interval * 2, MAX_INTERVAL);
    if (histories.length > 0) {
      this.#corpus = [...this.#corpus, ...histories].slice(-MAX_HISTORIES);
    }
    if (seen.length > 0) this.#seen = mergeSeen(this.#seen, seen);
    this.#change = {
      corpus: histories.length > 0 ? this.#corpus : undefined,
      seen: seen.length > 0 ? this.#seen : undefined,
      reached,
    };
  }

  #count({ calls, views, reverts, digest }: RunResult): void {
    this.runs += 1;
    this.calls += calls;
    this.views += views;
    this.#digest.add(digest);
    for (const [reason, count] of reverts) this.reverts.add(reason, count);
  }

  /** @returns how many offsets are new */
  #addReached(reached: Reached): number {
    let added = 0;
    for (const [classHash, offsets] of Object.entries(reached)) {
      const before = this.#reached.get(classHash) ?? new Set();
      this.#reached.set(classHash, before);
      const size = before.size;
      for (const offset of offsets) before.add(offset);
      added += before.size - size;
    }
    this.offsets += added;
    return added;
  }
}

/** The same for any number of threads. At the end of a round threads wait for each other. */
function roundSize(runs: number): number {
  return Math.max(SHORTEST_ROUND, Math.min(runs >> 3, MAX_ROUND));
}

/** Values of each kind that the search remembers. */
const MAX_SEEN = 512;

/** Merges values in the order in which they came. */
export function mergeSeen(seen: SeenValues, added: readonly SeenValues[]): SeenValues {
  const merged = new SeenCollector(MAX_SEEN);
  merged.addAll(seen);
  for (const values of added) merged.addAll(values);
  return merged.values();
}
