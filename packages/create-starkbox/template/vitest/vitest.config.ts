import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The first test also starts a chain and runs the fixture.
    testTimeout: 60_000,
  },
});
