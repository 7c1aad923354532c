// Growth curves: what a transaction, a snapshot and reads cost against blocks, slots and instances.
//
//   npm run bench:growth                              all axes at full size, an hour
//   npm run bench:growth -- --only slots --only instances
//   npm run bench:growth -- --stored-blocks 300000    another largest size; also --blocks, --slots, --instances
//   npm run bench:growth -- --only stored-blocks --dir DIR   the stored chain stays there
//   npm run bench:growth -- --rounds 30 --results FILE   more rounds, another results file
//   npm run bench:growth -- --page FILE …             the section of docs/benchmarks.md from results files
//   npm run bench:growth -- --quick                   small sizes, less than a minute
//
// Prints the fit of each curve, then one line of JSON. A run of all axes that is not quick writes the section.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { shown } from '../compare/results.js';
import { buildName, measuringNow, runsText } from '../compare/results-file.js';
import { ROOT } from '../repository.js';
import { AXES, type Axis } from './chains.js';
import { measureAxis, type Row, sizesOf } from './measure.js';
import { exponent, writeGrowth } from './page.js';
import { curvesOf, type GrowthResults, type GrowthRun, readGrowth, verdict } from './results.js';

const PAGE_RESULTS = fileURLToPath(new URL('docs/growth/results.json', ROOT));
const OTHER_RESULTS = fileURLToPath(new URL('node_modules/.cache/bench/growth.json', ROOT));

const { values: given, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    results: { type: 'string' },
    dir: { type: 'string' },
    blocks: { type: 'string' },
    'stored-blocks': { type: 'string' },
    slots: { type: 'string' },
    instances: { type: 'string' },
  },
});

function chosenAxes(): readonly Axis[] {
  const found = AXES.filter(({ name }) => given.only.includes(name));
  if (found.length < given.only.length) {
    const known = AXES.map(({ name }) => name).join(', ');
    throw new Error(`no axis ${given.only.join(', ')}: --only takes one of ${known}`);
  }
  return given.only.length === 0 ? AXES : found;
}

function largestOf({ name, largest, largestQuick }: Axis): number {
  const asked: unknown = Object(given)[name];
  if (typeof asked === 'string') return Number(asked);
  return given.quick ? largestQuick : largest;
}

function say({ axis, operation, size, grown, ratio }: Row): void {
  const figures = [grown.cpu, grown.wall].map((value) => `${shown(value)} µs`.padStart(12));
  const ratios = [ratio.cpu, ratio.wall].map((value) => value.toFixed(3).padStart(8));
  console.log(
    `${axis.padEnd(14)}${shown(size).padStart(11)} ${operation.padEnd(12)}${figures.join('')}${ratios.join('')}`,
  );
}

async function measure(): Promise<GrowthRun> {
  const rows: Row[] = [];
  // Before the run: what is committed during it is not what is measured.
  const node = buildName(ROOT);
  console.log(`${' '.repeat(46)}CPU        time  over control`);
  for (const axis of chosenAxes()) {
    const rounds = Number(given.rounds ?? (given.quick ? 5 : 21));
    const sizes = sizesOf(axis, largestOf(axis), given.quick);
    await measureAxis(axis, sizes, { rounds, dir: given.dir }, (row) => {
      rows.push(row);
      say(row);
    });
  }
  return { node, ...measuringNow(given.quick), rows };
}

/** The fits, and one line of JSON with all figures. */
function finish(results: GrowthResults): void {
  const figures: Record<string, number> = {};
  const digits = (value: number): number => Number(value.toPrecision(4));
  for (const { axis, operation, rows: own, fit } of curvesOf(results)) {
    console.log(
      `${axis.name.padEnd(14)}${operation.name.padEnd(12)} exponent ${exponent(fit.cpu)} of CPU, ${exponent(fit.wall)} of time: ${verdict(fit.cpu)}`,
    );
    const name = `${axis.name}_${operation.name}`;
    figures[`${name}_exponent_cpu`] = digits(fit.cpu.exponent);
    figures[`${name}_error_cpu`] = digits(fit.cpu.standardError);
    figures[`${name}_exponent_wall`] = digits(fit.wall.exponent);
    figures[`${name}_error_wall`] = digits(fit.wall.standardError);
    for (const { size, grown, ratio } of own) {
      figures[`${name}_${size}_cpu_us`] = digits(grown.cpu);
      figures[`${name}_${size}_wall_us`] = digits(grown.wall);
      figures[`${name}_${size}_cpu_ratio`] = digits(ratio.cpu);
      figures[`${name}_${size}_wall_ratio`] = digits(ratio.wall);
    }
  }
  const quick = results.runs.some((run) => run.quick);
  console.log(JSON.stringify({ ...figures, quick }));
}

if (given.page && (files.length > 0 || given.only.length === 0)) {
  const results = readGrowth(files.length === 0 ? [PAGE_RESULTS] : files);
  writeGrowth(ROOT, results);
  finish(results);
} else {
  const results = { runs: [await measure()] };
  writeFileSync(given.results ?? OTHER_RESULTS, runsText(results.runs));
  if (given.only.length === 0 && !given.quick) writeGrowth(ROOT, results);
  finish(results);
}
