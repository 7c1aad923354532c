// Checks of invariants: in this process with closures, or of a file on all cores.
import { createHash } from 'node:crypto';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { propertyOf, withNoun } from '@starkbox/abi/basics';
import { defaultFolder } from '../../cache-folder.js';
import type { Fixture } from '../../fixtures/fixture.js';
import { assertFixture } from '../../fixtures/fixture.js';
import type { LocalTestChain } from '../../test-chain.js';
import type { History } from '../model/history.js';
import type {
  CheckReport,
  DefinedInvariants,
  InvariantOptions,
  SearchOptions,
  Violation,
} from '../model/options.js';
import type { TestPlace } from '../printing/history-report.js';
import { runnerOf } from '../printing/printed-test.js';
import { Corpus } from './corpus.js';
import { openFile } from './file.js';
import { Progress } from './progress.js';
import { type Executor, Search, type SearchState } from './search.js';
import {
  type GuideChange,
  type RunRange,
  type RunResult,
  Session,
  type ShrunkHistory,
} from './session.js';
import { checkOptions, checkOverrides, planOf, workersOf } from './settings.js';
import type { FoundViolation } from './shrinking.js';
import { WorkerPool } from './workers.js';

/** A violated invariant: the message has the shortest history and a test that repeats it. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
  /** The invariant and the history. */
  readonly violation: Violation;
  /** Figures of the search. */
  readonly report: CheckReport;

  constructor(message: string, violation: Violation, report: CheckReport) {
    super(message);
    this.violation = violation;
    this.report = report;
  }
}

/**
 * Returns invariants of a prepared chain, for the default export of a file that `checkInvariants` and `starkbox fuzz` run
 * on all cores.
 *
 * @param options returns the options for a branch of the fixture
 * @throws TypeError if the first argument is not a fixture, or the second not a function
 * @example
 * export default defineInvariants(vaults, ({ vault }) => ({
 *   contracts: [vault],
 *   invariants: {
 *     solvent: async ({ call }) => (await call(vault, 'assets')) >= (await call(vault, 'owed')),
 *   },
 * }));
 */
export function defineInvariants<T>(
  fixture: Fixture<T>,
  options: DefinedInvariants<T>['options'],
): DefinedInvariants<T> {
  const advice =
    'defineInvariants takes a fixture and a function: defineInvariants(vaults, ({ vault }) => ({ contracts: [vault], invariants: { … } }))';
  assertFixture(fixture, advice);
  if (typeof options !== 'function') throw new TypeError(advice);
  return { fixture, options };
}

/**
 * Runs random histories on branches of a chain, and checks the invariants after each step.
 *
 * @param source a chain with `options`, or a file whose default export is `defineInvariants(…)`: a URL or a path
 * @throws InvariantViolation with the shortest history that violates an invariant
 * @throws TypeError if an option is unknown or of another kind
 * @throws Error if the file cannot be loaded, or a worker thread fails
 * @example
 * await checkInvariants(chain, {
 *   contracts: [vault],
 *   invariants: {
 *     solvent: async ({ call }) => (await call(vault, 'assets')) >= (await call(vault, 'owed')),
 *   },
 * });
 */
export function checkInvariants(
  chain: LocalTestChain,
  options: InvariantOptions<undefined>,
): Promise<CheckReport>;
export function checkInvariants(
  file: URL | string,
  overrides?: SearchOptions,
): Promise<CheckReport>;
export async function checkInvariants(
  source: LocalTestChain | URL | string,
  options: InvariantOptions<undefined> | SearchOptions = {},
): Promise<CheckReport> {
  if (typeof source === 'string' || 'href' in source) {
    checkOverrides(options);
    return checkFile(urlOf(source), options);
  }
  if (typeof propertyOf(source, 'callBranch') !== 'function') throw new TypeError(ADVICE);
  if (!('invariants' in options)) throw new TypeError(ADVICE);
  checkOptions(options);
  const session = await Session.open(source, options, undefined);
  return check(new LocalRunner(session, options.signal), { options, key: keyOf(session) });
}

