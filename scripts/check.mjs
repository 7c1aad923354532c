// What to run before a commit: `npm run check`. Lint, types, names, architecture, and tests near what changed; it says
// which tests it left out.
//
//   node scripts/check.mjs                   changes since the branch left main
//   node scripts/check.mjs --since HEAD~1    changes since another commit
import { existsSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { OUR_CRATES, ROOT } from './cargo.mjs';
import { failureOf, runText } from './processes.mjs';
import { staleBuilds } from './stale-builds.mjs';

/** More test files than these take minutes. */
const MAX_TEST_FILES = 25;
const VITEST = 'node_modules/vitest/vitest.mjs';
/** Projects whose tests need no browser, end no processes and are not timed. */
const PROJECTS = ['--project=shared', '--project=alone'];
const ARCHITECTURE_TESTS = ['test/architecture', 'test/sizes', 'test/recipes'];

/**
 * @typedef {{ name: string, command: string, args: readonly string[] }} Part
 * @typedef {{ name: string, passed: boolean }} Outcome
 */

/**
 * @param {readonly string[]} args
 * @returns {string[]} the lines that it prints
 */
function git(...args) {
  return runText('git', args, { cwd: ROOT }).split('\n').filter(Boolean);
}

/** The commit at which the branch left main. */
function forkPoint() {
  const [main = 'HEAD'] = git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/heads/main',
    'refs/remotes/origin/main',
  );
  return git('merge-base', 'HEAD', main)[0] ?? main;
}

/** @param {string} base the commit before the changes */
function changedFiles(base) {
  return [
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/**
 * The tests that import a changed file: changed ones first, then those beside a changed file, then the others.
 *
 * @param {string} base the commit before the changes
 * @param {readonly string[]} changed
 */
function testsToRun(base, changed) {
  const text = runText(
    process.execPath,
    [VITEST, 'list', '--filesOnly', '--json', `--changed=${base}`, ...PROJECTS],
    { cwd: ROOT },
  );
  /** @type {{ file: string }[]} */
  const listed = JSON.parse(text.slice(text.indexOf('[')));
  const related = [...new Set(listed.map(({ file }) => relative(ROOT, file)))];
  const themes = new Set(changed.map(themeOf));
  const rank = (/** @type {string} */ file) => {
    if (changed.includes(file)) return 0;
    return themes.has(themeOf(file)) ? 1 : 2;
  };
  const ranked = related.sort((one, other) => rank(one) - rank(other));
  return { files: ranked.slice(0, MAX_TEST_FILES), leftOut: ranked.slice(MAX_TEST_FILES) };
}

/**
 * @param {string} file
 * @returns {string} the package and the folder of a source or a test: `starkbox/chain`
 */
function themeOf(file) {
  const [, name, , ...path] = file.split('/');
  return `${name === 'e2e' ? 'starkbox' : name}/${path.length > 1 ? path[0] : ''}`;
}

/**
 * @param {Part} part
 * @returns {Promise<Outcome>}
 */
async function run({ name, command, args }) {
  const start = performance.now();
  const failure = await failureOf(command, args, { cwd: ROOT });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (failure !== undefined) console.log(`\n${failure.trim()}\n`);
  const passed = failure === undefined;
  console.log(`${passed ? 'passed' : 'FAILED'}  ${seconds.padStart(5)} s  ${name}`);
  return { name, passed };
}

const { values: options } = parseArgs({ options: { since: { type: 'string' } } });
const base = options.since ?? forkPoint();
const { execPath } = process;
/** @type {Part[]} */
const parts = [
  { name: 'types', command: execPath, args: ['node_modules/.bin/tsc', '-b'] },
  { name: 'lint and format', command: 'node_modules/.bin/biome', args: ['check'] },
  { name: 'names', command: execPath, args: ['scripts/check-names.mjs'] },
  { name: 'architecture', command: execPath, args: [VITEST, 'run', ...ARCHITECTURE_TESTS] },
];
const changed = changedFiles(base);
if (changed.some((file) => file.endsWith('.rs'))) {
  parts.push({
    name: 'format of the engine',
    command: 'cargo',
    args: ['fmt', '--check', ...OUR_CRATES],
  });
}
const tests = testsToRun(base, changed);
const isBuilt =
  existsSync(`${ROOT}packages/engine/classes`) &&
  readdirSync(`${ROOT}packages/engine`).some((file) => file.endsWith('.node'));
if (tests.files.length > 0 && isBuilt) {
  const args = [VITEST, 'run', ...PROJECTS, ...tests.files];
  parts.push({ name: `tests (${tests.files.length} files)`, command: execPath, args });
}

/** @type {Outcome[]} */
const outcomes = [];
const runNext = async () => {
  for (let part = parts.shift(); part; part = parts.shift()) outcomes.push(await run(part));
};
// Two at a time: most machines have at least as many cores.
await Promise.all([runNext(), runNext()]);
if (tests.files.length > 0 && !isBuilt) {
  console.log(
    `not run        tests (${tests.files.length} files): build the engine first, npm run build`,
  );
}
for (const sentence of staleBuilds()) console.log(`built files    ${sentence}`);
if (tests.leftOut.length > 0) {
  console.log(
    `not run        ${tests.leftOut.length} more test files import a change, for example ${tests.leftOut[0]}.\n` +
      `               All of them: npx vitest run --changed=${base} ${PROJECTS.join(' ')}`,
  );
}
const failed = outcomes.filter(({ passed }) => !passed).map(({ name }) => name);
const total = `${(performance.now() / 1000).toFixed(0)} s`;
console.log(
  failed.length === 0
    ? `what was run passed, ${total}`
    : `check FAILED, ${total}: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
