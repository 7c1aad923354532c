// The bench: runs a scenario by its name.
//
//   npm run bench                              lists them
//   npm run bench -- engine --quick            one, at its small sizes
//   npm run bench -- overload --seconds 30     with another size; the list names the options
//
// A scenario prints each figure with its bound, then one line of JSON, and exits 1 if a bound is broken.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Scenario } from './harness/scenario.js';
import { SCENARIOS } from './scenarios/scenarios.js';

type ArgumentOptions = NonNullable<ParseArgsConfig['options']>;

function optionsOf({ sizes, options = {} }: Scenario): ArgumentOptions {
  const config: ArgumentOptions = { quick: { type: 'boolean', default: false } };
  for (const name of sizes) config[name] = { type: 'string' };
  for (const [name, kind] of Object.entries(options)) {
    config[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' };
  }
  return config;
}

async function list(): Promise<void> {
  for (const [name, load] of Object.entries(SCENARIOS)) {
    const scenario = await load();
    const { measures, sizes, options = {} } = scenario;
    const names = [...sizes, ...Object.keys(options)].map((option) => `--${option}`);
    console.log(`${name.padEnd(16)} ${measures}\n${' '.repeat(17)}${names.join(' ')}`);
  }
  console.log('\nnpm run bench -- NAME [--quick]');
}

async function run(name: string, args: readonly string[]): Promise<void> {
  const load = SCENARIOS[name];
  if (!load) throw new Error(`no scenario ${name}: one of ${Object.keys(SCENARIOS).join(', ')}`);
  const scenario = await load();
  const { values, positionals } = parseArgs({
    args: [...args],
    options: optionsOf(scenario),
    allowPositionals: true,
  });
  await scenario.run(values, positionals);
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) await list();
else await run(name, args);
