// A replica built from the notifications of a node equals its chain, whatever happens to it.

import { type Command, describeCommand } from '@starkbox/test-support/model/commands';
import { SETUPS } from '@starkbox/test-support/model/history-runner';
import type { Setup } from '@starkbox/test-support/model/node-and-model';
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FIXED } from './fixed-histories.js';
import { FollowedRunner, type Timing } from './followed-runner.js';
import { histories } from './histories.js';

/**
 * By hand, for more histories or for those of another seed:
 * TEST_HISTORIES=1000 TEST_SEED=7 npx vitest run packages/e2e/test/followed/followed.test.ts
 * A failure names its seed and its path; with TEST_PATH it alone is played again.
 */
const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 16);
const PATH = process.env['TEST_PATH'];
const LENGTH = 20;

/** Interval of the sockets' pings, in milliseconds. */
const PULSE = 30_000;
const NEVER = 2 ** 31 - 1;

const runners = new Map(SETUPS.map((setup) => [setup, new FollowedRunner(setup)]));

beforeAll(() => {
  // Time passes, and timers fire, only by commands.
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { setInterval } = globalThis;
  // A minute passes at once, too fast for a client to answer a ping.
  vi.stubGlobal('setInterval', (run: () => void, milliseconds: number) =>
    setInterval(run, milliseconds === PULSE ? NEVER : milliseconds),
  );
});
afterAll(async () => {
  for (const runner of runners.values()) await runner.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test(`${HISTORIES} histories of ${LENGTH} commands are notified without gap or repetition`, {
  timeout: 600_000 + HISTORIES * 1000,
}, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...SETUPS),
    histories(LENGTH),
    fc.record({ batch: fc.constantFrom<number>(1, 4), late: fc.nat(LENGTH) }),
    async (setup, commands, timing) => {
      await runners.get(setup)?.follow(commands, timing);
    },
  );
  const begin = performance.now();
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: HISTORIES,
    ...(PATH === undefined ? {} : { path: PATH }),
  });
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`seed ${SEED}: ${details.numRuns} histories in ${seconds} s`);
  expect.assert(!details.failed, report(details));
});

test.each(FIXED)('notifications when %s', async (_name, commands) => {
  const failures: string[] = [];
  for (const [setup, runner] of runners) {
    const run = runner.follow(commands, { batch: 1, late: 0 });
    await run.catch((error: Error) => failures.push(`blocks on ${setup.name}: ${error.message}`));
  }
  expect(failures).toEqual([]);
});

/** One line for each command of the shortest history that fails. */
function report({
  seed,
  counterexample,
  counterexamplePath,
  numShrinks,
  errorInstance,
}: fc.RunDetails<[Setup, readonly Command[], Timing]>): string {
  const [setup, commands = [], timing] = counterexample ?? [];
  const lines = commands.map((command, index) => `${index + 1}. ${describeCommand(command)}`);
  return [
    `seed ${seed}, path ${counterexamplePath}, ${numShrinks} times shrunk`,
    `blocks on ${setup?.name}, notifications read after every ${timing?.batch} changes,`,
    `late subscriber after ${timing?.late} changes:`,
    ...lines,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
  ].join('\n');
}
