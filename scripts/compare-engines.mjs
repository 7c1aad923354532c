// Executes the same random transactions by the native engine and by WebAssembly, and compares receipts, traces, failures,
// block hashes, state differences and compiled classes.
//
//   node scripts/compare-engines.mjs                            300 transactions
//   node scripts/compare-engines.mjs --random 10000 --seed 7    others
//
// A passed run without options is recorded, as of the tests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOnce } from './built-engine.mjs';
import { ROOT, run } from './cargo.mjs';

const TEST = 'packages/engine/test/execution/digests.test.ts';
const { values } = parseArgs({
  options: { random: { type: 'string' }, seed: { type: 'string' }, fresh: { type: 'boolean' } },
});

if (values.random === undefined && values.seed === undefined) {
  checkOnce('compare-engines', ['scripts/compare-engines.mjs', TEST], compare);
} else compare();

function compare() {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-engines-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [native, wasm] = ['', 'wasm'].map((engine) => digestsOf(engine, join(folder, 'digests')));
  const digests = native ?? [];
  const different = digests.flatMap((digest, index) => (digest === wasm?.[index] ? [] : [index]));
  console.log(JSON.stringify({ digests: digests.length, different: different.length }));
  if (different.length > 0 || digests.length !== wasm?.length) {
    console.error(`The first differences are at the digests ${different.slice(0, 10).join(', ')}`);
    process.exit(1);
  }
}

/**
 * @param {string} engine as STARKBOX_ENGINE names it
 * @param {string} file
 * @returns {string[]}
 */
function digestsOf(engine, file) {
  run('npx', ['vitest', 'run', '--project', 'shared', TEST], ROOT, {
    STARKBOX_ENGINE: engine,
    STARKBOX_DIGESTS: file,
    STARKBOX_DIGESTED_TRANSACTIONS: values.random ?? '300',
    ...(values.seed === undefined ? {} : { STARKBOX_DIGESTED_SEED: values.seed }),
  });
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}
