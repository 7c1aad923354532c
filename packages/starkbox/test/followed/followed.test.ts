// A replica built from the notifications of a node equals its chain, whatever happens to it.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Command, shown } from '../model/commands.js';
import { SETUPS } from '../model/history-runner.js';
import type { Setup } from '../model/node-and-model.js';
import { type Audience, FollowedRunner } from './followed-runner.js';
import { histories } from './histories.js';
import { KNOWN } from './known-histories.js';

/**
 * By hand, for more histories or for those of another seed:
 * STARKBOX_HISTORIES=1000 STARKBOX_SEED=7 npx vitest run packages/starkbox/test/followed/followed.test.ts
 * A failure names its seed and its path; with STARKBOX_PATH it alone is played again.
 */
const HISTORIES = Number(process.env['STARKBOX_HISTORIES'] ?? 25);
const SEED = Number(process.env['STARKBOX_SEED'] ?? 20_251_115);
const PATH = process.env['STARKBOX_PATH'];
const LENGTH = 20;

/** How often sockets look whether their clients are there, in milliseconds. */
const PULSE = 30_000;
const NEVER = 2 ** 31 - 1;

const runners = new Map(SETUPS.map((setup) => [setup, new FollowedRunner(setup)]));

beforeAll(() => {
  // Time stands still but for what the commands say; a timer fires only when they let it.
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { setInterval } = globalThis;
  // When a minute passes at once, no client can answer in time that it is there.
  vi.stubGlobal('setInterval', (run: () => void, milliseconds: number) =>
    setInterval(run, milliseconds === PULSE ? NEVER : milliseconds),
  );
});
afterAll(async () => {
  for (const runner of runners.values()) await runner.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test(`${HISTORIES} histories of ${LENGTH} commands are told without gaps, and nothing twice`, {
  timeout: 600_000 + HISTORIES * 1000,
}, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...SETUPS),
    histories(LENGTH),
    fc.record({ patience: fc.constantFrom<number>(1, 4), newcomer: fc.nat(LENGTH) }),
    async (setup, commands, audience) => {
      await runners.get(setup)?.follow(commands, audience);
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

test.each(KNOWN)('%s, and that is told', async (_name, commands) => {
  const failures: string[] = [];
  for (const [setup, runner] of runners) {
    const told = runner.follow(commands, { patience: 1, newcomer: 0 });
    await told.catch((error: Error) => failures.push(`blocks on ${setup.name}: ${error.message}`));
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
}: fc.RunDetails<[Setup, readonly Command[], Audience]>): string {
  const [setup, commands = [], audience] = counterexample ?? [];
  const lines = commands.map((command, index) => `${index + 1}. ${shown(command)}`);
  return [
    `seed ${seed}, path ${counterexamplePath}, ${numShrinks} times shrunk`,
    `blocks on ${setup?.name}, listened to after every ${audience?.patience} changes,`,
    `somebody else comes after ${audience?.newcomer} changes:`,
    ...lines,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
  ].join('\n');
}
