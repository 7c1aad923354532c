// The bench: runs a scenario by its name.
//
//   npm run bench                              lists them
//   npm run bench -- startup --quick           one, at its small sizes
//   npm run bench -- soak --minutes 5          with another size; the list names the options
//   npm run bench -- page FILE …               puts results files into docs/contributing/benchmarks.md
//
// A scenario prints each figure with its bound, then one line of JSON, and exits 1 if a bound is broken. It writes its
// results to `--results FILE`, or to its file in node_modules/.cache/bench/results.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Scenario } from './harness/scenario.js';
import { writePage } from './page.js';

const load = (module: Promise<{ readonly scenario: Scenario }>): Promise<Scenario> =>
  module.then(({ scenario }) => scenario);

/** Loaded when they run: some start programs or load other libraries. */
const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  compare: () => load(import('./compare/compare.js')),
  'data-dir': () => load(import('./scenarios/data-dir.js')),
  growth: () => load(import('./scenarios/growth.js')),
  instances: () => load(import('./scenarios/instances.js')),
  'planted-bugs': () => load(import('./scenarios/planted-bugs.js')),
  properties: () => load(import('./scenarios/properties.js')),
  regressions: () => load(import('./regressions/regressions.js')),
  soak: () => load(import('./scenarios/soak.js')),
  startup: () => load(import('./scenarios/startup.js')),
  'test-suites': () => load(import('./scenarios/test-suites.js')),
};

type ArgumentOptions = NonNullable<ParseArgsConfig['options']>;

function optionsOf({ sizes, options = {} }: Scenario): ArgumentOptions {
  const config: ArgumentOptions = {
    quick: { type: 'boolean', default: false },
    results: { type: 'string' },
  };
  for (const name of sizes) config[name] = { type: 'string' };
  for (const [name, kind] of Object.entries(options)) {
    config[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' };
  }
  return config;
}

async function list(): Promise<void> {
  for (const [name, loadScenario] of Object.entries(SCENARIOS)) {
    const { measures, sizes, options = {} } = await loadScenario();
    const names = [...sizes, ...Object.keys(options)].map((option) => `--${option}`);
    console.log(`${name.padEnd(16)} ${measures}\n${' '.repeat(17)}${names.join(' ')}`);
  }
  console.log('\nnpm run bench -- NAME [--quick] [--results FILE]');
}

async function run(name: string, args: string[]): Promise<void> {
  const loadScenario = SCENARIOS[name];
  if (!loadScenario) {
    throw new Error(`no scenario ${name}: one of ${Object.keys(SCENARIOS).join(', ')}`);
  }
  const scenario = await loadScenario();
  await scenario.run(name, parseArgs({ args, options: optionsOf(scenario) }).values);
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) await list();
else if (name === 'page') writePage(args);
else await run(name, args);
