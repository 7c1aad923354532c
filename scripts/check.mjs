// What to run before a commit: `npm run check`. Lint, types, names, architecture, and tests of what changed.
//
//   node scripts/check.mjs                   changes since the branch left main
//   node scripts/check.mjs --since HEAD~1    changes since another commit
import { existsSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { OUR_CRATES, ROOT } from './cargo.mjs';
import { failureOf, runText } from './processes.mjs';

/** More test files than these take minutes. */
const MAX_TEST_FILES = 25;
const VITEST = 'node_modules/vitest/vitest.mjs';
/** Projects whose tests need no browser, end no processes and are not timed. */
const PROJECTS = ['--project=shared', '--project=alone'];
const ARCHITECTURE_TESTS = ['test/architecture', 'test/sizes', 'test/recipes'];
const QUICK_TESTS = ['test/crypto/vectors', 'test/execution/execute', 'test/config'];

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
 * The tests that import a changed file; if these are many, the changed tests and a few of each part.
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
  if (related.length <= MAX_TEST_FILES) {
    return { name: `tests of what changed (${related.length} files)`, files: related };
  }
  const files = related.filter((file) => changed.includes(file)).slice(0, MAX_TEST_FILES);
  return {
    name: `changed and quick tests (of ${related.length} files that import a change)`,
    files: [...files, ...QUICK_TESTS],
  };
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
  parts.push({ name: tests.name, command: execPath, args });
}

/** @type {Outcome[]} */
const outcomes = [];
const runNext = async () => {
  for (let part = parts.shift(); part; part = parts.shift()) outcomes.push(await run(part));
};
// Two at a time: most machines have at least as many cores.
await Promise.all([runNext(), runNext()]);
if (tests.files.length > 0 && !isBuilt) {
  console.log(`not run        ${tests.name}: build the engine first, npm run build`);
}
const failed = outcomes.filter(({ passed }) => !passed).map(({ name }) => name);
const total = `${(performance.now() / 1000).toFixed(0)} s`;
console.log(
  failed.length === 0 ? `check passed, ${total}` : `check FAILED, ${total}: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
