// Settings of the tests: the chromium that Playwright installed, unless CHROMIUM names another executable.
import { defineConfig } from '@playwright/test';

const { CHROMIUM } = process.env;

export default defineConfig({
  testDir: 'test',
  reporter: 'list',
  // They bound how long a failing test takes; a busy machine needs long for a passing one.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: {
      ...(CHROMIUM && { executablePath: CHROMIUM }),
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
