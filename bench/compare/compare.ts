// Comparison of this node with another one and with the bare engine on the same work, side by side in one run.
//
//   npm run bench -- compare --against "starknet-devnet --seed 0 --port 0"   everything, some 20 minutes
//   npm run bench -- compare --against http://127.0.0.1:5050                 a node that runs already
//   npm run bench -- compare --against ../other-checkout                     another build of this node
//   npm run bench -- compare --against "…" --only Transfers --only Events    some groups
//   npm run bench -- compare --quick                                         small, against itself
//
// Exits 1 if this node failed in a workload.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { configure } from '@starkbox/engine';
import { BareEngine } from '../harness/bare-engine.js';
import { type ComparisonRun, measuringNow, type Row, significant } from '../harness/results.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { type Address, OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';
import { FIRST_SECONDS, TRANSFERS } from './first-seconds.js';
import { EVENTS, LARGE_STATE, LONG_CHAIN } from './large-chains.js';
import { lineOf, linesOf } from './lines.js';
import { CLIENTS, FORKS, READS } from './many-clients.js';
import { type Group, type Measurement, measureGroup, type Size } from './measure.js';

const GROUPS: readonly Group[] = [
  TRANSFERS,
  FIRST_SECONDS,
  READS,
  LARGE_STATE,
  LONG_CHAIN,
  EVENTS,
  CLIENTS,
  FORKS,
];

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
    const { devnet_version: version } = await node.call('devnet_getStatus');
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
  const measuring = measuringNow('compare', run.quick);
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
  return { ...measuring, other: await nameOf(addresses.theirs), rows };
}

/** Adds the ratios to the JSON, and fails if this node failed in a workload. */
function report({ figures }: CompareRun, runs: readonly ComparisonRun[]): void {
  for (const { name, ratio } of linesOf(runs)) {
    if (ratio !== undefined) figures.record(name, ratio);
  }
  const failed = runs.flatMap(({ rows }) => rows).filter(({ isFailure }) => isFailure);
  if (failed.length === 0) return;
  console.log(`failed: ${failed.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
}

export const scenario = defineScenario({
  measures: 'this node beside another one (--against) and the bare engine',
  sizes: {
    rounds: [5, 2],
    runs: [1, 1],
    blocks: [100_000, 500],
    slots: [1_000_000, 20_000],
    events: [100_000, 2_000],
    sockets: [1_000, 50],
    seconds: [4, 1],
    limit: [300_000, 20_000],
  },
  options: { against: 'text', node: 'text', only: 'list' },
  async measure(run) {
    // What this process compiles must not be cached for the nodes.
    configure({ cacheDir: null });
    const ours = addressOf(run.text('node') ?? OUR_COMMAND);
    const addresses = { ours, theirs: addressOf(run.text('against') ?? OUR_COMMAND) };
    const runs: ComparisonRun[] = [];
    while (runs.length < run.sizes.runs) runs.push(await measureOnce(run, addresses));
    report(run, runs);
    return runs;
  },
});