const ADVICE =
  'checkInvariants takes a chain of this process with options, or a file: checkInvariants(chain, { contracts: [vault], invariants: { … } })';

function urlOf(file: URL | string): string {
  if (typeof file !== 'string') return file.href;
  if (file.startsWith('file:')) return file;
  return pathToFileURL(isAbsolute(file) ? file : resolve(file)).href;
}

/** Where the parts of a check are executed. */
interface Runner extends Executor {
  /** Threads; 0 in this process. */
  readonly workers: number;
  replay(history: History): Promise<FoundViolation | undefined>;
  shrink(history: History, found: FoundViolation): Promise<ShrunkHistory>;
  describe(shrunk: ShrunkHistory, place: TestPlace): Promise<string>;
}

/** Runs in this process. */
class LocalRunner implements Runner {
  readonly workers = 0;
  readonly seen: Executor['seen'];
  readonly #session: Session<unknown> | Session<undefined>;
  readonly #signal: AbortSignal | undefined;

  constructor(session: Session<unknown> | Session<undefined>, signal: AbortSignal | undefined) {
    this.#session = session;
    this.#signal = signal;
    this.seen = session.seen;
  }

  async run(range: RunRange, change: GuideChange): Promise<readonly RunResult[]> {
    this.#session.update(change);
    return this.#session.run(range, this.#signal);
  }

  replay = (history: History): Promise<FoundViolation | undefined> => this.#session.replay(history);
  shrink = (history: History, found: FoundViolation): Promise<ShrunkHistory> =>
    this.#session.shrink(history, found);
  describe = (shrunk: ShrunkHistory, place: TestPlace): Promise<string> =>
    this.#session.describe(shrunk, place);
}

async function checkFile(url: string, overrides: SearchOptions): Promise<CheckReport> {
  const { signal, progress: _progress, ...sent } = overrides;
  const key = hashOf([url]);
  if (sent.workers === 0) {
    const { session, facts, close } = await openFile(url, sent);
    try {
      const options = { ...facts.options, ...overrides };
      return await check(new LocalRunner(session, signal), { options, key, url });
    } finally {
      await close();
    }
  }
  const pool = await WorkerPool.open({ file: url, overrides: sent }, signal);
  try {
    const options = { ...pool.opened.options, ...overrides };
    pool.grow(workersOf(options));
    return await check(pool, { options, key, url });
  } finally {
    await pool.close();
  }
}

/** Names the corpus of a check without a file. */
function keyOf({ targets, invariantNames }: Session<undefined>): string {
  // Addresses change with the class of a contract.
  return hashOf([...targets.map(({ name }) => name), ...invariantNames]);
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** A violation before it is shrunk. */
interface Candidate {
  readonly run: number | undefined;
  readonly history: History;
  readonly violation: FoundViolation;
}

/** What a check is of. */
interface Subject {
  readonly options: SearchOptions;
  /** Names the folder of its corpus. */
  readonly key: string;
  /** The URL of its file. */
  readonly url?: string;
}

async function check(runner: Runner, { options, key, url }: Subject): Promise<CheckReport> {
  const warnings: string[] = [];
  const folder = options.corpus ?? join(defaultFolder(), 'corpus', key);
  const corpus = folder === false ? undefined : new Corpus(folder);
  const search = new Search(runner, planOf(options));
  const reportOf = (isAborted: boolean, shrinkingMilliseconds = 0): CheckReport =>
    report(search, { workers: runner.workers, warnings, isAborted, shrinkingMilliseconds });
  // An invariant that no history can satisfy is no fault of the corpus.
  const early =
    (await violationAtStart(runner)) ?? (corpus && (await firstOfCorpus(runner, corpus, warnings)));
  const progress = progressOf(options);
  try {
    const { found, isAborted } = early
      ? { found: early, isAborted: false }
      : await search.finish((state) => progress?.show(state));
    if (!found) return reportOf(isAborted);
    const shrinking = runner.shrink(found.history, found.violation);
    const shrunk = await (progress ? progress.whileShrinking(shrinking) : shrinking);
    progress?.clear();
    const report = reportOf(isAborted, shrunk.milliseconds);
    throw await violationOf(runner, found, shrunk, report, { corpus, url });
  } finally {
    progress?.clear();
  }
}

/** An invariant that does not hold before any step. */
async function violationAtStart(runner: Runner): Promise<Candidate | undefined> {
  const violation = await runner.replay([]);
  return violation && { run: undefined, history: [], violation };
}

/** The first history of the corpus that violates an invariant again. Histories that do not are removed. */
async function firstOfCorpus(
  runner: Runner,
  corpus: Corpus,
  warnings: string[],
): Promise<Candidate | undefined> {
  const { entries, damages } = await corpus.read();
  warnings.push(...damages);
  for (const entry of entries) {
    const { file, invariant, history } = entry;
    let violation: FoundViolation | undefined;
    try {
      violation = await runner.replay(history);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`${file} does not fit the contracts and is not tried: ${reason}. Delete it.`);
      continue;
    }
    if (violation) return { run: undefined, history, violation };
    await corpus.remove(entry);
    warnings.push(`${file} no longer violates '${invariant}' and was removed`);
  }
  return undefined;
}

