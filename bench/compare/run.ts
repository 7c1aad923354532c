// Comparison of this node with another one and with the bare engine on the same work, side by side in one run.
//
//   npm run bench -- --against "starknet-devnet --seed 0 --port 0"   everything, some 20 minutes
//   npm run bench -- --against http://127.0.0.1:5050                 a node that runs already
//   npm run bench -- --against "…" --only Transfers --only Events    some groups
//   npm run bench -- --against "…" --rounds 9 --results FILE         more rounds, another results file
//   npm run bench -- --page FILE …                                   docs/benchmarks.md from results files
//   npm run bench -- --quick                                         small, against itself
//
// Prints a line for each figure, then one line of JSON. Exits 1 if this node failed in a workload.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { configure } from '@starkbox/engine';
import { COMMAND, ROOT } from '../repository.js';
import { BareEngine } from './bare-engine.js';
import { type Address, addressOf, CacheFolder, Contender } from './contender.js';
import { FIRST_SECONDS, TRANSFERS } from './first-seconds.js';
import { ABORTS, DUMPS, EVENTS, LARGE_STATE, LONG_CHAIN } from './large-chains.js';
import { CLIENTS, FORKS, READS } from './many-clients.js';
import { FULL, type Group, type Measurement, measureGroup, QUICK, type Row } from './measure.js';
import { writePage } from './page.js';
import { lineOf, linesOf, type Results, type Run, readResults, shown } from './results.js';
import { buildName, measuringNow, runsText } from './results-file.js';

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

const { values: given, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    node: { type: 'string', default: `${process.execPath} ${COMMAND} --seed 0 --port 0` },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    runs: { type: 'string', default: '1' },
    results: { type: 'string' },
    page: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

function chosenGroups(): readonly Group[] {
  const names = (given.only ?? []).map((name) => name.toLowerCase());
  const found = GROUPS.filter(({ title }) => names.includes(title.toLowerCase()));
  if (found.length < names.length) {
    const known = GROUPS.map(({ title }) => title).join(', ');
    throw new Error(`no group ${given.only?.join(', ')}: --only takes one of ${known}`);
  }
  return names.length === 0 ? GROUPS : found;
}

/** The name and version of a node as it gives them; a path on this machine is left out. */
async function nameOf(address: Address): Promise<string> {
  const cache = new CacheFolder();
  const node = await Contender.open(address, cache);
  try {
    const { devnet_version: version } = Object(await node.call('devnet_getStatus', {}));
    if ('url' in address) return `a node of version ${version}`;
    const program = address.command
      .split(/\s+/)
      .map((part) => basename(part, '.js'))
      .find((part) => part !== 'node' && part !== 'npx');
    return `${program} ${version}`;
  } finally {
    await node.close();
    cache.remove();
  }
}

function say(row: Row): void {
  const line = lineOf([row]);
  const figures = [line.ours, line.theirs, line.bare].map((value) => shown(value).padStart(10));
  const range = line.spread ? line.spread.map(shown).join(' to ') : '';
  const ratio = `ratio ${shown(line.ratio).padStart(6)}  ${range.padEnd(16)}`;
  const remarks = [
    ...Object.entries(line.remarks).map(([side, text]) => `${side}: ${text}`),
    ...Object.entries(line.cannot).map(([side, text]) => `${side} cannot: ${text}`),
  ].join('; ');
  const text = `${row.name.padEnd(26)}${figures.join('')} ${row.unit.padEnd(6)} ${ratio} ${remarks}`;
  console.log(text.trimEnd());
}

async function measureOnce(addresses: Measurement['addresses']): Promise<Run> {
  const rows: Row[] = [];
  // Before the run: what is committed during it is not what is measured.
  const ours = buildName(ROOT);
  const bare = await BareEngine.create();
  const size = given.quick ? QUICK : FULL;
  const heads = ['ours', 'other', 'bare'].map((head) => head.padStart(10)).join('');
  for (const group of chosenGroups()) {
    console.log(`${group.title.padEnd(26)}${heads}`);
    await measureGroup(group, {
      addresses,
      bare,
      size: { ...size, rounds: Number(given.rounds ?? size.rounds) },
      say: (row) => {
        rows.push(row);
        say(row);
      },
    });
  }
  return {
    ours,
    theirs: await nameOf(addresses.theirs),
    ...measuringNow(given.quick),
    rows,
  };
}

async function measureAll(): Promise<Results> {
  // What this process compiles must not be found by the nodes.
  configure({ cacheDir: null });
  const addresses = { ours: addressOf(given.node), theirs: addressOf(given.against ?? given.node) };
  const runs: Run[] = [];
  while (runs.length < Number(given.runs)) runs.push(await measureOnce(addresses));
  return { runs };
}

/** One line of JSON: the ratios, and where this node failed. */
function finish(results: Results): void {
  const ratios = linesOf(results).flatMap(({ name, ratio }) =>
    ratio === undefined ? [] : [[name, Number(ratio.toPrecision(4))] as const],
  );
  const rows = results.runs.flatMap((run) => run.rows);
  const failed = rows.filter(({ isFailure }) => isFailure);
  const quick = results.runs.some((run) => run.quick);
  const names = failed.map(({ name }) => name);
  console.log(JSON.stringify({ ...Object.fromEntries(ratios), failed: names, quick }));
  if (failed.length > 0) process.exitCode = 1;
}

const PAGE_RESULTS = fileURLToPath(new URL('docs/benchmarks/results.json', ROOT));
const OTHER_RESULTS = fileURLToPath(new URL('node_modules/.cache/bench/results.json', ROOT));

if (given.page && given.against === undefined) {
  const paths = [...files, ...(given.results === undefined ? [] : [given.results])];
  const results = readResults(paths.length === 0 ? [PAGE_RESULTS] : paths);
  writePage(ROOT, results);
  finish(results);
} else {
  const results = await measureAll();
  writeFileSync(given.results ?? OTHER_RESULTS, runsText(results.runs));
  const isWhole = given.against !== undefined && given.only === undefined && !given.quick;
  if (isWhole || given.page) writePage(ROOT, results);
  finish(results);
}
