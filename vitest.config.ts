// Test projects: what `npm test` runs, what needs a browser, what ends processes, and what is timed.
import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/source-aliases.mjs';
import { warnOfStaleBuilds } from './scripts/stale-builds.mjs';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];

// The ending of a file's name says where it runs.

/** Tests of pages in chromium. */
const BROWSER = ['packages/{e2e,explorer,playground,wallet}/test/**/*.browser.test.ts'];
const BROWSER_SUPPORT = 'packages/explorer/test/support';

/** Tests that kill, crash or restart processes many times. */
const KILLS = ['packages/*/test/**/{kill,*.kill}.test.ts'];

/** Tests that measure time. Each has the machine for itself. */
const TIMED = ['packages/*/test/**/*.timed.test.ts'];

/** Tests that replace a global, or count the work or the handles of a whole process. Each has its own process. */
const ALONE = ['packages/*/test/**/*.alone.test.ts'];

/** Tests of execution, which run again with contracts and accounts of Cairo 2.8, whose gas is counted by steps. */
const EXECUTION = [
  'packages/engine/test/execution/*.test.ts',
  'packages/e2e/test/**/*.cairo.test.ts',
];

/** Tests that also run on the WebAssembly engine: the engine's, golden conversations, explained failures. */
const WASM = [
  'packages/engine{,-wasm}/test/**/*.test.ts',
  'packages/e2e/test/**/*.engines.test.ts',
];

/** Tests of what it does not have: threads, processes, a cache on disk, an allocator. */
const NATIVE = ['packages/engine/test/**/*.{native,alone,timed}.test.ts'];

/** What CI leaves out: tests that passed on this machine, and of which nothing has changed since. */
const LEFT_OUT = (process.env['TESTS_LEFT_OUT'] ?? '').split(',').filter(Boolean);

const SETUP = ['test/support/close-after-tests.ts', 'test/support/seed-random-tests.ts'];

const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');

const BESIDE_OTHERS = {
  setupFiles: SETUP,
  // Many tests wait for a process, a timer or the disk: a worker takes less than half of a core.
  maxWorkers: availableParallelism() + 3,
  sequence: { groupOrder: 0 },
};

warnOfStaleBuilds();

export default defineConfig({
  // It keeps the durations of earlier runs, so that the longest tests start first in a new clone too.
  cacheDir: join(CACHE, 'starkbox', 'vitest'),
  resolve: {
    // Tests run our sources, so that an edit needs no build in between.
    alias: [
      ...sourceAliases({
        starkbox: source('packages/starkbox/src/index.ts'),
        'starkbox/client': source('packages/starkbox/src/client-node.ts'),
        '@starkbox/test-support': source('test/support/conformance/index.ts'),
      }),
      {
        find: /^@starkbox\/test-support\/(.*)$/,
        replacement: source('test/support/$1.ts'),
      },
    ],
  },
  test: {
    environment: 'node',
    exclude: ['**/node_modules/**', ...LEFT_OUT],
    experimental: { fsModuleCache: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Polls end as soon as their condition holds; the limit only catches hangs.
    expect: { poll: { timeout: 60_000 } },
    // Without isolation, files of one process share its modules, and pages, which saves a second per file.
    projects: [
      {
        extends: true,
        test: {
          ...BESIDE_OTHERS,
          name: 'shared',
          include: ALL,
          exclude: [...BROWSER, ...KILLS, ...TIMED, ...ALONE, 'packages/engine-wasm/test/**'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...BESIDE_OTHERS,
          name: 'cairo-2.8',
          include: EXECUTION,
          env: { TEST_CAIRO: '2.8' },
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...BESIDE_OTHERS,
          name: 'wasm',
          include: WASM,
          exclude: NATIVE,
          env: { STARKBOX_ENGINE: 'wasm' },
          isolate: false,
        },
      },
      { extends: true, test: { ...BESIDE_OTHERS, name: 'alone', include: ALONE } },
      { extends: true, test: { ...BESIDE_OTHERS, name: 'kills', include: KILLS } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: `${BROWSER_SUPPORT}/browser-server.ts`,
          setupFiles: [...SETUP, `${BROWSER_SUPPORT}/release-pages.ts`],
          isolate: false,
          expect: { poll: { timeout: 90_000 } },
          // With its page and its node, a worker takes two thirds of a core.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: TIMED,
          setupFiles: SETUP,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
