// Records how often each branch of the engine runs under typical work, and builds the engine by these counts.
//
//   npm run build:engine:train                       for daily builds on this machine
//   npm run build:engine:train -- --profile dist     for publishing
//
// Both builds compile every crate, because each has flags of its own. Later builds of the profile use the counts until
// the next training run; functions that have changed since are compiled without.
import { parseArgs } from 'node:util';
import { ROOT, run } from './cargo.mjs';
import { forgetRecordings, mergeCommand, mergeRecordings } from './training.mjs';

/** Histories of calls, fixtures and transactions of a test suite, growing chains, and a node's first requests. */
const WORK = [
  ['planted-bugs', '--quick', '--only', 'guarded_shares'],
  ['test-suites', '--quick'],
  ['growth', '--quick', '--only', 'blocks'],
  ['compare', '--quick', '--only', 'First seconds'],
];
/** The file of npm, because Windows starts no command scripts without a shell. */
const NPM = process.env['npm_execpath'];

const { values } = parseArgs({ options: { profile: { type: 'string', default: 'release' } } });
const build = ['scripts/build-engine.mjs', '--profile', values.profile];

mergeCommand();
forgetRecordings(values.profile);
run(process.execPath, [...build, '--training'], ROOT);
if (NPM === undefined) throw new Error('start it by npm: npm run build:engine:train');
for (const work of WORK) run(process.execPath, [NPM, 'run', 'bench', '--', ...work], ROOT);
mergeRecordings(values.profile);
run(process.execPath, build, ROOT);
