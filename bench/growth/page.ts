// The section of growth curves in docs/contributing/benchmarks.md and its plots, from a results file.
import { curvePlot } from '../harness/plot.js';
import { runsText, significant, withGenerated, writeDocs } from '../harness/results-file.js';
import { AXES, type Axis } from './axes.js';
import {
  type Curve,
  curvesOf,
  exponentText,
  type GrowthResults,
  type GrowthRun,
  verdict,
} from './results.js';

/** The files of the section by their paths in `docs/contributing/`, from the page as it is. */
export function growthFiles(page: string, results: GrowthResults): ReadonlyMap<string, string> {
  const curves = curvesOf(results);
  const plots = axesOf(curves).map((axis): [string, string] => [plotOf(axis), plot(axis, curves)]);
  return new Map([
    ...plots,
    ['growth/results.json', runsText(results.runs)],
    ['benchmarks.md', withGenerated(page, 'growth', sections(curves))],
  ]);
}

/** Writes the section, its plots and the results file that they are made of. */
export function writeGrowth(results: GrowthResults): void {
  writeDocs('growth', (page) => growthFiles(page, results));
}

const plotOf = ({ name }: Axis): string => `growth/${name}.svg`;

const plotTitle = ({ title }: Axis): string => `${title}: cost over that on a small chain`;

function plot(axis: Axis, curves: readonly Curve[]): string {
  const lines = curves
    .filter((curve) => curve.axis === axis)
    .map(({ operation, rows, fit }) => ({
      label: `${operation.title}: ${fit.cpu.exponent.toFixed(2)}`,
      points: rows.map(({ size, ratio }) => ({ size, ratio: ratio.cpu })),
    }));
  return curvePlot(lines, plotTitle(axis), axis.unit);
}

const axesOf = (curves: readonly Curve[]): readonly Axis[] =>
  AXES.filter((axis) => curves.some((curve) => curve.axis === axis));

function sections(curves: readonly Curve[]): string {
  return axesOf(curves)
    .flatMap((axis) => {
      const ofAxis = curves.filter((curve) => curve.axis === axis);
      return [
        `### ${axis.title}`,
        ...ofAxis.slice(0, 1).map(({ run }) => about(run)),
        `![${plotTitle(axis)}](${plotOf(axis)})`,
        table(ofAxis),
      ];
    })
    .join('\n\n');
}

const about = ({ node, date, machine, quick }: GrowthRun): string =>
  `${node}, ${date}, ${machine}.${quick ? ' **A quick run**: small sizes, and exponents are rough.' : ''}`;

function table(curves: readonly Curve[]): string {
  const [first] = curves;
  const ends = [first?.rows[0], first?.rows.at(-1)].map(
    (row) => `${significant(row?.size)} ${first?.axis.unit}`,
  );
  return [
    `| operation | CPU at ${ends.join(' | at ')} | over a small chain | exponent of CPU | exponent of time | |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...curves.map(({ operation, rows, fit }) => {
      const [least, most] = [rows[0], rows.at(-1)];
      const cells = [
        operation.title,
        ...[least, most].map((row) => `${significant(row?.grown.cpu)} µs`),
        `${significant(most?.ratio.cpu)}×`,
        exponentText(fit.cpu),
        exponentText(fit.wall),
        verdict(fit.cpu),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}
