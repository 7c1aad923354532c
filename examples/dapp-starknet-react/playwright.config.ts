// Settings of the tests: the browser of the system, unless CHROMIUM names another one.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'test',
  reporter: 'list',
  // They bound how long a failing test takes; a busy machine needs long for a passing one.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
