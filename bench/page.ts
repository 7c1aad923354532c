// The generated part of docs/contributing/benchmarks.md, from a results file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Line, linesOf } from './compare/lines.js';
import { boundText, type Figure } from './harness/figures.js';
import {
  type ComparisonRun,
  type FiguresRun,
  isComparison,
  readRuns,
  runsText,
  type ScenarioRun,
  significant,
} from './harness/results.js';
import { ROOT } from './repository.js';

const DOCS = new URL('docs/contributing/', ROOT);
const RESULTS = 'benchmarks/results.json';
const BEGIN = '<!-- generated from the results file: begin -->';
const END = BEGIN.replace('begin', 'end');

/** Writes the page; runs of these files replace those of the same scenarios. */
export function writePage(paths: readonly string[]): void {
  const runs = readRuns(paths);
  const kept = readRuns([fileURLToPath(new URL(RESULTS, DOCS))]).filter(({ scenario }) =>
    runs.every((run) => run.scenario !== scenario),
  );
  const page = readFileSync(new URL('benchmarks.md', DOCS), 'utf8');
  const files = pageFiles(page, [...kept, ...runs]);
  for (const [path, text] of files) writeFileSync(new URL(path, DOCS), text);
}

/** The files by their paths in `docs/contributing/`, from the page as it is. */
export function pageFiles(page: string, runs: readonly ScenarioRun[]): ReadonlyMap<string, string> {
  const comparisons = runs.filter(isComparison);
  const others = runs.filter((run): run is FiguresRun => !isComparison(run));
  const scenarios = new Set(others.map(({ scenario }) => scenario));
  const sections = [
    ...comparisonSections(comparisons),
    ...[...scenarios].flatMap((scenario) => figuresSection(scenario, others)),
  ];
  return new Map([
    [RESULTS, runsText(runs)],
    ['benchmarks.md', withGenerated(page, sections.join('\n\n'))],
  ]);
}

/** The page with another text in its generated part. */
function withGenerated(page: string, text: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/contributing/benchmarks.md lacks ${BEGIN}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
}

const QUICK = '**A quick run**: sizes are small, and ratios are rough.';

// Figures with bounds.

function figuresSection(scenario: string, runs: readonly FiguresRun[]): readonly string[] {
  const tables = runs
    .filter((run) => run.scenario === scenario)
    .flatMap(({ build, date, machine, quick, figures }) => [
      `${build}, ${date}, ${machine}.${quick ? ` ${QUICK}` : ''}`,
      table(['figure', 'measured', 'bound'], ['---', '---:', '---'], figures.map(figureCells)),
    ]);
  return [`### \`${scenario}\``, ...tables];
}

const figureCells = (figure: Figure): readonly string[] => [
  figure.name,
  significant(figure.value),
  boundText(figure),
];

// Comparisons.

const groupsOf = (lines: readonly Line[]): readonly string[] => [
  ...new Set(lines.map(({ group }) => group)),
];

function comparisonSections(runs: readonly ComparisonRun[]): readonly string[] {
  const lines = linesOf(runs);
  return [
    ...aboutComparisons(runs),
    ...groupsOf(lines).flatMap((group) => [
      `### ${group}`,
      comparisonTable(lines.filter((line) => line.group === group)),
    ]),
  ];
}

function aboutComparisons(runs: readonly ComparisonRun[]): readonly string[] {
  const all = (part: (run: ComparisonRun) => string): string =>
    [...new Set(runs.map(part))].join('; ');
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  const spread = runs.length === 1 ? 'its rounds' : 'the runs';
  return [
    `${all(({ build }) => build)} against ${all(({ other }) => other)}: ${count}, ${all(({ date }) => date)}, ${all(({ machine }) => machine)}. Figures are medians; the spread covers ${spread}.`,
    ...(runs.some(({ quick }) => quick) ? [QUICK] : []),
  ];
}

function comparisonTable(lines: readonly Line[]): string {
  const heads = ['workload', 'Starkbox', 'other', 'ratio', 'spread', 'bare'];
  const rows = lines.map((line) => {
    const { title, unit, ratio, spread, bare } = line;
    return [
      title,
      nodeCell(line, 'ours'),
      nodeCell(line, 'theirs'),
      significant(ratio),
      spread ? spread.map(significant).join(' to ') : '–',
      bare === undefined ? '–' : `${significant(bare)} ${unit}`,
    ];
  });
  return table(heads, ['---', '---:', '---:', '---:', '---', '---:'], rows);
}

function nodeCell(line: Line, side: 'ours' | 'theirs'): string {
  const { unit, cannot, remarks } = line;
  if (line[side] === undefined) return `cannot: ${cannot[side] ?? 'not measured'}`;
  const remark = remarks[side];
  return `${significant(line[side])} ${unit}${remark === undefined ? '' : ` (${remark})`}`;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (
  heads: readonly string[],
  alignments: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [heads, alignments, ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
