// The shared browser: pages come back empty, and a crash is named.
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowserServer } from './browser-server.js';
import { connectPages } from './pages.js';
import { type Stage, setStage } from './stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

test('a released page is reused without storage, other tabs and listeners', async () => {
  const pages = await connectPages(inject('browserEndpoint'));
  const first = await pages.take();
  await first.goto(`${stage.origin}/ui/node`);
  await first.evaluate(() => {
    localStorage.setItem('a', '1');
    sessionStorage.setItem('b', '2');
  });
  await first.context().newPage();
  let heard = 0;
  first.on('request', () => heard++);
  await pages.release();
  const second = await pages.take();
  expect(second).toBe(first);
  expect(second.context().pages()).toEqual([second]);
  await second.goto(`${stage.origin}/ui/node`);
  expect(heard).toBe(0);
  expect(await second.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  const other = await pages.take({ colorScheme: 'dark' });
  await pages.release();
  expect(other.isClosed()).toBe(true);
  expect(second.isClosed()).toBe(false);
});

test('a browser that crashed is named as the cause', async () => {
  const server = await launchBrowserServer();
  const pages = await connectPages(server.wsEndpoint());
  const page = await pages.take();
  const closed = page.waitForEvent('close');
  await server.kill();
  await closed;
  await pages.release();
  await expect(pages.take()).rejects.toThrow('shared by all tests crashed');
  await expect(connectPages(server.wsEndpoint())).rejects.toThrow('cannot be reached');
});
