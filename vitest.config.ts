// Where tests live, how long one may take, and which may run beside each other.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];
/** Tests that time something: each has the machine for itself. */
const TIMED = [
  'packages/engine/test/class/compiler.test.ts',
  'packages/starkbox/test/node/isolation.test.ts',
  'packages/starkbox/test/node/lifecycle.test.ts',
  'packages/starkbox/test/node/longest-transaction.test.ts',
];

/** Tests of pages in chromium; `vitest run --project '!browser'` leaves them out. */
const BROWSER = ['packages/explorer/test/**/*.browser.test.ts'];
const BROWSER_SUPPORT = 'packages/explorer/test/support';

/** Tests that take longest, the longest first: begun last, one of them would run on alone. */
const LONG = [
  'packages/starkbox/test/store/kill.test.ts',
  'packages/starkbox/test/model/model.test.ts',
  'packages/starkbox/test/l1/restart.test.ts',
  'packages/starkbox/test/store/data-dir.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((file) => moduleId.endsWith(file));
      return at < 0 ? LONG.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  resolve: {
    // Tests run our sources, so that an edit needs no build in between.
    alias: [
      { find: /^@starkbox\/engine$/, replacement: source('packages/engine/js/index.ts') },
      { find: /^starkbox$/, replacement: source('packages/starkbox/src/index.ts') },
      { find: /^@starkbox\/abi$/, replacement: source('packages/abi/src/index.ts') },
      { find: /^@starkbox\/testing$/, replacement: source('packages/testing/src/index.ts') },
      {
        find: /^@starkbox\/conformance$/,
        replacement: source('packages/conformance/src/index.ts'),
      },
    ],
  },
  test: {
    environment: 'node',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on a machine that has nothing else to do.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ALL,
          exclude: [...TIMED, ...BROWSER],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: `${BROWSER_SUPPORT}/browser-server.ts`,
          setupFiles: `${BROWSER_SUPPORT}/release-pages.ts`,
          // Files of one process share its modules and its pages.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
