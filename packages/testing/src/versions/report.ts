// Report of the differences between versions of Starknet, and its table.
import { counted, grouped, listed, shortenedMiddle, textWidth } from '@starkbox/abi/basics';
import type { StarknetVersion } from 'starkbox';
import type { LabelledOutcome, Outcome } from './outcomes.js';

/** The members of an outcome that are compared. */
const FIELDS = ['status', 'reason', 'l1_gas', 'l1_data_gas', 'l2_gas', 'fee'] as const;

/** A member of an outcome that versions can differ in. */
export type VersionField = (typeof FIELDS)[number];

/** A transaction or a request as each version handled it. */
export interface VersionRow {
  /** Its name and number, such as `transfer` and `transfer (2)`; in a suite, the name of the test precedes it. */
  readonly label: string;
  /** By version; undefined where it was not sent. */
  readonly outcomes: Readonly<Partial<Record<StarknetVersion, Outcome>>>;
  /** The members in which versions differ. */
  readonly differs: readonly (VersionField | 'sent')[];
}

/** The outcomes of one version. */
export interface VersionRun {
  readonly version: StarknetVersion;
  readonly outcomes: readonly LabelledOutcome[];
  /** Why the function failed, or that the number of requests exceeds the limit. */
  readonly notes: readonly string[];
}

/** The outcomes of a function under several versions of Starknet. */
export class VersionReport {
  /** The compared versions. */
  readonly versions: readonly StarknetVersion[];
  /** All transactions and requests, in the order of the first version that has them. */
  readonly rows: readonly VersionRow[];
  /** Errors of the function by version, and limits of the comparison. */
  readonly notes: readonly string[];

  /** @internal `compareVersions` and `describeVersions` create reports. */
  constructor(runs: readonly VersionRun[]) {
    this.versions = runs.map(({ version }) => version);
    this.rows = rowsOf(runs);
    this.notes = runs.flatMap(({ version, notes }) => notes.map((note) => `${version}: ${note}`));
  }

  /** The rows in which versions differ. */
  get differences(): readonly VersionRow[] {
    return this.rows.filter(({ differs }) => differs.length > 0);
  }

  /** Returns the differences as a Markdown table with aligned columns, after a line with the counts. */
  table(): string {
    const { differences, rows, versions } = this;
    const versionList = listed(versions, 'and');
    const lines = [
      `${differences.length} of ${counted(rows.length, 'outcome')} differ under Starknet ${versionList}.`,
      ...this.notes,
    ];
    if (differences.length === 0) return lines.join('\n');
    const cells = [['', '', ...versions], ...differences.flatMap((row) => cellsOf(row, versions))];
    return [...lines, '', ...markdown(cells)].join('\n');
  }
}

function rowsOf(runs: readonly VersionRun[]): readonly VersionRow[] {
  const rows = new Map<string, { label: string; outcomes: Map<StarknetVersion, Outcome> }>();
  for (const { version, outcomes } of runs) {
    const counts = new Map<string, number>();
    for (const { label: name, outcome } of outcomes) {
      const count = (counts.get(`${outcome.kind} ${name}`) ?? 0) + 1;
      counts.set(`${outcome.kind} ${name}`, count);
      const label = count === 1 ? name : `${name} (${count})`;
      const key = `${outcome.kind} ${label}`;
      const row = rows.get(key) ?? { label, outcomes: new Map<StarknetVersion, Outcome>() };
      row.outcomes.set(version, outcome);
      rows.set(key, row);
    }
  }
  return [...rows.values()].map(({ label, outcomes }) => ({
    label,
    outcomes: Object.fromEntries(outcomes),
    differs: differencesOf(runs.map(({ version }) => outcomes.get(version))),
  }));
}

function differencesOf(outcomes: readonly (Outcome | undefined)[]): VersionRow['differs'] {
  const sent = outcomes.filter((outcome) => outcome !== undefined);
  const fields = FIELDS.filter(
    (field) => new Set(sent.map((outcome) => memberOf(outcome, field))).size > 1,
  );
  return sent.length < outcomes.length ? ['sent', ...fields] : fields;
}

type Value = string | bigint | undefined;

function memberOf(outcome: Outcome, field: VersionField): Value {
  return field in outcome ? Reflect.get(outcome, field) : undefined;
}

const NOT_SENT = 'not sent';
/** The report itself has whole messages. */
const LONGEST_CELL = 120;

/** A line for each member that differs; later lines of a row have no label. */
function cellsOf(row: VersionRow, versions: readonly StarknetVersion[]): readonly string[][] {
  const outcomes = versions.map((version) => row.outcomes[version]);
  const fields = row.differs.flatMap((field) => (field === 'sent' ? [] : [field]));
  // A request that was not sent has no other member to tell it.
  const shownFields: readonly VersionField[] =
    row.differs.includes('sent') && !fields.includes('status') ? ['status', ...fields] : fields;
  return shownFields.map((field, index) => {
    const values = outcomes.map((outcome) => outcome && memberOf(outcome, field));
    const first = values.find((value) => typeof value === 'bigint');
    return [
      index === 0 ? row.label : '',
      field.replaceAll('_', ' '),
      ...outcomes.map((outcome, at) =>
        outcome === undefined ? NOT_SENT : cellOf(values[at], first),
      ),
    ];
  });
}

/** A number with its change from the first version. */
function cellOf(value: Value, first: Value): string {
  if (typeof value !== 'bigint') {
    const text = (value ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ');
    return shortenedMiddle(text, LONGEST_CELL);
  }
  if (typeof first !== 'bigint' || first === value || first === 0n) return grouped(value);
  const percent = Number(((value - first) * 100_000n) / first) / 1000;
  const digits = percent.toFixed(Math.abs(percent) < 1 ? 2 : 1);
  return `${grouped(value)} (${percent > 0 ? '+' : ''}${digits} %)`;
}

function markdown(cells: readonly (readonly string[])[]): readonly string[] {
  const [heads = [], ...rest] = cells;
  const widths = heads.map((_, at) => Math.max(3, ...cells.map((row) => textWidth(row[at] ?? ''))));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, at) => (row[at] ?? '') + ' '.repeat(width - textWidth(row[at] ?? ''))).join(' | ')} |`;
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)];
}
