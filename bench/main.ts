// The bench: runs scenarios by their names.
//
//   npm run bench                              lists them
//   npm run bench -- engine --quick            one, at its small sizes
//   npm run bench -- engine growth             several, each in a process of its own
//   npm run bench -- overload --seconds 30     with another size; the list names the options
//
// A scenario prints each figure with its bound, then one line of JSON, and exits 1 if a bound is broken. Several end with
// one line of JSON that has their figures by their names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Scenario } from './harness/scenario.js';
import { SCENARIOS } from './scenarios/scenarios.js';

type ArgumentOptions = NonNullable<ParseArgsConfig['options']>;

const isOption = (argument: string): boolean => argument.startsWith('-');

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
    console.log(`${name.padEnd(14)} ${measures}\n${' '.repeat(15)}${names.join(' ')}`);
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

/** Runs a scenario in a process of its own and passes its output on. @returns its last line */
async function runApart(name: string, args: readonly string[]): Promise<unknown> {
  const program = [...process.execArgv, fileURLToPath(import.meta.url), name, ...args];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let output = '';
  for await (const piece of child.stdout) {
    output += piece;
    process.stdout.write(piece);
  }
  const [code] = await exit;
  if (code !== 0) process.exitCode = 1;
  const last = output.trim().split('\n').at(-1) ?? '';
  return last.startsWith('{') ? JSON.parse(last) : { failed: true };
}

const argv = process.argv.slice(2);
const firstOption = argv.findIndex(isOption);
const names = firstOption < 0 ? argv : argv.slice(0, firstOption);
const args = argv.slice(names.length);
const [only] = names;
if (only === undefined) {
  if (args.length > 0) throw new Error(`name a scenario before ${args.join(' ')}`);
  await list();
} else if (names.length === 1) {
  await run(only, args);
} else {
  const figures: Record<string, unknown> = {};
  for (const name of names) {
    console.log(`\n${name}`);
    figures[name] = await runApart(name, args);
  }
  console.log(JSON.stringify(figures));
}
