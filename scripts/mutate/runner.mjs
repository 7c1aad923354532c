// Runs test files for one mutant after another in one vitest, as a process that `mutate.mjs` may end.
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createVitest } from 'vitest/node';
import { ROOT } from '../cargo.mjs';

/**
 * @typedef {{ mutant: string, files: string[] }} Request
 * @typedef {{ file: string, passed: boolean, seconds: number, failed: string[] }} FileResult
 * @typedef {{ files: FileResult[], errors: string[], failure?: string }} Answer
 */

/** The caller gives the order. */
class GivenOrder {
  /** @template T @param {T} specifications */
  sort = (specifications) => specifications;
  /** @template T @param {T} specifications */
  shard = (specifications) => specifications;
}

/** @param {import('vitest/node').TestModule} testModule @returns {FileResult} */
function resultOf(testModule) {
  const failed = [...testModule.children.allTests('failed')].map(({ fullName }) => fullName);
  return {
    file: testModule.relativeModuleId,
    passed: testModule.state() === 'passed',
    seconds: testModule.diagnostic().duration / 1000,
    failed: testModule.state() === 'failed' && failed.length === 0 ? ['the file'] : failed,
  };
}

const vitest = await createVitest('test', {
  config: 'scripts/mutate/vitest.config.mjs',
  watch: false,
  // A run that counts functions needs all of them.
  bail: process.env['FUNCTIONS_EXECUTED'] ? 0 : 1,
  reporters: [{}],
  sequence: { sequencer: GivenOrder },
  onConsoleLog: () => false,
});
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();

/** @param {Request} request @returns {Promise<Answer>} */
async function run({ mutant, files }) {
  // Workers are new in every run, and take over the environment.
  process.env['MUTANT_ON'] = mutant;
  const chosen = files.flatMap((file) =>
    specifications.filter(({ moduleId }) => moduleId === join(ROOT, file)),
  );
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen);
  return {
    files: testModules.map(resultOf),
    errors: unhandledErrors.map((error) => inspect(error, { depth: 0 }).split('\n')[0] ?? ''),
  };
}

/** @param {unknown} message */
const send = (message) => process.send?.(message);

process.on('message', (/** @type {Request} */ request) => {
  run(request).then(send, (error) => send({ files: [], errors: [], failure: inspect(error) }));
});
// Its workers end with it, whichever way `mutate.mjs` has ended.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
send({ isReady: true });
