// A suite of a test runner under several versions of Starknet.
import type { ConfigInput, StarknetVersion } from 'starkbox';
import { type Fixture, type FixtureContext, fixture } from '../fixtures/fixture.js';
import { type ComparedVersions, listedVersions, REQUESTS_CUT } from './compare.js';
import { type ChainOutcomes, type LabelledOutcome, watchOutcomes } from './outcomes.js';
import { VersionReport } from './report.js';

/** Options of `describeVersions`. */
export interface VersionSuiteOptions {
  /** Options of the chains; a fixture has its own. */
  readonly chain?: Omit<ConfigInput, 'starknetVersion'>;
  /** Receives the report after the last test. By default, its table is printed. */
  readonly onReport?: (report: VersionReport) => unknown;
}

/** Options of `describeVersions` with a prepared chain. */
export interface VersionFixtureOptions<T> extends VersionSuiteOptions {
  /** Returns the fixture of a version: `fixture(key, prepare, { chain: { starknetVersion: version } })`. */
  readonly fixture: (version: StarknetVersion) => Fixture<T>;
}

/** A suite with its options; `C` is the context of a suite without a fixture, and `P` of one with a fixture. */
type Described<C, P, T> = readonly [
  suite: ((context: C) => void) | ((context: P) => void),
  options: VersionSuiteOptions | VersionFixtureOptions<T>,
];

/** Whether the suite has a fixture, and so the context of it. */
export function isPrepared<C, P, T>(
  described: Described<C, P, T>,
): described is readonly [suite: (context: P) => void, options: VersionFixtureOptions<T>] {
  return 'fixture' in described[1];
}

export function isUnprepared<C, P, T>(
  described: Described<C, P, T>,
): described is readonly [suite: (context: C) => void, options: VersionSuiteOptions] {
  return !isPrepared(described);
}

/** The chain of a test that runs. */
interface OpenTest<T> extends FixtureContext<T> {
  /** Adds to the report what the chain did, and closes it. */
  readonly finish: () => Promise<void>;
}

/** The tests of a suite under each version, and what their chains did. */
export class VersionSuite<T> {
  readonly versions: readonly StarknetVersion[];
  readonly #fixtures: ReadonlyMap<StarknetVersion, Fixture<T>>;
  readonly #onReport: ((report: VersionReport) => unknown) | undefined;
  readonly #runs: ReadonlyMap<StarknetVersion, SuiteRun>;

  constructor(
    versions: ComparedVersions,
    fixtureOf: (version: StarknetVersion) => Fixture<T>,
    onReport: VersionSuiteOptions['onReport'],
  ) {
    this.versions = listedVersions(versions, 'describeVersions');
    this.#fixtures = new Map(this.versions.map((version) => [version, fixtureOf(version)]));
    this.#runs = new Map(this.versions.map((version) => [version, { outcomes: [], notes: [] }]));
    this.#onReport = onReport;
  }

  /** Of all versions together. */
  get title(): string {
    return `under ${this.versions.length} versions of Starknet`;
  }

  /** The chain of a test, which the caller finishes. */
  async open(version: StarknetVersion, test: string): Promise<OpenTest<T>> {
    const prepared = this.#fixtures.get(version);
    if (!prepared) throw new Error(`The suite does not have Starknet ${version}`);
    const context = await prepared.branch();
    const read = await watchOutcomes(context.chain);
    const finish = async (): Promise<void> => {
      try {
        this.#add(version, test, await read());
      } finally {
        await context.chain.close();
      }
    };
    return { ...context, finish };
  }

  #add(version: StarknetVersion, test: string, { outcomes, areRequestsCut }: ChainOutcomes): void {
    const run = this.#runs.get(version);
    const labelled = outcomes.map(({ label, outcome }) => ({
      label: `${test}: ${label}`,
      outcome,
    }));
    run?.outcomes.push(...labelled);
    if (areRequestsCut) run?.notes.push(`${test}: ${REQUESTS_CUT}`);
  }

  /** Closes the chains, and hands the report on. */
  async end(): Promise<void> {
    for (const prepared of this.#fixtures.values()) await prepared.close();
    const report = new VersionReport(
      [...this.#runs].map(([version, run]) => ({ version, ...run })),
    );
    if (this.#onReport) await this.#onReport(report);
    else console.log(`\n${report.table()}`);
  }
}

interface SuiteRun {
  readonly outcomes: LabelledOutcome[];
  readonly notes: string[];
}

/** Returns the fixture of each version for tests that prepare nothing. */
export function emptyFixtures(
  chain: VersionSuiteOptions['chain'],
): (version: StarknetVersion) => Fixture<null> {
  return (version) =>
    fixture(`Starknet ${version}`, async () => null, {
      chain: { ...chain, starknetVersion: version },
      cacheDir: false,
    });
}
