// Where tests live, how long one may take, and which may run beside each other.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];
/** Tests that time something: each has the machine for itself. */
const TIMED = [
  'packages/engine/test/compiler.test.ts',
  'packages/node/test/isolation.test.ts',
  'packages/node/test/lifecycle.test.ts',
  'packages/node/test/longest-transaction.test.ts',
  'packages/ui/test/limits.test.ts',
];

export default defineConfig({
  resolve: {
    // Tests run our sources, so that an edit needs no build in between.
    alias: [
      { find: /^@starkbox\/engine$/, replacement: source('packages/engine/js/index.ts') },
      { find: /^starkbox$/, replacement: source('packages/node/src/index.ts') },
      { find: /^@starkbox\/testing$/, replacement: source('packages/testing/src/index.ts') },
    ],
  },
  test: {
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ALL,
          exclude: TIMED,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
