// The section of growth curves in docs/benchmarks.md and its plots, from a results file.
import { shown } from '../compare/results.js';
import { runsText, withGenerated, writeDocs } from '../compare/results-file.js';
import { AXES, type Axis } from './chains.js';
import type { Fit } from './fit.js';
import { curvePlot } from './plot.js';
import { type Curve, curvesOf, type GrowthResults, type GrowthRun, verdict } from './results.js';

/** The files of the section by their paths in `docs/`, from the page as it is. */
export function growthFiles(page: string, results: GrowthResults): ReadonlyMap<string, string> {
  const curves = curvesOf(results);
  const plots = axesOf(curves).map((axis): [string, string] => [
    plotOf(axis),
    curvePlot(
      curves.filter((curve) => curve.axis === axis),
      `${axis.title}: cost over that on a small chain`,
    ),
  ]);
  return new Map([
    ...plots,
    ['growth/results.json', runsText(results.runs)],
    ['benchmarks.md', withGenerated(page, 'growth', generated(curves))],
  ]);
}

/** Writes the section, its plots and the results file that they are made of. */
export function writeGrowth(root: URL, results: GrowthResults): void {
  writeDocs(root, 'growth', (page) => growthFiles(page, results));
}

const plotOf = ({ name }: Axis): string => `growth/${name}.svg`;

const axesOf = (curves: readonly Curve[]): readonly Axis[] =>
  AXES.filter((axis) => curves.some((curve) => curve.axis === axis));

function generated(curves: readonly Curve[]): string {
  return axesOf(curves)
    .flatMap((axis) => {
      const own = curves.filter((curve) => curve.axis === axis);
      return [
        `### ${axis.title}`,
        ...own.slice(0, 1).map(({ run }) => about(run)),
        `![${axis.title}: cost over that on a small chain](${plotOf(axis)})`,
        table(own),
      ];
    })
    .join('\n\n');
}

const about = ({ node, date, machine, quick }: GrowthRun): string =>
  `${node}, ${date}, ${machine}.${quick ? ' **A quick run**: small sizes, and exponents are rough.' : ''}`;

export const exponent = ({ exponent: value, standardError }: Fit): string =>
  `${value.toFixed(3)} ± ${standardError.toFixed(3)}`;

function table(curves: readonly Curve[]): string {
  const [first] = curves;
  const ends = [first?.rows[0], first?.rows.at(-1)].map(
    (row) => `${shown(row?.size)} ${first?.axis.unit}`,
  );
  return [
    `| operation | CPU at ${ends.join(' | at ')} | over a small chain | exponent of CPU | exponent of time | |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...curves.map(({ operation, rows, fit }) => {
      const [least, most] = [rows[0], rows.at(-1)];
      const cells = [
        operation.title,
        ...[least, most].map((row) => `${shown(row?.grown.cpu)} µs`),
        `${shown(most?.ratio.cpu)}×`,
        exponent(fit.cpu),
        exponent(fit.wall),
        verdict(fit.cpu),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}
