// Where tests live and how long one may take.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

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
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
