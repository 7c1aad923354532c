// The generated part of docs/contributing/benchmarks.md and its plots, from results files.
import { ratioPlot } from '../harness/plot.js';
import { runsText, significant, withGenerated, writeDocs } from '../harness/results-file.js';
import { type ComparisonRun, type Line, linesOf, type Results, timesBetter } from './results.js';

/** The files of the page by their paths in `docs/contributing/`, from the page as it is. */
export function pageFiles(page: string, results: Results): ReadonlyMap<string, string> {
  const lines = linesOf(results);
  const plots = groupsOf(lines).map((group): [string, string] => {
    const bars = lines.filter((line) => line.group === group).flatMap(barOf);
    return [plotOf(group), ratioPlot(bars, `${group}: how many times better Starkbox is`)];
  });
  const bare = ratioPlot(lines.flatMap(bareBarOf), 'Starkbox beside the bare engine');
  return new Map([
    ...plots,
    [plotOf('Bare engine'), bare],
    ['benchmarks/results.json', runsText(results.runs)],
    ['benchmarks.md', withGenerated(page, 'results', generated(results))],
  ]);
}

/** Writes the page, its plots and the results file that they are made of. */
export function writePage(results: Results): void {
  writeDocs('benchmarks', (page) => pageFiles(page, results));
}

const groupsOf = (lines: readonly Line[]): readonly string[] => [
  ...new Set(lines.map(({ group }) => group)),
];

const plotOf = (group: string): string =>
  `benchmarks/${group.toLowerCase().replaceAll(' ', '-')}.svg`;

const barOf = ({ title, ratio, spread }: Line) =>
  ratio === undefined || spread === undefined ? [] : [{ title, ratio, spread }];

function bareBarOf({ title, unit, ours, bare }: Line) {
  if (ours === undefined || bare === undefined) return [];
  const ratio = timesBetter(unit, ours, bare);
  return [{ title, ratio, spread: [ratio, ratio] as const }];
}

function generated(results: Results): string {
  const lines = linesOf(results);
  return [
    ...about(results.runs),
    ...groupsOf(lines).flatMap((group) => [
      `### ${group}`,
      `![${group}: how many times better Starkbox is](${plotOf(group)})`,
      table(lines.filter((line) => line.group === group)),
    ]),
    '### Beside the bare engine',
    '![Starkbox beside the bare engine](benchmarks/bare-engine.svg)',
  ].join('\n\n');
}

function about(runs: readonly ComparisonRun[]): readonly string[] {
  const all = (part: (run: ComparisonRun) => string): string =>
    [...new Set(runs.map(part))].join('; ');
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  const spread = runs.length === 1 ? 'its rounds' : 'the runs';
  return [
    `${all(({ ours }) => ours)} against ${all(({ theirs }) => theirs)}: ${count}, ${all(({ date }) => date)}, ${all(({ machine }) => machine)}. Figures are medians; the spread covers ${spread}.`,
    ...(runs.some(({ quick }) => quick)
      ? ['**Quick runs**: sizes are far below those that the titles name, and ratios are rough.']
      : []),
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function table(lines: readonly Line[]): string {
  return [
    '| workload | Starkbox | other | ratio | spread | bare |',
    '| --- | ---: | ---: | ---: | --- | ---: |',
    ...lines.map((line) => {
      const { title, unit, ratio, spread, bare } = line;
      const range = spread ? spread.map(significant).join(' to ') : '–';
      const cells = [
        title,
        nodeCell(line, 'ours'),
        nodeCell(line, 'theirs'),
        significant(ratio),
        range,
      ];
      return `| ${[...cells, bare === undefined ? '–' : `${significant(bare)} ${unit}`].map(cell).join(' | ')} |`;
    }),
  ].join('\n');
}

function nodeCell(line: Line, side: 'ours' | 'theirs'): string {
  const { unit, cannot, remarks } = line;
  if (line[side] === undefined) return `cannot: ${cannot[side] ?? 'not measured'}`;
  const remark = remarks[side];
  return `${significant(line[side])} ${unit}${remark === undefined ? '' : ` (${remark})`}`;
}
