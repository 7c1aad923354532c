// Memory of a chain's history: what is kept, what is not, and freeing beside the JavaScript thread.

import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { State } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { ADDON, addon } from '../../js/addon.js';

/** For a longer run: STARKBOX_VERSIONS=1000000. */
const VERSIONS = Number(process.env['STARKBOX_VERSIONS'] ?? 40_000);
/** For a larger state: STARKBOX_SLOTS=5000000. */
const SLOTS = Number(process.env['STARKBOX_SLOTS'] ?? 1_000_000);

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
  expect(full.resident / full.counted).toBeGreaterThan(0.8);
  expect(full.resident / full.counted).toBeLessThan(1.2);
  expect(none.resident).toBeLessThan(full.resident / 20);
});

/** The longest time between two turns of the event loop while something happens, in milliseconds. */
async function longestTurn(isOver: () => boolean): Promise<number> {
  let longest = 0;
  for (let last = performance.now(); !isOver(); ) {
    await setImmediate();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

test('a large state is freed beside the JavaScript thread', { timeout: 600_000 }, async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const attempts: { freeing: number; idle: number; took: number }[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    let state: unknown = await State.create({ version: 1 }).native.benchSeed('0x1', SLOTS);
    collect();
    const started = performance.now();
    collect();
    const until = performance.now() + 100;
    const idle = (await longestTurn(() => performance.now() > until)) + (until - 100 - started);
    const { count } = addon.benchFreed();
    state = undefined;
    const dropped = performance.now();
    collect();
    const collecting = performance.now() - dropped;
    const freeing = collecting + (await longestTurn(() => addon.benchFreed().count > count));
    attempts.push({ freeing, idle, took: addon.benchFreed().longestMillis });
    expect(state).toBeUndefined();
  }
  console.log(attempts);
  // Freed by this thread, one turn would take all of the time.
  const best = attempts.reduce((one, other) => (one.freeing < other.freeing ? one : other));
  expect(best.freeing - best.idle).toBeLessThan(best.took / 2);
});
