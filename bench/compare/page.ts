// The generated part of docs/benchmarks.md, from a results file.
import { median } from '../figures.js';
import { type Line, linesOf, type Results, shown } from './results.js';

export const BEGIN = '<!-- generated from the results file: begin -->';
export const END = '<!-- generated from the results file: end -->';

/** The page with its generated part replaced. */
export function withResults(page: string, results: Results): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/benchmarks.md has no generated part');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${generated(results)}\n${page.slice(end)}`;
}

function generated(results: Results): string {
  const lines = linesOf(results);
  const groups = [...new Set(lines.map(({ group }) => group))];
  const { against, version, machine, date, runs } = results;
  return [
    `Against \`${against}\`, ${date}, ${machine}, Starkbox ${version}; ${runs.length} runs. A ratio above 1 means that Starkbox is faster or smaller; the spread is that of the runs.`,
    ...bareText(results, lines),
    ...groups.flatMap((group, at) => [
      `### ${group}`,
      `![${group}: ratios](benchmarks/${fileOf(group)})`,
      table(lines.filter((line) => line.group === group)),
      ...(at === groups.length - 1 ? [] : ['']),
    ]),
  ].join('\n\n');
}

export const fileOf = (group: string): string => `${group.toLowerCase().replaceAll(' ', '-')}.svg`;

function bareText({ bare }: Results, lines: readonly Line[]): readonly string[] {
  const transfer = lines.find(({ name }) => name === 'transfer');
  if (!transfer || bare.length === 0) return [];
  const alone = median(bare) / 1000;
  return [
    `A transfer in a bare loop on the engine took ${shown(alone)} ms in the same runs: over HTTP we reach ${shown(alone / transfer.ours)} of it.`,
  ];
}

function table(lines: readonly Line[]): string {
  return [
    '| workload | unit | Starkbox | other | ratio | spread |',
    '| --- | --- | ---: | ---: | ---: | --- |',
    ...lines.map(
      ({ title, unit, ours, theirs, ratio, spread }) =>
        `| ${title} | ${unit} | ${shown(ours)} | ${shown(theirs)} | ${shown(ratio)} | ${spread.map(shown).join(' to ')} |`,
    ),
  ].join('\n');
}
