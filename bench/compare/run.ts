// Comparison of this node with another one on the same work, side by side in one run.
//
//   npm run bench -- --against "starknet-devnet --seed 0 --port 0"            everything, three runs
//   npm run bench -- --against http://127.0.0.1:5050                          a node that runs already
//   npm run bench -- --against "…" --only "The first seconds" --runs 1        one group
//   npm run bench -- --against "…" --write                                    and docs/benchmarks.md
//   npm run bench -- --quick                                                  small, against itself
//
// Prints a line for each workload, then one line of JSON.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { block, genesis, transfer } from '../../packages/engine/test/fixtures/chain.js';
import { median } from '../figures.js';
import { addressOf } from './contender.js';
import { FIRST_SECONDS } from './first-seconds.js';
import { DUMPS, EVENTS, LARGE_STATE, LONG_CHAIN } from './large-chains.js';
import { CLIENTS, FORKS, READS } from './many-clients.js';
import { FULL, type Group, measureGroup, QUICK, type Row, ratioOf } from './measure.js';
import { fileOf, withResults } from './page.js';
import { ratioPlot } from './plot.js';
import { linesOf, type Results, type Run, shown } from './results.js';

const GROUPS: readonly Group[] = [
  FIRST_SECONDS,
  READS,
  LARGE_STATE,
  LONG_CHAIN,
  EVENTS,
  DUMPS,
  CLIENTS,
  FORKS,
];

const COMMAND = fileURLToPath(new URL('../bin/starkbox.js', import.meta.resolve('starkbox')));
const OURS = `${process.execPath} ${COMMAND} --seed 0 --port 0`;
const ROOT = new URL('../../../../../', import.meta.url);

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    node: { type: 'string', default: OURS },
    against: { type: 'string' },
    runs: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    blocks: { type: 'string' },
  },
});

const size = {
  ...(given.quick ? QUICK : FULL),
  ...(given.blocks === undefined ? {} : { blocks: Number(given.blocks) }),
};
const RUNS = Number(given.runs ?? (given.quick ? 1 : 3));
const groups = GROUPS.filter(({ title }) => given.only === undefined || title === given.only);
if (groups.length === 0) {
  throw new Error(`no group ${given.only}: one of ${GROUPS.map(({ title }) => title).join(', ')}`);
}
const addresses = {
  ours: addressOf(given.node),
  theirs: addressOf(given.against ?? given.node),
};

function say(row: Row): void {
  const [ours, theirs] = [shown(median(row.ours)), shown(median(row.theirs))];
  const figures = `${ours.padStart(10)} ${theirs.padStart(10)} ${row.unit.padEnd(6)}`;
  console.log(`${row.name.padEnd(26)} ${figures} ratio ${shown(ratioOf(row))}`);
}

/** Microseconds of a transfer in a bare loop on the engine. */
async function bareTransfer(): Promise<number> {
  const { state, accounts } = await genesis();
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const count = given.quick ? 10 : 40;
  const natives = Array.from(
    { length: count },
    (_, nonce) => transfer(account, '0x1234', 1, nonce).native,
  );
  const times: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    times.push((await state.native.benchBare(block(1).native, natives)) / count);
  }
  return median(times.slice(1));
}

async function runAll(): Promise<{ readonly rows: Run; readonly bare: number }> {
  const rows: Row[] = [];
  console.log(`${''.padEnd(26)} ${'ours'.padStart(10)} ${'other'.padStart(10)}`);
  const bare = await bareTransfer();
  for (const group of groups) {
    console.log(group.title);
    await measureGroup(group, addresses, size, (row) => {
      rows.push(row);
      say(row);
    });
  }
  return { rows, bare };
}

function write(results: Results): void {
  const at = (path: string): URL => new URL(`docs/${path}`, ROOT);
  mkdirSync(at('benchmarks'), { recursive: true });
  writeFileSync(at('benchmarks/results.json'), `${JSON.stringify(results, undefined, 1)}\n`);
  const lines = linesOf(results);
  for (const group of new Set(lines.map((line) => line.group))) {
    const some = lines.filter((line) => line.group === group);
    writeFileSync(at(`benchmarks/${fileOf(group)}`), ratioPlot(some, `${group}: ratios`));
  }
  const page = at('benchmarks.md');
  writeFileSync(page, withResults(readFileSync(page, 'utf8'), results));
}

const all: { readonly rows: Run; readonly bare: number }[] = [];
for (let count = 0; count < RUNS; count += 1) all.push(await runAll());
const results: Results = {
  against: given.against ?? 'itself',
  version: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  machine: `${cpus().length} cores, Node ${process.version}`,
  date: new Date().toISOString().slice(0, 10),
  quick: given.quick,
  runs: all.map(({ rows }) => rows),
  bare: all.map(({ bare }) => bare),
};
if (given.write) write(results);
const ratios = linesOf(results).map(({ name, ratio }) => [name, Number(ratio.toPrecision(4))]);
const missing = groups
  .flatMap(({ workloads }) => workloads)
  .filter(({ name }) => !results.runs.every((run) => run.some((row) => row.name === name)))
  .map(({ name }) => name);
console.log(
  JSON.stringify({
    ...Object.fromEntries(ratios),
    bare_transfer_us: Math.round(median(results.bare)),
    missing,
    quick: given.quick,
  }),
);
// With itself every workload can be measured.
if (missing.length > 0 && given.against === undefined) process.exitCode = 1;
