// Test projects: what `npm test` runs, what needs a browser, what ends processes, and what is timed.
import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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

const CLOSE_AFTER_TESTS = 'test/support/close-after-tests.ts';

const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');

/** Many tests wait for a process, a timer or the disk: a worker takes less than half of a core. */
const maxWorkers = availableParallelism() + 3;

export default defineConfig({
  // It keeps the durations of earlier runs, so that the longest tests start first in a new clone too.
  cacheDir: join(CACHE, 'starkbox', 'vitest'),
  resolve: {
    // Tests run our sources, so that an edit needs no build in between.
    alias: [
      { find: /^@starkbox\/spec$/, replacement: source('packages/spec/src/index.ts') },
      {
        find: /^@starkbox\/spec\/documents$/,
        replacement: source('packages/spec/src/documents.ts'),
      },
      { find: /^@starkbox\/engine$/, replacement: source('packages/engine/js/index.ts') },
      { find: /^starkbox$/, replacement: source('packages/starkbox/src/index.ts') },
      {
        find: /^starkbox\/client$/,
        replacement: source('packages/starkbox/src/client-node.ts'),
      },
      { find: /^@starkbox\/abi$/, replacement: source('packages/abi/src/index.ts') },
      { find: /^@starkbox\/abi\/internal$/, replacement: source('packages/abi/src/internal.ts') },
      { find: /^@starkbox\/abi\/basics$/, replacement: source('packages/abi/src/basics.ts') },
      { find: /^@starkbox\/debugger$/, replacement: source('packages/debugger/src/index.ts') },
      { find: /^@starkbox\/signing$/, replacement: source('packages/signing/src/index.ts') },
      { find: /^@starkbox\/wallet$/, replacement: source('packages/wallet/src/index.ts') },
      {
        find: /^@starkbox\/wallet\/playwright$/,
        replacement: source('packages/wallet/src/playwright.ts'),
      },
      { find: /^@starkbox\/testing$/, replacement: source('packages/testing/src/index.ts') },
      {
        find: /^@starkbox\/test-support$/,
        replacement: source('test/support/conformance/index.ts'),
      },
      {
        find: /^@starkbox\/test-support\/(.*)$/,
        replacement: source('test/support/$1.ts'),
      },
    ],
  },
  test: {
    environment: 'node',
    experimental: { fsModuleCache: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Polls end as soon as their condition holds; the limit only catches hangs.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ALL,
          exclude: [...BROWSER, ...KILLS, ...TIMED, ...ALONE, 'packages/engine-wasm/test/**'],
          setupFiles: CLOSE_AFTER_TESTS,
          // Files of one process share its modules, which saves a second per file.
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cairo-2.8',
          include: EXECUTION,
          env: { STARKBOX_CAIRO: '2.8' },
          setupFiles: CLOSE_AFTER_TESTS,
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'wasm',
          include: WASM,
          exclude: NATIVE,
          env: { STARKBOX_ENGINE: 'wasm' },
          setupFiles: CLOSE_AFTER_TESTS,
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          setupFiles: CLOSE_AFTER_TESTS,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'kills',
          include: KILLS,
          setupFiles: CLOSE_AFTER_TESTS,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: `${BROWSER_SUPPORT}/browser-server.ts`,
          setupFiles: [CLOSE_AFTER_TESTS, `${BROWSER_SUPPORT}/release-pages.ts`],
          // Files of one process share its modules and its pages.
          isolate: false,
          // They bound how long a failing test takes; a busy machine needs long for a passing one.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 90_000 } },
          // With its page and its node, a worker takes two thirds of a core.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
