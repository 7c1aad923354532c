// Executes transactions by two engines, and compares what they report. `npm run compare:engines` and
// `npm run compare:executors` call it.
//
//   node scripts/compare.mjs engines                              natively and by WebAssembly, 300 random transactions
//   node scripts/compare.mjs engines --random 10000 --seed 7      others
//   node scripts/compare.mjs executors                            by the published executor and by ours
//   node scripts/compare.mjs executors npx vitest run packages    all transactions of a command
//
// Engines are compared by receipts, traces, failures, block hashes, state differences and compiled classes; executors
// also by resources, and by the registers and memory of the machine. The engine for executors executes each transaction
// four times. A passed run without options is recorded, as of the tests.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOnce } from './built-engine.mjs';
import { ROOT, run } from './cargo.mjs';
import { buildVariant } from './engine-variant.mjs';

const TEST = 'packages/engine/test/execution/comparison.test.ts';

const folder = mkdtempSync(join(tmpdir(), 'starkbox-compared-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const [, , subject, ...rest] = process.argv;
const isCommand = subject === 'executors' && rest[0] !== undefined && !rest[0].startsWith('-');
const { values } = parseArgs({
  args: isCommand ? [] : rest,
  options: { random: { type: 'string' }, seed: { type: 'string' }, fresh: { type: 'boolean' } },
});
const count = values.random ?? '300';

if (subject !== 'engines' && subject !== 'executors') {
  console.error('Usage: node scripts/compare.mjs engines|executors [--random N] [--seed N]');
  process.exit(2);
}
const compare = subject === 'engines' ? compareEngines : compareExecutors;
if (isCommand || values.random !== undefined || values.seed !== undefined) compare();
else checkOnce(`compare-${subject}`, ['scripts/compare.mjs', TEST], compare);

/** @param {Readonly<Record<string, string>>} variables */
function runRandomTransactions(variables) {
  run('npx', ['vitest', 'run', '--project', 'shared', TEST], ROOT, {
    ...variables,
    TEST_COMPARED_TRANSACTIONS: count,
    ...(values.seed === undefined ? {} : { TEST_COMPARED_SEED: values.seed }),
  });
}

/**
 * @param {string} file
 * @returns {string[]}
 */
function linesIn(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

function compareEngines() {
  const [native = [], wasm = []] = ['', 'wasm'].map((engine) => {
    const file = join(folder, `digests-${engine}`);
    runRandomTransactions({ STARKBOX_ENGINE: engine, TEST_DIGESTS: file });
    return linesIn(file);
  });
  const different = native.flatMap((digest, index) => (digest === wasm[index] ? [] : [index]));
  console.log(JSON.stringify({ digests: native.length, different: different.length }));
  if (native.length > 0 && different.length === 0 && native.length === wasm.length) return;
  console.error(`The first differences are at the digests ${different.slice(0, 10).join(', ')}`);
  process.exit(1);
}

function compareExecutors() {
  const file = join(folder, 'comparisons');
  const variables = {
    STARKBOX_ENGINE: buildVariant('compared', { features: ['compare-executors'] }),
    STARKBOX_COMPARISONS: file,
  };
  // A run that fails ends this process.
  process.prependListener('exit', () => summarize(linesIn(file)));
  const [command] = rest;
  if (isCommand && command !== undefined) run(command, rest.slice(1), ROOT, variables);
  else runRandomTransactions(variables);
}

/** @param {readonly string[]} lines a line for each transaction */
function summarize(lines) {
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
  const expected = isCommand ? 1 : Number(count);
  if (lines.length < expected || different.length > 0) process.exitCode ||= 1;
}
