// Comparison of this node with another one and with the bare engine on the same work, side by side in one run.
//
//   npm run bench -- compare --against "starknet-devnet --seed 0 --port 0"   everything, some 20 minutes
//   npm run bench -- compare --against http://127.0.0.1:5050                 a node that runs already
//   npm run bench -- compare --against ../other-checkout                     another build of this node
//   npm run bench -- compare --against "…" --only Transfers --only Events    some groups
//   npm run bench -- compare --page FILE …                                   docs/contributing/benchmarks.md from results files
//   npm run bench -- compare --quick                                         small, against itself
//
// Exits 1 if this node failed in a workload.
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configure } from '@starkbox/engine';
import { BareEngine } from '../harness/bare-engine.js';
import { buildName, measuringNow, runsText, significant } from '../harness/results-file.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { type Address, OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';
import { ROOT } from '../repository.js';
import { FIRST_SECONDS, TRANSFERS } from './first-seconds.js';
import { ABORTS, DUMPS, EVENTS, LARGE_STATE, LONG_CHAIN } from './large-chains.js';
import { CLIENTS, FORKS, READS } from './many-clients.js';
import { type Group, type Measurement, measureGroup, type Row, type Size } from './measure.js';
import { writePage } from './page.js';
import { type ComparisonRun, lineOf, linesOf, type Results, readResults } from './results.js';

const GROUPS: readonly Group[] = [
  TRANSFERS,
  FIRST_SECONDS,
  READS,
  LARGE_STATE,
  LONG_CHAIN,
  ABORTS,
  EVENTS,
  DUMPS,
  CLIENTS,
  FORKS,
];

const PAGE_RESULTS = fileURLToPath(new URL('docs/contributing/benchmarks/results.json', ROOT));
const OTHER_RESULTS = fileURLToPath(new URL('node_modules/.cache/bench/results.json', ROOT));

type CompareRun = Run<Exclude<keyof Size, 'quick'> | 'runs'>;

/** The command of a checkout. */
const programIn = (path: string): string =>
  join(resolve(path), 'packages/starkbox/bin/starkbox.js');

const isCheckout = (text: string): boolean => existsSync(programIn(text));

/** A URL, a checkout with a built node, or a command. */
function addressOf(text: string): Address {
  if (/^https?:/.test(text)) return { url: text };
  if (!isCheckout(text)) return { command: text };
  return { command: `${process.execPath} ${programIn(text)} --seed 0 --port 0` };
}

async function nameOf(address: Address): Promise<string> {
  const node = await SpawnedNode.open(address);
  try {
    const { devnet_version: version } = Object(await node.call('devnet_getStatus', {}));
    if ('url' in address) return `a node of version ${version}`;
    const program = address.command
      .split(/\s+/)
      .map((part) => basename(part, '.js'))
      .find((part) => part !== 'node' && part !== 'npx');
    return `${program} ${version}`;
  } finally {
    await node.end();
  }
}

function printRow(row: Row): void {
  const line = lineOf([row]);
  const figures = [line.ours, line.theirs, line.bare].map((cell) => significant(cell).padStart(10));
  const range = line.spread ? line.spread.map(significant).join(' to ') : '';
  const ratio = `ratio ${significant(line.ratio).padStart(6)}  ${range.padEnd(16)}`;
  const remarks = [
    ...Object.entries(line.remarks).map(([side, text]) => `${side}: ${text}`),
    ...Object.entries(line.cannot).map(([side, text]) => `${side} cannot: ${text}`),
  ].join('; ');
  const text = `${row.name.padEnd(26)}${figures.join('')} ${row.unit.padEnd(6)} ${ratio} ${remarks}`;
  console.log(text.trimEnd());
}

async function measureOnce(
  run: CompareRun,
  addresses: Measurement['addresses'],
): Promise<ComparisonRun> {
  const rows: Row[] = [];
  // Before the run: later commits are not measured.
  const ours = buildName();
  const bare = await BareEngine.create();
  const heads = ['ours', 'other', 'bare'].map((head) => head.padStart(10)).join('');
  for (const group of run.chosen(GROUPS, ({ title }) => title)) {
    console.log(`${group.title.padEnd(26)}${heads}`);
    await measureGroup(group, {
      addresses,
      bare,
      size: { ...run.sizes, quick: run.quick },
      onRow: (row) => {
        rows.push(row);
        printRow(row);
      },
    });
  }
  const theirs = await nameOf(addresses.theirs);
  return { ours, theirs, ...measuringNow(run.quick), rows };
}

async function measureAll(run: CompareRun): Promise<Results> {
  // What this process compiles must not be cached for the nodes.
  configure({ cacheDir: null });
  const ours = addressOf(run.text('node') ?? OUR_COMMAND);
  const addresses = { ours, theirs: addressOf(run.text('against') ?? OUR_COMMAND) };
  const runs: ComparisonRun[] = [];
  while (runs.length < run.sizes.runs) runs.push(await measureOnce(run, addresses));
  return { runs };
}

/** Ratios that the JSON has, and the workloads in which this node failed. */
function finish({ figures }: CompareRun, results: Results): object {
  for (const { name, ratio } of linesOf(results)) {
    if (ratio !== undefined) figures.record(name, ratio);
  }
  const rows = results.runs.flatMap((run) => run.rows);
  const failed = rows.filter(({ isFailure }) => isFailure).map(({ name }) => name);
  if (failed.length > 0) process.exitCode = 1;
  return { failed };
}

export const scenario = defineScenario({
  measures:
    'this node beside another one (--against) and the bare engine, and docs/contributing/benchmarks.md',
  sizes: {
    rounds: [5, 2],
    runs: [1, 1],
    blocks: [100_000, 500],
    slots: [1_000_000, 20_000],
    events: [100_000, 2_000],
    sockets: [1_000, 50],
    connections: [2_000, 100],
    seconds: [4, 1],
    limit: [300_000, 20_000],
  },
  options: { against: 'text', node: 'text', only: 'list', results: 'text', page: 'flag' },
  async measure(run) {
    const against = run.text('against');
    if (run.flag('page') && against === undefined) {
      const results = readResults(run.files.length === 0 ? [PAGE_RESULTS] : run.files);
      writePage(results);
      return finish(run, results);
    }
    const results = await measureAll(run);
    writeFileSync(run.text('results') ?? OTHER_RESULTS, runsText(results.runs));
    const isOtherNode = against !== undefined && !isCheckout(against);
    const isWhole = isOtherNode && run.list('only').length === 0 && !run.quick;
    if (isWhole || run.flag('page')) writePage(results);
    return finish(run, results);
  },
});
