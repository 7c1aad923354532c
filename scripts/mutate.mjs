// Puts small faults into sources, one at a time, and reports which no test notices: `npm run mutate`.
//
//   npm run mutate -- --files packages/abi/src --number 60 --seed 7
//   npm run mutate -- --files packages/abi/src --seed 7 --again       those that survived, once more
//   npm run mutate -- --minimum 0.85                                  fails below this rate
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './cargo.mjs';
import { readSource, TestSelection } from './mutate/areas.mjs';
import { PLAN } from './mutate/change-sources.mjs';
import { hashOf, mutantsIn } from './mutate/mutants.mjs';
import { Runner } from './mutate/run-tests.mjs';
import { filesOf } from './sources.mjs';

/**
 * @typedef {import('./mutate/mutants.mjs').Mutant} Mutant
 * @typedef {'killed' | 'survived' | 'timeout'} Outcome
 * @typedef {Pick<Mutant, 'key' | 'file' | 'line' | 'kind' | 'before' | 'after'>} Described
 * @typedef {Described & { verdict: Outcome, by: string, tests: number, leftOut: number, seconds: number }} Verdict
 * @typedef {{ file: string, before: string, after: string, reason: string }} Equivalent
 */

const SOURCES = [
  ...['chain', 'config', 'dump', 'fork', 'rpc', 'service', 'store'].map(
    (folder) => `packages/starkbox/src/${folder}`,
  ),
  'packages/abi/src',
  'packages/debugger/src',
  'packages/testing/src',
];

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', multiple: true, default: SOURCES },
    number: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    // Folders of tests, in place of those of the area.
    tests: { type: 'string', multiple: true, default: [] },
    // Of the tests that execute a mutant, those that take no longer together are run.
    seconds: { type: 'string', default: '90' },
    minimum: { type: 'string', default: '0' },
    again: { type: 'boolean', default: false },
    // Verdicts, a line of JSON each; those of an earlier run are kept.
    results: { type: 'string' },
  },
});

const results =
  options.results ?? join(ROOT, 'node_modules', '.cache', 'mutants', `${options.seed}.jsonl`);
const CACHE = dirname(results);

/** @type {Equivalent[]} */
const EQUIVALENT = JSON.parse(readSource('scripts/mutate/equivalent.json'));

/** @param {Mutant} mutant @param {Equivalent} entry */
const isSame = (mutant, entry) =>
  mutant.file === entry.file && mutant.before === entry.before && mutant.after === entry.after;

/** The mutants of a seed: more of them begin with the same. */
function drawn() {
  const files = filesOf(...options.files).filter(
    (file) => /\.(ts|tsx)$/.test(file) && !/\.d\.ts$/.test(file),
  );
  if (files.length === 0) throw new Error(`no source is in ${options.files.join(' ')}`);
  const all = files.flatMap((file) => mutantsIn(file, readSource(file)));
  const stale = EQUIVALENT.find(
    (entry) => files.includes(entry.file) && !all.some((mutant) => isSame(mutant, entry)),
  );
  if (stale) throw new Error(`equivalent.json: no mutant of ${stale.file} is: ${stale.after}`);
  const ordered = all
    .filter((mutant) => !EQUIVALENT.some((entry) => isSame(mutant, entry)))
    .map((mutant) => ({ mutant, order: hashOf(`${options.seed} ${mutant.key}`) }))
    .sort((first, second) => (first.order < second.order ? -1 : 1));
  return ordered.slice(0, Number(options.number)).map(({ mutant }) => mutant);
}

/** @returns {Map<string, Verdict>} of this run so far, by the keys of the mutants */
function earlierVerdicts() {
  const lines = existsSync(results)
    ? readFileSync(results, 'utf8').split('\n').filter(Boolean)
    : [];
  /** @type {Verdict[]} */
  const verdicts = lines.map((line) => JSON.parse(line));
  return new Map(verdicts.map((verdict) => [verdict.key, verdict]));
}

