// Records how often each branch of the engine runs under typical work, and builds the engine by these counts.
//
//   node scripts/train-engine.mjs                  for daily builds on this machine
//   node scripts/train-engine.mjs --profile dist   for publishing
//
// Both builds compile every crate, because each has flags of its own. Later builds of the profile use the counts until
// the next training run; functions that have changed since are compiled without.
import { parseArgs } from 'node:util';
import { ROOT, run } from './cargo.mjs';
import { forgetRecordings, mergeCommand, mergeRecordings } from './training.mjs';

/** Transfers and calls in a bare loop, a node under load, and what a test suite does first. */
const WORK = [
  ['run', 'bench', '--', 'engine', '--quick'],
  ['run', 'bench', '--', 'growth', '--quick', '--only', 'transfers'],
  ['run', 'bench', '--', 'compare', '--quick', '--only', 'First seconds'],
];

const { values } = parseArgs({ options: { profile: { type: 'string', default: 'release' } } });
const build = ['scripts/build-engine.mjs', '--profile', values.profile];

mergeCommand();
forgetRecordings(values.profile);
run(process.execPath, [...build, '--training'], ROOT);
for (const work of WORK) run('npm', work, ROOT);
mergeRecordings(values.profile);
run(process.execPath, build, ROOT);
