// Growth curves: each operation on a grown chain beside the same one on a small chain, in alternating rounds.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GrowingChain, mustBeAccepted } from '../harness/growing-chain.js';
import { buildName, measuringNow, runsText, significant } from '../harness/results-file.js';
import { interleave, Random } from '../harness/rounds.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { ROOT } from '../repository.js';
import { AXES, type Axis, MeasuredChain, sizesOf } from './axes.js';
import { LAST_TRANSFERS, OPERATIONS, type Operation } from './operations.js';
import { writeGrowth } from './page.js';
import {
  type Cost,
  curvesOf,
  exponentText,
  type GrowthResults,
  type Row,
  readGrowth,
  verdict,
} from './results.js';

const PAGE_RESULTS = fileURLToPath(new URL('docs/contributing/growth/results.json', ROOT));
const OTHER_RESULTS = fileURLToPath(new URL('node_modules/.cache/bench/growth.json', ROOT));

async function costOf(
  { each, make }: Operation,
  chain: GrowingChain,
  random: Random,
): Promise<Cost> {
  const { transfers } = chain;
  const requests: string[] = [];
  for (let count = 0; count < each; count += 1) {
    requests.push(await make(chain, () => 1 + random.below(transfers - LAST_TRANSFERS)));
  }
  const answers: (string | undefined)[] = [];
  const [start, before] = [performance.now(), process.cpuUsage()];
  for (const body of requests) answers.push(await chain.node.handle(body));
  const wall = ((performance.now() - start) * 1000) / each;
  const { user, system } = process.cpuUsage(before);
  answers.forEach(mustBeAccepted);
  return { cpu: (user + system) / each, wall };
}

/** Medians of an operation on both chains, and of its ratios. */
async function measureOperation(
  operation: Operation,
  grown: MeasuredChain,
  control: MeasuredChain,
  rounds: number,
): Promise<Pick<Row, 'grown' | 'control' | 'ratio'>> {
  const random = new Random(1);
  const costs = await interleave(rounds * operation.rounds, {
    control: () => costOf(operation, control.chain, random),
    grown: () => costOf(operation, grown.chain, random),
  });
  const both = (value: (part: (cost: Cost) => number) => number): Cost => ({
    cpu: value(({ cpu }) => cpu),
    wall: value(({ wall }) => wall),
  });
  return {
    grown: both((part) => costs.median('grown', part)),
    control: both((part) => costs.median('control', part)),
    ratio: both((part) => costs.ratio('grown', 'control', part)),
  };
}

/** All operations at each size of an axis. */
async function measureAxis(run: Run<string>, axis: Axis): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const sizes = sizesOf(axis, run.sizes[axis.name] ?? 0, run.quick);
  const grown = await MeasuredChain.open(
    axis.isStored,
    axis.isStored ? run.text('dir') : undefined,
  );
  try {
    for (const size of sizes) {
      await axis.grow(grown, size);
      // A new one for each size: what is measured grows it.
      const control = await MeasuredChain.open(axis.isStored);
      for (const operation of OPERATIONS) {
        const rounds = run.sizes['rounds'] ?? 1;
        const costs = await measureOperation(operation, grown, control, rounds);
        const row = { axis: axis.name, operation: operation.name, size, ...costs };
        console.log(lineOf(row));
        rows.push(row);
      }
      await control.close();
    }
  } finally {
    await grown.close();
  }
  return rows;
}

function lineOf({ axis, operation, size, grown, ratio }: Row): string {
  const costs = [grown.cpu, grown.wall].map((cost) => `${significant(cost)} µs`.padStart(12));
  const ratios = [ratio.cpu, ratio.wall].map((cost) => cost.toFixed(3).padStart(8));
  return [
    axis.padEnd(14),
    significant(size).padStart(11),
    ` ${operation.padEnd(12)}`,
    ...costs,
    ...ratios,
  ].join('');
}

async function measureAll(run: Run<string>): Promise<GrowthResults> {
  // Before the run: later commits are not measured.
  const node = buildName();
  const rows: Row[] = [];
  console.log(`${' '.repeat(46)}CPU        time  over control`);
  for (const axis of run.chosen(AXES, ({ name }) => name)) {
    rows.push(...(await measureAxis(run, axis)));
  }
  return { runs: [{ node, ...measuringNow(run.quick), rows }] };
}

/** Each curve's fit, and its cost at the largest size over that on a small chain. */
function report({ figures, quick }: Run<string>, results: GrowthResults): void {
  for (const { axis, operation, rows, fit } of curvesOf(results)) {
    const name = `${axis.name}_${operation.name}`;
    const text = `${exponentText(fit.cpu)} of CPU, ${exponentText(fit.wall)} of time`;
    console.log(`${name.padEnd(28)} exponent ${text}: ${verdict(fit.cpu)}`);
    figures.record(`${name}_exponent_cpu`, fit.cpu.exponent);
    figures.record(`${name}_error_cpu`, fit.cpu.standardError);
    figures.record(`${name}_exponent_wall`, fit.wall.exponent);
    figures.record(`${name}_error_wall`, fit.wall.standardError);
    for (const { size, grown, ratio } of rows) {
      figures.record(`${name}_${size}_cpu_us`, grown.cpu);
      figures.record(`${name}_${size}_wall_us`, grown.wall);
      figures.record(`${name}_${size}_cpu_ratio`, ratio.cpu);
      figures.record(`${name}_${size}_wall_ratio`, ratio.wall);
    }
    // Work that grows with the chain would take many times as long on the largest.
    figures.bound({ [`${name}_ratio`]: { atMost: quick ? 5 : 2 } });
    figures.say(`${name}_ratio`, rows.at(-1)?.ratio.cpu ?? Number.NaN);
  }
}

export const scenario = defineScenario({
  measures: 'cost of a transaction, a snapshot and reads against blocks, slots and instances',
  sizes: {
    rounds: [21, 5],
    ...Object.fromEntries(AXES.map(({ name, largest }) => [name, largest])),
  },
  options: { only: 'list', dir: 'text', results: 'text', page: 'flag' },
  async measure(run) {
    const isWhole = run.list('only').length === 0;
    const writesPage = run.flag('page');
    const results = writesPage
      ? readGrowth(run.files.length === 0 ? [PAGE_RESULTS] : run.files)
      : await measureAll(run);
    if (!writesPage) writeFileSync(run.text('results') ?? OTHER_RESULTS, runsText(results.runs));
    if (writesPage || (isWhole && !run.quick)) writeGrowth(results);
    report(run, results);
    return undefined;
  },
});
