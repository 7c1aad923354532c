// Global setup of the browser tests: one chromium server for all test files of a run.
import { existsSync } from 'node:fs';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the shared browser. */
    readonly browserEndpoint: string;
  }
}

/** One renderer for all pages of a context: otherwise every page that is opened starts a process or two. */
const ONE_RENDERER = [
  '--renderer-process-limit=1',
  '--process-per-site',
  '--disable-site-isolation-trials',
];

let server: BrowserServer | undefined;

export async function launchBrowserServer(): Promise<BrowserServer> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `Browser tests need chromium, and ${executablePath} does not exist. Install it (apt-get install chromium) or name another executable in CHROMIUM.`,
    );
  }
  const args = ['--no-sandbox', '--disable-gpu', ...ONE_RENDERER];
  return chromium.launchServer({ executablePath, args });
}

export async function setup(project: TestProject): Promise<void> {
  server = await launchBrowserServer();
  server.on('close', () => {
    if (server === undefined) return;
    console.error(`The shared chromium ended during the tests.`);
  });
  project.provide('browserEndpoint', server.wsEndpoint());
}

export async function teardown(): Promise<void> {
  const running = server;
  server = undefined;
  await running?.close();
}
