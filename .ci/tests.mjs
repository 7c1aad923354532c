// Test run of CI: `node .ci/tests.mjs REPORT [OPTION OF VITEST…]`. Files that failed run once more, without others beside them.
// A test that passes then is reported as unsteady: it depends on the load of the machine, which is a fault of the test.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PARTS, partNow } from '../scripts/stamps.mjs';

/**
 * @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} File
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: File[] }} Report
 */

/** More failed files than these are not explained by load. */
const MAX_FILES_AGAIN = 6;

const [target, ...selection] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: node .ci/tests.mjs REPORT [OPTION…]');
/** A shard of the files that failed would miss some. */
const projects = selection.filter((option) => option.startsWith('--project'));
const folder = mkdtempSync(join(tmpdir(), 'starkbox-tests-'));

/** @param {string[]} options */
function run(options) {
  const output = join(mkdtempSync(join(folder, 'run-')), 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...options],
    { stdio: 'inherit' },
  );
  /** @type {Report} */
  const report = existsSync(output)
    ? JSON.parse(readFileSync(output, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  const failed = report.testResults.filter((file) => file.status === 'failed');
  return { succeeded: status === 0, report, failed };
}

/** @param {File[]} files */
function namesOf(files) {
  return files.flatMap(({ name, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed');
    const names = tests.length === 0 ? ['the file'] : tests.map(({ fullName }) => fullName);
    return names.map((test) => `${relative('.', name)} > ${test}`);
  });
}

/** @param {ReturnType<typeof run>} first */
function counted({ succeeded, report, failed }) {
  const notes = namesOf(failed).map((name) => `failed: ${name}`);
  if (!succeeded && failed.length === 0) notes.push('failed: the test run, by an error of no test');
  return {
    succeeded,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    notes,
  };
}

/** @param {ReturnType<typeof run>} first @param {string[]} paths */
function countedAgain(first, paths) {
  console.log(`\n${paths.length} of the files failed, and run again`);
  const second = run(['--no-file-parallelism', ...projects, ...paths]);
  const again = counted(second);
  const passedBefore = first.failed
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
  // A file may belong to two projects, of which one has passed.
  const repeated = first.report.testResults
    .filter((file) => file.status === 'passed' && paths.includes(relative('.', file.name)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
  const lasting = new Set(namesOf(second.failed));
  const unsteady = namesOf(first.failed).filter((name) => !lasting.has(name));
  return {
    ...again,
    passed: first.report.numPassedTests - passedBefore - repeated + again.passed,
    notes: [...unsteady.map((name) => `unsteady, passed when run again: ${name}`), ...again.notes],
  };
}

/** Of a selection, nothing is left out and nothing is noted. */
const parts =
  selection.length > 0
    ? []
    : Object.entries(PARTS).flatMap(([name, { tests = [] }]) =>
        tests.length > 0 ? [{ ...partNow(name), tests }] : [],
      );
const leftOut = parts.filter(({ passedAt }) => passedAt !== undefined);
// Without our prefix, because nodes warn of unknown variables that have it.
process.env['TESTS_LEFT_OUT'] = leftOut.flatMap(({ tests }) => tests).join(',');

const first = run(selection);
if (first.succeeded) {
  for (const part of parts) if (!leftOut.includes(part)) part.notePassed();
}
const paths = [...new Set(first.failed.map(({ name }) => relative('.', name)))];
const again = paths.length > 0 && paths.length <= MAX_FILES_AGAIN;
const { succeeded, ...counts } = again ? countedAgain(first, paths) : counted(first);
rmSync(folder, { recursive: true });
for (const { name, passedAt } of leftOut) {
  counts.notes.push(`left out, passed at ${passedAt} and has not changed since: ${name}`);
}
writeFileSync(target, JSON.stringify(counts));
process.exitCode = succeeded ? 0 : 1;
