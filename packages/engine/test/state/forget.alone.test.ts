// Memory of a chain's history: what is kept, what is not, and freeing beside the JavaScript thread.

import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { State } from '@starkbox/engine';
import { threadMilliseconds } from '@starkbox/test-support/thread-time';
import { expect, test } from 'vitest';
import { ADDON, addon } from '../../js/addon.js';

/** For a longer run: TEST_VERSIONS=1000000. */
const VERSIONS = Number(process.env['TEST_VERSIONS'] ?? 40_000);
/** For a larger state: TEST_SLOTS=5000000. */
const SLOTS = Number(process.env['TEST_SLOTS'] ?? 1_000_000);

interface Growth {
  /** Bytes of the process. */
  readonly resident: number;
  /** Bytes as the engine counts them. */
  readonly counted: number;
  readonly versions: number;
}

function growth(keepHistory: boolean): Growth {
  const program = fileURLToPath(new URL('./memory.mjs', import.meta.url));
  const args = ['--expose-gc', program, ADDON, String(keepHistory), String(VERSIONS)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('memory grows by the differences with history, and not at all without', {
  timeout: 600_000,
}, () => {
  const [full, none] = [growth(true), growth(false)];
  console.log(
    [full, none].map(({ resident, counted }) => ({
      'bytes a version': Math.round(resident / VERSIONS),
      'counted bytes a version': Math.round(counted / VERSIONS),
    })),
  );
  expect([none.counted, none.versions]).toEqual([0, 1]);
  expect(full.versions).toBe(VERSIONS + 2_001);
  // What the system gives to a process depends on the others.
  if (process.env['TEST_FULL'] !== '1') return;
  expect(full.resident / full.counted).toBeGreaterThan(0.8);
  expect(full.resident / full.counted).toBeLessThan(1.2);
  expect(none.resident).toBeLessThan(full.resident / 20);
});

/** The longest of the turns of the event loop in which something happens, the first of which collects garbage. */
async function longestTurn(collect: () => void, isOver: () => boolean): Promise<number> {
  let last = threadMilliseconds();
  let longest = 0;
  collect();
  do {
    await setImmediate();
    const now = threadMilliseconds();
    longest = Math.max(longest, now - last);
    last = now;
  } while (!isOver());
  return longest;
}

test('a large state is freed beside the JavaScript thread', { timeout: 600_000 }, async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const empty = State.create({ keepHistory: false });
  let state: unknown = await empty.native.benchFill('0x1', 10, SLOTS / 10, 0);
  collect();
  const until = performance.now() + 200;
  const longestWhileHeld = await longestTurn(collect, () => performance.now() > until);
  const before = addon.benchFreed().longestMillis;
  expect(state).toBeDefined();
  state = undefined;
  // Small values are freed meanwhile, too.
  const isFreed = () => addon.benchFreed().longestMillis > Math.max(10 * before, 5);
  const freed = await longestTurn(collect, isFreed);
  const { longestMillis } = addon.benchFreed();
  console.log({ slots: SLOTS, held: longestWhileHeld, freed, 'the other thread': longestMillis });
  // Freed by this thread, one turn would take all of that time.
  expect(freed - longestWhileHeld).toBeLessThan(longestMillis / 4);
});
