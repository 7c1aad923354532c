// Executes transactions by the published executor and by ours, and compares receipts, traces, state differences,
// resources, and the registers and memory of the machine.
//
//   node scripts/compare-executors.mjs                            300 random transactions
//   node scripts/compare-executors.mjs --random 50000 --seed 7    others
//   node scripts/compare-executors.mjs npx vitest run packages    all transactions of a command
//
// The engine for it executes each transaction four times, so that a command takes longer. A passed run without options
// is recorded, as of the tests.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOnce } from './built-engine.mjs';
import { ROOT, run } from './cargo.mjs';
import { buildVariant } from './engine-variant.mjs';

const TEST = 'packages/engine/test/execution/comparison.native.test.ts';
const options = /** @type {const} */ ({ random: { type: 'string' }, seed: { type: 'string' } });
const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: false });
const [command] = positionals;

if (command !== undefined) compare(command, process.argv.slice(process.argv.indexOf(command) + 1));
else if (Object.keys(values).length > 0) compareRandom();
else checkOnce('compare', ['scripts/compare-executors.mjs', TEST], compareRandom);

function compareRandom() {
  compare('npx', ['vitest', 'run', '--project', 'shared', TEST], {
    STARKBOX_COMPARED_TRANSACTIONS: String(values.random ?? 300),
    ...(values.seed === undefined ? {} : { STARKBOX_COMPARED_SEED: String(values.seed) }),
  });
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {Readonly<Record<string, string>>} variables
 */
function compare(program, parameters, variables = {}) {
  const addon = buildVariant('compared', { features: ['compare-executors'] });
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-compared-'));
  const file = join(folder, 'comparisons');
  process.on('exit', () => {
    summarize(file);
    rmSync(folder, { recursive: true, force: true });
  });
  run(program, parameters, ROOT, {
    ...variables,
    STARKBOX_ENGINE: addon,
    STARKBOX_COMPARISONS: file,
  });
}

/** @param {string} file with a line for each transaction */
function summarize(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const different = lines.filter((line) => !line.startsWith('equal '));
  const [runs, steps, cells] = [1, 2, 3].map((index) =>
    lines.reduce((sum, line) => sum + (Number(line.split(' ')[index]) || 0), 0),
  );
  for (const line of different.slice(0, 10)) console.error(line.slice(0, 2000));
  console.log(
    JSON.stringify({
      transactions: lines.length,
      different: different.length,
      machine_runs: runs,
      machine_steps: steps,
      cells_of_arbitrary_points: cells,
    }),
  );
  if (lines.length === 0 || different.length > 0) process.exitCode ||= 1;
}