/** @param {Runner} runner @param {Mutant} mutant @param {{ file: string, seconds: number }[]} tests @returns {Promise<Verdict>} */
async function judge(runner, mutant, tests) {
  const start = performance.now();
  let total = 0;
  const chosen = tests.filter((test, at) => {
    total += test.seconds;
    return at === 0 || total <= Number(options.seconds);
  });
  const expected = chosen.reduce((sum, { seconds }) => sum + seconds, 0);
  const files = chosen.map(({ file }) => file);
  const answer =
    files.length > 0 ? await runner.run(mutant.key, files, 60 + 5 * expected) : undefined;
  const failed = answer?.files.find((file) => file.failed.length > 0);
  const by = failed ? `${failed.file} > ${failed.failed[0]}` : (answer?.errors[0] ?? '');
  const { key, file, line, kind, before, after } = mutant;
  return {
    ...{ key, file, line, kind, before, after },
    verdict: answer?.isEnded ? 'timeout' : by === '' ? 'survived' : 'killed',
    by,
    tests: files.length,
    leftOut: tests.length - files.length,
    seconds: Math.round((performance.now() - start) / 100) / 10,
  };
}

/** @param {readonly Verdict[]} verdicts */
function rateOf(verdicts) {
  return verdicts.filter(({ verdict }) => verdict !== 'survived').length / verdicts.length;
}

/** @param {readonly Verdict[]} verdicts */
function report(verdicts) {
  for (const { file, line, before, after, tests, leftOut, verdict } of verdicts) {
    if (verdict !== 'survived') continue;
    const ran = leftOut > 0 ? `${tests} of ${tests + leftOut} test files` : `${tests} test files`;
    console.log(`\n${file}:${line} survived ${ran}\n  - ${before}\n  + ${after}`);
  }
  console.log('\nrate  killed  all  folder');
  const folders = [...new Set(verdicts.map(({ file }) => dirname(file)))].sort();
  const lineOf = (/** @type {readonly Verdict[]} */ rows, /** @type {string} */ name) => {
    const killed = rows.filter(({ verdict }) => verdict !== 'survived').length;
    return `${rateOf(rows).toFixed(2)}  ${`${killed}`.padStart(6)}  ${`${rows.length}`.padStart(3)}  ${name}`;
  };
  for (const folder of folders) {
    console.log(
      lineOf(
        verdicts.filter(({ file }) => dirname(file) === folder),
        folder,
      ),
    );
  }
  console.log(lineOf(verdicts, `all; verdicts in ${results}`));
}

mkdirSync(CACHE, { recursive: true });
const mutants = drawn();
const known = earlierVerdicts();
const open = mutants.filter(({ key }) => {
  const verdict = known.get(key)?.verdict;
  return verdict === undefined || (options.again && verdict === 'survived');
});
const selection = new TestSelection(CACHE);
if (open.length > 0) {
  await selection.learn(
    open.map(({ file }) => file),
    options.tests,
  );
  const plan = join(CACHE, `plan-${process.pid}.json`);
  writeFileSync(plan, JSON.stringify(open));
  const runner = new Runner({ [PLAN]: plan });
  for (const [at, mutant] of open.entries()) {
    // A test that was changed in the meantime, and fails without a mutant, has no say.
    const tests = await selection.learn([mutant.file], options.tests);
    const verdict = await judge(runner, mutant, selection.testsOf(mutant, tests));
    known.set(mutant.key, verdict);
    appendFileSync(results, `${JSON.stringify(verdict)}\n`);
    console.log(
      `${at + 1}/${open.length} ${verdict.verdict} ${verdict.seconds} s ${mutant.file}:${mutant.line} ${mutant.after} ${verdict.by}`,
    );
  }
  runner.end();
}
const verdicts = mutants.flatMap(({ key }) => known.get(key) ?? []);
report(verdicts);
if (rateOf(verdicts) < Number(options.minimum)) process.exitCode = 1;
