// Fuzzes what the engine reads from files and requests, by coverage, with libFuzzer. Begins with corpus.json.
//
//   node packages/engine/test/fuzz/run.mjs --minutes 30          all targets, in equal shares
//   node packages/engine/test/fuzz/run.mjs --only image,packed   some of them
//   node packages/engine/test/fuzz/run.mjs --seeds FOLDER        with more inputs, in a folder for each target
//   node packages/engine/test/fuzz/run.mjs --keep                writes what reached new code into corpus.json
//
// Needs Rust as the engine's build does, and a C++ compiler, for libFuzzer. Coverage is counted in the engine's core and
// in what it instantiates of libraries. Inputs that break something are kept in the folder that is printed. The last line
// has the figures as JSON.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hostTriple, runCargo, TARGET_DIR } from '../../../../scripts/cargo.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CORPUS = join(HERE, 'corpus.json');
const TARGETS = [
  'image',
  'packed',
  'class',
  'casm',
  'statements',
  'diff',
  'transaction',
  'block',
  'receipts',
  'origin',
  'felt',
];
/** In bytes; longer inputs are not made. */
const MAX_LENGTH = 16_384;
/** In bytes; what is kept of a target at most. */
const KEPT = 17_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    only: { type: 'string' },
    seeds: { type: 'string' },
    keep: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
  },
});
const names = values.only?.split(',') ?? TARGETS;
const unknown = names.find((name) => !TARGETS.includes(name));
if (unknown !== undefined) fail(`${unknown} is not a target: ${TARGETS.join(', ')}`);
for (const [command, what] of [
  ['cargo', 'Rust, from rustup'],
  ['c++', 'a C++ compiler, such as g++ or clang++'],
]) {
  if (spawnSync(command ?? '', ['--version']).status !== 0) fail(`fuzzing needs ${what}`);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(2);
}

const program = build();
const folder = mkdtempSync(join(tmpdir(), 'starkbox-fuzz-'));
console.log(`inputs are in ${folder}`);
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** @type {{ target: string; input: string }[]} */
const corpusInputs = existsSync(CORPUS) ? JSON.parse(readFileSync(CORPUS, 'utf8')) : [];
const seconds = Math.max(
  1,
  Math.round((Number(values.minutes) * 60 * Number(values.jobs)) / names.length),
);
/** @type {Record<string, Figures>} */
const figures = {};
const waiting = [...names];
await Promise.all(Array.from({ length: Number(values.jobs) }, lane));
if (values.keep) writeCorpus();
const all = Object.values(figures);
const sum = {
  executions: all.reduce((total, { executions }) => total + executions, 0),
  crashes: all.reduce((total, { crashes }) => total + crashes, 0),
};
process.exitCode = sum.crashes === 0 && all.every(({ status }) => status === 0) ? 0 : 1;
console.log(JSON.stringify({ ...sum, targets: figures }));

function build() {
  const target = hostTriple();
  runCargo('cargo', ['build', '--locked', '--release', '--target', target], HERE, {
    RUSTC_WRAPPER: join(HERE, 'rustc-with-coverage.mjs'),
  });
  return join(TARGET_DIR, target, 'release', 'starkbox-engine-fuzz');
}

async function lane() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    figures[name] = await fuzz(name);
    console.log(name, JSON.stringify(figures[name]));
  }
}

/**
 * @typedef {object} Figures
 * @property {number} executions
 * @property {number} coverage places of code that were reached, as libFuzzer counts them
 * @property {number} inputs that are kept because each reaches something more
 * @property {number} crashes faults, hangs and excesses of memory
 * @property {string[]} panics of libraries, which the engine turns into errors
 * @property {number | null} status
 */

/**
 * @param {string} name
 * @returns {Promise<Figures>}
 */
async function fuzz(name) {
  const corpus = join(folder, name);
  const faults = join(folder, 'faults', name);
  mkdirSync(corpus);
  mkdirSync(faults, { recursive: true });
  const seeds = values.seeds === undefined ? undefined : join(values.seeds, name);
  if (seeds !== undefined && existsSync(seeds)) cpSync(seeds, corpus, { recursive: true });
  for (const { target, input } of corpusInputs) {
    if (target === name) writeInput(corpus, Buffer.from(input, 'base64'));
  }
  const { status, text } = await libFuzzer(name, [
    corpus,
    `-max_total_time=${seconds}`,
    `-max_len=${MAX_LENGTH}`,
    `-artifact_prefix=${faults}/`,
    '-timeout=10',
    '-rss_limit_mb=2048',
    '-print_final_stats=1',
    '-reduce_inputs=1',
  ]);
  const last = [...text.matchAll(/cov: (\d+)/g)].at(-1)?.[1];
  const executions = /number_of_executed_units: (\d+)/.exec(text)?.[1];
  const panics = [...text.matchAll(/^LIBRARY PANIC at (\S+)/gm)].map(([, location = '']) =>
    location.split('/').slice(-4).join('/'),
  );
  const crashes = readdirSync(faults).length;
  if (status !== 0) console.log(text.slice(-4000));
  return {
    executions: Number(executions ?? 0),
    coverage: Number(last ?? 0),
    inputs: readdirSync(corpus).length,
    crashes,
    panics,
    status,
  };
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Promise<{ status: number | null; text: string }>}
 */
function libFuzzer(name, args) {
  const child = spawn(program, args, {
    env: { ...process.env, STARKBOX_FUZZ_TARGET: name },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, text }));
  });
}

/**
 * @param {string} into
 * @param {Buffer} input
 */
function writeInput(into, input) {
  writeFileSync(join(into, createHash('sha1').update(input).digest('hex')), input);
}

/** Keeps the fewest inputs with the same coverage, and of those as many of every size as fit. */
function writeCorpus() {
  const others = corpusInputs.filter(({ target }) => !names.includes(target));
  for (const name of names) {
    const least = join(folder, `${name}-least`);
    mkdirSync(least);
    const env = { ...process.env, STARKBOX_FUZZ_TARGET: name };
    const args = [
      '-set_cover_merge=1',
      '-use_counters=0',
      `-max_len=${MAX_LENGTH}`,
      least,
      join(folder, name),
    ];
    spawnSync(program, args, { env, stdio: 'ignore' });
    const inputs = readdirSync(least).map((file) => readFileSync(join(least, file)));
    inputs.sort((input, other) => input.length - other.length || input.compare(other));
    for (const input of spread(inputs)) {
      others.push({ target: name, input: input.toString('base64') });
    }
  }
  others.sort((input, other) => TARGETS.indexOf(input.target) - TARGETS.indexOf(other.target));
  writeFileSync(CORPUS, `${JSON.stringify(others, null, 2)}\n`);
}

/**
 * @param {readonly Buffer[]} sorted
 * @returns {readonly Buffer[]} every second of them, or third, and so on
 */
function spread(sorted) {
  for (let step = 1; ; step += 1) {
    const everyStep = sorted.filter((_, index) => index % step === 0);
    if (everyStep.reduce((sum, { length }) => sum + length, 0) <= KEPT) return everyStep;
  }
}