/** The error of a violation, whose shortest history is added to the corpus. */
async function violationOf(
  runner: Runner,
  { run, history, violation }: Candidate,
  shrunk: ShrunkHistory,
  found: CheckReport,
  { corpus, url }: { readonly corpus: Corpus | undefined; readonly url: string | undefined },
): Promise<InvariantViolation> {
  const file = shrunk.isRepeated
    ? await corpus?.add(shrunk.violation.invariant, shrunk.positioned)
    : undefined;
  const { seed, runs, calls } = found;
  const where =
    run === undefined
      ? history.length === 0
        ? 'before any step'
        : 'by a history of the corpus'
      : `in run ${run}, after ${withNoun(calls, 'call')} of ${withNoun(runs, 'run')} (seed ${seed})`;
  const notes = [
    ...(shrunk.isRepeated
      ? []
      : [
          'A second execution of the history did not violate it: an invariant or action depends on more than the chain, such as a variable or the clock.',
        ]),
    ...(shrunk.isEnded
      ? ['Shrinking ended before it had tried every shorter history: steps may be superfluous.']
      : []),
    ...(file === undefined ? [] : [`The next check tries this history first: ${file}`]),
    ...found.warnings,
  ];
  const { invariant, message } = shrunk.violation;
  const headline = `Invariant '${invariant}' is violated ${where}: ${message}`;
  const text = [headline, await runner.describe(shrunk, placeOf(url)), ...notes].join('\n\n');
  const facts = {
    invariant,
    message,
    history: shrunk.history,
    originalLength: violation.steps,
    run,
  };
  return new InvariantViolation(text, facts, found);
}

/** Beside the file of invariants, or in the project of this process. */
function placeOf(url: string | undefined): TestPlace {
  if (url === undefined) return { runner: runnerOf(pathToFileURL(join(process.cwd(), 'test.js'))) };
  return { runner: runnerOf(new URL(url)), file: `./${basename(fileURLToPath(url))}` };
}

function report(
  state: SearchState,
  facts: {
    readonly workers: number;
    readonly warnings: readonly string[];
    readonly isAborted: boolean;
    readonly shrinkingMilliseconds: number;
  },
): CheckReport {
  const { plan, runs, calls, views, reverts, offsets, kept, milliseconds, digest } = state;
  const { workers, warnings, isAborted, shrinkingMilliseconds } = facts;
  return {
    seed: plan.seed,
    runs,
    calls,
    views,
    reverts: reverts.sorted,
    offsets,
    corpus: kept,
    workers,
    milliseconds,
    shrinkingMilliseconds,
    digest,
    isAborted,
    warnings: [...warnings],
  };
}

/** Undefined if no progress is written. */
function progressOf({ progress }: SearchOptions): Progress | undefined {
  const { stderr, env } = process;
  const isLogged = !['', '0', 'false'].includes(env['CI'] ?? '');
  const isTerminal = stderr.isTTY === true && !isLogged;
  if (!(progress ?? (isTerminal || isLogged))) return undefined;
  return new Progress(stderr, isTerminal);
}
